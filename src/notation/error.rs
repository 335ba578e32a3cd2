//! The error for texts that are not legal moves.

use crate::board::Move;
use crate::movegen::IllegalReason;
use crate::text::{excerpt, fill, texts};

/// The reason why a text is not a legal move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotationError {
    /// The text is not in the notation.
    #[error("{}", fill(texts().unreadable_move, &[&excerpt(.0)]))]
    Unreadable(String),
    /// The text is a move, but matches no legal move of the position.
    #[error("{}", fill(texts().not_legal_here, &[&excerpt(.0)]))]
    Illegal(String),
    /// The text is a move that is illegal for a known reason.
    #[error("{}", fill(texts().illegal_move, &[&excerpt(.text), &reason.to_string()]))]
    Forbidden {
        /// The text of the move.
        text: String,
        /// The rule that the move violates.
        reason: IllegalReason,
    },
    /// The text matches more than one legal move.
    #[error("{}", fill(texts().several_moves, &[&excerpt(.text), &format!("{moves:?}")]))]
    Ambiguous {
        /// The text of the move.
        text: String,
        /// The legal moves that match, at least two.
        moves: Vec<Move>,
    },
}

impl NotationError {
    /// Whether the text has the form of a move.
    pub(crate) fn is_readable(&self) -> bool {
        !matches!(self, Self::Unreadable(_))
    }
}

/// The legal move that matches `text`, or an error if no move or several moves match.
pub fn only_move(moves: Vec<Move>, text: &str) -> Result<Move, NotationError> {
    match moves[..] {
        [m] => Ok(m),
        [] => Err(NotationError::Illegal(text.to_owned())),
        _ => Err(NotationError::Ambiguous { text: text.to_owned(), moves }),
    }
}
