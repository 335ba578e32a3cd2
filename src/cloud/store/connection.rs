//! A connection to either database.

use std::cell::RefCell;

use rusqlite::CachedStatement;

use super::error::StoreError;
use super::location::Location;
#[cfg(feature = "postgres")]
use super::postgres::PostgresConnection;
use super::sqlite;
use super::statement::{Access, Columns, Sql, Value};

pub enum Connection {
    Sqlite(rusqlite::Connection),
    #[cfg(feature = "postgres")]
    Postgres(Box<PostgresConnection>),
}

impl Connection {
    /// Opens a library for writing. Creates a missing one if `creates`.
    pub fn open(location: &Location, makes: bool) -> Result<Self, StoreError> {
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

    /// Opens an existing library for reading.
    pub fn open_reader(location: &Location) -> Result<Self, StoreError> {
        Ok(match location {
            Location::File(path) => Self::Sqlite(sqlite::open_reader(path)?),
            #[cfg(feature = "postgres")]
            Location::Postgres(config) => {
                Self::Postgres(Box::new(PostgresConnection::open_reader(config)?))
            }
        })
    }

    pub fn begin(&self, access: Access) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(connection) => Ok(connection.execute_batch(sqlite::begin(access))?),
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => connection.begin(access),
        }
    }

    pub fn commit(&self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(connection) => Ok(connection.execute_batch("COMMIT")?),
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => connection.commit(),
        }
    }

    pub fn roll_back(&self) {
        match self {
            Self::Sqlite(connection) => {
                // Some errors have already ended the transaction.
                if !connection.is_autocommit()
                    && let Err(error) = connection.execute_batch("ROLLBACK")
                {
                    log::error!("cloud library: {error}");
                }
            }
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => connection.roll_back(),
        }
    }

    /// Runs a statement; returns the number of changed rows.
    pub fn execute(
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

    /// Reads all rows of a query.
    pub fn query<T>(
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

    /// Reads the first row of a query.
    pub fn query_one<T>(
        &self,
        query: impl Into<Sql>,
        values: &[Value<'_>],
        read: impl FnOnce(&Columns<'_>) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        self.prepare(query)?.find(values, read)
    }

    /// The query for a new lease number, if the database has a sequence for them.
    pub fn lease_numbers(&self) -> Option<&'static str> {
        match self {
            Self::Sqlite(_) => None,
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => Some("SELECT nextval('lease_number')"),
        }
    }

    /// Whether each query is a round trip to a server.
    pub const fn is_remote(&self) -> bool {
        match self {
            Self::Sqlite(_) => false,
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => true,
        }
    }

    /// Prepares a query for one row that is run many times.
    pub fn prepare(&self, query: impl Into<Sql>) -> Result<RowQuery<'_>, StoreError> {
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

/// A prepared query for one row.
pub enum RowQuery<'a> {
    Sqlite(RefCell<CachedStatement<'a>>),
    #[cfg(feature = "postgres")]
    Postgres(&'a PostgresConnection, &'static str),
}

impl RowQuery<'_> {
    /// Applies `read` to the first row.
    pub fn find<T>(
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
