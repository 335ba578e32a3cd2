//! The result of the moves of a node.

use arrayvec::ArrayVec;

use super::node_score::NodeScore;
use crate::board::{Move, Position};
use crate::search::event::Bound;
use crate::search::score::Score;

/// The moves a node tried without success, for their histories.
pub(super) type Tried = ArrayVec<Move, 64>;

/// The result of the moves of a node.
pub(super) struct MovesResult {
    /// The best score, and what it depends on.
    pub(super) best: NodeScore,
    /// The best score, and what the scores of all moves depend on.
    pub(super) all: NodeScore,
    pub(super) best_move: Move,
    /// The quiet moves and the captures that did not raise alpha, for the histories.
    pub(super) failed: [Tried; 2],
}

impl Default for MovesResult {
    fn default() -> Self {
        Self {
            best: NodeScore::of_position(-Score::INFINITE),
            all: NodeScore::of_position(-Score::INFINITE),
            best_move: Move::NONE,
            failed: [Tried::new(), Tried::new()],
        }
    }
}

impl MovesResult {
    /// A node all of whose moves come to `score`, without a best one.
    pub(super) fn of_score(score: Score) -> Self {
        let score = NodeScore::of_position(score);
        Self {
            best: score,
            all: score,
            ..Self::default()
        }
    }

    /// Takes the score of a move into account.
    pub(super) fn add(&mut self, score: NodeScore) {
        if score.score > self.best.score {
            self.best = score;
        }
        self.all = self.best.depending_on(self.all).depending_on(score);
    }

    /// The score of the node: a fail high depends on the best move alone.
    pub(super) fn node_score(&self, beta: Score) -> NodeScore {
        if self.best.score >= beta {
            self.best
        } else {
            self.all
        }
    }

    /// The same for the node at `ply`: its scores do not depend on its own subtree.
    pub(super) fn settled_at(mut self, ply: usize) -> Self {
        self.best = self.best.settled_at(ply);
        self.all = self.all.settled_at(ply);
        self
    }

    /// Notes a move that did not raise alpha.
    pub(super) fn add_failure(&mut self, m: Move, position: &Position) {
        let capture = position.taken_by(m).is_some();
        // Past the sixty-fourth, moves are not worth punishing.
        let _ = self.failed[usize::from(capture)].try_push(m);
    }

    /// The bound that the transposition table may store, if any: nothing exact, and no proven win or
    /// loss, that holds only for the way the position was reached. A best move whose score does not
    /// depend on that way still bounds the score from below.
    pub(super) fn table_bound(&self, bound: Bound) -> Option<Bound> {
        let proven = self.best.score.is_proven();
        let (best, all) = (self.best.is_path_dependent(), self.all.is_path_dependent());
        match bound {
            Bound::Lower => (!best || !proven).then_some(Bound::Lower),
            Bound::Upper => (!all || !proven).then_some(Bound::Upper),
            Bound::Exact if !all => Some(Bound::Exact),
            Bound::Exact => (!best).then_some(Bound::Lower),
        }
    }
}
