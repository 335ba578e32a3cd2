//! What can go wrong with a library.

use std::sync::Arc;

use super::location::Location;

/// Why a library cannot be opened, read or written.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// SQLite refuses: the file is locked, damaged or cannot be read, or the disk is full.
    #[error("the library: {0}")]
    Database(#[from] Arc<rusqlite::Error>),
    /// The PostgreSQL server refuses, cannot be reached, or has been lost.
    #[cfg(feature = "postgres")]
    #[error("the library: {}", server_fault(.0))]
    Server(Arc<postgres::Error>),
    /// What is stored is not what the program writes.
    #[error("the library: the column {0} is damaged")]
    Damaged(&'static str),
    /// There is no library to be opened.
    #[error("{0}")]
    Missing(Arc<std::io::Error>),
    /// The file is a database of something else, or the database of the server holds no library.
    #[error("{0} is no cloud library")]
    Foreign(Location),
    /// A later version of the program has made the library.
    #[error("{location} has version {found} of the format; this program knows up to {known}")]
    Version {
        /// Where the library is.
        location: Location,
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

/// What the server says, or else why it cannot be asked.
#[cfg(feature = "postgres")]
fn server_fault(error: &postgres::Error) -> String {
    use std::error::Error;

    match (error.as_db_error(), error.source()) {
        (Some(said), _) => said.message().to_owned(),
        (None, Some(cause)) => format!("{error}: {cause}"),
        (None, None) => error.to_string(),
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(Arc::new(error))
    }
}

#[cfg(feature = "postgres")]
impl From<postgres::Error> for StoreError {
    fn from(error: postgres::Error) -> Self {
        Self::Server(Arc::new(error))
    }
}
