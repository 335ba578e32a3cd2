//! The lists of moves and of pieces in DhtmlXQ: digits for files and ranks. In version 2 the list of moves contains the
//! variations.

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

/// The length of a move of version 2 in characters, without the number at its end.
const MOVE_LENGTH: usize = 8;
/// The index of the letter X, Y or Z in a move of version 2.
const LETTER: usize = 6;

const START: &str = "[DhtmlXQ_movelist]";
const END: &str = "[/DhtmlXQ_movelist]";

/// The moves of a line of version 2, as digits, and the line and ply of the move that it replaces, as in the name of
/// its field: `0_2`.
struct Line {
    replaced: String,
    moves: String,
}

/// The moves of a list of version 2.
struct List {
    /// The main line and the variations.
    lines: Vec<Line>,
    /// The line and ply of each move.
    places: Vec<(usize, usize)>,
}

/// A record with the fields of the later versions: `movelist` without letters, `move_0_2_1` and `comment1_2`. `None` if
/// its list of moves is not in version 2.
///
/// A move of this version is four digits for its squares, two characters, one of the letters X, Y and Z, another
/// character, and a decimal number: that of the move itself, counted from 0, if it continues the line of the move
/// before it, otherwise that of the move that it replaces. The comment of a move has the number of the move from 1.
pub fn with_later_fields(record: &str) -> Option<String> {
    let (before, rest) = record.split_once(START)?;
    let (list, after) = rest.split_once(END)?;
    if record.contains("[DhtmlXQ_move_") {
        return None;
    }
    let List { lines, places } = read_list(list)?;
    let with_places = |text: &str| {
        let mut parts = text.split("DhtmlXQ_comment");
        let mut named = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let numbered = part.split_once(']').and_then(|(number, rest)| {
                let number: usize = number.parse().ok()?;
                let (line, ply) = places.get(number.checked_sub(1)?)?;
                Some(format!("{line}_{ply}]{rest}"))
            });
            named += "DhtmlXQ_comment";
            named += numbered.as_deref().unwrap_or(part);
        }
        named
    };
    let mut text = with_places(before) + START + &lines[0].moves + END;
    for (number, Line { replaced, moves }) in lines.iter().enumerate().skip(1) {
        let name = format!("DhtmlXQ_move_{replaced}_{number}");
        text += &format!("[{name}]{moves}[/{name}]");
    }
    Some(text + &with_places(after))
}

/// Reads a list. `None` if it is not in version 2.
fn read_list(list: &str) -> Option<List> {
    let list: String = list.chars().filter(char::is_ascii_alphanumeric).collect();
    let mut starts = Vec::new();
    let mut at = 0;
    while let Some(length) = list.get(at + LETTER..)?.find(['X', 'Y', 'Z']) {
        starts.push(at + length);
        at += length + LETTER + 1;
        if at + LETTER > list.len() {
            break;
        }
    }
    if starts.first() != Some(&0) {
        return None;
    }
    let ends = starts.iter().skip(1).copied().chain([list.len()]);
    let mut lines = vec![Line { replaced: "0_1".to_owned(), moves: String::new() }];
    let mut places: Vec<(usize, usize)> = Vec::new();
    let mut ply = 0;
    for (index, (start, end)) in starts.iter().zip(ends).enumerate() {
        let (squares, number) = (list.get(*start..start + 4)?, list.get(start + MOVE_LENGTH..end)?);
        if !squares.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let number: usize = number.parse().ok()?;
        if number == index {
            ply += 1;
            lines.last_mut()?.moves += squares;
        } else {
            let line;
            (line, ply) = *places.get(number)?;
            let is_first = number == 0 || places[number - 1].0 != line;
            lines.push(Line {
                replaced: if is_first {
                    lines[line].replaced.clone()
                } else {
                    format!("{line}_{ply}")
                },
                moves: squares.to_owned(),
            });
        }
        places.push((lines.len() - 1, ply));
    }
    Some(List { lines, places })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::MoveStyle;
    use crate::notation::fen;
    use crate::notation::records::RecordReader;
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
            (["89", "49"], ["00", "30"], "8980", "3k5/9/9/9/9/9/9/9/9/4K3R"),
            // A black rook that moves from a9.
            (["89", "49"], ["00", "30"], "89880001", "r2k5/9/9/9/9/9/9/9/9/4K3R"),
        ] {
            let side = |[rook, king]: [&str; 2]| [rook, &absent(3), king, &absent(11)].concat();
            let text = format!(
                "[DhtmlXQ_binit]{}{}[/DhtmlXQ_binit][DhtmlXQ_movelist]{moves}[/DhtmlXQ_movelist]",
                side(red),
                side(black)
            );
            let game = read_dhtmlxq(&text).unwrap();
            assert!(fen::write_position(&game.start).starts_with(start), "{text}");
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

    #[test]
    fn lists_with_variations_are_read() {
        let list = "7747aaXa0 7062aaYa1\n7967aaXa2 7242aaZa1 7967aaXa4 1022aaXa3 2625aaXa0";
        let record = format!(
            "[DhtmlXQ][DhtmlXQ_comment4]顺炮[/DhtmlXQ_comment4][DhtmlXQ_movelist]{list}\
             [/DhtmlXQ_movelist][DhtmlXQ_comment1]中炮[/DhtmlXQ_comment1][/DhtmlXQ]"
        );
        let mut games = RecordReader::new(record.as_bytes()).unwrap();
        let game = games.next().unwrap().unwrap();
        assert!(game.problems.is_empty(), "{:?}", game.problems);
        let pgn = game.write_pgn(MoveStyle::Iccs);
        let moves = "1. H2-E2 {中炮} (1. C3-C4) 1... H9-G7 (1... H7-E7 {顺炮} 2. H0-G2) (1... B9-C7) \
            2. H0-G2 *";
        assert!(pgn.replace('\n', " ").contains(moves), "{pgn}");
        for list in ["7747", "", "7747aaXa", "7747aaXa0 7062aaXa9", "a7747aaXa0", "X"] {
            assert!(read_list(list).is_none(), "{list}");
        }
    }
}
