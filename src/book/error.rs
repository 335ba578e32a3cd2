//! Why a book cannot be used.

use std::io;

/// Why a file is no book, or a book gives no answer.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    /// The system cannot read or write it.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It holds nothing.
    #[error("the book is empty")]
    Empty,
    /// It ends within a record.
    #[error("the book is cut short: {0} bytes are no whole number of records")]
    Cut(usize),
    /// It is something else.
    #[error("this is no opening book: {0}")]
    Foreign(&'static str),
    /// It is a database that cannot be read or written.
    #[cfg(feature = "sqlite")]
    #[error("database: {0}")]
    Database(#[from] rusqlite::Error),
    /// Its positions are hashed with numbers that are not known.
    #[error("this book needs the key file of its format beside it in the list")]
    NeedsKeys,
    /// A file of the size of a key file gives the starting position another key than the format has.
    #[cfg(feature = "sqlite")]
    #[error("its numbers are not those of the key file of .obk books")]
    WrongKeys,
    /// This program was built without the library that reads it.
    #[error("this build of the program cannot read books that are databases")]
    NoDatabases,
    /// It is larger than any book that could be of use.
    #[error("{0} bytes are too many for a book")]
    TooLarge(u64),
}
