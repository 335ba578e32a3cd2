//! The two sides.

use std::fmt;
use std::ops::Not;

use super::indexed::indexed_enum;

indexed_enum! {
    /// A side: red (红, moves first, ranks 0 to 4) or black (黑, ranks 5 to 9).
    pub enum Color {
        /// 红
        Red,
        /// 黑
        Black,
    }
}

impl Color {
    /// 1 for red and -1 for black: turns a score of this side into one for red, and back.
    #[inline]
    pub const fn sign(self) -> i32 {
        match self {
            Self::Red => 1,
            Self::Black => -1,
        }
    }
}

impl Not for Color {
    type Output = Self;

    #[inline]
    fn not(self) -> Self {
        match self {
            Self::Red => Self::Black,
            Self::Black => Self::Red,
        }
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Red => "red",
            Self::Black => "black",
        })
    }
}
