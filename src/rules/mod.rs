//! What the history of a game means: repetitions and limits.

mod game;

pub use game::{Game, Ply};
