//! Searches for the best moves of a position, with their scores.

use std::collections::BTreeMap;
use std::sync::Arc;

use crossbeam_channel::{Receiver, unbounded};

use crate::board::Move;
use crate::eval::nnue::Network;
use crate::rules::Game;
use crate::search::{
    Bound, Control, Event, Info, Limits, Meaning, Pool, Report, Score, SearchRequest, Settings,
    StartError,
};

/// The hash table, in MB.
const HASH: usize = 32;
/// What a mate counts, in hundredths of a minor piece.
const MATE: i32 = 30_000;

/// A move with its score for the side that plays it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ScoredLine {
    pub(super) played: Move,
    /// As the search gave it.
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

/// One search thread. A search depends on its position and nodes alone, not on the searches before.
#[derive(Debug)]
pub(super) struct LineSearch {
    pool: Pool,
    events: Receiver<Event>,
    nodes: u64,
    network: Option<Arc<Network>>,
}

impl LineSearch {
    /// Searches so many nodes a position, after which the iteration under way is finished. `network`
    /// evaluates, the embedded one where it is `None`.
    ///
    /// # Errors
    /// There is no memory for a search, or the system starts no thread.
    pub(super) fn new(nodes: u64, network: Option<Arc<Network>>) -> Result<Self, StartError> {
        let (sender, events) = unbounded();
        // With less memory it searches with what there is.
        let pool = Pool::with_hash(HASH, sender)?;
        Ok(Self {
            pool,
            events,
            nodes,
            network,
        })
    }

    /// The best moves, the best one first: at most `count` of them, out of `only` where given. Empty
    /// where the search threads are gone.
    pub(super) fn best(
        &mut self,
        game: &Game,
        count: usize,
        only: Option<Vec<Move>>,
    ) -> Vec<ScoredLine> {
        self.pool.forget();
        self.pool.start(SearchRequest {
            game: game.clone(),
            limits: Limits::soft(self.nodes),
            root_moves: only,
            settings: Settings {
                multipv: count.max(1),
                ..Settings::default()
            },
            network: self.network.clone(),
            tables: None,
            control: Control::new(false),
        });
        let mut lines = BTreeMap::new();
        for event in &self.events {
            match event {
                Event::Report(Report::Line(info)) if info.bound == Bound::Exact => {
                    lines.insert(info.multipv, scored(&info));
                }
                Event::Done(_) => break,
                _ => {}
            }
        }
        let mut moves: Vec<ScoredLine> = Vec::new();
        for line in lines.into_values().flatten() {
            if !moves.iter().any(|known| known.played == line.played) {
                moves.push(line);
            }
        }
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

fn scored(info: &Info) -> Option<ScoredLine> {
    let score = match info.score.meaning() {
        Meaning::Evaluation(hundredths) => hundredths,
        Meaning::Mates(plies) => MATE - i32::try_from(plies).unwrap_or(0),
        Meaning::Mated(plies) => i32::try_from(plies).unwrap_or(0) - MATE,
    };
    let played = *info.pv.first()?;
    Some(ScoredLine {
        played,
        exact: info.score,
        score,
    })
}
