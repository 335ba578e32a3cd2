//! Middlegame and endgame values in one number.

use std::ops::{Add, AddAssign, Mul};

/// A middlegame and an endgame value of 16 bits each, added and scaled together (tapered evaluation;
/// Chessprogramming wiki, "Tapered Eval").
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Tapered(i32);

/// The phase with all rooks, knights and cannons on the board.
pub const FULL_PHASE: i32 = 32;

impl Tapered {
    /// Both values zero.
    pub const ZERO: Self = Self(0);

    /// A pair of values, in units of the evaluation.
    #[inline]
    pub const fn new(middlegame: i32, endgame: i32) -> Self {
        Self((endgame << 16) + middlegame)
    }

    /// The middlegame value.
    #[inline]
    pub const fn middlegame(self) -> i32 {
        self.0 as i16 as i32
    }

    /// The endgame value.
    #[inline]
    pub const fn endgame(self) -> i32 {
        (self.0.wrapping_add(0x8000) >> 16) as i16 as i32
    }

    /// The sum, for constant expressions.
    #[inline]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }

    /// Interpolates at `phase`, from 0 (endgame) to [`FULL_PHASE`]. More pieces than in a set count as
    /// the full phase.
    #[inline]
    pub const fn at_phase(self, phase: i32) -> i32 {
        let phase = if phase < FULL_PHASE { phase } else { FULL_PHASE };
        (self.middlegame() * phase + self.endgame() * (FULL_PHASE - phase)) / FULL_PHASE
    }
}

impl Add for Tapered {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }
}

impl AddAssign for Tapered {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Mul<i32> for Tapered {
    type Output = Self;

    #[inline]
    fn mul(self, count: i32) -> Self {
        Self(self.0.wrapping_mul(count))
    }
}

impl std::fmt::Debug for Tapered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "({}, {})", self.middlegame(), self.endgame())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn halves_do_not_mix(a in -4000..4000, b in -4000..4000, c in -4000..4000, d in -4000..4000, n in -3..4) {
            let sum = (Tapered::new(a, b) + Tapered::new(c, d)) * n;
            prop_assert_eq!((sum.middlegame(), sum.endgame()), ((a + c) * n, (b + d) * n));
            prop_assert_eq!(Tapered::new(a, b).at_phase(FULL_PHASE), a);
            prop_assert_eq!(Tapered::new(a, b).at_phase(0), b);
        }
    }
}
