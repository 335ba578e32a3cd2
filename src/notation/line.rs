//! Games as text: a starting position and moves in any notation.

use super::fen::{self, FenError};
use super::pgn::joined_moves;
use super::{
    NotationError, attempted_moves, chinese, coordinates, parse_in, parse_move, san, vietnamese,
};
use crate::board::{Move, Position};

/// A starting position and the legal moves played from it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Line {
    /// The starting position.
    pub start: Position,
    /// The moves, each legal after the previous ones.
    pub moves: Vec<Move>,
}

/// The reason why a text is not a valid game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// The starting position is invalid.
    #[error(transparent)]
    Start(#[from] FenError),
    /// A move is illegal or cannot be read.
    #[error("move {number}: {error}")]
    Move {
        /// The number of the move, from 1; both sides' moves count.
        number: usize,
        /// The reason why it cannot be played.
        error: NotationError,
    },
}

/// The way in which the moves of a record are written. Some texts mean different moves in different dialects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// All notations that [`parse_move`] reads, with ranks from 0.
    Usual,
    /// Coordinates and SAN with ranks from 1.
    RanksFromOne,
    /// Vietnamese letters and signs; also Chinese and coordinates.
    Vietnamese,
}

impl Dialect {
    pub fn parse(self, position: &Position, text: &str) -> Result<Move, NotationError> {
        match self {
            Self::Usual => parse_move(position, text),
            Self::RanksFromOne => match san::parse(position, text, 1) {
                Err(error) if !error.is_readable() => san::parse(position, &text.to_lowercase(), 1),
                read => read,
            },
            Self::Vietnamese => {
                let readers = [vietnamese::parse, chinese::parse, coordinates::parse];
                parse_in(readers, position, text, |position, text| {
                    match vietnamese::read(text.trim()) {
                        Some(read) => read.attempts(position),
                        None => attempted_moves(position, text),
                    }
                })
            }
        }
    }
}

impl Line {
    /// Plays moves in any notation from a position. They are read in the first of three dialects in which all of them
    /// are legal: the notations of [`parse_move`], coordinates or SAN with ranks from 1, and Vietnamese. If every
    /// dialect fails, the error is about the first move that cannot be played, in the first dialect that another one
    /// does not exceed by at least two moves.
    pub fn play<T: AsRef<str>>(
        start: Position,
        texts: impl IntoIterator<Item = T>,
    ) -> Result<Self, LineError> {
        let texts: Vec<T> = texts.into_iter().collect();
        Self::play_in_best_dialect(&start, &texts).1
    }

    /// Like [`Self::play`]. Also returns the dialect.
    pub(super) fn play_in_best_dialect<T: AsRef<str>>(
        start: &Position,
        texts: &[T],
    ) -> (Dialect, Result<Self, LineError>) {
        let play = |dialect: Dialect| {
            Self::play_with(start.clone(), texts, |position, text| dialect.parse(position, text))
        };
        // The number of the move that cannot be played, and whether it has the form of a move.
        let reached = |line: &Result<Self, LineError>| match line {
            Err(LineError::Move { number, error }) => (*number, error.is_readable()),
            _ => (usize::MAX, true),
        };
        // A single move more may be legal by chance.
        let is_better = |line: &Result<Self, LineError>, best: &Result<Self, LineError>| {
            let ((number, is_readable), (best, is_best_readable)) = (reached(line), reached(best));
            number > best.saturating_add(1) || number >= best && is_readable && !is_best_readable
        };
        let mut best = (Dialect::Usual, play(Dialect::Usual));
        for dialect in [Dialect::RanksFromOne, Dialect::Vietnamese] {
            if best.1.is_ok() {
                break;
            }
            let line = play(dialect);
            if is_better(&line, &best.1) {
                best = (dialect, line);
            }
        }
        best
    }

    /// Like [`Self::play`], but reads the moves with `parse`.
    pub(super) fn play_with<T: AsRef<str>>(
        start: Position,
        texts: impl IntoIterator<Item = T>,
        parse: impl Fn(&Position, &str) -> Result<Move, NotationError>,
    ) -> Result<Self, LineError> {
        let mut position = start.clone();
        let mut moves = Vec::new();
        for (number, text) in (1..).zip(texts) {
            let m = parse(&position, text.as_ref())
                .map_err(|error| LineError::Move { number, error })?;
            position.make(m);
            moves.push(m);
        }
        Ok(Self { start, moves })
    }

    /// The position after the moves, which must be legal. For other moves it may panic or return a wrong position;
    /// `Game::try_from` checks them.
    pub fn end(&self) -> Position {
        let mut position = self.start.clone();
        for m in &self.moves {
            position.make(*m);
        }
        position
    }
}

#[cfg(test)]
impl Line {
    /// The moves in coordinates: `h2e2 h9g7`.
    pub fn coordinates(&self) -> String {
        super::MoveStyle::Coordinate.write_line(&self.start, &self.moves)
    }
}

/// The FEN and the moves of a game, not yet parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameText {
    pub(super) fen: String,
    pub(super) moves: Vec<String>,
}

impl GameText {
    /// Splits `[position] [fen] FEN [[moves] M…]`; FEN may be `startpos`. Without the
    /// word `moves`, a single character, a number or dashes after the FEN are read as its fields.
    pub fn split(text: &str) -> Self {
        let is = |word: &str, key: &str| {
            let word = word.trim_end_matches([':', '：']);
            word.eq_ignore_ascii_case(key)
        };
        let mut words: Vec<&str> = text.split_whitespace().collect();
        for key in ["position", "fen"] {
            if words.first().is_some_and(|word| is(word, key)) {
                words.remove(0);
            }
        }
        let is_start = words.first().is_some_and(|word| is(word, "startpos"));
        let end = match words.iter().position(|word| is(word, "moves")) {
            Some(end) => end,
            None if is_start => 1,
            None => fen::length(&words),
        };
        let (board, moves) = words.split_at(end);
        let moves = moves.iter().skip_while(|word| is(word, "moves"));
        Self {
            fen: match board {
                [_] if is_start => fen::START.to_owned(),
                _ => board.join(" "),
            },
            moves: moves.map(|&word| word.to_owned()).collect(),
        }
    }

    /// Whether a text with this first word begins with a position: `startpos`, `position` or `fen`.
    pub fn is_start(word: &str) -> bool {
        ["startpos", "position", "fen"].iter().any(|key| word.eq_ignore_ascii_case(key))
    }

    /// Appends moves; each text may contain several.
    pub fn extend(&mut self, texts: &[String]) {
        let moves = texts.iter().flat_map(|text| text.split_whitespace());
        self.moves.extend(moves.map(str::to_owned));
    }

    /// The same game up to a number of plies.
    pub fn first(mut self, plies: usize) -> Self {
        self.moves.truncate(plies);
        self
    }

    /// The message that counters of the FEN are not read as they are written, see [`fen::counters_note`].
    pub fn counters_note(&self) -> Option<String> {
        fen::counters_note(&self.fen)
    }

    /// Plays the game. The error lists all reasons why the FEN is invalid, or names the first move that cannot be
    /// played.
    pub fn read(&self) -> Result<Line, LineError> {
        Line::play(fen::parse_position(&self.fen)?, &self.moves)
    }
}

/// Removes move numbers and the punctuation between moves, and separates joined moves: `1. h2e2h9g7, 2.h0g2` becomes
/// `h2e2 h9g7 h0g2`. But `33.4` is a move.
pub fn without_move_numbers(text: &str) -> String {
    let is_separator = |c: char| c.is_whitespace() || "，、；。,".contains(c);
    let words = text.split(is_separator).map(|word| {
        let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
        let after = rest.trim_start_matches('.');
        if rest.len() < word.len() && after.len() < rest.len() && after.chars().count() != 1 {
            after
        } else {
            word
        }
    });
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).flat_map(joined_moves).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The moves of a game in coordinates, or the error message.
    fn played(text: &str) -> String {
        match GameText::split(text).read() {
            Ok(line) => line.coordinates(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn protocol_lines_are_read() {
        for text in [
            "startpos moves h2e2 h9g7",
            "STARTPOS h2e2 h9g7",
            &format!("position startpos moves {} {}", "C2=5", "马8进7"),
            &format!("position fen {} moves h2e2 h9g7", fen::START),
            &format!("fen {} moves  H2-E2 h9g7 ", fen::START),
            &format!("{} moves 炮二平五 N8+7", fen::START),
        ] {
            assert_eq!(played(text), "h2e2 h9g7", "{text}");
        }
    }

    #[test]
    fn moves_may_follow_the_fen_directly() {
        let board = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR";
        for fields in ["", " w", " w - -", " r - - 0 1"] {
            let text = format!("{board}{fields} h2e2 h9g7");
            assert_eq!(played(&text), "h2e2 h9g7", "{text}");
        }
    }

    #[test]
    fn move_numbers_are_removed() {
        for (text, moves) in [
            ("1. h2e2 h9g7 2.h0g2", "h2e2 h9g7 h0g2"),
            ("1... 12...h9g7", "h9g7"),
            ("1.炮二平五马8进72.马二进三", "炮二平五 马8进7 马二进三"),
            ("77.6 33.4 5", "77.6 33.4 5"),
            ("1. h2e2, h9g7；2.炮二平五，马8进7。", "h2e2 h9g7 炮二平五 马8进7"),
        ] {
            assert_eq!(without_move_numbers(text), moves);
        }
    }

    #[test]
    fn errors_are_specific() {
        let kings = "4k4/9/9/9/9/9/9/9/9/4K4";
        for (text, reasons) in [
            ("", &["the FEN is empty"][..]),
            ("9/9 x", &["2 ranks", "\"x\""]),
            ("startpos h2e2 h2e2", &["move 2", "h2e2"]),
            // The ranks count from 1.
            ("startpos h3e3 h10g8 h3e3", &["move 3", "h3e3"]),
            ("startpos P2-5 M8.7 X1-5", &["move 3", "\"X1-5\" is illegal"]),
            ("startpos X1-5", &["move 1", "\"X1-5\" is illegal"]),
            // One move that is legal by chance with ranks from 1.
            ("startpos b3b9 b3b4", &["move 1", "b3b9"]),
            ("startpos moves moves x", &["move 1", "\"x\""]),
            ("startpos w moves h2e2", &["1 rank instead"]),
            (kings, &["the kings face each other"]),
        ] {
            let message = played(text);
            assert!(reasons.iter().all(|r| message.contains(r)), "{text}: {message}");
        }
    }
}
