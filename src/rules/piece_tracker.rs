//! Following pieces through moves that are taken back.

use crate::board::{Bitboard, Move, Square};

/// Names every piece by the square on which it stood at the end of a line of moves without
/// captures, and follows it while the moves are taken back.
#[derive(Clone, Debug)]
pub(super) struct PieceTracker {
    /// The name of what stands on each square.
    name_on: [Square; Square::COUNT],
    /// Where the bearer of each name stands.
    square_of: [Square; Square::COUNT],
}

impl PieceTracker {
    /// At the end of the line: each piece bears the name of its square.
    pub(super) fn new() -> Self {
        Self {
            name_on: Square::ALL,
            square_of: Square::ALL,
        }
    }

    /// Follows the piece that went from one square to an empty one back to where it came from.
    pub(super) fn step_back(&mut self, played: Move) {
        let (from, to) = (played.from().index(), played.to().index());
        self.name_on.swap(from, to);
        self.square_of[self.name_on[from].index()] = played.from();
        self.square_of[self.name_on[to].index()] = played.to();
    }

    /// The name of what stands on `square`.
    pub(super) fn name(&self, square: Square) -> Square {
        self.name_on[square.index()]
    }

    /// Where the bearers of `names` stand.
    pub(super) fn squares(&self, names: Bitboard) -> Bitboard {
        let square = |name: Square| self.square_of[name.index()];
        names.into_iter().map(square).collect()
    }
}
