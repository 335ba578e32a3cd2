//! Storage of a library: one SQLite file with one writer thread and any number of readers that never wait for it.
//!
//! With the feature `postgres` a library can also be a PostgreSQL database that several programs on several
//! machines share. The code is the same: statements that both databases understand, run through the trait `Database`.
//! Write transactions of several programs run one after another; only leases of tasks run concurrently.
//!
//! A write is durable once it has been acknowledged. The value of a written move is propagated to all positions that
//! lead to its position, in the same transaction unless that takes too long, so that readers see consistent values.

mod audit;
mod batch;
mod database;
mod jobs;
mod location;
mod notes;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(all(test, feature = "postgres"))]
mod postgres_tests;
mod rows;
mod snapshot;
mod sqlite;
mod task;
mod tasks;
#[cfg(all(test, feature = "postgres"))]
#[path = "../../../tests/postgres/database.rs"]
mod test_database;
#[cfg(test)]
mod tests;
mod writer;

use std::path::Path;

pub use audit::{LoggedWrite, RedoError, UndoRecord, UndoResult, Undone};
pub use batch::{Batch, MAX_DEPTH, NewScore, WORKER};
pub use database::StoreError;
pub use jobs::{Job, JobError, JobSettings};
pub use location::{Location, LocationError};
pub use notes::{MAX_NAME, Note, NoteError, PlacedNote};
pub use snapshot::{Inconsistency, Snapshot};
pub use sqlite::merge_log;
pub use task::{
    Lease, Priority, QueueResult, Task, TaskKind, TaskRequest, is_eligible, needs_moves,
};

use database::{Access, Connection};
use rows::now;
use snapshot::Readers;
use writer::StoreWriter;

/// Copies a library file to a new or empty file. Other programs may write to the library meanwhile.
///
/// # Errors
/// The library is not a file, or one of the files cannot be read or written.
pub fn back_up(location: &Location, out: &Path) -> Result<(), StoreError> {
    match location {
        Location::File(path) => sqlite::back_up(path, out),
        #[cfg(feature = "postgres")]
        Location::Postgres(_) => Err(StoreError::NotAFile),
    }
}

/// An open library.
#[derive(Debug)]
pub struct Store {
    readers: Readers,
    /// `None` if the library is read-only.
    writer: Option<StoreWriter>,
}

impl Store {
    /// Opens the library in a file; creates it if missing.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_at(&Location::from(path))
    }

    /// Opens a library; creates it if missing.
    pub fn open_at(location: &Location) -> Result<Self, StoreError> {
        Self::start(location, true)
    }

    /// Opens an existing library.
    pub fn open_existing(location: &Location) -> Result<Self, StoreError> {
        Self::start(location, false)
    }

    /// Opens a library for writing. Creates a missing one if `creates`.
    fn start(location: &Location, creates: bool) -> Result<Self, StoreError> {
        let connection: Box<Connection> = match location {
            Location::File(path) => Box::new(sqlite::open(path, creates)?),
            #[cfg(feature = "postgres")]
            Location::Postgres(config) => {
                Box::new(postgres::PostgresConnection::open(config, creates)?)
            }
        };
        Ok(Self {
            readers: Readers::new(location.clone()),
            writer: Some(StoreWriter::start(connection)?),
        })
    }

    /// Opens an existing library for reading only, even on a read-only medium.
    pub fn open_read_only(location: &Location) -> Result<Self, StoreError> {
        let readers = Readers::new(location.clone());
        // Reports errors now rather than with the first query.
        readers.read(|_| Ok::<_, StoreError>(()))?;
        Ok(Self {
            readers,
            writer: None,
        })
    }

    /// Whether the library was opened for reading only, so that writes fail.
    pub fn is_read_only(&self) -> bool {
        self.writer.is_none()
    }

    fn writer(&self) -> Result<&StoreWriter, StoreError> {
        let location = || StoreError::ReadOnly(self.readers.location.clone());
        self.writer.as_ref().ok_or_else(location)
    }

    /// Reads a consistent snapshot.
    pub fn read<T, E: From<StoreError>>(
        &self,
        work: impl FnOnce(&Snapshot<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.readers.read(work)
    }

    /// Reads a snapshot without the private positions.
    pub fn read_public<T, E: From<StoreError>>(
        &self,
        work: impl FnOnce(&Snapshot<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.readers.read(|snapshot| {
            snapshot.hide_private()?;
            work(snapshot)
        })
    }

    /// Writes, and waits until the write is durable. `work` shares its transaction with other writes: if one fails,
    /// all of them fail.
    pub fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Batch<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.writer()?.write(Access::Write, work)
    }

    /// Leases tasks to a worker: first the tasks of expired leases, then waiting tasks, both by priority; scoring tasks
    /// oldest first, expansion tasks newest first.
    pub fn lease(&self, request: TaskRequest) -> Result<Lease, StoreError> {
        let work = move |batch: &mut Batch<'_>| batch.lease(&request, None);
        self.writer()?.write(Access::Lease, work)
    }

    /// Like [`Self::lease`], for workers that identify a lease by its tasks: `number` computes the negative number of
    /// the lease from them.
    pub fn lease_with_number(
        &self,
        request: TaskRequest,
        number: fn(&[Task]) -> i64,
    ) -> Result<Lease, StoreError> {
        let work = move |batch: &mut Batch<'_>| batch.lease(&request, Some(number));
        self.writer()?.write(Access::Lease, work)
    }

    /// Undoes the writes of a writer: all of them, or those of the last `minutes`. `by` is the name of the
    /// administrator.
    pub fn undo(
        &self,
        writer: &str,
        minutes: Option<u32>,
        by: &str,
    ) -> Result<UndoResult, StoreError> {
        let since = minutes.map_or(0, |minutes| now() - 60 * i64::from(minutes));
        let (writer, by) = (writer.to_owned(), by.to_owned());
        self.write(move |batch| batch.undo(&writer, since, &by))
    }

    /// Restores the writes that the undo with this number has undone.
    pub fn redo(&self, number: i64, by: &str) -> Result<Result<UndoResult, RedoError>, StoreError> {
        let by = by.to_owned();
        self.write(move |batch| batch.redo(number, &by))
    }

    /// Queues a write without waiting for it. Drops it if the queue is full or the library is read-only.
    pub fn post(
        &self,
        work: impl FnOnce(&mut Batch<'_>) -> Result<(), StoreError> + Send + 'static,
    ) {
        if let Ok(writer) = self.writer() {
            writer.post(work);
        }
    }
}
