//! The one thread that writes. Whatever waits while a transaction is committed goes into the next one
//! together, so that many writers share each wait for the disk.

use std::sync::Arc;
use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, Sender, bounded};
use rusqlite::{Connection, TransactionBehavior};

use super::batch::Batch;
use super::error::StoreError;
use super::task::TaskState;

/// Jobs of one transaction.
const GROUP: usize = 512;
/// Jobs that may wait; those who wait for an answer wait for room as well, all others are turned away.
const WAITING: usize = 4096;

/// Work for the writer.
trait WriteJob: Send {
    fn run(&mut self, batch: &mut Batch<'_>) -> rusqlite::Result<()>;
    /// The transaction has been committed, or has failed.
    fn finish(self: Box<Self>, result: Result<(), StoreError>);
}

struct Asked<T, F> {
    work: Option<F>,
    found: Option<T>,
    answer: Sender<Result<T, StoreError>>,
}

impl<T, F> WriteJob for Asked<T, F>
where
    T: Send,
    F: FnOnce(&mut Batch<'_>) -> rusqlite::Result<T> + Send,
{
    fn run(&mut self, batch: &mut Batch<'_>) -> rusqlite::Result<()> {
        if let Some(work) = self.work.take() {
            self.found = Some(work(batch)?);
        }
        Ok(())
    }

    fn finish(self: Box<Self>, result: Result<(), StoreError>) {
        let Self { found, answer, .. } = *self;
        let found = result.and_then(|()| found.ok_or(StoreError::Closed));
        // The asker may have gone.
        let _ = answer.send(found);
    }
}

/// The way to the writing thread; the thread ends with it, after all that waits is written.
#[derive(Debug)]
pub(super) struct StoreWriter {
    jobs: Option<Sender<Box<dyn WriteJob>>>,
    thread: Option<JoinHandle<()>>,
}

impl StoreWriter {
    /// Starts the thread.
    pub(super) fn start(connection: Connection) -> Result<Self, StoreError> {
        let (jobs, waiting) = bounded(WAITING);
        let mut tasks = TaskState::default();
        tasks.recount(&connection)?;
        let thread = std::thread::Builder::new()
            .name("cloud writer".to_owned())
            .spawn(move || run(connection, tasks, &waiting))
            .map_err(|error| StoreError::Thread(Arc::new(error)))?;
        Ok(Self {
            jobs: Some(jobs),
            thread: Some(thread),
        })
    }

    /// Writes, and waits until it is on the disk.
    pub(super) fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Batch<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (answer, answers) = bounded(1);
        let job = Asked {
            work: Some(work),
            found: None,
            answer,
        };
        let jobs = self.jobs.as_ref().ok_or(StoreError::Closed)?;
        jobs.send(Box::new(job)).map_err(|_| StoreError::Closed)?;
        answers.recv().map_err(|_| StoreError::Closed)?
    }

    /// Writes without waiting; where too much waits already, nothing is written.
    pub(super) fn post(
        &self,
        work: impl FnOnce(&mut Batch<'_>) -> rusqlite::Result<()> + Send + 'static,
    ) {
        let job = Asked {
            work: Some(work),
            found: None,
            answer: bounded(1).0,
        };
        if let Some(jobs) = &self.jobs {
            // What is learned by the way can be learned another time.
            let _ = jobs.try_send(Box::new(job));
        }
    }
}

impl Drop for StoreWriter {
    fn drop(&mut self) {
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take() {
            // A panic has been told already.
            let _ = thread.join();
        }
    }
}

fn run(mut connection: Connection, mut tasks: TaskState, waiting: &Receiver<Box<dyn WriteJob>>) {
    // Values that an earlier run has left to be handed up.
    let mut is_pending = true;
    loop {
        let first = match is_pending {
            true => waiting.try_recv().ok(),
            false => match waiting.recv() {
                Ok(job) => Some(job),
                Err(_) => return,
            },
        };
        let mut group: Vec<Box<dyn WriteJob>> = first.into_iter().collect();
        group.extend(waiting.try_iter().take(GROUP));
        let done = transact(&mut connection, &mut tasks, &mut group);
        let result = match done {
            Ok(more) => {
                is_pending = more;
                Ok(())
            }
            Err(error) => {
                is_pending = false;
                log::error!("the cloud library cannot be written: {error}");
                // What was counted may not have come to be.
                if let Err(error) = tasks.recount(&connection) {
                    log::error!("the cloud library cannot be read: {error}");
                }
                Err(StoreError::from(error))
            }
        };
        for job in group {
            job.finish(result.clone());
        }
    }
}

/// Does the jobs in one transaction. Tells whether values are left to be handed up.
fn transact(
    connection: &mut Connection,
    tasks: &mut TaskState,
    group: &mut [Box<dyn WriteJob>],
) -> rusqlite::Result<bool> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut batch = Batch {
        connection: &transaction,
        changed: Vec::new(),
        lowered: Vec::new(),
        tasks,
    };
    for job in group {
        job.run(&mut batch)?;
    }
    batch.propagate()?;
    let is_pending = batch.take_up_pending()?;
    batch.propagate()?;
    transaction.commit()?;
    Ok(is_pending)
}
