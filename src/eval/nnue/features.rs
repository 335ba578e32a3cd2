//! The inputs of the network: which piece stands where, seen by one side.
//!
//! Each side has its own view of the board (its *perspective*): ranks are counted from its own back
//! rank, and files are mirrored when its king stands right of the middle file, so that the king is
//! always on the left half (horizontal mirroring). Only squares that a piece can reach have an input:
//! with kings, advisors, bishops and unpromoted pawns that is 346 a side instead of 630.
//!
//! Three of the 692 inputs never come on: the own king on the three squares of the f file, which mirroring brings
//! to the d file. They stay, so that own and other pieces are numbered alike; networks that are there would have to
//! be numbered anew without them, for nothing but three rows that are never read. (The opponent's king does stand
//! there.)

use crate::board::{Color, Piece, PieceKind, Position, Square};

/// Inputs of one perspective: own pieces, then the opponent's.
pub const FEATURES: usize = 2 * SIDE_FEATURES;
/// Inputs for the pieces of one side.
const SIDE_FEATURES: usize = 346;
/// Most inputs that are on at a time: a full set of pieces.
pub const MAX_ACTIVE: usize = 32;
/// Marks a square that a piece cannot reach.
const UNREACHABLE: u16 = u16::MAX;

/// Input by kind of piece and square, both from the point of view of the piece's owner, without those of the
/// promotion variant.
static INDEX: [[u16; Square::COUNT]; PieceKind::COUNT] = index_table();

const fn index_table() -> [[u16; Square::COUNT]; PieceKind::COUNT] {
    let mut table = [[UNREACHABLE; Square::COUNT]; PieceKind::COUNT];
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
    table
}

/// How one side looks at the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Perspective {
    /// Whose view it is.
    pub side: Color,
    /// Whether files are mirrored.
    pub mirrored: bool,
}

impl Perspective {
    /// The view of `side`, whose king stands on `king`.
    #[inline]
    pub const fn new(side: Color, king: Square) -> Self {
        Self {
            side,
            mirrored: king.file() > 4,
        }
    }

    /// The view of `side` in a position.
    #[inline]
    pub fn of(position: &Position, side: Color) -> Self {
        Self::new(side, position.king(side))
    }

    /// The input for a piece on a square, or `None` where only the promotion variant brings it.
    #[inline]
    pub fn feature(self, piece: Piece, square: Square) -> Option<usize> {
        // Squares are counted from the back rank of the piece's owner to find out what it can reach;
        // the opponent's pieces are thus seen from behind, which is the same for both perspectives.
        let square = square.relative_to(piece.color());
        let square = if self.mirrored {
            square.flip_file()
        } else {
            square
        };
        let index = INDEX[piece.kind().index()][square.index()];
        let offset = if piece.color() == self.side {
            0
        } else {
            SIDE_FEATURES
        };
        (index != UNREACHABLE).then_some(offset + usize::from(index))
    }
}

/// Whether every piece of the position has an input. Pieces of the promotion variant may have none.
pub fn is_representable(position: &Position) -> bool {
    let perspective = Perspective::of(position, Color::Red);
    position.occupied().into_iter().all(|square| {
        position
            .piece_on(square)
            .is_none_or(|piece| perspective.feature(piece, square).is_some())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_input_belongs_to_one_piece_and_square() {
        for side in Color::ALL {
            for mirrored in [false, true] {
                let perspective = Perspective { side, mirrored };
                let mut seen = vec![0; FEATURES];
                for piece in Piece::ALL {
                    for square in Square::all() {
                        if let Some(feature) = perspective.feature(piece, square) {
                            seen[feature] += 1;
                        }
                    }
                }
                assert!(seen.iter().all(|count| *count == 1));
            }
        }
    }

    #[test]
    fn the_own_king_never_stands_right_of_the_middle() {
        let mut never = vec![true; FEATURES];
        for side in Color::ALL {
            let king = Piece::new(PieceKind::King, side);
            for piece in Piece::ALL {
                for square in Square::all() {
                    for at in Square::all().filter(|at| king.can_stand_on(*at, false)) {
                        let square = if piece == king { at } else { square };
                        if let Some(feature) = Perspective::new(side, at).feature(piece, square) {
                            never[feature] = false;
                        }
                    }
                }
            }
        }
        assert_eq!(never.iter().filter(|never| **never).count(), 3);
    }

    #[test]
    fn mirrored_and_turned_boards_look_the_same() {
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
}
