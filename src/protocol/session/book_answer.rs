//! What the opening books answer.

use std::time::Duration;

use crate::board::Move;
use crate::book::BookMove;
use crate::search::Outcome;

/// What the books answer to a `go`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BookAnswer {
    /// The moves that may be played, the heaviest first.
    pub(super) moves: Vec<BookMove>,
    /// The one to play.
    pub(super) best: Move,
    /// The heaviest reply that the books have.
    pub(super) ponder: Option<Move>,
}

impl BookAnswer {
    /// The answer as that of a search that has seen nothing.
    pub(super) fn outcome(&self) -> Outcome {
        Outcome {
            best: Some(self.best),
            ponder: self.ponder,
            score: None,
            depth: 0,
            nodes: 0,
            time: Duration::ZERO,
        }
    }
}
