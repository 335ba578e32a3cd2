//! What a node returns: a score and what it depends on.

use std::ops::Neg;

use crate::search::score::Score;

/// A score, and the lowest ply whose position it depends on beside the node's own.
///
/// The same position can be worth something else when it is reached in another way: a repetition or the
/// no-capture limit scores the path, not the position. A score that depends on the path must not be kept
/// for the position (the graph history interaction problem: Campbell, "The graph-history interaction: on
/// ignoring position history", 1985).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeScore {
    pub score: Score,
    lowest_ply: i32,
}

const _: () = assert!(size_of::<NodeScore>() == 8);

impl NodeScore {
    /// What a search that is stopped returns; its callers drop it.
    pub(super) const STOPPED: Self = Self::of_position(Score::ZERO);

    /// A score that depends on the position alone.
    #[inline]
    pub(super) const fn of_position(score: Score) -> Self {
        Self {
            score,
            lowest_ply: i32::MAX,
        }
    }

    /// A score that depends on the path from `lowest_ply` on, counted from the root; negative before it.
    #[inline]
    pub(super) const fn of_path(score: Score, lowest_ply: i32) -> Self {
        Self { score, lowest_ply }
    }

    /// Whether another way to the position could give another score.
    #[inline]
    pub(super) const fn is_path_dependent(self) -> bool {
        self.lowest_ply != i32::MAX
    }

    /// This score as the node at `ply` sees it: a repetition whose first occurrence lies at the node or
    /// below it comes about however the node is reached.
    #[inline]
    pub(super) fn settled_at(self, ply: usize) -> Self {
        if self.lowest_ply >= ply as i32 {
            Self::of_position(self.score)
        } else {
            self
        }
    }

    /// The better of this and `score`, depending on what either depends on.
    #[inline]
    pub(super) fn add(&mut self, score: Self) {
        self.score = self.score.max(score.score);
        self.lowest_ply = self.lowest_ply.min(score.lowest_ply);
    }

    /// A score at or above `beta` drawn towards it, the more the shallower the search: what lies above is
    /// only a bound, and the less sure the further it lies (Stockfish). Others stay as they are.
    #[inline]
    pub(super) fn averaged_fail_high(mut self, beta: Score, depth: i32) -> Self {
        if self.score > beta && !self.score.is_proven() && !beta.is_proven() {
            let sum = self.score.units() * depth + beta.units();
            self.score = Score::from_units(sum / (depth + 1));
        }
        self
    }

    /// This score, which depends on what `other` depends on as well.
    #[inline]
    pub(super) fn depending_on(self, other: Self) -> Self {
        Self {
            lowest_ply: self.lowest_ply.min(other.lowest_ply),
            ..self
        }
    }
}

impl Neg for NodeScore {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self {
            score: -self.score,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repetition_taints_no_node_above_its_first_occurrence() {
        let repetition = NodeScore::of_path(Score::ZERO, 5);
        for (ply, depends) in [(9, true), (6, true), (5, false), (4, false), (0, false)] {
            let settled = (-repetition).settled_at(ply);
            assert_eq!(settled.is_path_dependent(), depends, "ply {ply}");
        }
        let mut both = NodeScore::of_position(Score::ZERO + 1);
        both.add(repetition);
        assert!(both.is_path_dependent() && both.score == Score::ZERO + 1);
        let before_root = NodeScore::of_path(Score::ZERO, -1);
        both.add(before_root);
        assert!(both.settled_at(0).is_path_dependent());
    }
}
