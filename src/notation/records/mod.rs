//! Game records of other programs: XQF (象棋演播室, XQStudio), CBR and CBL (象棋桥, CCBridge) and DhtmlXQ
//! (东萍象棋).
//!
//! Of all the main line is read, with its comments; variations are passed over.

mod ccbridge;
mod dhtmlxq;
mod xqf;

pub use ccbridge::{is_ccbridge, read_ccbridge};
pub use dhtmlxq::{is_dhtmlxq, read_dhtmlxq};
pub use xqf::{is_xqf, read_xqf};

use super::Line;
use super::fen::{self, FenError};
use crate::board::{Color, FILES, Move, Piece, Position, Setup, Square};
use crate::movegen::is_legal;

/// Why a record is no game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// The file ends too early or is no record at all.
    #[error("it is no whole record")]
    Broken,
    /// Where it begins is no position.
    #[error("it begins with no position: {0}")]
    Start(#[from] FenError),
    /// A move cannot be played.
    #[error("move {number}: {text} is no legal move here")]
    Move {
        /// Which one, from 1.
        number: usize,
        /// The move, or what stands for it.
        text: String,
    },
}

/// A square as file and rank, from red's left corner.
type Place = (usize, usize);

/// The pieces of a side in the order of both formats, from one rook to the other, cannons, pawns.
const PIECES: [u8; 16] = *b"RNBAKABNRCCPPPPP";

/// The value of a tag in a PGN: a date as PGN has it, `2020.01.31`, whatever stands between its numbers
/// (`2020年1月31日`) and with `??` for what is missing; anything else as it is.
fn tag_value(tag: &str, value: &str) -> String {
    let numbers: Vec<&str> = (value.split(|c: char| !c.is_ascii_digit()))
        .filter(|number| !number.is_empty())
        .collect();
    let is_date = tag == "Date"
        && matches!(numbers[..], [year, ..] if value.starts_with(year) && year.len() == 4)
        && numbers.len() <= 3
        && numbers[1..].iter().all(|number| number.len() <= 2);
    if !is_date {
        return value.to_owned();
    }
    let part = |index: usize| {
        numbers
            .get(index)
            .map_or("??".to_owned(), |n| format!("{n:0>2}"))
    };
    format!("{}.{}.{}", numbers[0], part(1), part(2))
}

/// Puts what is said of the game before the comment of its first move, if there is one.
fn put_first(introduction: &str, comments: &mut [String]) {
    if let Some(first) = comments.first_mut() {
        *first = format!("{}\n{}", introduction.trim(), first.trim())
            .trim()
            .to_owned();
    }
}

/// The letter of the piece on each point, by rank and file from red's left corner.
type Diagram = [[Option<u8>; 9]; 10];

/// Where the game begins and what is played. `squares` has the place of each piece, those of red first,
/// as file and rank from red's left corner; the side that moves first has the piece that does.
fn line(
    squares: &[Option<Place>; 32],
    moves: &[(Place, Place)],
    side: Color,
) -> Result<Line, RecordError> {
    let mut board = [[None; 9]; 10];
    for (index, square) in squares.iter().enumerate() {
        let Some((file, rank)) = *square else {
            continue;
        };
        let letter = PIECES[index % 16];
        let cell = board.get_mut(rank).and_then(|row| row.get_mut(file));
        *cell.ok_or(RecordError::Broken)? = Some(match index < 16 {
            true => letter,
            false => letter.to_ascii_lowercase(),
        });
    }
    board_line(&board, moves, side)
}

/// As [`line`], with the board as it stands.
fn board_line(board: &Diagram, moves: &[(Place, Place)], side: Color) -> Result<Line, RecordError> {
    let first = moves
        .first()
        .and_then(|((file, rank), _)| *board.get(*rank)?.get(*file)?);
    let side = match first {
        Some(letter) if letter.is_ascii_uppercase() => Color::Red,
        Some(_) => Color::Black,
        None => side,
    };
    let mut setup = Setup::empty();
    setup.side_to_move = side;
    for (rank, row) in board.iter().enumerate() {
        for (file, letter) in row.iter().enumerate() {
            let piece = letter.and_then(|letter| Piece::from_letter(letter.into()));
            setup.squares[rank * FILES + file] = piece;
        }
    }
    let start = fen::parse_position(&fen::write_setup(&setup))?;
    let mut position = start.clone();
    let mut played = Vec::with_capacity(moves.len());
    for (number, (from, to)) in (1..).zip(moves) {
        played.push(legal(&mut position, number, *from, *to)?);
    }
    Ok(Line {
        start,
        moves: played,
    })
}

/// Plays a move if it is legal.
fn legal(
    position: &mut Position,
    number: usize,
    from: Place,
    to: Place,
) -> Result<Move, RecordError> {
    let square = |(file, rank): Place| Square::new(file, rank);
    let read = square(from).zip(square(to));
    let read = read.map(|(from, to)| Move::new(from, to));
    match read.filter(|m| is_legal(position, *m)) {
        Some(m) => {
            position.make(m);
            Ok(m)
        }
        None => Err(RecordError::Move {
            number,
            text: match read {
                Some(m) => m.to_string(),
                None => "off the board".to_owned(),
            },
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_pgn() {
        for (value, date) in [
            ("1997年11月16日", "1997.11.16"),
            ("2020-1-2", "2020.01.02"),
            ("2020/01/31", "2020.01.31"),
            ("1956年", "1956.??.??"),
            ("1980.10", "1980.10.??"),
            ("2004.05.23 20:15", "2004.05.23 20:15"),
            ("五羊杯 1981", "五羊杯 1981"),
            ("", ""),
        ] {
            assert_eq!(tag_value("Date", value), date, "{value}");
            assert_eq!(tag_value("Event", value), value);
        }
    }
}
