//! Connections to the library at a location.

use super::database::Connection;
use super::error::StoreError;
use super::location::Location;
#[cfg(feature = "postgres")]
use super::postgres::PostgresConnection;
use super::sqlite;

/// Connects to a library for writing. Creates a missing one if `creates`.
pub fn open(location: &Location, creates: bool) -> Result<Box<Connection>, StoreError> {
    Ok(match location {
        Location::File(path) => Box::new(sqlite::open(path, creates)?),
        #[cfg(feature = "postgres")]
        Location::Postgres(config) => Box::new(PostgresConnection::open(config, creates)?),
    })
}

/// Connects to an existing library for reading.
pub fn open_reader(location: &Location) -> Result<Box<Connection>, StoreError> {
    Ok(match location {
        Location::File(path) => Box::new(sqlite::open_reader(path)?),
        #[cfg(feature = "postgres")]
        Location::Postgres(config) => Box::new(PostgresConnection::open_reader(config)?),
    })
}
