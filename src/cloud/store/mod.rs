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

use std::cell::RefCell;
use std::fmt;
use std::path::Path;

use parking_lot::Mutex;

pub use audit::{LoggedWrite, RedoError, UndoRecord, UndoResult, Undone};
pub use batch::{Batch, MAX_DEPTH, NewScore, WORKER};
pub use database::StoreError;
pub use jobs::{Job, JobError, JobSettings};
pub use location::{Location, LocationError};
pub use notes::{Note, NoteError, PlacedNote, is_valid_name};
pub use snapshot::{Inconsistency, Snapshot};
pub use sqlite::merge_log;
pub use task::{Lease, Priority, QueueResult, Task, TaskKind, is_eligible, needs_moves};

#[cfg(feature = "postgres")]
use self::postgres::PostgresConnection;
use database::{Access, Database, now};
use notes::has_private;
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

pub struct Store {
    location: Location,
    /// Read-only connections that are not in use.
    readers: Mutex<Vec<Box<dyn Database>>>,
    /// `None` if the library is read-only.
    writer: Option<StoreWriter>,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "store at {}", self.location)
    }
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

    pub fn open_existing(location: &Location) -> Result<Self, StoreError> {
        Self::start(location, false)
    }

    /// Opens a library for writing. Creates a missing one if `creates`.
    fn start(location: &Location, creates: bool) -> Result<Self, StoreError> {
        let connection: Box<dyn Database> = match location {
            Location::File(path) => Box::new(sqlite::open(path, creates)?),
            #[cfg(feature = "postgres")]
            Location::Postgres(config) => Box::new(PostgresConnection::open(config, creates)?),
        };
        let writer = StoreWriter::start(connection)?;
        Ok(Self::new(location, Some(writer)))
    }

    /// Opens an existing library for reading only, even on a read-only medium.
    pub fn open_read_only(location: &Location) -> Result<Self, StoreError> {
        let store = Self::new(location, None);
        // Reports errors now rather than with the first query.
        store.read(|_| Ok::<_, StoreError>(()))?;
        Ok(store)
    }

    fn new(location: &Location, writer: Option<StoreWriter>) -> Self {
        Self { location: location.clone(), readers: Mutex::default(), writer }
    }

    fn open_reader(&self) -> Result<Box<dyn Database>, StoreError> {
        Ok(match &self.location {
            Location::File(path) => Box::new(sqlite::open_reader(path, self.is_read_only())?),
            #[cfg(feature = "postgres")]
            Location::Postgres(config) => Box::new(PostgresConnection::open_reader(config)?),
        })
    }

    /// Whether the library was opened for reading only, so that writes fail.
    pub fn is_read_only(&self) -> bool {
        self.writer.is_none()
    }

    fn writer(&self) -> Result<&StoreWriter, StoreError> {
        self.writer.as_ref().ok_or(StoreError::ReadOnly)
    }

    /// Reads a consistent snapshot.
    pub fn read<T, E: From<StoreError>>(
        &self,
        work: impl FnOnce(&Snapshot<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.read_part(false, work)
    }

    /// Reads a consistent snapshot, without the private positions if `only_public`.
    pub fn read_part<T, E: From<StoreError>>(
        &self,
        only_public: bool,
        work: impl FnOnce(&Snapshot<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let idle = self.readers.lock().pop();
        let connection = match idle {
            Some(connection) => connection,
            None => self.open_reader()?,
        };
        connection.begin(Access::Read)?;
        let found = work(&Snapshot {
            connection: &*connection,
            hides_private: only_public && has_private(&*connection)?,
            prefetched: RefCell::default(),
        })?;
        // A connection is not reused after an error.
        connection.roll_back();
        self.readers.lock().push(connection);
        Ok(found)
    }

    /// Writes, and waits until the write is durable. `work` shares its transaction with other writes: if one fails,
    /// all of them fail.
    pub fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Batch<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.writer()?.write(Access::Write, work)
    }

    /// Leases at most `count` tasks of a kind to a worker. The lease expires after `seconds`. First come the tasks of
    /// expired leases, then waiting tasks, both by priority; scoring tasks oldest first, expansion tasks newest first.
    /// Only this worker can submit or return the tasks. `compute_number` computes the negative number of the lease, for
    /// workers that identify a lease by its tasks; without it, the number is a new one.
    pub fn lease(
        &self,
        kind: TaskKind,
        count: usize,
        seconds: i64,
        worker: &str,
        compute_number: Option<fn(&[Task]) -> i64>,
    ) -> Result<Lease, StoreError> {
        let worker = worker.to_owned();
        self.writer()?.write(Access::Lease, move |batch| {
            batch.lease(kind, count, seconds, &worker, compute_number)
        })
    }

    /// Undoes the writes of a writer: all of them, or those of the last `minutes`. `by` is the name of the
    /// administrator.
    pub fn undo(
        &self,
        writer: &str,
        minutes: Option<u32>,
        by: &str,
    ) -> Result<UndoResult, StoreError> {
        let since = minutes.map_or(0, |minutes| (now() - 60 * i64::from(minutes)).max(0));
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
