//! Why a text is no move of a position.

use crate::board::Move;

/// A text that names no legal move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotationError {
    /// The text is not in the notation asked for.
    #[error("{0:?} cannot be read as a move")]
    Unreadable(String),
    /// The text is a move, but the position does not allow it.
    #[error("{0:?} is no legal move here")]
    Illegal(String),
    /// The text fits more than one legal move.
    #[error("{text:?} may be any of {moves:?}")]
    Ambiguous {
        /// The text.
        text: String,
        /// The moves that fit it.
        moves: Vec<Move>,
    },
}
