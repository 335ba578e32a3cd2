//! MultiPV searches: the best moves of a position with their scores.

use std::sync::Arc;

use crate::board::Move;
use crate::eval::nnue::Network;
use crate::rules::Game;
use crate::search::{Limits, Score, SearchLine, SearchRequest, Searcher, Settings, StartError};

/// Size of the hash table, in MB.
const HASH: usize = 32;

/// A move with its score for the side that moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoredLine {
    pub played: Move,
    /// The score as the search returned it.
    pub search_score: Score,
    /// The score as a [number](Score::number).
    pub score: i32,
}

impl ScoredLine {
    /// Whether the move allows a forced mate.
    pub fn is_lost(self) -> bool {
        self.score <= -Score::LONGEST_MATE.units()
    }
}

/// Searches positions one after another. A result does not depend on earlier searches.
#[derive(Debug)]
pub struct LineSearch {
    searcher: Searcher,
    nodes: u64,
}

impl LineSearch {
    /// A search with a soft limit of `nodes` nodes per position: the iteration in progress is finished.
    /// Evaluates with `network`, or with the embedded one if it is `None`.
    pub fn new(nodes: u64, network: Option<Arc<Network>>) -> Result<Self, StartError> {
        let mut searcher = Searcher::with_exact_hash(HASH)?;
        searcher.set_network(network);
        Ok(Self { searcher, nodes })
    }

    /// Returns at most `count` moves, best first, and only moves of `only` if it is given.
    ///
    /// # Errors
    /// No search thread can be started.
    pub fn best(
        &mut self,
        game: &Game,
        count: usize,
        only: Option<Vec<Move>>,
    ) -> Result<Vec<ScoredLine>, StartError> {
        self.searcher.forget();
        let request = self.searcher.request(game, Limits::soft(self.nodes));
        let result = self.searcher.search(SearchRequest {
            root_moves: only,
            settings: Settings { multipv: count.max(1), ..request.settings },
            ..request
        })?;
        let mut moves: Vec<_> = result.lines.iter().filter_map(scored).collect();
        moves.sort_by_key(|m| -m.score);
        Ok(moves)
    }

    /// [`Self::best`] without the moves that allow a forced mate or are worse than the best one by more than `margin`
    /// hundredths of a minor piece.
    pub fn good(
        &mut self,
        game: &Game,
        count: usize,
        margin: i32,
    ) -> Result<Vec<ScoredLine>, StartError> {
        let mut found = self.best(game, count, None)?;
        let best = found.first().map_or(0, |m| m.score);
        found.retain(|m| best - m.score <= margin && !m.is_lost());
        Ok(found)
    }
}

fn scored(line: &SearchLine) -> Option<ScoredLine> {
    let played = *line.pv.first()?;
    Some(ScoredLine { played, search_score: line.score, score: line.score.number() })
}
