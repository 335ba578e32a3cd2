//! CBR and CBL, the records and the libraries of 象棋桥 (CCBridge): a head of fixed length with texts in
//! UTF-16, a board, then a tree of moves. A library has its records one after another, each beginning on
//! a block of its own. No description has been published; what is read here was held against two libraries
//! with 129 games of 10,554 plies, all of them legal.

use super::{Diagram, Place, RecordError, board_line, put_first};
use crate::board::Color;
use crate::notation::pgn::{GameResult, PgnGame};

/// How a record begins.
const RECORD: &[u8] = b"CCBridge Record\0";
/// How a library begins.
const LIBRARY: &[u8] = b"CCBridgeLibrary\0";
/// Each record of a library begins a multiple of this behind the first, in bytes.
const BLOCK: usize = 4096;

/// The tags of a PGN, with where their texts stand and how much room they have, in bytes.
const TAGS: [(&str, usize, usize); 4] = [
    ("Title", 180, 128),
    ("Event", 692, 64),
    ("Red", 1076, 64),
    ("Black", 1300, 64),
];
/// Where the result stands: 1 red has won, 2 black has, 3 and 4 a draw.
const RESULT: usize = 2076;
/// Where the side to move stands: 1 for red.
const SIDE: usize = 2116;
/// Where the board stands, a byte a point, from black's left corner as red sees it.
const BOARD: usize = 2120;
/// Length of the head.
const HEAD: usize = 2214;
/// The pieces by their numbers, from 1, of red above 0x10 and of black above 0x20.
const PIECES: &[u8; 7] = b"RNBAKCP";

/// Marks of a move: the last of its line; a comment behind it.
const IS_LAST: u8 = 1;
const HAS_COMMENT: u8 = 4;
/// No game has more plies.
const MOST_PLIES: usize = 10_000;

/// Moves by their points, and a comment for each.
type CommentedMoves = (Vec<(Place, Place)>, Vec<String>);

/// Whether a file is a record or a library of CCBridge.
pub fn is_ccbridge(bytes: &[u8]) -> bool {
    bytes.starts_with(RECORD) || bytes.starts_with(LIBRARY)
}

/// Reads the games of a record or a library; of each the main line with its comments.
pub fn read_ccbridge(bytes: &[u8]) -> Vec<Result<PgnGame, RecordError>> {
    if bytes.starts_with(RECORD) {
        return vec![read_record(bytes)];
    }
    let mut windows = bytes.windows(RECORD.len());
    let Some(first) = windows.position(|text| text == RECORD) else {
        return vec![Err(RecordError::Broken)];
    };
    let starts = (first..bytes.len()).step_by(BLOCK);
    let records = starts.map(|start| &bytes[start..]);
    let records = records.filter(|record| record.starts_with(RECORD));
    // The headings of a library have an empty board.
    let is_there = |record: &&[u8]| record.get(BOARD..BOARD + 90) != Some(&[0; 90][..]);
    records.filter(is_there).map(read_record).collect()
}

fn read_record(bytes: &[u8]) -> Result<PgnGame, RecordError> {
    let (head, tree) = bytes.split_at_checked(HEAD).ok_or(RecordError::Broken)?;
    let (moves, comments) = main_line(tree)?;
    let side = match head[SIDE] {
        1 => Color::Red,
        _ => Color::Black,
    };
    let tags = TAGS.iter().filter_map(|(name, at, room)| {
        let text = text(&head[*at..at + room]);
        (!text.is_empty()).then(|| ((*name).to_owned(), text))
    });
    Ok(PgnGame {
        tags: tags.collect(),
        line: board_line(&board(&head[BOARD..BOARD + 90]), &moves, side)?,
        comments,
        result: match head[RESULT] {
            1 => GameResult::RedWins,
            2 => GameResult::BlackWins,
            3 | 4 => GameResult::Draw,
            _ => GameResult::Unfinished,
        },
    })
}

/// A text, which ends with its room or with a NUL.
fn text(bytes: &[u8]) -> String {
    let units = bytes
        .chunks_exact(2)
        .map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    let units: Vec<u16> = units.take_while(|unit| *unit != 0).collect();
    String::from_utf16_lossy(&units).trim().to_owned()
}

fn board(points: &[u8]) -> Diagram {
    let mut board = [[None; 9]; 10];
    for (point, code) in (0..).zip(points) {
        let letter = PIECES.get(usize::from(code & 0xf).wrapping_sub(1)).copied();
        let (file, rank) = place(point);
        board[rank][file] = match code >> 4 {
            1 => letter,
            2 => letter.map(|letter| letter.to_ascii_lowercase()),
            _ => None,
        };
    }
    board
}

/// A point by its number, of which there are 90.
fn place(point: u8) -> Place {
    let point = usize::from(point);
    (point % 9, 9_usize.saturating_sub(point / 9))
}

/// What is read of a tree: a cursor over its bytes.
struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], RecordError> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(RecordError::Broken)?;
        self.0 = rest;
        Ok(taken)
    }

    fn word(&mut self) -> Result<[u8; 4], RecordError> {
        let bytes = self.take(4)?;
        Ok([bytes[0], bytes[1], bytes[2], bytes[3]])
    }

    fn number(&mut self) -> Result<usize, RecordError> {
        let number = u32::from_le_bytes(self.word()?);
        usize::try_from(number).map_err(|_| RecordError::Broken)
    }

    fn text(&mut self) -> Result<String, RecordError> {
        let length = self.number()?;
        Ok(text(self.take(length)?))
    }
}

/// The moves and their comments from the root to the first end of a line: that is the main line, for what
/// follows a move stands before its variations.
fn main_line(tree: &[u8]) -> Result<CommentedMoves, RecordError> {
    let mut cursor = Cursor(tree);
    // A comment on the game.
    let introduction = match cursor.number()? {
        0 => String::new(),
        _ => cursor.text()?,
    };
    let (mut moves, mut comments) = (Vec::new(), Vec::new());
    while moves.len() < MOST_PLIES {
        let [marks, _, from, to] = match cursor.word() {
            Ok(word) => word,
            // The record of a game without moves may end here.
            Err(_) if moves.is_empty() => break,
            Err(error) => return Err(error),
        };
        if (marks, from, to) == (0, 0, 0) {
            break;
        }
        if from >= 90 || to >= 90 {
            return Err(RecordError::Broken);
        }
        let comment = match marks & HAS_COMMENT {
            0 => String::new(),
            _ => cursor.text()?,
        };
        moves.push((place(from), place(to)));
        comments.push(comment);
        if marks & IS_LAST != 0 {
            break;
        }
    }
    put_first(&introduction, &mut comments);
    Ok((moves, comments))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::fen;

    fn put(bytes: &mut Vec<u8>, text: &str) {
        bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
    }

    /// A record with a few moves, made by the description above the other way round.
    fn record(moves: &[(&str, &str)]) -> Vec<u8> {
        let mut bytes = vec![0; HEAD];
        bytes[..RECORD.len()].copy_from_slice(RECORD);
        let mut name = Vec::new();
        put(&mut name, "胡荣华");
        bytes[1076..1076 + name.len()].copy_from_slice(&name);
        (bytes[RESULT], bytes[SIDE]) = (1, 1);
        let rows = fen::START.split(' ').next().unwrap().split('/');
        for (row, text) in rows.enumerate() {
            let mut file = 0;
            for c in text.bytes() {
                if c.is_ascii_digit() {
                    file += usize::from(c - b'0');
                    continue;
                }
                let kind = PIECES
                    .iter()
                    .position(|p| *p == c.to_ascii_uppercase())
                    .unwrap();
                let color = if c.is_ascii_uppercase() { 0x10 } else { 0x20 };
                bytes[BOARD + 9 * row + file] = color + u8::try_from(kind + 1).unwrap();
                file += 1;
            }
        }
        // A comment on the game.
        bytes.extend(1_u32.to_le_bytes());
        bytes.extend(4_u32.to_le_bytes());
        put(&mut bytes, "开局");
        for (number, (text, comment)) in (1..).zip(moves) {
            let point = |t: &[u8]| 9 * (9 - (t[1] - b'0')) + t[0] - b'a';
            let mut marks = u8::from(number == moves.len());
            marks |= if comment.is_empty() { 0 } else { HAS_COMMENT };
            let text = text.as_bytes();
            bytes.extend([marks, 0, point(&text[..2]), point(&text[2..])]);
            if !comment.is_empty() {
                let mut text = Vec::new();
                put(&mut text, comment);
                bytes.extend(u32::try_from(text.len()).unwrap().to_le_bytes());
                bytes.extend(text);
            }
        }
        // Variations of the last move.
        bytes.extend([1, 0, 1, 2]);
        bytes
    }

    const MOVES: [(&str, &str); 3] = [("h2e2", "中炮"), ("h9g7", ""), ("h0g2", "x")];

    #[test]
    fn records_are_read() {
        let bytes = record(&MOVES);
        assert!(is_ccbridge(&bytes));
        let game = read_ccbridge(&bytes).remove(0).unwrap();
        let played: Vec<_> = game.line.moves.iter().map(ToString::to_string).collect();
        assert_eq!(played, ["h2e2", "h9g7", "h0g2"]);
        assert_eq!(game.comments, ["开局\n中炮", "", "x"]);
        assert_eq!(fen::write_position(&game.line.start), fen::START);
        assert_eq!(
            (game.tag("Red"), game.result),
            (Some("胡荣华"), GameResult::RedWins)
        );
        assert_eq!(game.tag("Title"), None);
        assert!(
            read_ccbridge(&record(&[])).remove(0).is_err(),
            "the variation is no move"
        );
    }

    #[test]
    fn libraries_are_read() {
        let mut bytes = LIBRARY.to_vec();
        bytes.resize(700, 7);
        // One that fills two blocks, one that cannot be read, one more.
        let long = "长".repeat(BLOCK / 2);
        for moves in [&[("h2e2", long.as_str())][..], &[("h2h8", "")], &MOVES] {
            bytes.extend(record(moves));
            while !(bytes.len() - 700).is_multiple_of(BLOCK) {
                bytes.push(0);
            }
        }
        let games = read_ccbridge(&bytes);
        let plies =
            |game: &Result<PgnGame, RecordError>| Some(game.as_ref().ok()?.line.moves.len());
        let plies: Vec<_> = games.iter().map(plies).collect();
        assert_eq!(plies, [Some(1), None, Some(3)]);
        assert!(matches!(
            read_ccbridge(LIBRARY)[..],
            [Err(RecordError::Broken)]
        ));
    }

    #[test]
    fn broken_files_are_refused() {
        let whole = record(&MOVES);
        // Behind the first twelve bytes of the tree, within the first move, a record without moves may end.
        let (empty, last) = (HEAD + 12, whole.len() - 4);
        let lengths = (RECORD.len()..empty).step_by(7);
        for length in lengths.chain(empty + 4..last) {
            assert!(
                read_ccbridge(&whole[..length]).remove(0).is_err(),
                "{length}"
            );
        }
        // Whatever stands in it, it is read or refused.
        for seed in 0..4000_usize {
            let mut bytes = whole.clone();
            let at = RECORD.len() + seed * 7919 % (bytes.len() - RECORD.len());
            bytes[at] = bytes[at].wrapping_add(u8::try_from(seed % 255).unwrap() + 1);
            let _ = read_ccbridge(&bytes);
        }
    }
}
