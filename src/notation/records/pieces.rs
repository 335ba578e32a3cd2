//! The starting positions of binary records and of DhtmlXQ: a square for each of 32 pieces.

use crate::board::{Color, Piece, Position, Setup, Square};
use crate::notation::fen;
use crate::notation::raw::RecordError;

/// The pieces of a side in the order of XQF and DhtmlXQ; those of red come first.
const PIECES: [u8; 16] = *b"RNBAKABNRCCPPPPP";

/// The squares of the 32 pieces; `None` for a piece that is not on the board.
pub type PieceSquares = [Option<Square>; 32];

/// The position with these pieces, see [`position`].
///
/// # Errors
/// The position violates the rules.
pub fn piece_position(
    squares: &PieceSquares,
    first_from: Option<Square>,
    side: Color,
) -> Result<Position, RecordError> {
    let mut setup = Setup::empty();
    setup.side_to_move = side;
    for (index, square) in squares.iter().enumerate() {
        if let Some(square) = square {
            setup.squares[square.index()] = piece(index);
        }
    }
    position(setup, first_from)
}

fn piece(index: usize) -> Option<Piece> {
    let letter = char::from(PIECES[index % 16]);
    Piece::from_letter(if index < 16 {
        letter
    } else {
        letter.to_ascii_lowercase()
    })
}

/// The position of a setup. The side to move is that of the piece which moves first, if it is known, because the
/// side in the header of many files is wrong.
///
/// # Errors
/// The position violates the rules.
pub fn position(mut setup: Setup, first_from: Option<Square>) -> Result<Position, RecordError> {
    if let Some(piece) = first_from.and_then(|square| setup.squares[square.index()]) {
        setup.side_to_move = piece.color();
    }
    let text = fen::write_setup(&setup);
    let read = fen::parse_position(&text);
    read.map_err(|error| {
        RecordError::new(format!(
            "invalid starting position: {}",
            error.reasons_text()
        ))
    })
}

/// The squares of the 32 pieces of a position.
pub fn piece_squares(position: &Position) -> PieceSquares {
    let mut squares = [None; 32];
    for square in Square::all() {
        if let Some(piece_here) = position.piece_on(square)
            && let Some(index) =
                (0..32).find(|&index| squares[index].is_none() && piece(index) == Some(piece_here))
        {
            squares[index] = Some(square);
        }
    }
    squares
}
