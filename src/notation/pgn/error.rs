//! Why a record cannot be read.

/// Why a record is no game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct PgnError {
    /// Where, from 1.
    pub line: usize,
    /// What is wrong there.
    pub reason: String,
}
