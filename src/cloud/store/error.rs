//! What can be wrong with a library.

use std::path::PathBuf;
use std::sync::Arc;

/// Why a library cannot be opened, read or written.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// SQLite refuses: the file is locked, damaged or cannot be read, or the disk is full.
    #[error("the library: {0}")]
    Database(#[from] Arc<rusqlite::Error>),
    /// The file is a database of something else.
    #[error("{0} is no cloud library")]
    Foreign(PathBuf),
    /// A later version of the program has made the file.
    #[error("{path} has version {found} of the format; this program knows up to {known}")]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The latest version that is known.
        known: i64,
    },
    /// The system starts no thread for the writer.
    #[error("no thread for the writer: {0}")]
    Thread(Arc<std::io::Error>),
    /// The writer has ended.
    #[error("the library is closed")]
    Closed,
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(Arc::new(error))
    }
}
