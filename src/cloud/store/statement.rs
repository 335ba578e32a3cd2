//! Statements, values and columns, which are the same for both databases.

use rusqlite::types::{ToSqlOutput, ValueRef};

use super::error::StoreError;

/// What a transaction may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Access {
    /// Read the library as it stands at one moment.
    Read,
    /// Hand tasks out, and nothing else. It never waits for other transactions.
    Lease,
    /// Write anything, while no other transaction does.
    Write,
}

/// A statement. Its values stand as `$1`, `$2` and so on, which occur first in this order, for SQLite numbers
/// them so.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sql {
    pub(super) sqlite: &'static str,
    #[cfg(feature = "postgres")]
    pub(super) postgres: &'static str,
}

impl Sql {
    /// A statement that the databases write differently.
    pub(super) const fn new(sqlite: &'static str, postgres: &'static str) -> Self {
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

/// A statement with a clause that locks rows in PostgreSQL. In SQLite a transaction that writes is alone.
macro_rules! locking {
    ($before:literal, $lock:literal, $after:literal) => {
        Sql::new(
            concat!($before, $after),
            concat!($before, " ", $lock, $after),
        )
    };
}

pub(super) use locking;

/// A value of a statement.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value<'a> {
    Number(i64),
    /// A number that may be absent.
    Maybe(Option<i64>),
    Bytes(&'a [u8]),
    Text(&'a str),
    /// Any of these, in a query that PostgreSQL alone understands.
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
                let fault = format!("{} values where one is expected", all.len());
                return Err(rusqlite::Error::ToSqlConversionFailure(fault.into()));
            }
        }))
    }
}

impl From<i64> for Value<'_> {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl<'a> From<&'a crate::cloud::key::Key> for Value<'a> {
    fn from(key: &'a crate::cloud::key::Key) -> Self {
        Self::Bytes(key.as_bytes())
    }
}

/// The columns of a row that was found.
pub(super) enum Columns<'a> {
    Sqlite(&'a rusqlite::Row<'a>),
    #[cfg(feature = "postgres")]
    Postgres(&'a postgres::Row),
}

impl Columns<'_> {
    /// The number in a column, which has a name for errors.
    pub(super) fn number<T: TryFrom<i64>>(
        &self,
        column: usize,
        name: &'static str,
    ) -> Result<T, StoreError> {
        self.maybe_number(column, name)?
            .ok_or(StoreError::Damaged(name))
    }

    /// The number in a column where there is one.
    pub(super) fn maybe_number<T: TryFrom<i64>>(
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

    /// The text in a column, with `\u{fffd}` for what is none.
    pub(super) fn text(&self, column: usize, name: &'static str) -> Result<String, StoreError> {
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

    /// The bytes in a column.
    pub(super) fn bytes(&self, column: usize, name: &'static str) -> Result<&[u8], StoreError> {
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
