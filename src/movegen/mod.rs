//! Move generation, staged for the search and legal for all others, and perft.

mod generate;
mod illegal;
mod perft;

pub use generate::{
    Targets, count_legal, generate, has_legal_move, is_legal, is_pseudo_legal, legal_moves,
};
pub use illegal::{IllegalReason, why_illegal};
pub use perft::{divide, perft};
