//! The symmetries of the board.

use super::moves::Move;
use super::piece::Piece;
use super::position::Position;
use super::square::Square;

/// A symmetry of the board: reverses the ranks, the files, both or neither. Applied twice, it changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Symmetry {
    /// Whether ranks are reversed and colors swapped.
    pub ranks: bool,
    /// Whether files are reversed.
    pub files: bool,
}

impl Symmetry {
    /// The image of a square.
    #[inline]
    pub const fn square(self, square: Square) -> Square {
        let square = if self.ranks { square.flip_rank() } else { square };
        if self.files { square.flip_file() } else { square }
    }

    /// The image of a move.
    #[inline]
    pub const fn image_of_move(self, m: Move) -> Move {
        if m.is_none() { m } else { Move::new(self.square(m.from()), self.square(m.to())) }
    }

    /// The image of a piece.
    #[inline]
    pub fn piece(self, piece: Piece) -> Piece {
        if self.ranks { Piece::new(piece.kind(), !piece.color()) } else { piece }
    }
}

impl Move {
    /// The move mirrored left to right.
    #[inline]
    pub const fn flip_file(self) -> Self {
        Symmetry { ranks: false, files: true }.image_of_move(self)
    }
}

impl Position {
    /// The image of the position. If ranks are reversed, colors and the side to move are swapped. Like a FEN, the
    /// image keeps the number of plies since the last capture, but neither the checks among them nor the captured
    /// piece.
    #[must_use]
    pub fn image(&self, symmetry: Symmetry) -> Self {
        let before = self.setup();
        let mut setup = before.clone();
        setup.squares = [None; Square::COUNT];
        for (square, piece) in before.pieces() {
            setup.squares[symmetry.square(square).index()] = Some(symmetry.piece(piece));
        }
        if symmetry.ranks {
            setup.side_to_move = !setup.side_to_move;
        }
        // Fails only for an illegal position (after a move that is only pseudo-legal), which is returned unchanged.
        Self::try_from(&setup).unwrap_or_else(|_| self.clone())
    }

    /// The position mirrored left to right.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        self.image(Symmetry { ranks: false, files: true })
    }

    /// The position with ranks reversed, and colors and the side to move swapped.
    #[must_use]
    pub fn with_colors_swapped(&self) -> Self {
        self.image(Symmetry { ranks: true, files: false })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symmetries_are_involutions() {
        let start = Position::startpos();
        assert_eq!(start.mirrored(), start);
        let position = start.after_line("b2e2");
        let mirror = position.mirrored();
        assert_ne!(mirror, position);
        assert_eq!(mirror, start.after_line("h2e2"));
        assert_eq!(mirror.mirrored(), position);
        let swapped = position.with_colors_swapped();
        assert_eq!(swapped.side_to_move(), crate::board::Color::Red);
        let cannon = swapped.piece_on("e7".parse().unwrap());
        assert_eq!(cannon, Some(Piece::BlackCannon));
        assert_eq!(swapped.with_colors_swapped(), position);
    }
}
