//! Games as people type them: where they begin, and moves in any notation.

use super::fen::{self, FenError};
use super::{NotationError, parse_move};
use crate::board::{Move, Position};

/// A game without its result: where it begins and the legal moves played from there.
#[derive(Clone, Debug)]
pub struct Line {
    /// Where it begins.
    pub start: Position,
    /// The moves, each legal after those before it.
    pub moves: Vec<Move>,
}

/// Why a text is no game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// It begins with no position.
    #[error("the FEN is no position: {0}")]
    Start(#[from] FenError),
    /// A move cannot be played.
    #[error("move {number}: {error}")]
    Move {
        /// Which one, from 1.
        number: usize,
        /// What is wrong with the move.
        error: NotationError,
    },
}

impl Line {
    /// Plays moves in any notation from a position.
    ///
    /// # Errors
    /// Names the first move that cannot be played.
    pub fn play<T: AsRef<str>>(
        start: Position,
        texts: impl IntoIterator<Item = T>,
    ) -> Result<Self, LineError> {
        let mut position = start.clone();
        let mut moves = Vec::new();
        for (number, text) in (1..).zip(texts) {
            let m = parse_move(&position, text.as_ref())
                .map_err(|error| LineError::Move { number, error })?;
            position.make(m);
            moves.push(m);
        }
        Ok(Self { start, moves })
    }
}

/// How a line tells its moves from its FEN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separator {
    /// The word `moves` stands between them.
    Required,
    /// Without that word, the moves begin where a word is longer than the fields of a FEN are.
    Optional,
}

/// A game as text, not yet read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameText {
    fen: String,
    moves: Vec<String>,
}

impl GameText {
    /// Splits `[position] [fen] FEN [moves M…]`, where FEN may be `startpos`.
    pub fn split(text: &str, separator: Separator) -> Self {
        let is = |word: &str, key: &str| word.eq_ignore_ascii_case(key);
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
            None if separator == Separator::Required => words.len(),
            None => fen_length(&words),
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

    /// Adds moves; each text may hold several.
    pub fn extend(&mut self, texts: &[String]) {
        let moves = texts.iter().flat_map(|text| text.split_whitespace());
        self.moves.extend(moves.map(str::to_owned));
    }

    /// Plays the game.
    ///
    /// # Errors
    /// Names every reason why the FEN is no position, or the first move that cannot be played.
    pub fn read(&self) -> Result<Line, LineError> {
        Line::play(fen::parse_position(&self.fen)?, &self.moves)
    }
}

/// How many of the words belong to a FEN: the board, then letters, dashes and numbers.
fn fen_length(words: &[&str]) -> usize {
    let is_field =
        |word: &&&str| word.chars().count() == 1 || word.bytes().all(|byte| byte.is_ascii_digit());
    let board = words.len().min(1);
    board + words.iter().skip(board).take_while(is_field).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of the game with all its moves in coordinates.
    fn played(text: &str, separator: Separator) -> String {
        let line = match GameText::split(text, separator).read() {
            Ok(line) => line,
            Err(error) => return error.to_string(),
        };
        let moves = line.moves.iter().map(ToString::to_string);
        moves.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn both_separators_read_a_protocol_line() {
        for separator in [Separator::Required, Separator::Optional] {
            for text in [
                "startpos moves h2e2 h9g7",
                "STARTPOS h2e2 h9g7",
                &format!("position startpos moves {} {}", "C2=5", "马8进7"),
                &format!("position fen {} moves h2e2 h9g7", fen::START),
                &format!("fen {} moves  H2-E2 h9g7 ", fen::START),
                &format!("{} moves 炮二平五 N8+7", fen::START),
            ] {
                assert_eq!(played(text, separator), "h2e2 h9g7", "{text}");
            }
        }
    }

    #[test]
    fn moves_may_follow_the_fen_at_once() {
        let board = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR";
        for fields in ["", " w", " w - -", " r - - 0 1"] {
            let text = format!("{board}{fields} h2e2 h9g7");
            assert_eq!(played(&text, Separator::Optional), "h2e2 h9g7", "{text}");
        }
    }

    #[test]
    fn faults_are_named() {
        let kings = "4k4/9/9/9/9/9/9/9/9/4K4";
        for (text, separator, reasons) in [
            ("", Separator::Optional, &["the FEN is empty"][..]),
            ("9/9 xx", Separator::Required, &["2 ranks", "\"xx\""]),
            (
                "startpos h2e2 h2e2",
                Separator::Optional,
                &["move 2", "h2e2"],
            ),
            (
                "startpos moves moves x",
                Separator::Optional,
                &["move 1", "\"x\""],
            ),
            (
                "startpos w moves h2e2",
                Separator::Required,
                &["1 rank instead"],
            ),
            (kings, Separator::Required, &["the kings face each other"]),
        ] {
            let told = played(text, separator);
            assert!(reasons.iter().all(|r| told.contains(r)), "{text}: {told}");
        }
    }
}
