//! Moves in 16 bits.

use std::fmt;
use std::str::FromStr;

use arrayvec::ArrayVec;

use super::square::Square;

/// A move: seven bits of origin, seven bits of destination.
///
/// ```
/// use chuhe::board::Move;
///
/// let m: Move = "b0c2".parse()?; // 马八进七
/// assert_eq!(m.from().file(), 1);
/// assert_eq!(m.to().rank(), 2);
/// assert_eq!(m.to_string(), "b0c2");
/// assert!("b0c".parse::<Move>().is_err());
/// # Ok::<(), chuhe::board::ParseMoveError>(())
/// ```
///
/// In the promotion variant ([`Setup::promotion`](super::Setup::promotion)), a move from a square to itself is a
/// promotion. a0 to a0, which is never legal, is [`Move::NONE`]. The order of moves is that of their bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Move(u16);

/// An upper bound on the number of pseudo-legal moves of a side.
///
/// A side with the pieces of a set has at most 119 moves, and four promotions in the variant. A side with a king and
/// 15 rooks or cannons has at most 246: 4 for the king and 17 for each of the others, minus 13. Of these 15 pieces at
/// least 7 share a file with another one and at least 6 share a rank, which costs each of them one move or more.
pub const MAX_MOVES: usize = 256;

/// The moves of one position.
pub type MoveList = ArrayVec<Move, MAX_MOVES>;

impl Move {
    /// No move; also the null move of the search.
    pub const NONE: Self = Self(0);

    /// A move between two squares.
    #[inline]
    pub const fn new(from: Square, to: Square) -> Self {
        Self(from.index() as u16 | (to.index() as u16) << 7)
    }

    /// Origin.
    #[inline]
    pub const fn from(self) -> Square {
        Square::from_bit((self.0 & 0x7f) as u32)
    }

    /// Destination.
    #[inline]
    pub const fn to(self) -> Square {
        Square::from_bit((self.0 >> 7) as u32)
    }

    /// The square on which the piece on `square` was before this move.
    pub fn origin_of(self, square: Square) -> Square {
        if square == self.to() { self.from() } else { square }
    }

    /// Whether this is not [`Move::NONE`].
    #[inline]
    pub const fn is_some(self) -> bool {
        self.0 != 0
    }

    /// Whether this is [`Move::NONE`].
    #[inline]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Whether an advisor or bishop promotes to a pawn on its square.
    #[inline]
    pub const fn is_promotion(self) -> bool {
        self.is_some() && self.0 & 0x7f == self.0 >> 7
    }

    /// The move as 14 bits.
    #[inline]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The move with these [`Self::bits`]; `None` if they do not encode two squares.
    #[inline]
    pub const fn from_bits(bits: u16) -> Option<Self> {
        let in_board = (bits & 0x7f) < Square::COUNT as u16 && (bits >> 7) < Square::COUNT as u16;
        if in_board { Some(Self(bits)) } else { None }
    }
}

impl fmt::Display for Move {
    /// Writes coordinates: `h2e2`, or `0000` for [`Move::NONE`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() { f.write_str("0000") } else { write!(f, "{}{}", self.from(), self.to()) }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not a move in coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a move in coordinates, such as h2e2")]
pub struct ParseMoveError;

impl FromStr for Move {
    type Err = ParseMoveError;

    /// Reads `h2e2` and, as in some game records, `H2-E2`, ignoring case. `0000` is an error, so [`Move::NONE`] is
    /// written but not read, also in serialized values.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (from, to) = match text.len() {
            4 => (text.get(..2), text.get(2..)),
            5 if text.as_bytes()[2] == b'-' => (text.get(..2), text.get(3..)),
            _ => (None, None),
        };
        let square = |part: Option<&str>| part?.parse::<Square>().ok();
        match (square(from), square(to)) {
            (Some(from), Some(to)) if Self::new(from, to).is_some() => Ok(Self::new(from, to)),
            _ => Err(ParseMoveError),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_move_round_trips() {
        for from in Square::all() {
            for to in Square::all() {
                let m = Move::new(from, to);
                assert_eq!((m.from(), m.to()), (from, to));
                assert_eq!(Move::from_bits(m.bits()), Some(m));
                if m.is_some() {
                    assert_eq!(m.to_string().parse(), Ok(m));
                }
            }
        }
        assert_eq!("H2-E2".parse::<Move>().unwrap().to_string(), "h2e2");
        for bad in ["", "h2", "h2e", "h2e2q", "h2+e2", "炮", "a0a0", "0000", "é2e2"] {
            assert_eq!(bad.parse::<Move>(), Err(ParseMoveError), "{bad}");
        }
    }
}
