//! Positions, moves and games as text: FEN, EPD, diagrams, moves in several notations, lines of moves, PGN, and game
//! records of other programs. The module [`svg`] draws positions as pictures.
//!
//! ```
//! use chuhe::board::Position;
//! use chuhe::notation::{chinese, parse_move, wxf};
//!
//! let position = Position::startpos();
//! let m = parse_move(&position, "炮二平五")?;
//! assert_eq!(m.to_string(), "h2e2");
//! assert_eq!(parse_move(&position, "C2=5")?, m);
//! assert_eq!(chinese::write(&position, m), "炮二平五");
//! assert_eq!(wxf::write(&position, m), "C2=5");
//! # Ok::<(), chuhe::notation::NotationError>(())
//! ```

pub mod chinese;
pub mod coordinates;
pub mod diagram;
pub mod epd;
mod error;
pub mod fen;
mod line;
#[cfg(feature = "records")]
pub mod opening;
pub mod pgn;
mod raw;
#[cfg(feature = "records")]
pub mod records;
mod relative;
pub mod san;
pub mod svg;
pub mod tree;
pub mod vietnamese;
pub mod wxf;

pub use error::NotationError;
pub use line::{GameText, Line, LineError, without_move_numbers};
pub use raw::{RecordError, date_tag};

use crate::board::{Move, Position, named_enum};
use crate::movegen::{IllegalReason, why_illegal};

/// The texts of the numeric annotation glyphs 1 to 6 of PGN, which judge a move.
pub const GLYPHS: [&str; 6] = ["!", "?", "!!", "??", "!?", "?!"];

/// Reads a move in any notation: coordinates (`h2e2`, `H2-E2`), Chinese (炮二平五), WXF (`C2=5`) or SAN with ranks
/// from 0 (`Che2`). A text that two of them can read means the same move in both.
///
/// # Errors
/// The text is not in any of these notations, or does not match exactly one legal move.
pub fn parse_move(position: &Position, text: &str) -> Result<Move, NotationError> {
    let text = text.trim();
    let san: Reader = |position, text| san::parse(position, text, 0);
    let readers = [coordinates::parse, chinese::parse, wxf::parse, san];
    parse_in(readers, position, text, attempted_moves)
}

type Reader = fn(&Position, &str) -> Result<Move, NotationError>;

/// Reads a move in the first of several notations that can read it. `attempts` returns all moves that match an illegal
/// text.
fn parse_in<const N: usize>(
    readers: [Reader; N],
    position: &Position,
    text: &str,
    attempts: fn(&Position, &str) -> Vec<Move>,
) -> Result<Move, NotationError> {
    let mut results = readers.iter().map(|parse| parse(position, text));
    results
        .find(|result| result.as_ref().err().is_none_or(NotationError::is_readable))
        .unwrap_or_else(|| Err(NotationError::Unreadable(text.to_owned())))
        .map_err(|error| explained(position, error, attempts))
}

/// Adds the reason to the error of an illegal move.
fn explained(
    position: &Position,
    error: NotationError,
    attempts: fn(&Position, &str) -> Vec<Move>,
) -> NotationError {
    let NotationError::Illegal(text) = error else {
        return error;
    };
    let attempts = attempts(position, &text).into_iter();
    let reasons = attempts.filter_map(|attempt| why_illegal(position, attempt));
    // If the text matches several moves, those that the piece cannot make on any board are the least likely to be
    // meant, then captures of the mover's own pieces.
    let reason = reasons.min_by_key(|reason| match reason {
        IllegalReason::WrongStep(_) => 2,
        IllegalReason::OwnPiece(_) => 1,
        _ => 0,
    });
    match reason {
        Some(reason) => NotationError::Forbidden { text, reason },
        None => NotationError::Illegal(text),
    }
}

/// Whether a text has the form of a move in some notation, including [Vietnamese](vietnamese) and SAN with ranks from
/// 1.
pub(crate) fn is_move_text(text: &str) -> bool {
    let text = text.trim();
    let readers = [chinese::read, wxf::read, vietnamese::read];
    coordinates::read(text).is_some()
        || readers.iter().any(|read| read(text).is_some())
        || [0, 1].iter().any(|first_rank| san::read(text, *first_rank).is_some())
}

/// All moves, legal or not, that match a text in coordinates, Chinese notation or WXF. With [`why_illegal`] they
/// explain why [`parse_move`] rejects a text.
pub fn attempted_moves(position: &Position, text: &str) -> Vec<Move> {
    let text = text.trim();
    if let Some(m) = coordinates::squares(text) {
        return vec![m];
    }
    let descriptions = [chinese::read(text), wxf::read(text)];
    let moves = descriptions.iter().flatten();
    moves.flat_map(|read| read.attempts(position)).collect()
}

named_enum! {
    /// A notation in which moves are written.
    pub enum MoveStyle {
        /// `H2-E2`
        Iccs = "ICCS",
        /// `C2=5`
        Wxf = "WXF",
        /// 炮二平五
        Chinese = "Chinese",
        /// `Che2`
        San = "SAN",
        /// `h2e2`
        Coordinate = "Coordinate",
    }
}

impl MoveStyle {
    /// Writes a legal move of `position`. The text of another move has no meaning.
    pub fn write(self, position: &Position, m: Move) -> String {
        match self {
            Self::Iccs => coordinates::write_iccs(m),
            Self::Wxf => wxf::write(position, m),
            Self::Chinese => chinese::write(position, m),
            Self::San => san::write(position, m),
            Self::Coordinate => m.to_string(),
        }
    }

    /// Writes a legal move of `position` with its coordinates, such as `炮二平五 (h2e2)`.
    pub fn write_with_coordinates(self, position: &Position, m: Move) -> String {
        match self {
            Self::Coordinate => m.to_string(),
            _ => format!("{} ({m})", self.write(position, m)),
        }
    }

    /// Writes legal moves, played one after another from `position`, separated by spaces. With other moves it may panic.
    pub fn write_line(self, position: &Position, moves: &[Move]) -> String {
        let mut position = position.clone();
        let words = moves.iter().map(|m| {
            let word = self.write(&position, *m);
            position.make(*m);
            word
        });
        words.collect::<Vec<_>>().join(" ")
    }
}

/// Checks that a notation writes a move as the first text and reads it from all of them.
#[cfg(test)]
fn check_texts(
    write: fn(&Position, Move) -> String,
    parse: fn(&Position, &str) -> Result<Move, NotationError>,
    position: &Position,
    coordinates: &str,
    texts: &[&str],
) {
    let m = coordinates.parse().unwrap();
    assert_eq!(write(position, m), texts[0], "{position}");
    for text in texts {
        assert_eq!(parse(position, text), Ok(m), "{text} in {position}");
    }
}

/// Checks that a notation cannot read the empty text and some words, and reads other words as illegal moves of the
/// starting position.
#[cfg(test)]
fn check_rejected(
    parse: fn(&Position, &str) -> Result<Move, NotationError>,
    unreadable: &str,
    illegal: &str,
) {
    let error = |text: &str| parse(&Position::startpos(), text).unwrap_err();
    for text in unreadable.split(' ').chain([""]) {
        let error = error(text);
        assert!(matches!(error, NotationError::Unreadable(_)), "{text}");
    }
    for text in illegal.split(' ') {
        let error = error(text);
        assert!(matches!(error, NotationError::Illegal(_)), "{text}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notations_are_recognized_and_illegal_moves_explained() {
        let start = Position::startpos();
        let cannon = "h2e2".parse().unwrap();
        for text in ["h2e2", "H2-E2", "H2E2", "炮二平五", "C2=5", "c2.5", " 砲2平5\n"] {
            assert_eq!(parse_move(&start, text), Ok(cannon), "{text}");
        }
        let message = |text| parse_move(&start, text).unwrap_err().to_string();
        for text in ["h2e9", "H2-E9", "马二进四", "N2+4", "P3=4"] {
            let illegal = format!("\"{text}\" is illegal: ");
            assert!(message(text).starts_with(&illegal), "{}", message(text));
        }
        for text in ["P4=5", "炮二进九", "炮二退三", "C2-5"] {
            let illegal = format!("\"{text}\" is not a legal move here");
            assert_eq!(message(text), illegal);
        }
        assert!(message("马二进九").ends_with("the knight does not move like that"));
        assert_eq!(message("e2-e4?"), "\"e2-e4?\" cannot be read as a move");
    }
}
