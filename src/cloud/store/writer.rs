//! The writer thread. Writes that arrive during a transaction share the next one, and so one disk flush.

use std::sync::Arc;
use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, Sender, bounded};

use super::batch::Batch;
use super::database::{Access, Database, Result, StoreError};
use super::task::TaskState;

/// Maximum number of writes per transaction, in addition to a write that the thread waited for.
const MAX_WRITES: usize = 512;
/// Length of the queue. When it is full, writes whose result is awaited wait for room; other writes are dropped.
const QUEUE_LENGTH: usize = 4096;

struct QueuedWrite {
    access: Access,
    work: Work,
    /// Receives the outcome of the transaction.
    done: Sender<Result<()>>,
}

type Work = Box<dyn FnOnce(&mut Batch<'_>) -> Result<()> + Send>;

/// Handle of the writer thread. Dropping it waits until the queued writes are done and the thread has ended.
#[derive(Debug)]
pub struct StoreWriter {
    writes: Option<Sender<QueuedWrite>>,
    thread: Option<JoinHandle<()>>,
}

impl StoreWriter {
    pub fn start(connection: Box<dyn Database>) -> Result<Self> {
        let (writes, waiting) = bounded(QUEUE_LENGTH);
        let tasks = TaskState::new(&*connection)?;
        let thread = std::thread::Builder::new()
            .name("cloud writer".to_owned())
            .spawn(move || run(connection, tasks, &waiting))
            .map_err(|error| StoreError::Thread(Arc::new(error)))?;
        Ok(Self { writes: Some(writes), thread: Some(thread) })
    }

    /// Writes, and waits until the write is durable.
    ///
    /// # Errors
    /// This write or another one of the same transaction has failed, and none of them is written; or the thread has
    /// ended.
    pub fn write<T: Send + 'static>(
        &self,
        access: Access,
        work: impl FnOnce(&mut Batch<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (sender, found) = bounded(1);
        let (done, committed) = bounded(1);
        let write = QueuedWrite {
            access,
            work: Box::new(move |batch| {
                // The caller waits, so this does not fail.
                let _ = sender.send(work(batch)?);
                Ok(())
            }),
            done,
        };
        let writes = self.writes.as_ref().ok_or(StoreError::Closed)?;
        writes.send(write).map_err(|_| StoreError::Closed)?;
        committed.recv().map_err(|_| StoreError::Closed)??;
        found.recv().map_err(|_| StoreError::Closed)
    }

    /// Queues a write without waiting for it; drops it if the queue is full.
    pub fn post(&self, work: impl FnOnce(&mut Batch<'_>) -> Result<()> + Send + 'static) {
        let write = QueuedWrite { access: Access::Write, work: Box::new(work), done: bounded(1).0 };
        if let Some(writes) = &self.writes {
            let _ = writes.try_send(write);
        }
    }
}

impl Drop for StoreWriter {
    fn drop(&mut self) {
        drop(self.writes.take());
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has already been reported.
            let _ = thread.join();
        }
    }
}

fn run(connection: Box<dyn Database>, mut tasks: TaskState, waiting: &Receiver<QueuedWrite>) {
    // Propagation may be pending from an earlier run.
    let mut is_pending = true;
    loop {
        let mut group = Vec::new();
        if !is_pending {
            let Ok(write) = waiting.recv() else {
                return;
            };
            group.push(write);
        }
        group.extend(waiting.try_iter().take(MAX_WRITES));
        let most = group.iter().map(|write| write.access).max();
        let access = most.filter(|_| !is_pending).unwrap_or(Access::Write);
        let (work, done): (Vec<Work>, Vec<_>) =
            group.into_iter().map(|write| (write.work, write.done)).unzip();
        let result = transact(&*connection, &mut tasks, work, access);
        // Pending propagation continues with the next write after an error, so that the error is not repeated at once.
        is_pending = *result.as_ref().unwrap_or(&false);
        let mut is_reported = false;
        for done in done {
            // Fails if no caller waits for the result.
            is_reported |= done.send(result.clone().map(drop)).is_ok();
        }
        if let Err(error) = result {
            if !is_reported {
                log::error!("the library cannot be read or written: {error}");
            }
            // The transaction was rolled back, so the counts may be wrong.
            tasks.counted = None;
        }
    }
}

/// Runs the writes in one transaction. Returns whether propagation may still be pending.
fn transact(
    connection: &dyn Database,
    tasks: &mut TaskState,
    work: Vec<Work>,
    access: Access,
) -> Result<bool> {
    connection.begin(access)?;
    let done = run_writes(connection, tasks, work, access);
    let done = done.and_then(|is_pending| connection.commit().map(|()| is_pending));
    if done.is_err() {
        connection.roll_back();
    }
    done
}

/// Runs the writes and propagates their changes.
fn run_writes(
    connection: &dyn Database,
    tasks: &mut TaskState,
    work: Vec<Work>,
    access: Access,
) -> Result<bool> {
    if tasks.counted.is_none() {
        tasks.recount(connection)?;
    }
    let mut batch = Batch { connection, changed: Vec::new(), lowered: Vec::new(), tasks };
    for work in work {
        work(&mut batch)?;
    }
    if access < Access::Write {
        return Ok(false);
    }
    batch.propagate()?;
    let is_pending = batch.take_pending()?;
    batch.propagate()?;
    Ok(is_pending)
}
