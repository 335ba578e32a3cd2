//! The error for texts that are not legal moves.

use crate::board::Move;
use crate::movegen::IllegalReason;
use crate::text::excerpt;

/// Why a text is not a legal move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotationError {
    /// The text is not in the notation.
    #[error("\"{}\" cannot be read as a move", excerpt(.0))]
    Unreadable(String),
    /// The text is a move, but illegal in the position.
    #[error("\"{}\" is not a legal move here", excerpt(.0))]
    Illegal(String),
    /// The text is a move that breaks a rule.
    #[error("\"{}\" is illegal: {reason}", excerpt(.text))]
    Forbidden {
        /// The text.
        text: String,
        /// The rule.
        reason: IllegalReason,
    },
    /// The text matches more than one legal move.
    #[error("\"{}\" matches several moves: {moves:?}", excerpt(.text))]
    Ambiguous {
        /// The text.
        text: String,
        /// The moves that match.
        moves: Vec<Move>,
    },
}
