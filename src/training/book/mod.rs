//! Making opening books from games and from searches.
//!
//! - [`GameBook`] counts the results of games. Self-play with [`Opening::Good`](super::Opening::Good) makes games for
//!   a book.
//! - [`expand`] needs no games: it searches the starting position for its best moves, then the positions after them,
//!   in the order in which good play reaches them, and backs up the scores.
//! - [`check`] searches every position of a book, drops moves that lose too much, and can weight the others by their
//!   scores.

mod check;
mod expansion;
mod games;
mod scores;

pub use check::{BookCheck, Checked, check};
pub use expansion::{Expansion, expand};
pub use games::GameBook;
