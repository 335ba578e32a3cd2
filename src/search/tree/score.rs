//! The scores of a node and of its moves, with what they depend on.

use std::ops::Neg;

use arrayvec::ArrayVec;

use crate::board::{Move, Position};
use crate::search::event::Bound;
use crate::search::score::Score;

/// A score, and the earliest ply of the path that it depends on in addition to the node's own position.
///
/// A position can have different scores when it is reached by different paths, because repetitions and the no-capture
/// limit depend on the path. A score that depends on the path can be wrong for another path (Campbell, "The
/// graph-history interaction: on ignoring position history", 1985). [`MovesResult::tt_bound`] and, in the quiescence
/// search, `close_quiescence` decide whether it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeScore {
    pub score: Score,
    earliest: i32,
}

const _: () = assert!(size_of::<NodeScore>() == 8);

impl NodeScore {
    /// The result of a stopped search. Callers discard it.
    pub const STOPPED: Self = Self::of_position(Score::ZERO);

    /// A score that depends on the position alone.
    #[inline]
    pub const fn of_position(score: Score) -> Self {
        Self { score, earliest: i32::MAX }
    }

    /// A score that depends on the path from the ply `earliest` on. Plies before the root are negative.
    #[inline]
    pub const fn of_path(score: Score, earliest: i32) -> Self {
        Self { score, earliest }
    }

    /// Whether the score could be different on another path to the position.
    #[inline]
    pub const fn is_path_dependent(self) -> bool {
        self.earliest != i32::MAX
    }

    /// This score as seen from the node at `ply`: it does not depend on the path if the first occurrence of the
    /// repetition is at the node or below it.
    #[inline]
    pub fn settled_at(self, ply: usize) -> Self {
        if self.earliest >= ply as i32 { Self::of_position(self.score) } else { self }
    }

    /// Raises this to `score` if that is better. The result depends on the paths of both.
    #[inline]
    pub fn raise_to(&mut self, score: Self) {
        self.score = self.score.max(score.score);
        self.earliest = self.earliest.min(score.earliest);
    }

    /// A score above `beta` moved toward `beta`, more at lower depth: it is only a bound, and less reliable the higher
    /// it is (Stockfish). The score is unchanged if it is proven or not above `beta`, or if `beta` is proven.
    #[inline]
    pub fn averaged_fail_high(mut self, beta: Score, depth: i32) -> Self {
        if self.score > beta && !self.score.is_proven() && !beta.is_proven() {
            let sum = self.score.units() * depth + beta.units();
            self.score = Score::from_units(sum / (depth + 1));
        }
        self
    }

    /// This score, depending also on what `other` depends on.
    #[inline]
    pub fn depending_on(self, other: Self) -> Self {
        Self { earliest: self.earliest.min(other.earliest), ..self }
    }
}

impl Neg for NodeScore {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self { score: -self.score, ..self }
    }
}

pub type FailedMoves = ArrayVec<Move, 64>;

/// The result of searching the moves of a node.
pub struct MovesResult {
    /// The best score, and what it depends on.
    pub best: NodeScore,
    /// The best score, and what the scores of all moves depend on.
    pub all: NodeScore,
    pub best_move: Move,
    /// The quiet moves and the captures that did not raise alpha, for the histories.
    pub failed: [FailedMoves; 2],
}

impl Default for MovesResult {
    fn default() -> Self {
        Self {
            best: NodeScore::of_position(-Score::INFINITE),
            all: NodeScore::of_position(-Score::INFINITE),
            best_move: Move::NONE,
            failed: [FailedMoves::new(), FailedMoves::new()],
        }
    }
}

impl MovesResult {
    /// Sets the score of a result without moves.
    pub fn set_score(&mut self, score: Score) {
        self.best = NodeScore::of_position(score);
        self.all = self.best;
    }

    pub fn add(&mut self, score: NodeScore) {
        if score.score > self.best.score {
            self.best = score;
        }
        self.all = self.best.depending_on(self.all).depending_on(score);
    }

    /// The score of the node. A fail high depends on the best move alone.
    pub fn node_score(&self, beta: Score) -> NodeScore {
        if self.best.score >= beta { self.best } else { self.all }
    }

    /// Settles both scores at the node at `ply`; see [`NodeScore::settled_at`].
    pub fn settle_at(&mut self, ply: usize) {
        self.best = self.best.settled_at(ply);
        self.all = self.all.settled_at(ply);
    }

    pub fn add_failure(&mut self, m: Move, position: &Position) {
        let capture = position.taken_by(m).is_some();
        // Moves after the 64th get no malus.
        let _ = self.failed[usize::from(capture)].try_push(m);
    }

    /// The bound to store in the transposition table, if any. A bound that depends on the path is stored only if it is
    /// not proven. An exact score that depends on the path is stored only as a lower bound, and only if the score of
    /// the best move alone does not depend on it.
    pub fn tt_bound(&self, bound: Bound) -> Option<Bound> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_above_the_first_occurrence_do_not_depend_on_the_path() {
        let repetition = NodeScore::of_path(Score::ZERO, 5);
        for (ply, depends) in [(9, true), (6, true), (5, false), (4, false), (0, false)] {
            let settled = (-repetition).settled_at(ply);
            assert_eq!(settled.is_path_dependent(), depends, "ply {ply}");
        }
        let mut both = NodeScore::of_position(Score::ZERO + 1);
        both.raise_to(repetition);
        assert!(both.is_path_dependent() && both.score == Score::ZERO + 1);
        let before_root = NodeScore::of_path(Score::ZERO, -1);
        both.raise_to(before_root);
        assert!(both.settled_at(0).is_path_dependent());
    }
}
