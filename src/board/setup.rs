//! Anything that can be written down as a position, legal or not.

use super::color::Color;
use super::piece::Piece;
use super::square::Square;

/// A board as somebody describes it. [`Position::try_from`](super::Position) tells whether the
/// rules allow it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// What stands on each square, by square index.
    pub squares: [Option<Piece>; Square::COUNT],
    /// Side to move.
    pub side: Color,
    /// Plies since the last capture.
    pub halfmove_clock: u16,
    /// Number of the move, from 1, counted up after black's.
    pub fullmove_number: u16,
    /// Whether advisors and bishops may become pawns on their own back rank (a variant; it also
    /// allows pawns on the squares that such pawns pass).
    pub promotion: bool,
}

impl Setup {
    /// An empty board, red to move.
    pub const fn empty() -> Self {
        Self {
            squares: [None; Square::COUNT],
            side: Color::Red,
            halfmove_clock: 0,
            fullmove_number: 1,
            promotion: false,
        }
    }

    /// The pieces with their squares, a0 to i9.
    pub fn pieces(&self) -> impl Iterator<Item = (Square, Piece)> + '_ {
        Square::all().filter_map(|square| Some((square, self.squares[square.index()]?)))
    }
}
