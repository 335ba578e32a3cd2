//! Why a text is no move of a position.

use crate::board::Move;
use crate::text::excerpt;

/// A text that names no legal move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotationError {
    /// The text is not in the notation asked for.
    #[error("\"{}\" cannot be read as a move", excerpt(.0))]
    Unreadable(String),
    /// The text is a move, but the position does not allow it.
    #[error("\"{}\" is no legal move here", excerpt(.0))]
    Illegal(String),
    /// The text fits more than one legal move.
    #[error("\"{}\" may be any of {moves:?}", excerpt(.text))]
    Ambiguous {
        /// What was read.
        text: String,
        /// The moves that fit it.
        moves: Vec<Move>,
    },
}
