//! The one thread that writes. Whatever waits while a transaction is committed goes into the next one
//! together, so that many writers share each wait for the disk.

use std::sync::Arc;
use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, Sender, bounded};

use super::batch::Batch;
use super::connection::Connection;
use super::error::StoreError;
use super::statement::Access;
use super::task::TaskState;

/// Jobs of one transaction.
const GROUP: usize = 512;
/// Jobs that may wait; those who wait for an answer wait for room as well, all others are turned away.
const WAITING: usize = 4096;

/// Work for the writer.
trait WriteJob: Send {
    fn run(&mut self, batch: &mut Batch<'_>) -> Result<(), StoreError>;
    /// What the work may do.
    fn access(&self) -> Access;
    /// The transaction has been committed, or has failed.
    fn finish(self: Box<Self>, result: Result<(), StoreError>);
}

struct Asked<T, F> {
    access: Access,
    work: Option<F>,
    found: Option<T>,
    answer: Sender<Result<T, StoreError>>,
}

impl<T, F> WriteJob for Asked<T, F>
where
    T: Send,
    F: FnOnce(&mut Batch<'_>) -> Result<T, StoreError> + Send,
{
    fn access(&self) -> Access {
        self.access
    }

    fn run(&mut self, batch: &mut Batch<'_>) -> Result<(), StoreError> {
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
        access: Access,
        work: impl FnOnce(&mut Batch<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (answer, answers) = bounded(1);
        let job = Asked {
            access,
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
        work: impl FnOnce(&mut Batch<'_>) -> Result<(), StoreError> + Send + 'static,
    ) {
        let job = Asked {
            access: Access::Write,
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

fn run(connection: Connection, mut tasks: TaskState, waiting: &Receiver<Box<dyn WriteJob>>) {
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
        let access = match is_pending {
            true => Access::Write,
            false => group
                .iter()
                .map(|job| job.access())
                .max()
                .unwrap_or(Access::Write),
        };
        let done = transact(&connection, &mut tasks, &mut group, access);
        let result = match done {
            Ok(more) => {
                is_pending = more;
                Ok(())
            }
            Err(error) => {
                is_pending = false;
                log::error!("the cloud library cannot be written: {error}");
                // What was counted may not have come to be.
                tasks.counted = None;
                Err(error)
            }
        };
        for job in group {
            job.finish(result.clone());
        }
    }
}

/// Does the jobs in one transaction. Tells whether values are left to be handed up.
fn transact(
    connection: &Connection,
    tasks: &mut TaskState,
    group: &mut [Box<dyn WriteJob>],
    access: Access,
) -> Result<bool, StoreError> {
    connection.begin(access)?;
    let done = run_jobs(connection, tasks, group, access).and_then(|is_pending| {
        connection.commit()?;
        Ok(is_pending)
    });
    if done.is_err() {
        connection.roll_back();
    }
    done
}

/// Does the jobs, and hands values up where any may have changed.
fn run_jobs(
    connection: &Connection,
    tasks: &mut TaskState,
    group: &mut [Box<dyn WriteJob>],
    access: Access,
) -> Result<bool, StoreError> {
    if tasks.counted.is_none() {
        tasks.recount(connection)?;
    }
    let mut batch = Batch {
        connection,
        changed: Vec::new(),
        lowered: Vec::new(),
        tasks,
    };
    for job in group {
        job.run(&mut batch)?;
    }
    if access < Access::Write {
        return Ok(false);
    }
    batch.propagate()?;
    let is_pending = batch.take_up_pending()?;
    batch.propagate()?;
    Ok(is_pending)
}
