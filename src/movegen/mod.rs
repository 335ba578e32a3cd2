//! Move generation, explanations of illegal moves, and perft.

mod generate;
mod illegal;
mod perft;

pub use generate::{
    Targets, count_legal, generate, has_legal_move, is_legal, is_pseudo_legal, legal_moves,
};
pub use illegal::{IllegalReason, why_illegal};
pub use perft::{divide, perft};

use crate::board::{Move, MoveList, Position};

impl Position {
    /// The legal moves, see [`legal_moves`].
    ///
    /// ```
    /// assert_eq!(chuhe::board::Position::startpos().legal_moves().len(), 44);
    /// ```
    pub fn legal_moves(&self) -> MoveList {
        legal_moves(self)
    }

    /// Whether a move is legal, see [`is_legal`].
    pub fn is_legal(&self, m: Move) -> bool {
        is_legal(self, m)
    }
}
