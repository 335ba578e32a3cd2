//! Making opening books: of games, and of searches from the starting position.
//!
//! [`GameBook`] counts how games went. [`expand`] needs no games: it searches the starting position for
//! its best moves, then the positions behind those, always the one that good play reaches soonest, and
//! takes the scores back from the ends of the lines. [`check`] searches every position of a book,
//! drops the moves that lose too much, and weighs those that stay by their scores if asked to. Games for a
//! book are those of [`Opening::Good`](super::Opening::Good).

mod check;
mod expansion;
mod games;
mod scores;

pub use check::{BookCheck, Checked, check};
pub use expansion::{Expansion, expand};
pub use games::GameBook;
