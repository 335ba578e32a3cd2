//! Images of a position that are worth the same: in the mirror, and with colors exchanged.

use super::piece::Piece;
use super::position::Position;
use super::square::Square;

impl Position {
    /// The position as a mirror shows it: files exchanged, ranks and side to move kept.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        let mut setup = self.setup();
        setup.squares = [None; Square::COUNT];
        for (square, piece) in self.setup().pieces() {
            setup.squares[square.flip_file().index()] = Some(piece);
        }
        // The rules of the game are the same on both sides of the board.
        Self::try_from(&setup).unwrap_or_else(|_| self.clone())
    }

    /// The position with colors exchanged, and with them the ranks and the side to move.
    #[must_use]
    pub fn with_colors_exchanged(&self) -> Self {
        let mut setup = self.setup();
        setup.squares = [None; Square::COUNT];
        for (square, piece) in self.setup().pieces() {
            let other = Piece::new(piece.kind(), !piece.color());
            setup.squares[square.flip_rank().index()] = Some(other);
        }
        setup.side_to_move = !self.side_to_move();
        // The rules of the game are the same for both sides.
        Self::try_from(&setup).unwrap_or_else(|_| self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_of_an_image_is_the_position() {
        let mut position = Position::startpos();
        assert_eq!(position.mirrored(), position);
        position.make("b2e2".parse().unwrap());
        let mirror = position.mirrored();
        assert_ne!(mirror, position);
        let mut other = Position::startpos();
        other.make("h2e2".parse().unwrap());
        assert_eq!(mirror, other);
        assert_eq!(mirror.mirrored(), position);
        let exchanged = position.with_colors_exchanged();
        assert_eq!(exchanged.side_to_move(), crate::board::Color::Red);
        let cannon = exchanged.piece_on("e7".parse().unwrap());
        assert_eq!(cannon, Some(Piece::BlackCannon));
        assert_eq!(exchanged.with_colors_exchanged(), position);
    }
}
