//! A connection to either database.

use std::cell::RefCell;

use rusqlite::CachedStatement;

use super::error::StoreError;
use super::location::Location;
#[cfg(feature = "postgres")]
use super::postgres::PostgresConnection;
use super::sqlite;
use super::statement::{Access, Columns, Sql, Value};

/// A connection to the database of a library.
pub(super) enum Connection {
    Sqlite(rusqlite::Connection),
    #[cfg(feature = "postgres")]
    Postgres(Box<PostgresConnection>),
}

impl Connection {
    /// Opens a library to write; makes it where there is none and `makes` says so.
    pub(super) fn open(location: &Location, makes: bool) -> Result<Self, StoreError> {
        Ok(match location {
            Location::File(path) => {
                if !makes {
                    std::fs::metadata(path).map_err(|error| StoreError::Missing(error.into()))?;
                }
                Self::Sqlite(sqlite::open(path)?)
            }
            #[cfg(feature = "postgres")]
            Location::Postgres(config) => {
                Self::Postgres(Box::new(PostgresConnection::open(config, makes)?))
            }
        })
    }

    /// Opens a library that is open for writing already, to read.
    pub(super) fn open_reader(location: &Location) -> Result<Self, StoreError> {
        Ok(match location {
            Location::File(path) => Self::Sqlite(sqlite::open_reader(path)?),
            #[cfg(feature = "postgres")]
            Location::Postgres(config) => {
                Self::Postgres(Box::new(PostgresConnection::open_reader(config)?))
            }
        })
    }

    /// Begins a transaction.
    pub(super) fn begin(&self, access: Access) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(connection) => Ok(connection.execute_batch(sqlite::begin(access))?),
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => connection.begin(access),
        }
    }

    /// Ends a transaction so that it holds.
    pub(super) fn commit(&self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(connection) => Ok(connection.execute_batch("COMMIT")?),
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => connection.commit(),
        }
    }

    /// Ends a transaction as if it had not been.
    pub(super) fn roll_back(&self) {
        match self {
            Self::Sqlite(connection) => {
                // Some errors end the transaction by themselves.
                if !connection.is_autocommit()
                    && let Err(error) = connection.execute_batch("ROLLBACK")
                {
                    log::error!("the cloud library: {error}");
                }
            }
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => connection.roll_back(),
        }
    }

    /// Runs a statement. Tells how many rows it has changed.
    pub(super) fn execute(
        &self,
        statement: impl Into<Sql>,
        values: &[Value<'_>],
    ) -> Result<usize, StoreError> {
        let statement = statement.into();
        match self {
            Self::Sqlite(connection) => {
                let mut statement = connection.prepare_cached(statement.sqlite)?;
                Ok(statement.execute(rusqlite::params_from_iter(values))?)
            }
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => connection.execute(statement.postgres, values),
        }
    }

    /// Reads all that a query finds.
    pub(super) fn query<T>(
        &self,
        query: impl Into<Sql>,
        values: &[Value<'_>],
        mut read: impl FnMut(&Columns<'_>) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let query = query.into();
        match self {
            Self::Sqlite(connection) => {
                let mut found = Vec::new();
                let mut query = connection.prepare_cached(query.sqlite)?;
                sqlite::for_rows(&mut query, values, |columns| {
                    found.push(read(columns)?);
                    Ok(true)
                })?;
                Ok(found)
            }
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => connection.query(query.postgres, values, read),
        }
    }

    /// Reads the first row that a query finds.
    pub(super) fn query_one<T>(
        &self,
        query: impl Into<Sql>,
        values: &[Value<'_>],
        read: impl FnOnce(&Columns<'_>) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        self.prepare(query)?.find(values, read)
    }

    /// The query for a new number of a lease, where the database gives them; otherwise they follow from those
    /// that are in use.
    pub(super) fn lease_numbers(&self) -> Option<&'static str> {
        match self {
            Self::Sqlite(_) => None,
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => Some("SELECT nextval('lease_number')"),
        }
    }

    /// Whether each question takes a way to a server and back.
    pub(super) const fn is_remote(&self) -> bool {
        match self {
            Self::Sqlite(_) => false,
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => true,
        }
    }

    /// Prepares a query for one row, which is asked many times.
    pub(super) fn prepare(&self, query: impl Into<Sql>) -> Result<RowQuery<'_>, StoreError> {
        let query = query.into();
        Ok(match self {
            Self::Sqlite(connection) => {
                RowQuery::Sqlite(RefCell::new(connection.prepare_cached(query.sqlite)?))
            }
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => RowQuery::Postgres(connection, query.postgres),
        })
    }
}

/// A query for one row.
pub(super) enum RowQuery<'a> {
    Sqlite(RefCell<CachedStatement<'a>>),
    #[cfg(feature = "postgres")]
    Postgres(&'a PostgresConnection, &'static str),
}

impl RowQuery<'_> {
    /// What `read` makes of the first row that is found.
    pub(super) fn find<T>(
        &self,
        values: &[Value<'_>],
        read: impl FnOnce(&Columns<'_>) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let mut read = Some(read);
        let mut found = None;
        match self {
            Self::Sqlite(query) => sqlite::for_rows(&mut query.borrow_mut(), values, |columns| {
                found = read.take().map(|read| read(columns)).transpose()?;
                Ok(false)
            })?,
            #[cfg(feature = "postgres")]
            Self::Postgres(connection, query) => {
                let rows = connection.query(query, values, |columns| {
                    read.take().map(|read| read(columns)).transpose()
                })?;
                found = rows.into_iter().next().flatten();
            }
        }
        Ok(found)
    }
}
