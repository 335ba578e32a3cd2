//! PGN of xiangqi: games with tags, moves in ICCS, WXF or Chinese, comments, and a result.
//!
//! ```
//! use chuhe::notation::{MoveStyle, pgn};
//!
//! let text = "[Red \"胡荣华\"]\n[Black \"杨官璘\"]\n\n1. 炮二平五 马8进7 2. 马二进三 1-0\n";
//! let games = pgn::read(text);
//! let game = games[0].as_ref().expect("the record can be read");
//! assert_eq!(game.tag("Red"), Some("胡荣华"));
//! assert_eq!(game.line.moves.len(), 3);
//! assert!(game.write(MoveStyle::Wxf).contains("1. C2=5 N8+7 2. N2+3 1-0"));
//! ```

mod builder;
mod error;
mod read;
mod scanner;
mod write;

use std::fmt;
use std::str::FromStr;

pub use error::PgnError;
pub use read::{PgnReader, read};
pub use write::{Annotation, tag_line};

use super::Line;
use crate::board::Color;

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum GameResult {
    /// Red has won: `1-0`.
    RedWins,
    /// Black has won: `0-1`.
    BlackWins,
    /// A draw: `1/2-1/2`.
    Draw,
    /// It has not: `*`.
    #[default]
    Unfinished,
}

impl GameResult {
    /// The result in which a side has won.
    pub const fn win_of(winner: Color) -> Self {
        match winner {
            Color::Red => Self::RedWins,
            Color::Black => Self::BlackWins,
        }
    }

    /// The winner, `None` if there is none.
    pub const fn winner(self) -> Option<Color> {
        match self {
            Self::RedWins => Some(Color::Red),
            Self::BlackWins => Some(Color::Black),
            Self::Draw | Self::Unfinished => None,
        }
    }

    /// The text in a record.
    pub const fn text(self) -> &'static str {
        match self {
            Self::RedWins => "1-0",
            Self::BlackWins => "0-1",
            Self::Draw => "1/2-1/2",
            Self::Unfinished => "*",
        }
    }
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// The text is no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a result (1-0, 0-1, 1/2-1/2, *)")]
pub struct ParseResultError;

impl FromStr for GameResult {
    type Err = ParseResultError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        [Self::RedWins, Self::BlackWins, Self::Draw, Self::Unfinished]
            .into_iter()
            .find(|result| result.text() == text)
            .ok_or(ParseResultError)
    }
}

/// A game as a record has it.
#[derive(Clone, Debug)]
pub struct PgnGame {
    /// The tags in order, but for `Game`, `Result`, `FEN` and `Format`, which [`Self::write`] makes.
    pub tags: Vec<(String, String)>,
    /// Where it began and what was played.
    pub line: Line,
    /// A comment for each move, maybe empty.
    pub comments: Vec<String>,
    /// How it ended.
    pub result: GameResult,
}

impl PgnGame {
    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let (_, value) = self
            .tags
            .iter()
            .find(|(n, _)| n.eq_ignore_ascii_case(name))?;
        Some(value)
    }
}

#[cfg(test)]
mod tests;
