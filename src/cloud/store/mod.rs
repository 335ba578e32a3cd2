//! Storage of a library: one SQLite file with one writer thread and any number of readers that never wait for it.
//!
//! With the feature `postgres` a library can also be a PostgreSQL database that several programs on several
//! machines share. The code is the same: statements that both databases understand, run through a `Connection`.
//! Write transactions of several programs run one after another; only leases of tasks run concurrently.
//!
//! A write is durable once it has been acknowledged. Each write propagates its value to all positions that lead to
//! it, in the same transaction unless that takes too long, so that readers see consistent values.

mod batch;
mod connection;
mod error;
mod location;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(all(test, feature = "postgres"))]
mod postgres_tests;
mod rows;
mod snapshot;
mod sqlite;
mod statement;
mod task;
mod tasks;
#[cfg(all(test, feature = "postgres"))]
#[path = "../../../tests/postgres/database.rs"]
mod test_database;
#[cfg(test)]
mod tests;
mod undo;
mod writer;

use std::path::Path;

pub use batch::{Batch, NewScore};
pub use error::StoreError;
pub use location::{Location, LocationError};
pub use snapshot::{Inconsistency, LoggedWrite, Snapshot};
pub use task::{Lease, Priority, Task, TaskKind};

use connection::Connection;
use rows::now;
use snapshot::Readers;
use statement::Access;
use writer::StoreWriter;

/// An open library.
#[derive(Debug)]
pub struct Store {
    readers: Readers,
    writer: StoreWriter,
}

impl Store {
    /// Opens the library in a file; creates it if missing.
    ///
    /// # Errors
    /// The file cannot be opened, contains something else, or has another format version.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_at(&Location::from(path))
    }

    /// Opens a library; creates it if missing.
    ///
    /// # Errors
    /// The file or server cannot be opened, contains something else, or has another format version.
    pub fn open_at(location: &Location) -> Result<Self, StoreError> {
        Self::start(location, true)
    }

    /// Opens an existing library.
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

    /// Reads a consistent snapshot.
    pub fn read<T, E: From<StoreError>>(
        &self,
        look: impl FnOnce(&Snapshot<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.readers.read(look)
    }

    /// Writes, and waits until the write is durable. `work` shares its transaction with other writes: if one fails,
    /// all of them fail.
    pub fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Batch<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.writer.write(Access::Write, work)
    }

    /// Leases tasks for a number of seconds: first expired leases, then waiting tasks by priority; scoring tasks
    /// oldest first, expansion tasks newest first.
    pub fn lease(&self, kind: TaskKind, count: usize, seconds: i64) -> Result<Lease, StoreError> {
        let work = move |batch: &mut Batch<'_>| batch.lease(kind, count, seconds);
        self.writer.write(Access::Lease, work)
    }

    /// Like [`Self::lease`], with a negative lease number computed from the tasks.
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

    /// Undoes the writes of a writer, all of them or those of the last minutes. Returns the number of restored
    /// values.
    pub fn undo(&self, writer: &str, minutes: Option<u32>) -> Result<usize, StoreError> {
        let since = minutes.map_or(0, |minutes| now() - 60 * i64::from(minutes));
        let writer = writer.to_owned();
        self.write(move |batch| batch.undo(&writer, since))
    }

    /// Queues a write without waiting for it. Drops it if the queue is full.
    pub fn post(
        &self,
        work: impl FnOnce(&mut Batch<'_>) -> Result<(), StoreError> + Send + 'static,
    ) {
        self.writer.post(work);
    }
}
