//! The inputs of the network: the pieces and their squares from the view of one side.
//!
//! Each side has its own view of the board (its *perspective*). Files are mirrored if the king of this side is on the f
//! file (horizontal mirroring). Only the squares that a piece can reach in a game have an input of their own: 346
//! inputs for the pieces of each side instead of 630. A pawn on another square has the input of the first such square
//! ahead of it.
//!
//! The inputs are numbered by side (own pieces, then the opponent's), kind (king, advisor, bishop, knight, rook,
//! cannon, pawn) and square: rank by rank from the back rank of the piece's owner, and from file a to i on each rank.
//!
//! Three of the 692 inputs are never active: those of the own king on the f file, which is mirrored to the d
//! file. They exist so that own and enemy pieces are numbered in the same way.

use crate::board::{Color, FILES, Piece, PieceKind, Position, Square};

/// The number of inputs of one perspective: own pieces, then the opponent's.
pub const FEATURES: usize = 2 * SIDE_FEATURES;
/// The number of inputs for the pieces of one side.
const SIDE_FEATURES: usize = 346;
/// The maximum number of active inputs: one for each piece.
pub const MAX_ACTIVE: usize = 32;
/// The input for each kind of piece and square, from the view of the piece's owner. 0 for advisors, bishops and
/// kings on impossible squares.
static INDEX: [[u16; Square::COUNT]; PieceKind::COUNT] = index_table();

const fn index_table() -> [[u16; Square::COUNT]; PieceKind::COUNT] {
    let mut table = [[0; Square::COUNT]; PieceKind::COUNT];
    let mut next = 0;
    let mut kind = 0;
    while kind < PieceKind::COUNT {
        let mut square = 0;
        while square < Square::COUNT {
            if let Some(to) = Square::from_index(square)
                && Piece::ALL[kind].can_stand_on(to, false)
            {
                table[kind][square] = next;
                next += 1;
            }
            square += 1;
        }
        kind += 1;
    }
    assert!(next as usize == SIDE_FEATURES);
    // Goes backward from the rank before the last one, so that the input of the square ahead is known.
    let pawn = PieceKind::Pawn as usize;
    let mut square = Square::COUNT - FILES;
    while square > 0 {
        square -= 1;
        if let Some(to) = Square::from_index(square)
            && !Piece::RedPawn.can_stand_on(to, false)
        {
            table[pawn][square] = table[pawn][square + FILES];
        }
    }
    table
}

/// The view of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Perspective {
    /// The side.
    pub side: Color,
    /// Whether files are mirrored.
    pub mirrored: bool,
}

impl Perspective {
    /// The view of `side` with its king on `king`.
    #[inline]
    pub const fn new(side: Color, king: Square) -> Self {
        Self { side, mirrored: king.file() > 4 }
    }

    /// The view of `side` in a position.
    #[inline]
    pub fn of(position: &Position, side: Color) -> Self {
        Self::new(side, position.king(side))
    }

    /// The input for a piece on a square.
    #[inline]
    pub fn feature(self, piece: Piece, square: Square) -> usize {
        // Squares are counted from the back rank of the piece's owner, in both perspectives.
        let square = square.relative_to(piece.color());
        let square = if self.mirrored { square.flip_file() } else { square };
        let index = INDEX[piece.kind().index()][square.index()];
        let offset = if piece.color() == self.side { 0 } else { SIDE_FEATURES };
        offset + usize::from(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_unique() {
        for side in Color::ALL {
            for mirrored in [false, true] {
                let perspective = Perspective { side, mirrored };
                let mut seen = vec![0; FEATURES];
                for piece in Piece::ALL {
                    for square in Square::all() {
                        if piece.can_stand_on(square, false) {
                            seen[perspective.feature(piece, square)] += 1;
                        }
                    }
                }
                assert!(seen.iter().all(|count| *count == 1));
            }
        }
    }

    #[test]
    fn only_three_inputs_are_never_active() {
        let mut never = vec![true; FEATURES];
        for side in Color::ALL {
            let king = Piece::new(PieceKind::King, side);
            for piece in Piece::ALL {
                for square in Square::all() {
                    for at in Square::all().filter(|at| king.can_stand_on(*at, false)) {
                        let square = if piece == king { at } else { square };
                        if piece.can_stand_on(square, false) {
                            never[Perspective::new(side, at).feature(piece, square)] = false;
                        }
                    }
                }
            }
        }
        assert_eq!(never.iter().filter(|never| **never).count(), 3);
    }

    #[test]
    fn perspectives_are_symmetric() {
        for piece in Piece::ALL {
            for square in Square::all() {
                let view = |side, mirrored| Perspective { side, mirrored };
                let turned = Piece::new(piece.kind(), !piece.color());
                assert_eq!(
                    view(Color::Red, false).feature(piece, square),
                    view(Color::Red, true).feature(piece, square.flip_file())
                );
                assert_eq!(
                    view(Color::Red, false).feature(piece, square),
                    view(Color::Black, false).feature(turned, square.flip_rank())
                );
            }
        }
    }

    #[test]
    fn pawns_behind_their_line_have_the_input_of_a_square_ahead() {
        let perspective = Perspective::new(Color::Red, Square::ALL[4]);
        let input = |piece, square: &str| perspective.feature(piece, square.parse().unwrap());
        for (behind, ahead) in [("e0", "e3"), ("e2", "e3"), ("d0", "d5"), ("d4", "d5")] {
            assert_eq!(input(Piece::RedPawn, behind), input(Piece::RedPawn, ahead));
        }
        for (behind, ahead) in [("e9", "e6"), ("f9", "f4"), ("f5", "f4")] {
            assert_eq!(input(Piece::BlackPawn, behind), input(Piece::BlackPawn, ahead));
        }
    }
}
