//! How .xqb books name positions and moves.
//!
//! The board is seen by the side to move: for black it is turned by half a circle and the colors are
//! exchanged. Of that board and its mirror image the one with the larger cells counts.

use crate::board::{Color, Move, Piece, PieceKind, Position, Setup, Square};

/// Points of the board.
const CELLS: usize = Square::COUNT;
/// What an empty point counts, less than any piece.
const EMPTY: i8 = -1;
/// What is added for pieces of the side that is not to move.
const OPPONENT: i8 = 8;

/// The board as a book sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct XqbView {
    /// Whether the board is turned by half a circle: black is to move.
    turned: bool,
    /// Whether it is mirrored after that.
    mirrored: bool,
}

impl XqbView {
    /// The cell of a square: rows from the far side of the player to move, each from its left.
    fn cell(self, square: Square) -> usize {
        let square = match self.turned {
            true => square.flip_rank().flip_file(),
            false => square,
        };
        let square = if self.mirrored {
            square.flip_file()
        } else {
            square
        };
        9 * (9 - square.rank()) + square.file()
    }

    fn square(self, row: usize, column: usize) -> Option<Square> {
        let square = Square::new(column, 9_usize.checked_sub(row)?)?;
        let square = if self.mirrored {
            square.flip_file()
        } else {
            square
        };
        Some(match self.turned {
            true => square.flip_rank().flip_file(),
            false => square,
        })
    }

    /// A move as the book writes it: row and column of origin and destination, four bits each.
    pub(super) fn pack(self, played: Move) -> u16 {
        let half = |square| {
            let cell = self.cell(square);
            (((cell / 9) << 4) | (cell % 9)) as u16
        };
        (half(played.from()) << 8) | half(played.to())
    }

    /// The move that the book writes so; `None` when that is none.
    pub(super) fn unpack(self, packed: i64) -> Option<Move> {
        let packed = usize::try_from(packed).ok().filter(|p| *p <= 0xffff)?;
        let square = |half: usize| self.square(half >> 4, half & 15);
        let (from, to) = (square(packed >> 8)?, square(packed & 0xff)?);
        (from != to).then(|| Move::new(from, to))
    }
}

/// The key of a position, and how the book sees it.
pub(super) fn key(position: &Position) -> (Vec<u8>, XqbView) {
    let turned = position.side_to_move() == Color::Black;
    let [plain, mirror] = [false, true].map(|mirrored| {
        let view = XqbView { turned, mirrored };
        (cells(position, view), view)
    });
    let (cells, view) = if mirror.0 > plain.0 { mirror } else { plain };
    (pack_cells(&cells), view)
}

fn cells(position: &Position, view: XqbView) -> [i8; CELLS] {
    let mut cells = [EMPTY; CELLS];
    for square in position.occupied() {
        if let Some(piece) = position.piece_on(square) {
            let is_mover = piece.color() == position.side_to_move();
            let owner = if is_mover { 0 } else { OPPONENT };
            cells[view.cell(square)] = number(piece.kind()) + owner;
        }
    }
    cells
}

const fn number(kind: PieceKind) -> i8 {
    match kind {
        PieceKind::Rook => 1,
        PieceKind::Knight => 2,
        PieceKind::Bishop => 3,
        PieceKind::Advisor => 4,
        PieceKind::King => 5,
        PieceKind::Cannon => 6,
        PieceKind::Pawn => 7,
    }
}

/// The kind with a [`number`].
fn kind(number: i8) -> Option<PieceKind> {
    PieceKind::ALL
        .into_iter()
        .find(|kind| self::number(*kind) == number)
}

/// A bit 0 for an empty cell, a bit 1 and four bits for a piece; filled up with zeros.
fn pack_cells(cells: &[i8; CELLS]) -> Vec<u8> {
    let mut bits = Vec::new();
    for &cell in cells {
        bits.push(cell != EMPTY);
        if cell != EMPTY {
            bits.extend([8, 4, 2, 1].map(|bit| cell & bit != 0));
        }
    }
    let byte = |bits: &[bool]| {
        let set = |n: usize| bits.get(n).is_some_and(|bit| *bit);
        (0..8).fold(0, |byte, n| (byte << 1) | u8::from(set(n)))
    };
    bits.chunks(8).map(byte).collect()
}

/// The position with red to move that a key stands for; `None` where it is none.
pub(super) fn position_of(key: &[u8]) -> Option<Position> {
    let mut bits = (key.iter()).flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1));
    let mut setup = Setup::empty();
    let view = XqbView {
        turned: false,
        mirrored: false,
    };
    for cell in 0..CELLS {
        if bits.next()? == 0 {
            continue;
        }
        let mut number = 0_u8;
        for _ in 0..4 {
            number = number << 1 | bits.next()?;
        }
        let color = match number >= 8 {
            true => Color::Black,
            false => Color::Red,
        };
        let kind = kind((number & 7).cast_signed())?;
        let square = view.square(cell / 9, cell % 9)?;
        setup.squares[square.index()] = Some(Piece::new(kind, color));
    }
    Position::try_from(&setup).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn the_keys_are_those_of_the_format() {
        let mut position = Position::startpos();
        let (start, view) = key(&position);
        assert_eq!(
            hex(&start),
            "ceb7cef37ac801e079f7df7df00002ebaebaeb02c004653a56939440"
        );
        assert_eq!(view.unpack(0x7774), "h2e2".parse().ok());
        let after = "ceb7cef37ac801e3c1f7df7df00002ebaebaeb02c004653a56939440";
        for played in ["h2e2", "b2e2"] {
            let played: Move = played.parse().unwrap();
            let undo = position.make(played);
            let (found, view) = key(&position);
            assert_eq!(hex(&found), after, "{played}");
            let answer = view.unpack(0x9776).unwrap();
            assert!(crate::movegen::is_legal(&position, answer), "{answer}");
            position.unmake(played, undo);
        }
    }

    #[test]
    fn moves_round_trip_in_every_view() {
        for turned in [false, true] {
            for mirrored in [false, true] {
                let view = XqbView { turned, mirrored };
                for text in ["h2e2", "a0a9", "i9i0", "e1d2"] {
                    let played: Move = text.parse().unwrap();
                    assert_eq!(view.unpack(view.pack(played).into()), Some(played));
                }
                for bad in [-1, 0, 0x1_0000, 0xa0a1, 0x0909, 0x7777] {
                    assert_eq!(view.unpack(bad), None, "{bad:x}");
                }
            }
        }
    }
}
