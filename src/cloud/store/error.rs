//! Errors of the store.

use std::sync::Arc;

use super::location::Location;

/// Why a library cannot be opened, read or written.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// An error of SQLite: for example the file is locked or damaged, or the disk is full.
    #[error("database error: {0}")]
    Database(#[from] Arc<rusqlite::Error>),
    /// An error of PostgreSQL: for example the server cannot be reached or the connection was lost.
    #[cfg(feature = "postgres")]
    #[error("database error: {}", server_message(.0))]
    Server(Arc<postgres::Error>),
    /// A stored value is invalid; the field is the name of its column.
    #[error("the library is damaged: invalid value in the column {0}")]
    Damaged(&'static str),
    /// The file cannot be opened.
    #[error("{0}")]
    Open(Arc<std::io::Error>),
    /// The operation needs a library in a file.
    #[error("only a library file can be copied; for a database use pg_dump --schema chuhe_cloud")]
    NotAFile,
    /// The library can be read but not written.
    #[error("{0} is read-only")]
    ReadOnly(Location),
    /// The log of a read-only library has writes that are not in the file yet.
    #[error(
        "{0} is read-only and has unmerged writes in {0}-wal; copy both files to a writable directory"
    )]
    UnmergedWrites(Location),
    /// The file or database does not contain a library.
    #[error("{0} is not a cloud library")]
    Foreign(Location),
    /// The library has another format version.
    #[error("{location} has format version {found}; this program needs version {known}")]
    Version {
        /// Where the library is.
        location: Location,
        /// Its version.
        found: i64,
        /// The version of this program.
        known: i64,
    },
    /// The writer thread could not be started.
    #[error("cannot start the writer thread: {0}")]
    Thread(Arc<std::io::Error>),
    /// The writer thread has ended.
    #[error("the library is closed")]
    Closed,
}

/// The message of the server, or the reason why it cannot be reached.
#[cfg(feature = "postgres")]
fn server_message(error: &postgres::Error) -> String {
    use std::error::Error;

    match (error.as_db_error(), error.source()) {
        (Some(error), _) => error.message().to_owned(),
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
