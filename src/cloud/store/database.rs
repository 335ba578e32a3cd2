//! The interface of the two databases, the rows and edges of positions in them, and the errors of the store.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use super::location::Location;
use crate::board::Move;
use crate::cloud::key::Key;
use crate::cloud::row::Row;

pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// A connection to a database.
///
/// Both databases understand the statements. Parameters are `$1`, `$2` and so on. They must first occur in this order,
/// because SQLite numbers them by their first occurrences. The connection to SQLite removes `FOR UPDATE` from the
/// statements, because SQLite locks the whole database.
pub trait Database: Send {
    fn begin(&self, access: Access) -> Result<()>;

    fn commit(&self) -> Result<()>;

    fn roll_back(&self);

    /// Runs a statement; returns the number of changed rows.
    fn execute(&self, statement: &'static str, values: &[Value<'_>]) -> Result<usize>;

    /// Calls `each` with the rows of a query until `each` returns `false`.
    fn for_rows(
        &self,
        query: &'static str,
        values: &[Value<'_>],
        each: &mut dyn FnMut(&Columns<'_>) -> Result<bool>,
    ) -> Result<()>;

    /// Checks the structure of the file. Does nothing for a database on a server.
    fn check_file(&self) -> Result<()> {
        Ok(())
    }

    /// Whether the database is on a server: each query is a round trip, and a sequence generates lease numbers.
    fn is_remote(&self) -> bool;
}

impl dyn Database + '_ {
    pub fn query<T>(
        &self,
        query: &'static str,
        values: &[Value<'_>],
        mut read: impl FnMut(&Columns<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut found = Vec::new();
        self.for_rows(query, values, &mut |columns| {
            found.push(read(columns)?);
            Ok(true)
        })?;
        Ok(found)
    }

    pub fn query_one<T>(
        &self,
        query: &'static str,
        values: &[Value<'_>],
        mut read: impl FnMut(&Columns<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        let mut found = None;
        self.for_rows(query, values, &mut |columns| {
            found = Some(read(columns)?);
            Ok(false)
        })?;
        Ok(found)
    }

    /// The number in the first column of the first row; 0 without rows.
    pub fn number(&self, query: &'static str, values: &[Value<'_>]) -> Result<i64> {
        let found = self.query_one(query, values, |columns| columns.number(0, "number"))?;
        Ok(found.unwrap_or(0))
    }

    pub fn has_row(&self, query: &'static str, values: &[Value<'_>]) -> Result<bool> {
        Ok(self.query_one(query, values, |_| Ok(()))?.is_some())
    }

    /// The known moves of a position.
    pub fn row(&self, key: &Key) -> Result<Option<Row>> {
        let query = "SELECT moves, ply, turned_ply FROM position WHERE key = $1";
        self.query_one(query, &[key.into()], |columns| columns.row())
    }

    /// The known moves of several positions, in one query; unknown positions are left out. PostgreSQL only.
    pub fn rows(&self, keys: &[Key]) -> Result<HashMap<Key, Row>> {
        let query = "SELECT moves, ply, turned_ply, key FROM position WHERE key = ANY($1)";
        let bytes: Vec<&[u8]> = keys.iter().map(Key::as_bytes).collect();
        let read = |columns: &Columns<'_>| Ok((columns.key(3)?, columns.row()?));
        let found = self.query(query, &[Value::AnyOf(&bytes)], read)?;
        Ok(found.into_iter().collect())
    }

    /// Writes the row of a position; deletes it if no moves are left.
    pub fn put_row(&self, key: &Key, row: &Row) -> Result<()> {
        if row.moves.is_empty() {
            let statement = "DELETE FROM position WHERE key = $1";
            return self.execute(statement, &[key.into()]).map(drop);
        }
        let statement = "INSERT INTO position(key, moves, ply, turned_ply) VALUES ($1, $2, $3, $4)
            ON CONFLICT(key) DO UPDATE SET moves = $2, ply = $3, turned_ply = $4";
        let [ply, swapped] = row.plies.map(|ply| Value::Maybe(ply.map(i64::from)));
        let moves = row.to_bytes();
        let values = [key.into(), Value::Bytes(&moves), ply, swapped];
        self.execute(statement, &values).map(drop)
    }

    /// Stores that a move leads from `parent` to `child`.
    pub fn add_edge(&self, parent: &Key, child: &Key) -> Result<()> {
        let statement = "INSERT INTO edge(child, parent) VALUES ($1, $2) ON CONFLICT DO NOTHING";
        let values = [child.into(), parent.into()];
        self.execute(statement, &values).map(drop)
    }

    /// The positions with a move to this one. The move may have been removed, or have a private note but no score.
    pub fn parents(&self, child: &Key) -> Result<Vec<Key>> {
        let query = "SELECT parent FROM edge WHERE child = $1";
        self.query(query, &[child.into()], |columns| columns.key(0))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// Read a consistent snapshot.
    Read,
    /// Lease tasks only. Such a transaction never waits for others in PostgreSQL.
    Lease,
    /// Write exclusively.
    Write,
}

/// A parameter of a statement.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    Number(i64),
    /// A number or NULL.
    Maybe(Option<i64>),
    Bytes(&'a [u8]),
    Text(&'a str),
    /// An array of keys; PostgreSQL only.
    AnyOf(&'a [&'a [u8]]),
}

impl From<i64> for Value<'_> {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<Move> for Value<'_> {
    fn from(m: Move) -> Self {
        Self::Number(m.bits().into())
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<&'a Key> for Value<'a> {
    fn from(key: &'a Key) -> Self {
        Self::Bytes(key.as_bytes())
    }
}

/// A result row of either database. The methods return `None` if the column has another type.
pub trait ResultRow {
    /// A number or NULL.
    fn number(&self, column: usize) -> Option<Option<i64>>;

    /// A text or bytes, or NULL.
    fn bytes(&self, column: usize) -> Option<Option<&[u8]>>;
}

/// The columns of a result row. `name` identifies the column in errors.
pub struct Columns<'a>(pub &'a dyn ResultRow);

impl Columns<'_> {
    pub fn number<T: TryFrom<i64>>(&self, column: usize, name: &'static str) -> Result<T> {
        self.maybe_number(column, name)?.ok_or(StoreError::Damaged(name))
    }

    pub fn maybe_number<T: TryFrom<i64>>(
        &self,
        column: usize,
        name: &'static str,
    ) -> Result<Option<T>> {
        let damaged = StoreError::Damaged(name);
        let number = self.0.number(column).ok_or(damaged.clone())?;
        number.map(T::try_from).transpose().map_err(|_| damaged)
    }

    /// A text; invalid UTF-8 becomes U+FFFD.
    pub fn text(&self, column: usize, name: &'static str) -> Result<String> {
        Ok(String::from_utf8_lossy(self.bytes(column, name)?).into_owned())
    }

    pub fn maybe_text(&self, column: usize, name: &'static str) -> Result<Option<String>> {
        let bytes = self.maybe_bytes(column, name)?;
        Ok(bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned()))
    }

    pub fn bytes(&self, column: usize, name: &'static str) -> Result<&[u8]> {
        self.maybe_bytes(column, name)?.ok_or(StoreError::Damaged(name))
    }

    pub fn maybe_bytes(&self, column: usize, name: &'static str) -> Result<Option<&[u8]>> {
        self.0.bytes(column).ok_or(StoreError::Damaged(name))
    }

    pub fn key(&self, column: usize) -> Result<Key> {
        Key::from_bytes(self.bytes(column, "key")?).ok_or(StoreError::Damaged("key"))
    }

    pub fn played(&self, column: usize) -> Result<Move> {
        Move::from_bits(self.number(column, "move")?).ok_or(StoreError::Damaged("move"))
    }

    /// The row of a position from the first columns: `moves`, `ply` and `turned_ply`, which is the ply of the position
    /// with the colors swapped.
    pub fn row(&self) -> Result<Row> {
        let plies = [self.maybe_number(1, "ply")?, self.maybe_number(2, "turned_ply")?];
        let moves = Row::moves_from_bytes(self.bytes(0, "moves")?);
        Ok(Row { moves: moves.ok_or(StoreError::Damaged("moves"))?, plies })
    }
}

/// Milliseconds since 1970.
pub fn milliseconds() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |time| i64::try_from(time.as_millis()).unwrap_or(i64::MAX))
}

/// Seconds since 1970.
pub fn now() -> i64 {
    milliseconds() / 1000
}

#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// An error of SQLite: for example the file is locked or damaged, or the disk is full.
    #[error("database error: {0}")]
    Database(Arc<rusqlite::Error>),
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
    #[error("the library is read-only")]
    ReadOnly,
    /// The write-ahead log of a read-only library file has writes that are not in the file yet.
    #[error(
        "the library is read-only and has unmerged writes in {0}-wal; copy both files to a writable directory"
    )]
    UnmergedWrites(Location),
    #[error("another process uses this library")]
    InUse,
    #[error("{0} has writes that cannot be merged into its database file; remove this log first")]
    OtherLog(Location),
    #[error("this is not a cloud library")]
    Foreign,
    #[error("the library has format version {found}; this program needs version {known}")]
    Version { found: i64, known: i64 },
    #[error("cannot start the writer thread: {0}")]
    Thread(Arc<std::io::Error>),
    /// The writer thread has ended.
    #[error("the library is closed")]
    Closed,
}

impl StoreError {
    /// Whether the same write may succeed later: another program wrote, the disk is full, or a file could not be used.
    pub fn is_temporary(&self) -> bool {
        use rusqlite::ErrorCode::{
            CannotOpen, DatabaseBusy, DatabaseLocked, DiskFull, SystemIoFailure,
        };

        match self {
            Self::Database(error) => matches!(
                error.sqlite_error_code(),
                Some(CannotOpen | DatabaseBusy | DatabaseLocked | DiskFull | SystemIoFailure)
            ),
            #[cfg(feature = "postgres")]
            Self::Server(_) => true,
            _ => false,
        }
    }

    /// Whether a file of SQLite could not be written: the disk is full, or the file would exceed a size limit.
    pub fn is_failed_write(&self) -> bool {
        use rusqlite::ffi::{SQLITE_FULL, SQLITE_IOERR_WRITE};

        let code = match self {
            Self::Database(error) => error.sqlite_error().map(|error| error.extended_code),
            _ => None,
        };
        code.is_some_and(|code| [SQLITE_FULL, SQLITE_IOERR_WRITE].contains(&code))
    }
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
