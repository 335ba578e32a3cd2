//! Sets of squares in 128 bits.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

use super::color::Color;
use super::square::{FILES, RANKS, Square};

/// A set of squares. Bit `n` is the square with index `n`; bits 90 and up are always clear.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Bitboard(u128);

impl Bitboard {
    /// No square.
    pub const EMPTY: Self = Self(0);
    /// Every square.
    pub const ALL: Self = Self((1 << Square::COUNT) - 1);
    /// Both palaces (九宫).
    pub const PALACES: Self = {
        let files = Self::file(3).0 | Self::file(4).0 | Self::file(5).0;
        let red = Self::rank(0).0 | Self::rank(1).0 | Self::rank(2).0;
        let black = Self::rank(7).0 | Self::rank(8).0 | Self::rank(9).0;
        Self(files & (red | black))
    };

    /// The set with these bits; bits past the board are dropped.
    #[inline]
    pub const fn from_bits(bits: u128) -> Self {
        Self(bits & Self::ALL.0)
    }

    /// The set with these bits, none of which may be past the board.
    #[inline]
    pub(super) const fn from_board_bits(bits: u128) -> Self {
        debug_assert!(bits & !Self::ALL.0 == 0);
        Self(bits)
    }

    /// The nine squares of a rank from 0 to 9. Other numbers panic if debug assertions are enabled, else the set is
    /// unspecified.
    #[inline]
    pub const fn rank(rank: usize) -> Self {
        debug_assert!(rank < RANKS);
        Self::from_bits(0x1ff << (rank * FILES))
    }

    /// The ten squares of a file from 0 to 8. Other numbers panic if debug assertions are enabled, else the set is
    /// unspecified.
    #[inline]
    pub const fn file(file: usize) -> Self {
        const FILE_A: u128 = {
            let mut bits = 0;
            let mut rank = 0;
            while rank < RANKS {
                bits |= 1 << (rank * FILES);
                rank += 1;
            }
            bits
        };
        debug_assert!(file < FILES);
        Self::from_bits(FILE_A << file)
    }

    /// The half of the board that `color` starts on.
    #[inline]
    pub const fn home_half(color: Color) -> Self {
        const RED: u128 = (1 << (Square::COUNT / 2)) - 1;
        match color {
            Color::Red => Self(RED),
            Color::Black => Self(Self::ALL.0 ^ RED),
        }
    }

    /// The set as a number: bit n is the square with index n.
    #[inline]
    pub const fn bits(self) -> u128 {
        self.0
    }

    /// Whether the set is empty.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the set is not empty.
    #[inline]
    pub const fn any(self) -> bool {
        self.0 != 0
    }

    /// Whether the set has two or more squares.
    #[inline]
    pub const fn more_than_one(self) -> bool {
        self.without_first().any()
    }

    /// The number of squares in the set.
    #[inline]
    pub const fn len(self) -> u32 {
        (self.0 as u64).count_ones() + ((self.0 >> 64) as u64).count_ones()
    }

    /// The set of one square. A shift of 64 bits is faster than a shift of 128 bits.
    #[inline]
    const fn of(square: Square) -> Self {
        let bit = 1 << (square.index() % 64);
        let [low, high]: [u64; 2] = if square.index() < 64 { [bit, 0] } else { [0, bit] };
        Self((high as u128) << 64 | low as u128)
    }

    /// Whether `square` is in the set.
    #[inline]
    pub const fn contains(self, square: Square) -> bool {
        let half = if square.index() < 64 { self.0 as u64 } else { (self.0 >> 64) as u64 };
        half >> (square.index() % 64) & 1 != 0
    }

    /// The set with `square` added.
    #[inline]
    #[must_use]
    pub const fn with(self, square: Square) -> Self {
        Self(self.0 | Self::of(square).0)
    }

    /// The set with `square` removed.
    #[inline]
    #[must_use]
    pub const fn without(self, square: Square) -> Self {
        Self(self.0 & !Self::of(square).0)
    }

    /// The square with the lowest index, `None` if the set is empty.
    #[inline]
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(Square::from_bit(self.0.trailing_zeros())) }
    }

    /// The set without the square with the lowest index.
    #[inline]
    #[must_use]
    pub const fn without_first(self) -> Self {
        Self(self.0 & self.0.wrapping_sub(1))
    }

    /// The squares strictly between two squares of one rank or file; empty for other pairs.
    #[inline]
    pub const fn between(a: Square, b: Square) -> Self {
        let (low, high) =
            if a.index() < b.index() { (a.index(), b.index()) } else { (b.index(), a.index()) };
        if low == high {
            return Self::EMPTY;
        }
        let span = (1 << high) - (2 << low);
        if a.rank() == b.rank() {
            Self(span)
        } else if a.file() == b.file() {
            Self(span & Self::file(a.file()).0)
        } else {
            Self::EMPTY
        }
    }
}

macro_rules! bit_operators {
    ($($op:ident $method:ident $assign:ident $assign_method:ident;)+) => {$(
        impl $op for Bitboard {
            type Output = Self;

            #[inline]
            fn $method(self, other: Self) -> Self {
                Self($op::$method(self.0, other.0))
            }
        }

        impl $assign for Bitboard {
            #[inline]
            fn $assign_method(&mut self, other: Self) {
                *self = $op::$method(*self, other);
            }
        }
    )+};
}

bit_operators! {
    BitAnd bitand BitAndAssign bitand_assign;
    BitOr bitor BitOrAssign bitor_assign;
}

impl Not for Bitboard {
    type Output = Self;

    #[inline]
    fn not(self) -> Self {
        Self(!self.0 & Self::ALL.0)
    }
}

impl From<Square> for Bitboard {
    #[inline]
    fn from(square: Square) -> Self {
        Self::of(square)
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        squares.into_iter().fold(Self::EMPTY, Self::with)
    }
}

/// The squares of a set in index order.
#[derive(Clone, Debug)]
pub struct Squares(Bitboard);

impl Iterator for Squares {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        let first = self.0.first()?;
        self.0 = self.0.without_first();
        Some(first)
    }
}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;

    #[inline]
    fn into_iter(self) -> Squares {
        Squares(self)
    }
}

impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_equals_a_slow_search() {
        for a in Square::all() {
            for b in Square::all() {
                let slow: Bitboard = Square::all()
                    .filter(|s| {
                        let (fa, fb, fs) = (a.file(), b.file(), s.file());
                        let (ra, rb, rs) = (a.rank(), b.rank(), s.rank());
                        (ra == rb && rs == ra && fs > fa.min(fb) && fs < fa.max(fb))
                            || (fa == fb && fs == fa && rs > ra.min(rb) && rs < ra.max(rb))
                    })
                    .collect();
                assert_eq!(Bitboard::between(a, b), slow, "{a} {b}");
            }
        }
    }

    #[test]
    fn iteration_and_counting_agree() {
        let set = Bitboard::PALACES;
        assert_eq!(set.len(), 18);
        assert_eq!(set.into_iter().count(), 18);
        assert_eq!(set.into_iter().collect::<Bitboard>(), set);
        assert_eq!((!set).len(), 72);
        assert!(set.more_than_one() && !Bitboard::from(set.first().unwrap()).more_than_one());
    }
}
