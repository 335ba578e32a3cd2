//! Statements, parameters and columns that are the same for both databases.

use rusqlite::types::{ToSqlOutput, ValueRef};

use super::error::StoreError;
use crate::cloud::key::Key;

/// Access mode of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// Read a consistent snapshot.
    Read,
    /// Lease tasks only; never waits for other transactions.
    Lease,
    /// Write exclusively.
    Write,
}

/// A statement. Its parameters `$1`, `$2` and so on must first appear in this order, because SQLite numbers them
/// that way.
#[derive(Clone, Copy, Debug)]
pub struct Sql {
    pub sqlite: &'static str,
    #[cfg(feature = "postgres")]
    pub postgres: &'static str,
}

impl Sql {
    /// A statement that differs between the databases.
    pub const fn new(sqlite: &'static str, postgres: &'static str) -> Self {
        #[cfg(not(feature = "postgres"))]
        let _ = postgres;
        Self {
            sqlite,
            #[cfg(feature = "postgres")]
            postgres,
        }
    }
}

impl From<&'static str> for Sql {
    fn from(text: &'static str) -> Self {
        Self::new(text, text)
    }
}

/// A statement with a row-locking clause for PostgreSQL. SQLite locks the whole database for a write transaction.
macro_rules! locking {
    ($before:literal, $lock:literal, $after:literal) => {
        Sql::new(
            concat!($before, $after),
            concat!($before, " ", $lock, $after),
        )
    };
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

impl rusqlite::ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Number(number) | Self::Maybe(Some(number)) => ValueRef::Integer(*number),
            Self::Maybe(None) => ValueRef::Null,
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::AnyOf(all) => {
                let fail = format!("{} values where one is expected", all.len());
                return Err(rusqlite::Error::ToSqlConversionFailure(fail.into()));
            }
        }))
    }
}

impl From<i64> for Value<'_> {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl<'a> From<&'a Key> for Value<'a> {
    fn from(key: &'a Key) -> Self {
        Self::Bytes(key.as_bytes())
    }
}

/// The columns of a result row.
pub enum Columns<'a> {
    Sqlite(&'a rusqlite::Row<'a>),
    #[cfg(feature = "postgres")]
    Postgres(&'a postgres::Row),
}

impl Columns<'_> {
    /// A number; `name` identifies the column in errors.
    pub fn number<T: TryFrom<i64>>(
        &self,
        column: usize,
        name: &'static str,
    ) -> Result<T, StoreError> {
        self.maybe_number(column, name)?
            .ok_or(StoreError::Damaged(name))
    }

    /// A number or NULL.
    pub fn maybe_number<T: TryFrom<i64>>(
        &self,
        column: usize,
        name: &'static str,
    ) -> Result<Option<T>, StoreError> {
        let damaged = || StoreError::Damaged(name);
        let number = match self {
            Self::Sqlite(row) => row
                .get_ref(column)?
                .as_i64_or_null()
                .map_err(|_| damaged())?,
            #[cfg(feature = "postgres")]
            Self::Postgres(row) => row
                .try_get::<_, Option<i64>>(column)
                .map_err(|_| damaged())?,
        };
        match number.map(T::try_from) {
            None => Ok(None),
            Some(Ok(number)) => Ok(Some(number)),
            Some(Err(_)) => Err(damaged()),
        }
    }

    /// A text; invalid UTF-8 becomes U+FFFD.
    pub fn text(&self, column: usize, name: &'static str) -> Result<String, StoreError> {
        let bytes = match self {
            Self::Sqlite(row) => row
                .get_ref(column)?
                .as_bytes()
                .map_err(|_| StoreError::Damaged(name))?,
            #[cfg(feature = "postgres")]
            Self::Postgres(row) => row.try_get(column).map_err(|_| StoreError::Damaged(name))?,
        };
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }

    /// Bytes.
    pub fn bytes(&self, column: usize, name: &'static str) -> Result<&[u8], StoreError> {
        match self {
            Self::Sqlite(row) => row
                .get_ref(column)?
                .as_blob()
                .map_err(|_| StoreError::Damaged(name)),
            #[cfg(feature = "postgres")]
            Self::Postgres(row) => row.try_get(column).map_err(|_| StoreError::Damaged(name)),
        }
    }
}

pub(crate) use locking;
