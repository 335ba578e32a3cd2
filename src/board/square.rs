//! The 90 squares of the board.

use std::fmt;
use std::str::FromStr;

use super::color::Color;

/// Number of files, a to i.
pub const FILES: usize = 9;
/// Number of ranks, 0 (red's back rank) to 9.
pub const RANKS: usize = 10;

/// A square (point) of the board: `9 * rank + file`, so a0 is 0, i0 is 8 and i9 is 89.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// The number of squares.
    pub const COUNT: usize = FILES * RANKS;

    /// All squares by index.
    pub(crate) const ALL: [Self; Self::COUNT] = {
        let mut all = [Self(0); Self::COUNT];
        let mut index = 0;
        while index < Self::COUNT {
            all[index] = Self(index as u8);
            index += 1;
        }
        all
    };

    /// The square at `file` (0..9) and `rank` (0..10), `None` off the board.
    #[inline]
    pub const fn new(file: usize, rank: usize) -> Option<Self> {
        if file < FILES && rank < RANKS { Some(Self((rank * FILES + file) as u8)) } else { None }
    }

    /// The square with this index, `None` from 90 on.
    #[inline]
    pub const fn from_index(index: usize) -> Option<Self> {
        if index < Self::COUNT { Some(Self(index as u8)) } else { None }
    }

    /// The square of a bit of a bitboard; `index` must be below 90.
    #[inline]
    pub(super) const fn from_bit(index: u32) -> Self {
        debug_assert!(index < Self::COUNT as u32);
        Self(index as u8)
    }

    /// All squares from a0 to i9.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator {
        (0..Self::COUNT as u8).map(Self)
    }

    /// The index, counted from a0 rank by rank: 0 to 89.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// File, 0 (a) to 8 (i).
    #[inline]
    pub const fn file(self) -> usize {
        self.0 as usize % FILES
    }

    /// Rank, 0 (red's back rank) to 9.
    #[inline]
    pub const fn rank(self) -> usize {
        self.0 as usize / FILES
    }

    /// Rank from the view of `color`: 0 is its back rank, 9 the enemy's.
    #[inline]
    pub const fn relative_rank(self, color: Color) -> usize {
        match color {
            Color::Red => self.rank(),
            Color::Black => RANKS - 1 - self.rank(),
        }
    }

    /// Mirrored top to bottom: rank r becomes 9 - r, the file stays.
    #[inline]
    pub const fn flip_rank(self) -> Self {
        Self(((RANKS - 1 - self.rank()) * FILES + self.file()) as u8)
    }

    /// Mirrored left to right: file f becomes 8 - f, the rank stays.
    #[inline]
    pub const fn flip_file(self) -> Self {
        Self((self.rank() * FILES + FILES - 1 - self.file()) as u8)
    }

    /// The square from the view of `color`: itself for red, [`Self::flip_rank`] for black.
    #[inline]
    pub const fn relative_to(self, color: Color) -> Self {
        match color {
            Color::Red => self,
            Color::Black => self.flip_rank(),
        }
    }

    /// The square `files` to the right and `ranks` up, `None` off the board.
    #[inline]
    pub const fn offset(self, files: isize, ranks: isize) -> Option<Self> {
        let file = (self.file() as isize).saturating_add(files);
        let rank = (self.rank() as isize).saturating_add(ranks);
        if file < 0 || rank < 0 { None } else { Self::new(file as usize, rank as usize) }
    }

    /// Whether the square is on the far side of the river from `color`.
    #[inline]
    pub const fn is_across_river(self, color: Color) -> bool {
        self.relative_rank(color) >= RANKS / 2
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", (b'a' + self.file() as u8) as char, self.rank())
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a square (a0 to i9)")]
pub struct ParseSquareError;

impl FromStr for Square {
    type Err = ParseSquareError;

    /// Reads `a0` to `i9`, ignoring case.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let &[file, rank] = text.as_bytes() else {
            return Err(ParseSquareError);
        };
        let file = file.to_ascii_lowercase().wrapping_sub(b'a');
        let rank = rank.wrapping_sub(b'0');
        Self::new(file.into(), rank.into()).ok_or(ParseSquareError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_flips_round_trip() {
        for square in Square::all() {
            assert_eq!(square.to_string().parse(), Ok(square));
            assert_eq!(square.flip_rank().flip_rank(), square);
            assert_eq!(square.flip_file().flip_file(), square);
        }
        for bad in ["", "a", "j0", "a:", "aa0", "é", "0a"] {
            assert_eq!(bad.parse::<Square>(), Err(ParseSquareError), "{bad}");
        }
    }
}
