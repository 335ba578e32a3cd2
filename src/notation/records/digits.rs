//! The lists of moves and of pieces in DhtmlXQ: digits for files and ranks.

use super::{PieceSquares, square_from_black};
use crate::board::Square;
use crate::notation::raw::RecordError;

fn digits(text: &str) -> Vec<usize> {
    let digits = text.bytes().filter(u8::is_ascii_digit);
    digits.map(|digit| usize::from(digit - b'0')).collect()
}

/// The moves of a list; `None` for a move with a square off the board.
pub fn read_moves(text: &str) -> Vec<Option<(Square, Square)>> {
    let read = |digits: &[usize]| match *digits {
        [a, b, c, d] => square_from_black(a, b).zip(square_from_black(c, d)),
        _ => None,
    };
    let mut digits = digits(text);
    // Old lists are padded with `00`. This removes no move: `0000` would be a move from a square to itself.
    let length = |digits: &[usize]| if digits.len() % 4 == 2 { 2 } else { 4 };
    while digits.ends_with(&[0; 4][..length(&digits)]) {
        digits.truncate(digits.len() - length(&digits));
    }
    digits.chunks(4).map(read).collect()
}

/// The squares of the pieces. `99` means that a piece is not on the board. Old lists have `00` instead, which is also
/// the square a9. If several pieces have `00`, at most one of them is on a9: a black rook, if the first move from or to
/// a9 begins there.
///
/// # Errors
/// There are not 64 digits.
pub fn read_squares(
    text: &str,
    moves: &[Option<(Square, Square)>],
) -> Result<PieceSquares, RecordError> {
    let digits = digits(text);
    let mut squares = [None; 32];
    if digits.len() != 64 {
        let reason = format!("DhtmlXQ_binit has {} digits instead of 64", digits.len());
        return Err(RecordError::new(reason));
    }
    for (place, pair) in squares.iter_mut().zip(digits.chunks(2)) {
        *place = square_from_black(pair[0], pair[1]);
    }
    let corner = square_from_black(0, 0);
    let mut in_corner: Vec<usize> = (0..32).filter(|index| squares[*index] == corner).collect();
    if in_corner.len() > 1 {
        let mut moves = moves.iter().flatten();
        let first = moves.find(|(from, to)| [*from, *to].map(Some).contains(&corner));
        if first.is_some_and(|(from, _)| Some(*from) == corner)
            && let Some(rook) = in_corner.iter().position(|index| [16, 24].contains(index))
        {
            in_corner.remove(rook);
        }
        for index in in_corner {
            squares[index] = None;
        }
    }
    Ok(squares)
}

#[cfg(test)]
mod tests {
    use crate::notation::fen;
    use crate::notation::records::dhtmlxq::read_dhtmlxq;

    #[test]
    fn fillers_are_no_moves_and_no_pieces() {
        for filler in ["00", "0000", "000000", "00001927", "1"] {
            let text = format!("[DhtmlXQ_movelist]77477062{filler}[/DhtmlXQ_movelist]");
            let game = read_dhtmlxq(&text).unwrap();
            assert_eq!(game.plies(), 2, "{filler}");
            let is_complete = filler.bytes().all(|digit| digit == b'0');
            assert_eq!(game.main_line_problem().is_none(), is_complete, "{filler}");
        }
        let absent = |count: usize| "00".repeat(count);
        for (red, black, moves, start) in [
            // Only the kings and a red rook.
            (
                ["89", "49"],
                ["00", "30"],
                "8980",
                "3k5/9/9/9/9/9/9/9/9/4K3R",
            ),
            // A black rook that moves from a9.
            (
                ["89", "49"],
                ["00", "30"],
                "89880001",
                "r2k5/9/9/9/9/9/9/9/9/4K3R",
            ),
        ] {
            let side = |[rook, king]: [&str; 2]| [rook, &absent(3), king, &absent(11)].concat();
            let text = format!(
                "[DhtmlXQ_binit]{}{}[/DhtmlXQ_binit][DhtmlXQ_movelist]{moves}[/DhtmlXQ_movelist]",
                side(red),
                side(black)
            );
            let game = read_dhtmlxq(&text).unwrap();
            assert!(
                fen::write_position(&game.start).starts_with(start),
                "{text}"
            );
        }
        let twice = format!(
            "[DhtmlXQ_binit]8989{}49{}30{}[/DhtmlXQ_binit]",
            "99".repeat(2),
            "99".repeat(15),
            "99".repeat(11)
        );
        let error = read_dhtmlxq(&twice).unwrap_err().to_string();
        assert_eq!(error, "two pieces of the starting position are on i0");
    }
}
