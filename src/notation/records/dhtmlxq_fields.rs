//! The fields of DhtmlXQ, with those of two other forms converted to them: version 2, in which the list of moves
//! contains the variations, and DHJHtmlXQ, the form on 01xq.com, in which fields have numbers. The starting position of
//! DHJHtmlXQ is 90 characters from a9 to i0, and the ranks of its moves are counted from red's side.

use std::borrow::Cow;
use std::collections::HashMap;

use super::{PieceSquares, square_from_black};
use crate::board::Square;
use crate::notation::raw::RecordError;

/// The beginning of an opening tag and of a closing tag.
const OPENING: &str = "[DhtmlXQ_";
const CLOSING: &str = "[/DhtmlXQ_";
/// The beginning of the tag at the end of a record.
const END: &str = "[/DhtmlXQ";

/// The field numbers of DHJHtmlXQ, each with the name of the field in DhtmlXQ.
const FIELDS: [(&str, &str); 24] = [
    ("10", "title"),
    ("11", "event"),
    ("13", "date"),
    ("14", "place"),
    ("15", "round"),
    ("16", "table"),
    ("17", "red"),
    ("18", "red"),
    ("19", "redlevel"),
    ("20", "redrating"),
    ("21", "black"),
    ("22", "black"),
    ("23", "blacklevel"),
    ("24", "blackrating"),
    ("28", "result"),
    ("29", "redtime"),
    ("30", "blacktime"),
    (BOARD, "fen"),
    (MOVES, "movelist"),
    ("36", "open"),
    ("37", "variation"),
    ("40", "remark"),
    ("41", "author"),
    ("42", "record"),
];
const BOARD: &str = "31";
const MOVES: &str = "34";

/// Whether a field name is a number of DHJHtmlXQ with another name in DhtmlXQ.
pub fn is_numbered(field: &str) -> bool {
    FIELDS.iter().any(|(number, _)| *number == field)
}

/// The fields of a record by name.
pub type Fields<'a> = HashMap<Cow<'a, str>, Cow<'a, str>>;

/// The fields of a record, and the names of those whose tags are damaged or cut off. If several fields have the same
/// name, the first one that is not empty counts. The value of a field without a closing tag ends before the next tag.
pub fn fields(text: &str) -> (Fields<'_>, Vec<&str>) {
    let (mut fields, mut unclosed) = (Fields::new(), Vec::new());
    // Field 32 of DHJHtmlXQ is 1 if black moves first. The board of field 31 has no side to move.
    let side = if text.contains("[DhtmlXQ_32]1[") { 'b' } else { 'w' };
    let (mut at, mut closing) = (0, 0);
    while let Some(found) = text[at..].find(OPENING) {
        let name_at = at + found + OPENING.len();
        at = name_at;
        let length = text[name_at..].find([']', '[']).unwrap_or(text.len() - name_at);
        let (tag, rest) = text[name_at..].split_at(length);
        let name = FIELDS.iter().find(|(number, _)| *number == tag).map_or(tag, |(_, name)| name);
        if !rest.starts_with(']') {
            let is_end = |c: char| !c.is_ascii_alphanumeric() && c != '_';
            unclosed.extend(name.split(is_end).next().filter(|name| !name.is_empty()));
            continue;
        }
        let value_at = name_at + length + 1;
        // The next closing tag is searched for only once.
        if closing < value_at {
            closing = text[value_at..].find(CLOSING).map_or(text.len(), |found| value_at + found);
        }
        let closing_name = text[closing..].strip_prefix(CLOSING);
        let rest = closing_name.and_then(|rest| rest.strip_prefix(tag));
        let is_closed = rest.is_some_and(|rest| rest.starts_with(']'));
        let mut value = &text[value_at..closing];
        if is_closed {
            at = closing;
        } else {
            let end = value.find(OPENING).unwrap_or(value.len());
            value = value[..end].split(END).next().unwrap_or_default();
            let is_known = fields.get(name).is_some_and(|known| !known.trim().is_empty());
            if name.is_empty() || is_known || value.trim().is_empty() {
                continue;
            }
            unclosed.push(name);
        }
        let known = fields.entry(name.into()).or_default();
        if known.trim().is_empty() {
            *known = match tag {
                BOARD => format!("{} {side}", board(value)).into(),
                MOVES => with_ranks_from_black(value).into(),
                _ => value.into(),
            };
        }
    }
    convert_version_2(&mut fields);
    (fields, unclosed)
}

/// The first field of a FEN for a board of 90 characters: letters for pieces, any other character for an empty square.
fn board(letters: &str) -> String {
    let squares = letters.trim().chars().take(90);
    let squares: Vec<char> =
        squares.map(|c| if c.is_ascii_alphabetic() { c } else { '1' }).collect();
    let ranks = squares.chunks(9).map(String::from_iter);
    ranks.collect::<Vec<_>>().join("/")
}

/// A list of moves with ranks from black's side in place of ranks from red's side.
fn with_ranks_from_black(moves: &str) -> String {
    let digits = moves.chars().filter_map(|c| c.to_digit(10));
    let changed = digits.zip([false, true].into_iter().cycle());
    changed.map(|(digit, is_rank)| if is_rank { 9 - digit } else { digit }.to_string()).collect()
}

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

/// The moves of a line of version 2, as digits, and the line and ply of the move that it replaces, as in the name of
/// its field: `0_2`.
struct LineOfVersion2 {
    replaced: String,
    moves: String,
}

/// The moves of a list of version 2.
struct ListOfVersion2 {
    /// The main line and the variations.
    lines: Vec<LineOfVersion2>,
    /// The line and ply of each move.
    places: Vec<(usize, usize)>,
}

/// Replaces the list of moves and the comments of version 2 by the fields of the later versions: `movelist` without
/// letters, `move_0_2_1` and `comment1_2`.
///
/// A move of this version is four digits for its squares, two characters, one of the letters X, Y and Z, another
/// character, and a decimal number: that of the move itself, counted from 0, if it continues the line of the move
/// before it, otherwise that of the move that it replaces. The comment of a move has the number of the move from 1.
fn convert_version_2(fields: &mut Fields<'_>) {
    let list = fields.get("movelist").and_then(|list| read_list(list));
    let Some(ListOfVersion2 { lines, places }) = list else {
        return;
    };
    if fields.keys().any(|name| name.starts_with("move_")) {
        return;
    }
    for (number, LineOfVersion2 { replaced, moves }) in lines.into_iter().enumerate() {
        let name = match number {
            0 => "movelist".to_owned(),
            number => format!("move_{replaced}_{number}"),
        };
        fields.insert(name.into(), moves.into());
    }
    for (number, (line, ply)) in (1..).zip(places) {
        if let Some(comment) = fields.remove(format!("comment{number}").as_str()) {
            fields.insert(format!("comment{line}_{ply}").into(), comment);
        }
    }
}

/// Reads a list. `None` if it is not in version 2.
fn read_list(list: &str) -> Option<ListOfVersion2> {
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
    let mut lines = vec![LineOfVersion2 { replaced: "0_1".to_owned(), moves: String::new() }];
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
            lines.push(LineOfVersion2 {
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
    Some(ListOfVersion2 { lines, places })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::MoveStyle;
    use crate::notation::fen;
    use crate::notation::records::RecordReader;
    use crate::notation::records::dhtmlxq::read_dhtmlxq;

    #[test]
    fn numbered_fields_get_names_and_values_of_dhtmlxq() {
        let empty = "*".repeat(72);
        let record = format!(
            "[DhtmlXQ_17][/DhtmlXQ_17][DhtmlXQ_18]甲[/DhtmlXQ_18]\n[DhtmlXQ_31]rn**k****{empty}****K***R[/DhtmlXQ_31]\
             [DhtmlXQ_32]1[/DhtmlXQ_32][DhtmlXQ_34]1927[/DhtmlXQ_34][DhtmlXQ_x]"
        );
        let fen = format!("rn11k1111/{}1111K111R b", "111111111/".repeat(8));
        let (fields, unclosed) = fields(&record);
        for (name, value) in [("red", "甲"), ("fen", &fen), ("32", "1"), ("movelist", "1022")] {
            assert_eq!(fields[name], value);
        }
        assert_eq!((fields.len(), unclosed.len()), (4, 0));
        let (fields, unclosed) = super::fields("[DhtmlXQ_34]1927");
        assert_eq!((&*fields["movelist"], unclosed), ("1022", vec!["movelist"]));
    }

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
