//! FEN, in the dialects that programs write.
//!
//! Read: letters N or H, B or E; side `w` or `r` for red, `b` for black; one field or more, the
//! counters given once, twice or not at all. Written: the form of the UCCI document.
//!
//! ```
//! use chuhe::notation::fen::{START, parse_position, write_position};
//!
//! let same = "rheakaehr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RHEAKAEHR r";
//! assert_eq!(write_position(&parse_position(same)?), START);
//!
//! // An error names all that is wrong.
//! let error = parse_position("3k5/9/9/9/9/9/9/9/9/3K1P3 w").unwrap_err();
//! let message = "red pawn cannot stand on f0, the kings face each other";
//! assert_eq!(error.to_string(), message);
//! # Ok::<(), chuhe::notation::fen::FenError>(())
//! ```

use std::fmt;
use std::str::FromStr;

use crate::board::{Color, FILES, Piece, Position, RANKS, Reason, Setup, Square};
use crate::text::excerpt;

/// The starting position.
pub const START: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";

/// One reason why a text is no position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FenReason {
    /// There is nothing to read.
    Empty,
    /// The board has not ten ranks.
    RankCount(usize),
    /// A rank (9 to 0) does not fill nine files.
    RankLength {
        /// The rank, 9 for the first one written.
        rank: usize,
        /// How many squares it fills.
        squares: usize,
    },
    /// A letter that is no piece.
    Letter(char),
    /// The side is none of w, r and b.
    Side(String),
    /// A counter is neither `-` nor a number.
    Counter(String),
    /// The text is well formed, but the rules do not allow the position.
    Position(Reason),
}

impl fmt::Display for FenReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the FEN is empty"),
            Self::RankCount(count) => {
                let s = if *count == 1 { "" } else { "s" };
                write!(f, "{count} rank{s} instead of {RANKS}")
            }
            Self::RankLength { rank, squares } => {
                let s = if *squares == 1 { "" } else { "s" };
                write!(f, "rank {rank} has {squares} square{s} instead of {FILES}")
            }
            Self::Letter(letter) => write!(f, "no piece is written {letter:?}"),
            Self::Side(text) => write!(
                f,
                "the side to move is \"{}\", not w, r or b",
                excerpt(text)
            ),
            Self::Counter(text) => write!(f, "the counter \"{}\" is no number", excerpt(text)),
            Self::Position(reason) => reason.fmt(f),
        }
    }
}

/// Every reason why a text is no position; never empty.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))]
pub struct FenError {
    /// The reasons, in the order of the text.
    pub reasons: Vec<FenReason>,
}

/// Reads a FEN as a setup, legal or not.
///
/// # Errors
/// Names every fault of the text.
pub fn parse_setup(text: &str) -> Result<Setup, FenError> {
    let (setup, reasons) = read(text);
    if reasons.is_empty() {
        Ok(setup)
    } else {
        Err(FenError { reasons })
    }
}

/// Reads a FEN as a position.
///
/// # Errors
/// Names every fault of the text and, when the board can be read, every rule it breaks.
pub fn parse_position(text: &str) -> Result<Position, FenError> {
    parse_variant_position(text, false)
}

/// Reads a FEN as a position, with the promotion variant on or off.
///
/// # Errors
/// As [`parse_position`].
pub fn parse_variant_position(text: &str, promotion: bool) -> Result<Position, FenError> {
    let (mut setup, mut reasons) = read(text);
    setup.promotion = promotion;
    let board_is_readable = reasons
        .iter()
        .all(|r| matches!(r, FenReason::Side(_) | FenReason::Counter(_)));
    match Position::try_from(&setup) {
        Ok(position) if reasons.is_empty() => return Ok(position),
        Err(error) if board_is_readable => {
            let knows_side = !reasons.iter().any(|r| matches!(r, FenReason::Side(_)));
            let is_known = |r: &Reason| knows_side || !matches!(r, Reason::CanCaptureKing(_));
            let broken = error.reasons.into_iter().filter(is_known);
            reasons.extend(broken.map(FenReason::Position));
        }
        _ => {}
    }
    Err(FenError { reasons })
}

fn read(text: &str) -> (Setup, Vec<FenReason>) {
    let mut setup = Setup::empty();
    let mut reasons = Vec::new();
    let mut fields = text.split_ascii_whitespace();
    match fields.next() {
        Some(board) => read_board(board, &mut setup, &mut reasons),
        None => reasons.push(FenReason::Empty),
    }
    match fields.next() {
        None | Some("w" | "W" | "r" | "R") => {}
        Some("b" | "B") => setup.side_to_move = Color::Black,
        Some(other) => reasons.push(FenReason::Side(other.to_owned())),
    }
    let mut numbers = Vec::new();
    // Two fields without a meaning here and two counters; some programs add more.
    for field in fields.take(4).filter(|field| !matches!(*field, "-" | "–")) {
        if field.bytes().all(|b| b.is_ascii_digit()) {
            numbers.push(field.parse().unwrap_or(u16::MAX));
        } else {
            reasons.push(FenReason::Counter(field.to_owned()));
        }
    }
    setup.halfmove_clock = numbers.first().copied().unwrap_or(0);
    setup.fullmove_number = numbers.get(1).copied().unwrap_or(1).max(1);
    (setup, reasons)
}

fn read_board(board: &str, setup: &mut Setup, reasons: &mut Vec<FenReason>) {
    let ranks: Vec<&str> = board.split('/').collect();
    if ranks.len() != RANKS {
        reasons.push(FenReason::RankCount(ranks.len()));
        return;
    }
    for (rank, text) in (0..RANKS).rev().zip(ranks) {
        let mut file = 0;
        let mut is_known = true;
        for letter in text.chars() {
            if let Some(empty) = letter.to_digit(10) {
                file += empty as usize;
                continue;
            }
            match (Piece::from_letter(letter), Square::new(file, rank)) {
                (Some(piece), Some(square)) => setup.squares[square.index()] = Some(piece),
                (Some(_), None) => {}
                // One letter a rank is told.
                (None, _) if is_known => {
                    reasons.push(FenReason::Letter(letter));
                    is_known = false;
                }
                (None, _) => {}
            }
            file += 1;
        }
        if file != FILES {
            reasons.push(FenReason::RankLength {
                rank,
                squares: file,
            });
        }
    }
}

/// Writes a setup: `board side - - halfmove fullmove`.
pub fn write_setup(setup: &Setup) -> String {
    let mut text = String::new();
    for rank in (0..RANKS).rev() {
        let mut empty = 0;
        let rank_squares = &setup.squares[rank * FILES..][..FILES];
        for piece in rank_squares {
            match piece {
                None => empty += 1,
                Some(piece) => {
                    if empty > 0 {
                        text.push_str(&empty.to_string());
                        empty = 0;
                    }
                    text.push(piece.letter());
                }
            }
        }
        if empty > 0 {
            text.push_str(&empty.to_string());
        }
        if rank > 0 {
            text.push('/');
        }
    }
    let side = match setup.side_to_move {
        Color::Red => 'w',
        Color::Black => 'b',
    };
    format!(
        "{text} {side} - - {} {}",
        setup.halfmove_clock, setup.fullmove_number
    )
}

/// Writes a position with side to move and both counters.
pub fn write_position(position: &Position) -> String {
    write_setup(&position.setup())
}

impl FromStr for Position {
    type Err = FenError;

    /// Reads a FEN, as [`parse_position`] does.
    fn from_str(text: &str) -> Result<Self, FenError> {
        parse_position(text)
    }
}

impl fmt::Display for Position {
    /// Writes the FEN, as [`write_position`] does.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&write_position(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_round_trips() {
        assert_eq!(Position::startpos().to_string(), START);
        assert_eq!(START.parse(), Ok(Position::default()));
    }

    #[test]
    fn dialects_are_read() {
        let board = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR";
        let same = [
            board.to_owned(),
            board
                .replace('n', "h")
                .replace('N', "H")
                .replace('b', "e")
                .replace('B', "E")
                + " r",
            format!("{board} w"),
            format!("{board} w - -"),
            format!("  {board}   w - - 0 1 - - 0 4 "),
        ];
        for text in same {
            assert_eq!(
                write_position(&parse_position(&text).unwrap()),
                START,
                "{text}"
            );
        }
        let late = parse_position(&format!("{board} b - - 300 99999999")).unwrap();
        assert_eq!(
            (late.side_to_move(), late.clock().plies()),
            (Color::Black, 300)
        );
        assert_eq!(late.fullmove_number(), u16::MAX);
    }

    #[test]
    fn fields_beyond_the_sixth_mean_nothing() {
        let fen = "3k5/9/9/9/9/9/9/9/9/4K4 w - - 3 9";
        let longer = format!("{fen} hmvc 3; extra");
        assert_eq!(
            parse_position(&longer).unwrap(),
            parse_position(fen).unwrap()
        );
    }

    #[test]
    fn every_reason_is_named() {
        let cases = [
            ("", "the FEN is empty"),
            ("9/9", "2 ranks instead of 10"),
            ("startpos", "1 rank instead of 10"),
            ("1/9/9/9/9/9/9/9/9/9", "rank 9 has 1 square instead of 9"),
            (
                "rnbakabnrr/8/1c5c1/p1p1x1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR q",
                "rank 9 has 10 squares instead of 9, rank 8 has 8 squares instead of 9, \
                 no piece is written 'x', the side to move is \"q\", not w, r or b",
            ),
            (
                "4k4/9/9/9/4a4/9/9/9/9/RRR2P3 x - - z",
                "the side to move is \"x\", not w, r or b, the counter \"z\" is no number, \
                 red has no king, red has 3 rooks, at most 2 allowed, \
                 red pawn cannot stand on f0, black advisor cannot stand on e5",
            ),
            ("4k4/9/9/9/9/9/9/9/9/4K4 w", "the kings face each other"),
            (
                "3k5/9/9/9/9/9/9/9/9/3RK4 w",
                "black is in check but not to move",
            ),
            (
                "3k5/9/9/9/9/9/9/9/9/3RK4 red",
                "the side to move is \"red\", not w, r or b",
            ),
            (
                "4k4/9/3N5/9/9/9/9/9/9/4KP3 w",
                "red pawn cannot stand on f0, the kings face each other, \
                 black is in check but not to move",
            ),
            (
                "4k4/9/9/9/3K5/9/9/9/9/4K4 w",
                "red has 2 kings, at most 1 allowed, red king cannot stand on d5",
            ),
        ];
        for (text, message) in cases {
            let error = parse_position(text).unwrap_err().to_string();
            assert_eq!(error, message, "{text}");
        }
    }
}
