//! The library on the disk: one SQLite file, one thread that writes, any number of readers that never
//! wait for it.
//!
//! With the feature `postgres` a library may be kept in a PostgreSQL database as well, for many programs that
//! write, also on several machines. All that is done with a library is the same code for both: statements that
//! both databases understand, run through a `Connection`. There the writers of several programs take turns,
//! and only tasks are handed out by many at the same time.
//!
//! What was written and acknowledged is on the disk. Every write hands the value of the position up to
//! all positions from which it is reached, in the same transaction where that is little work, so that
//! readers see values that agree.

mod audit;
mod batch;
mod connection;
mod error;
mod location;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(all(test, feature = "postgres"))]
mod postgres_tests;
mod propagation;
mod rows;
mod snapshot;
mod sqlite;
mod statement;
mod task;
#[cfg(test)]
mod task_tests;
mod tasks;
#[cfg(all(test, feature = "postgres"))]
#[path = "../../../tests/postgres/database.rs"]
mod test_database;
#[cfg(test)]
mod test_library;
#[cfg(test)]
mod tests;
mod time;
mod undo;
#[cfg(test)]
mod undo_tests;
mod writer;

use std::path::Path;

pub use audit::LoggedWrite;
pub use batch::{Batch, NewScore};
pub use error::StoreError;
pub use location::{Location, LocationError};
pub use snapshot::{Snapshot, SnapshotFault};
pub use task::{Lease, Priority, Task, TaskKind};

use connection::Connection;
use snapshot::Readers;
use statement::Access;
use writer::StoreWriter;

/// A library that is open.
#[derive(Debug)]
pub struct Store {
    readers: Readers,
    writer: StoreWriter,
}

impl Store {
    /// Opens the library of a file; makes it where there is none.
    ///
    /// # Errors
    /// The file cannot be opened, holds something else, or has a later format.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_at(&Location::from(path))
    }

    /// Opens a library; makes it where there is none.
    ///
    /// # Errors
    /// The file cannot be opened or the server not be reached, or holds something else, or has a later
    /// format.
    pub fn open_at(location: &Location) -> Result<Self, StoreError> {
        Self::start(location, true)
    }

    /// Opens a library that is there already.
    ///
    /// # Errors
    /// There is none; or else as for [`Self::open_at`].
    pub fn open_existing(location: &Location) -> Result<Self, StoreError> {
        Self::start(location, false)
    }

    fn start(location: &Location, makes: bool) -> Result<Self, StoreError> {
        let connection = Connection::open(location, makes)?;
        Ok(Self {
            readers: Readers::new(location.clone()),
            writer: StoreWriter::start(connection)?,
        })
    }

    /// Reads the library as it stands at one moment.
    ///
    /// # Errors
    /// The database cannot be read, or `look` fails.
    pub fn read<T, E: From<StoreError>>(
        &self,
        look: impl FnOnce(&Snapshot<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.readers.read(look)
    }

    /// Writes, and waits until it is on the disk. `work` shares a transaction with others: where it
    /// fails, so do they.
    ///
    /// # Errors
    /// The database cannot be written.
    pub fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Batch<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.writer.write(Access::Write, work)
    }

    /// Hands tasks out for so many seconds: first those that were handed out and not done in time, then those
    /// of the highest priority, scoring the oldest first, sieving the newest first.
    ///
    /// # Errors
    /// The database cannot be read or written.
    pub fn lease(&self, kind: TaskKind, count: usize, seconds: i64) -> Result<Lease, StoreError> {
        let work = move |batch: &mut Batch<'_>| batch.lease(kind, count, seconds);
        self.writer.write(Access::Lease, work)
    }

    /// As [`Self::lease`], with a number below 0 that follows from the tasks: who has them has the number.
    ///
    /// # Errors
    /// The database cannot be read or written.
    pub fn lease_by_name(
        &self,
        kind: TaskKind,
        count: usize,
        seconds: i64,
        number: impl FnOnce(&[Task]) -> i64 + Send + 'static,
    ) -> Result<Lease, StoreError> {
        let work = move |batch: &mut Batch<'_>| batch.lease_by_name(kind, count, seconds, number);
        self.writer.write(Access::Lease, work)
    }

    /// Takes back what a writer has written, all of it or that of the last minutes. Tells how many values
    /// were taken back.
    ///
    /// # Errors
    /// The database cannot be read or written.
    pub fn undo(&self, writer: &str, minutes: Option<u32>) -> Result<usize, StoreError> {
        let since = minutes.map_or(0, |minutes| time::now() - 60 * i64::from(minutes));
        let writer = writer.to_owned();
        self.write(move |batch| batch.undo(&writer, since))
    }

    /// Writes without waiting for it; not at all where too much waits already.
    pub fn post(
        &self,
        work: impl FnOnce(&mut Batch<'_>) -> Result<(), StoreError> + Send + 'static,
    ) {
        self.writer.post(work);
    }
}
