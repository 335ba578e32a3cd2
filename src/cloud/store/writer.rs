//! The writer thread. All jobs that wait while a transaction is committed share the next transaction, and so one
//! disk flush.

use std::sync::Arc;
use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, Sender, bounded};

use super::batch::Batch;
use super::database::{Access, Connection, StoreError};
use super::task::TaskState;

/// Maximum number of jobs per transaction, in addition to a job that the thread waited for.
const GROUP: usize = 512;
/// Length of the queue. When it is full, writes whose result is awaited wait for room; other writes are dropped.
const QUEUE: usize = 4096;

/// A job of the writer.
trait WriteJob: Send {
    fn run(&mut self, batch: &mut Batch<'_>) -> Result<(), StoreError>;
    /// The access that the job needs.
    fn access(&self) -> Access;
    /// Called after the transaction was committed or has failed.
    fn finish(self: Box<Self>, result: Result<(), StoreError>);
}

/// A job that calls a closure and sends its result to the caller.
struct ClosureJob<T, F> {
    access: Access,
    work: Option<F>,
    /// The result of the closure.
    found: Option<T>,
    answer: Sender<Result<T, StoreError>>,
}

impl<T, F> WriteJob for ClosureJob<T, F>
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
        // The caller may no longer wait for the result.
        let _ = answer.send(found);
    }
}

/// Handle of the writer thread. Dropping it ends the thread after the queued jobs.
#[derive(Debug)]
pub struct StoreWriter {
    jobs: Option<Sender<Box<dyn WriteJob>>>,
    thread: Option<JoinHandle<()>>,
}

impl StoreWriter {
    pub fn start(connection: Box<Connection>) -> Result<Self, StoreError> {
        let (jobs, waiting) = bounded(QUEUE);
        let mut tasks = TaskState::default();
        tasks.recount(&*connection)?;
        let thread = std::thread::Builder::new()
            .name("cloud writer".to_owned())
            .spawn(move || run(connection, tasks, &waiting))
            .map_err(|error| StoreError::Thread(Arc::new(error)))?;
        Ok(Self {
            jobs: Some(jobs),
            thread: Some(thread),
        })
    }

    /// Writes, and waits until the write is durable.
    pub fn write<T: Send + 'static>(
        &self,
        access: Access,
        work: impl FnOnce(&mut Batch<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (answer, answers) = bounded(1);
        let job = ClosureJob {
            access,
            work: Some(work),
            found: None,
            answer,
        };
        let jobs = self.jobs.as_ref().ok_or(StoreError::Closed)?;
        jobs.send(Box::new(job)).map_err(|_| StoreError::Closed)?;
        answers.recv().map_err(|_| StoreError::Closed)?
    }

    /// Queues a write without waiting for it; drops it if the queue is full.
    pub fn post(
        &self,
        work: impl FnOnce(&mut Batch<'_>) -> Result<(), StoreError> + Send + 'static,
    ) {
        let job = ClosureJob {
            access: Access::Write,
            work: Some(work),
            found: None,
            answer: bounded(1).0,
        };
        if let Some(jobs) = &self.jobs {
            // The queue is full: drop this optional write.
            let _ = jobs.try_send(Box::new(job));
        }
    }
}

impl Drop for StoreWriter {
    fn drop(&mut self) {
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take() {
            // The panic has already been reported.
            let _ = thread.join();
        }
    }
}

fn run(connection: Box<Connection>, mut tasks: TaskState, waiting: &Receiver<Box<dyn WriteJob>>) {
    // An earlier run may have left pending propagation.
    let mut is_pending = true;
    loop {
        let mut group: Vec<Box<dyn WriteJob>> = Vec::new();
        if !is_pending {
            let Ok(job) = waiting.recv() else {
                return;
            };
            group.push(job);
        }
        group.extend(waiting.try_iter().take(GROUP));
        let most = group.iter().map(|job| job.access()).max();
        let access = most.filter(|_| !is_pending).unwrap_or(Access::Write);
        let done = transact(&*connection, &mut tasks, &mut group, access);
        let result = match done {
            Ok(more) => {
                is_pending = more;
                Ok(())
            }
            Err(error) => {
                // Pending propagation continues with the next job, so that an error is not repeated at once.
                is_pending = false;
                log::error!("cannot write to the cloud library: {error}");
                // The transaction was rolled back, so the counts may be wrong.
                tasks.counted = None;
                Err(error)
            }
        };
        for job in group {
            job.finish(result.clone());
        }
    }
}

/// Runs the jobs in one transaction. Returns whether propagation is still pending.
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

/// Runs the jobs and propagates their changes.
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
    let is_pending = batch.take_pending()?;
    batch.propagate()?;
    Ok(is_pending)
}
