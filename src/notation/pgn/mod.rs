//! PGN of xiangqi: games with tags, moves in any notation, variations, comments, annotation glyphs and a result.
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
mod headings;
mod read;
mod scanner;
#[cfg(test)]
mod tests;
mod words;
mod write;

pub use super::tree::{GameResult, PgnGame};
pub use read::{PgnReader, read};
pub use write::tag_line;
