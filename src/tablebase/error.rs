//! What is wrong with a file.

use std::io;

/// Why a file is no table that can be used.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The directory holds no tables.
    #[error("there are no tables in it (*.chtb)")]
    None,
    /// The file holds something else.
    #[error("not a table of Chuhe")]
    Foreign,
    /// The file was written by a program with other formats.
    #[error("a table of another version")]
    Version,
    /// The file was cut or changed.
    #[error("damaged: {0}")]
    Damaged(&'static str),
}
