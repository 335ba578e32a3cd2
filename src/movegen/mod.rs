//! Move generation, staged for the search and legal for everybody else, and perft.

mod generate;
mod perft;
mod tally;

pub use generate::{
    Targets, count_legal, generate, has_legal_move, is_legal, is_pseudo_legal, legal_moves,
};
pub use perft::{divide, perft};
