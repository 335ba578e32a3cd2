//! The library on the disk: one SQLite file, one thread that writes, any number of readers that never
//! wait for it.
//!
//! What was written and acknowledged is on the disk. Every write hands the value of the position up to
//! all positions from which it is reached, in the same transaction where that is little work, so that
//! readers see values that agree.

mod batch;
mod database;
mod error;
mod propagation;
mod rows;
mod snapshot;
mod task;
#[cfg(test)]
mod task_tests;
mod tasks;
#[cfg(test)]
mod tests;
mod time;
mod undo;
#[cfg(test)]
mod undo_tests;
mod writer;

use std::path::Path;

pub use batch::{Batch, NewScore};
pub use error::StoreError;
pub use snapshot::{Snapshot, SnapshotFault};
pub use task::{Lease, Priority, Task, TaskKind};

use snapshot::Readers;
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
        let connection = database::open(path)?;
        Ok(Self {
            readers: Readers::new(path),
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
        work: impl FnOnce(&mut Batch<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.writer.write(work)
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
    pub fn post(&self, work: impl FnOnce(&mut Batch<'_>) -> rusqlite::Result<()> + Send + 'static) {
        self.writer.post(work);
    }
}
