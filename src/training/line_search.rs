//! Searches for the best moves of a position, with their scores.

use std::sync::Arc;

use crate::board::Move;
use crate::eval::nnue::Network;
use crate::rules::Game;
use crate::search::{
    Limits, Meaning, Score, SearchLine, SearchRequest, Searcher, Settings, StartError,
};

/// The hash table, in MB.
const HASH: usize = 32;
/// The score of a mate, in hundredths of a minor piece.
const MATE: i32 = 30_000;

/// A move with its score for the side that plays it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ScoredLine {
    pub(super) played: Move,
    /// The score as the search returned it.
    pub(super) exact: Score,
    /// In hundredths of a minor piece.
    pub(super) score: i32,
}

impl ScoredLine {
    /// Whether the move gets mated.
    pub(super) fn is_lost(self) -> bool {
        self.score <= MATE / -2
    }
}

/// Searches positions, one after another. A result depends on the position and the nodes alone, not on the
/// searches before.
#[derive(Debug)]
pub(super) struct LineSearch {
    searcher: Searcher,
    nodes: u64,
}

impl LineSearch {
    /// Searches `nodes` nodes a position, and then finishes the iteration. `network` evaluates (`None`: the
    /// embedded one).
    ///
    /// # Errors
    /// There is no memory for a search.
    pub(super) fn new(nodes: u64, network: Option<Arc<Network>>) -> Result<Self, StartError> {
        // With less memory it searches with a smaller table.
        let mut searcher = Searcher::new(HASH)?;
        searcher.set_network(network);
        Ok(Self { searcher, nodes })
    }

    /// The best moves, the best one first: at most `count` of them, out of `only` where given. Empty if no
    /// search thread can be started.
    pub(super) fn best(
        &mut self,
        game: &Game,
        count: usize,
        only: Option<Vec<Move>>,
    ) -> Vec<ScoredLine> {
        self.searcher.forget();
        let request = self.searcher.request(game, Limits::soft(self.nodes));
        let result = self.searcher.search(SearchRequest {
            root_moves: only,
            settings: Settings {
                multipv: count.max(1),
                ..request.settings
            },
            ..request
        });
        let lines = result.map_or_else(Vec::new, |result| result.lines);
        let mut moves: Vec<_> = lines.iter().filter_map(scored).collect();
        moves.sort_by_key(|m| -m.score);
        moves
    }

    /// As [`Self::best`], of those that are worse than the best by no more than `margin`, in hundredths of
    /// a minor piece, and do not get mated.
    pub(super) fn good(&mut self, game: &Game, count: usize, margin: i32) -> Vec<ScoredLine> {
        let mut found = self.best(game, count, None);
        let best = found.first().map_or(0, |m| m.score);
        found.retain(|m| best - m.score <= margin && !m.is_lost());
        found
    }
}

fn scored(line: &SearchLine) -> Option<ScoredLine> {
    let score = match line.score.meaning() {
        Meaning::Evaluation(hundredths) => hundredths,
        Meaning::Mates(plies) => MATE - i32::try_from(plies).unwrap_or(0),
        Meaning::Mated(plies) => i32::try_from(plies).unwrap_or(0) - MATE,
    };
    let played = *line.pv.first()?;
    Some(ScoredLine {
        played,
        exact: line.score,
        score,
    })
}
