//! Scores from the point of view of the side to move.
//!
//! | unit | units per minor piece (knight or cannon) | used by |
//! |---|---|---|
//! | unit of the evaluation | 450 | search, parameters |
//! | hundredth of a minor piece | 100 | UCCI, messages, options |
//! | centipawn | 400 | UCI, XBoard |

use std::fmt;
use std::ops::{Add, Neg, Sub};

/// Maximum length of a line of the search, in plies from the root.
pub const MAX_PLY: usize = 200;

/// The number of plies of a mate in `moves` moves: the attacker has the first and the last one.
pub const fn plies_of_mate(moves: u32) -> u32 {
    moves.saturating_mul(2).saturating_sub(1)
}

/// A score for the side to move, in units of the evaluation, or a proven win or loss with its distance in plies.
/// Stalemate is a loss and is scored as a mate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(transparent))]
pub struct Score(i32);

/// The meaning of a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Hundredths of a minor piece (knight or cannon). Proven wins other than mates are at least 6,044, and such losses
    /// at most -6,044.
    Evaluation(i32),
    /// The side to move mates in this many plies.
    Mates(u32),
    /// The side to move is mated in this many plies.
    Mated(u32),
}

impl Score {
    /// Neither side is better.
    pub const ZERO: Self = Self(0);
    /// Above every score; fits in 16 bits.
    pub const INFINITE: Self = Self(32_000);
    /// A mate on the board, distance zero.
    pub const MATE: Self = Self(30_000);
    /// Scores from here up are mates, at a distance of at most twice [`MAX_PLY`].
    pub const LONGEST_MATE: Self = Self(Self::MATE.0 - 2 * MAX_PLY as i32);
    /// Scores from here up to [`Self::LONGEST_MATE`] are wins by an endgame tablebase whose mate comes after the
    /// no-capture limit, but whose next capture comes before it.
    const CONVERSION: Self =
        Self(Self::LONGEST_MATE.0 - (Self::MAX_DEFENDERS + 1) * 2 * MAX_PLY as i32);
    /// Maximum number of advisors and bishops of a side.
    const MAX_DEFENDERS: i32 = 4;
    /// Scores from here up to [`Self::CONVERSION`] are wins because the other side violates a rule on repetitions,
    /// found by the search or in an endgame tablebase.
    const BY_RULE: Self = Self(Self::CONVERSION.0 - 2 * MAX_PLY as i32);
    /// The largest evaluation, below every win.
    pub const EVALUATION_LIMIT: Self = Self(Self::BY_RULE.0 - 1);
    /// Units of the evaluation per minor piece (knight or cannon).
    pub const MINOR_PIECE: i32 = 450;

    /// An evaluation, clamped below the wins and above the losses.
    #[inline]
    pub const fn evaluation(value: i32) -> Self {
        Self::clamped(value, Self::EVALUATION_LIMIT.0)
    }

    /// A score from its number of units, mates included, clamped to [`Self::INFINITE`].
    #[inline]
    pub const fn from_units(units: i32) -> Self {
        Self::clamped(units, Self::INFINITE.0)
    }

    #[inline]
    const fn clamped(units: i32, limit: i32) -> Self {
        if units > limit {
            Self(limit)
        } else if units < -limit {
            Self(-limit)
        } else {
            Self(units)
        }
    }

    /// The score of being mated or stalemated after `plies` (at most twice [`MAX_PLY`]).
    #[inline]
    pub const fn mated_in(plies: usize) -> Self {
        Self(plies as i32 - Self::MATE.0)
    }

    /// The score of mating after `plies` (at most twice [`MAX_PLY`]).
    #[inline]
    pub const fn mate_in(plies: usize) -> Self {
        Self(Self::MATE.0 - plies as i32)
    }

    /// The score of a win by the endgame tablebases in which the next capture that keeps the win, or the mate, comes in
    /// `plies` (less than twice [`MAX_PLY`]). It is above every win by repetition and below every mate. The fewer
    /// `defenders` (advisors and bishops) the other side has left, the higher it is.
    #[inline]
    pub const fn conversion_in(defenders: usize, plies: usize) -> Self {
        Self(Self::LONGEST_MATE.0 - 1 - (defenders * 2 * MAX_PLY + plies) as i32)
    }

    /// The score of a win by the rules on repetitions in `plies` (less than twice [`MAX_PLY`]): above every
    /// evaluation, below every other win.
    #[inline]
    pub const fn by_rule_in(plies: usize) -> Self {
        Self(Self::CONVERSION.0 - 1 - plies as i32)
    }

    /// Whether the score is a proven win or loss, by mate, by an endgame tablebase or by repetition.
    #[inline]
    pub const fn is_proven(self) -> bool {
        self.0.abs() > Self::EVALUATION_LIMIT.0
    }

    /// Whether the side to move has a proven loss, by mate, by an endgame tablebase or by repetition.
    #[inline]
    pub const fn is_proven_loss(self) -> bool {
        self.0 < -Self::EVALUATION_LIMIT.0
    }

    /// The score in units of the evaluation.
    #[inline]
    pub const fn units(self) -> i32 {
        self.0
    }

    /// Whether the side to move mates by force; not for other wins (by an endgame tablebase or by repetition).
    #[inline]
    pub const fn is_mating(self) -> bool {
        self.0 >= Self::LONGEST_MATE.0
    }

    /// Whether the side to move mates by force in at most this number of moves.
    #[inline]
    pub fn is_mate_in(self, moves: u32) -> bool {
        matches!(self.meaning(), Meaning::Mates(found) if found <= plies_of_mate(moves))
    }

    /// Whether the side to move is mated by force; not for other losses.
    #[inline]
    pub const fn is_mated(self) -> bool {
        self.0 <= -Self::LONGEST_MATE.0
    }

    /// Whether one side mates by force.
    #[inline]
    pub const fn is_mate(self) -> bool {
        self.is_mating() || self.is_mated()
    }

    /// The score as a node at `ply` stores it in the transposition table: the plies of proven wins and losses are
    /// counted from the node.
    #[inline]
    pub const fn to_tt(self, ply: usize) -> Self {
        if self.is_proven() { Self(self.0 + self.0.signum() * ply as i32) } else { self }
    }

    /// The inverse of [`Self::to_tt`]: the plies of proven wins and losses are counted from the root.
    #[inline]
    pub const fn from_tt(self, ply: usize) -> Self {
        if self.is_proven() { Self(self.0 - self.0.signum() * ply as i32) } else { self }
    }

    /// The meaning of the score: a mate with its distance in plies, or a value in hundredths of a minor piece.
    pub const fn meaning(self) -> Meaning {
        // Scores above a mate on the board, such as `INFINITE`, have the distance zero as well.
        let plies = Self::clamped(self.0, Self::MATE.0).0.abs().abs_diff(Self::MATE.0);
        if self.is_mating() {
            Meaning::Mates(plies)
        } else if self.is_mated() {
            Meaning::Mated(plies)
        } else {
            Meaning::Evaluation(self.0 * 100 / Self::MINOR_PIECE)
        }
    }

    /// The score as one number, as in UCCI: hundredths of a minor piece. For a mate, 30,000 minus the plies to it,
    /// negative if the side to move is mated.
    pub const fn number(self) -> i32 {
        match self.meaning() {
            Meaning::Evaluation(hundredths) => hundredths,
            Meaning::Mates(plies) => Self::MATE.0 - plies as i32,
            Meaning::Mated(plies) => plies as i32 - Self::MATE.0,
        }
    }
}

impl Neg for Score {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Add<i32> for Score {
    type Output = Self;

    #[inline]
    fn add(self, units: i32) -> Self {
        Self(self.0 + units)
    }
}

impl Sub<i32> for Score {
    type Output = Self;

    #[inline]
    fn sub(self, units: i32) -> Self {
        Self(self.0 - units)
    }
}

impl Sub for Score {
    type Output = i32;

    #[inline]
    fn sub(self, other: Self) -> i32 {
        self.0 - other.0
    }
}

impl fmt::Display for Score {
    /// `+0.35` minor pieces; `#7` and `#-7` for a mate in 7 plies by the side to move or its opponent.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.meaning() {
            Meaning::Evaluation(hundredths) => write!(f, "{:+.2}", f64::from(hundredths) / 100.0),
            Meaning::Mates(plies) => write!(f, "#{plies}"),
            Meaning::Mated(plies) => write!(f, "#-{plies}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wins_by_tables_rank_between_evaluations_and_mates() {
        let farthest = 2 * MAX_PLY - 1;
        let mut better = Score::mate_in(farthest);
        for defenders in 0..=Score::MAX_DEFENDERS as usize {
            for plies in [1, farthest] {
                let score = Score::conversion_in(defenders, plies);
                assert!(score < better, "{defenders} {plies}");
                assert!(score.is_proven() && (-score).is_proven() && !score.is_mate());
                better = score;
            }
        }
        for plies in [0, farthest] {
            let score = Score::by_rule_in(plies);
            assert!(score < better && score.is_proven() && !score.is_mate());
            better = score;
        }
        assert!(better > Score::evaluation(i32::MAX));
        assert!(!Score::evaluation(i32::MAX).is_proven());
    }

    #[test]
    fn every_number_of_units_has_a_meaning() {
        for units in [i32::MAX, 32_000, 30_001, 30_000] {
            let score = Score::from_units(units);
            assert_eq!(score.meaning(), Meaning::Mates(0));
            assert_eq!((-score).meaning(), Meaning::Mated(0));
            assert_eq!(Score::from_units(i32::MIN).meaning(), (-score).meaning());
        }
    }
}
