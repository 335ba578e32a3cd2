//! Worker threads: they take tasks from a task source, search them, and submit the results.

mod search;
pub mod tasks;

use std::error::Error;
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use parking_lot::Mutex;

use super::client::ClientError;
use super::store::{StoreError, TaskKind};
use crate::search::{Control, StartError};
use crate::tablebase::Tables;
use search::{BatchError, Scorer};
use tasks::{SubmitError, TaskResults, TaskSource};

pub use tasks::check_access;

#[derive(Debug)]
struct Worker {
    runner: Arc<TaskRunner>,
    /// Dropping it wakes and ends a worker that waits for tasks.
    alive: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
    /// Carries one message, which `start` takes: whether the worker could start. Disconnected when the thread has
    /// ended.
    status: Receiver<Result<(), StartError>>,
}

/// How long to wait for a stopped worker. Its thread has a low priority, so it may end later on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(3);
/// Maximum number of attempts to submit results, if the errors are temporary.
const MAX_ATTEMPTS: u32 = 20;
/// Maximum pause between two attempts. With the pauses of the commands, all attempts take about a quarter of an hour.
const MAX_PAUSE: Duration = Duration::from_secs(60);

impl Worker {
    fn start(
        source: Arc<dyn TaskSource>,
        tables: Arc<Tables>,
        nodes: u64,
        pause: Duration,
    ) -> Result<Self, StartError> {
        let control = Control::new(false);
        let runner =
            TaskRunner { source, current: Mutex::default(), error: OnceLock::new(), control };
        let runner = Arc::new(runner);
        let (alive, stop_signal) = bounded(0);
        let (sender, status) = bounded(1);
        let thread_runner = runner.clone();
        let thread = std::thread::Builder::new()
            .name("cloud worker".to_owned())
            .spawn(move || {
                lower_priority();
                // Search threads inherit the priority of this thread.
                let scorer = Scorer::new(tables, nodes, thread_runner.control.clone());
                // `start` waits for the message, so sending does not fail.
                match scorer {
                    Ok(mut scorer) => {
                        let _ = sender.send(Ok(()));
                        thread_runner.run(&mut scorer, &stop_signal, pause);
                    }
                    Err(error) => drop(sender.send(Err(error))),
                }
            })
            .map_err(StartError::NoThread)?;
        // Receiving fails only after a panic of the thread, which has already been reported.
        status.recv().unwrap_or(Ok(()))?;
        Ok(Self { runner, alive: Some(alive), thread: Some(thread), status })
    }

    /// Stops the search and lets the thread release its tasks and end.
    fn stop(&mut self) {
        self.runner.control.stop();
        drop(self.alive.take());
    }

    /// Waits for a stopped worker. After the deadline the thread is abandoned and its tasks are released here.
    fn wait_until(&mut self, deadline: Instant) {
        let Some(thread) = self.thread.take() else {
            return;
        };
        if matches!(self.status.recv_deadline(deadline), Err(RecvTimeoutError::Timeout)) {
            log::warn!("a worker did not stop in time");
            if let Some(lease) = self.runner.current.lock().take() {
                self.runner.source.give_back(lease);
            }
        } else {
            // A panic of the thread has already been reported.
            let _ = thread.join();
        }
    }
}

/// Workers that are stopped together.
#[derive(Debug)]
pub struct Workers(Vec<Worker>);

impl Workers {
    /// Starts workers at low priority. `nodes` is the number of nodes per score; a worker waits for `pause` when the
    /// source has no tasks.
    ///
    /// # Errors
    /// There is not enough memory for the searches, or a thread cannot be started.
    pub fn start(
        count: u8,
        source: Arc<dyn TaskSource>,
        tables: &Arc<Tables>,
        nodes: u64,
        pause: Duration,
    ) -> Result<Self, StartError> {
        let mut workers = Self(Vec::new());
        for _ in 0..count {
            workers.0.push(Worker::start(source.clone(), tables.clone(), nodes, pause)?);
        }
        Ok(workers)
    }

    /// The first error of a worker, except results that were refused because their lease had ended. The workers
    /// continue.
    pub fn error(&self) -> Option<&str> {
        self.0.iter().find_map(|worker| worker.runner.error.get().map(String::as_str))
    }

    /// Stops the searches without waiting.
    pub fn stop(&mut self) {
        self.0.iter_mut().for_each(Worker::stop);
    }
}

impl Drop for Workers {
    /// Stops all workers before it waits for the first one, up to three seconds in all.
    fn drop(&mut self) {
        self.stop();
        let deadline = Instant::now() + TIMEOUT;
        for worker in &mut self.0 {
            worker.wait_until(deadline);
        }
    }
}

/// Sets the priority of this thread, and of the threads that it starts later, to nice 19; Linux only.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, 19) {
        log::warn!("cannot lower the priority of a worker: {error}");
    }
}

#[derive(Debug)]
struct TaskRunner {
    source: Arc<dyn TaskSource>,
    /// The lease of the tasks that are being searched. Only the thread that takes the lease out of this field may
    /// submit the results or release the lease.
    current: Mutex<Option<i64>>,
    /// See [`Workers::error`].
    error: OnceLock<String>,
    /// Stops the searches and the thread.
    control: Arc<Control>,
}

impl TaskRunner {
    /// Runs until the worker is stopped or abandoned.
    fn run(&self, scorer: &mut Scorer, stop_signal: &Receiver<()>, pause: Duration) {
        loop {
            let mut has_worked = false;
            for kind in TaskKind::ALL {
                if self.control.is_stopped() {
                    return;
                }
                match self.run_next(kind, scorer, stop_signal, pause) {
                    Some(has_finished) => has_worked |= has_finished,
                    None => return,
                }
            }
            if !has_worked && stop_signal.recv_timeout(pause) != Err(RecvTimeoutError::Timeout) {
                return;
            }
        }
    }

    /// Searches the next tasks of a kind. Returns whether they were finished; `false` if the source returned none, and
    /// `None` if the worker was abandoned.
    fn run_next(
        &self,
        kind: TaskKind,
        scorer: &mut Scorer,
        stop_signal: &Receiver<()>,
        pause: Duration,
    ) -> Option<bool> {
        let batch = match self.source.next_batch(kind) {
            Ok(Some(batch)) => batch,
            Ok(None) => return Some(false),
            Err(error) => {
                self.record(format!("cannot get tasks: {error}"));
                return Some(false);
            }
        };
        *self.current.lock() = Some(batch.lease);
        let results = scorer.search_batch(&batch);
        // Without a lease, `wait_until` has abandoned this worker and released its tasks.
        self.current.lock().take()?;
        match results {
            Ok(results) => {
                self.submit(&results, stop_signal, pause);
                Some(true)
            }
            Err(BatchError::Stopped) => {
                self.source.give_back(batch.lease);
                Some(false)
            }
            // The tasks go to another worker when the lease expires.
            Err(error) => {
                self.record(format!("a task was not finished: {error}"));
                Some(false)
            }
        }
    }

    /// Submits results. Repeats this after a temporary error, with longer and longer pauses. Returns the tasks if the
    /// worker is stopped meanwhile.
    fn submit(&self, results: &TaskResults, stop_signal: &Receiver<()>, mut pause: Duration) {
        for attempt in 1..=MAX_ATTEMPTS {
            let Err(error) = self.source.deliver(results) else {
                return;
            };
            let text = format!("the library did not accept the results: {error}");
            if let Some(SubmitError::UnknownLease) = error.downcast_ref() {
                // The tasks are in the queue again.
                log::error!("{text}");
                return;
            }
            self.record(text);
            if attempt == MAX_ATTEMPTS || !is_temporary(&*error) {
                // The tasks go to another worker when the lease expires.
                return;
            }
            if stop_signal.recv_timeout(pause) != Err(RecvTimeoutError::Timeout) {
                self.source.give_back(results.lease);
                return;
            }
            pause = (2 * pause).min(MAX_PAUSE);
        }
    }

    /// Logs an error, and keeps it if it is the first one.
    fn record(&self, error: String) {
        log::error!("{error}");
        let _ = self.error.set(error);
    }
}

/// Whether a task source may accept the same results later.
fn is_temporary(error: &(dyn Error + 'static)) -> bool {
    let of_client = error.downcast_ref().map(ClientError::is_temporary);
    let of_store = error.downcast_ref().map(StoreError::is_temporary);
    of_client.or(of_store).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use crossbeam_channel::{TryRecvError, unbounded};

    use super::tasks::{TaskBatch, WorkerTask};
    use super::*;
    use crate::board::Position;
    use crate::cloud::store::Priority;

    /// Returns the same batch on every request.
    #[derive(Debug, Default)]
    struct Endless {
        leases: AtomicUsize,
        released: AtomicUsize,
    }

    impl TaskSource for Endless {
        fn next_batch(&self, kind: TaskKind) -> Result<Option<TaskBatch>, Box<dyn Error>> {
            self.leases.fetch_add(1, Ordering::Relaxed);
            let task = WorkerTask {
                position: Position::startpos(),
                moves: Vec::new(),
                priority: Priority::Requested,
            };
            let tasks = vec![task];
            let lease = 1;
            Ok(Some(TaskBatch { lease, kind, tasks }))
        }

        fn deliver(&self, _: &TaskResults) -> Result<(), Box<dyn Error>> {
            Ok(())
        }

        fn give_back(&self, _: i64) {
            self.released.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Signals each request and blocks until the channel is closed.
    #[derive(Debug)]
    struct Silent {
        requested: Sender<()>,
        silence: Receiver<()>,
    }

    impl TaskSource for Silent {
        fn next_batch(&self, _: TaskKind) -> Result<Option<TaskBatch>, Box<dyn Error>> {
            let _ = self.requested.send(());
            let _ = self.silence.recv();
            Ok(None)
        }

        fn deliver(&self, _: &TaskResults) -> Result<(), Box<dyn Error>> {
            Ok(())
        }

        fn give_back(&self, _: i64) {}
    }

    /// Has one task, and rejects its results with the given errors before it accepts them.
    #[derive(Debug)]
    struct Failing {
        tasks: Mutex<Vec<WorkerTask>>,
        errors: Mutex<Vec<StoreError>>,
        delivered: Sender<bool>,
        released: AtomicUsize,
    }

    impl TaskSource for Failing {
        fn next_batch(&self, kind: TaskKind) -> Result<Option<TaskBatch>, Box<dyn Error>> {
            let tasks: Vec<WorkerTask> = self.tasks.lock().pop().into_iter().collect();
            Ok((!tasks.is_empty()).then_some(TaskBatch { lease: 1, kind, tasks }))
        }

        fn deliver(&self, _: &TaskResults) -> Result<(), Box<dyn Error>> {
            let error = self.errors.lock().pop();
            self.delivered.send(error.is_none())?;
            error.map_or(Ok(()), |error| Err(error.into()))
        }

        fn give_back(&self, _: i64) {
            self.released.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Searches a task whose results are rejected with these errors. Returns the number of attempts to submit them,
    /// whether the last one succeeded, and how often the tasks were returned.
    fn submit_with(errors: Vec<StoreError>) -> (usize, bool, usize) {
        let task = WorkerTask {
            position: Position::startpos(),
            moves: Vec::new(),
            priority: Priority::Requested,
        };
        let (delivered, attempts) = unbounded();
        let source = Arc::new(Failing {
            tasks: Mutex::new(vec![task]),
            errors: Mutex::new(errors),
            delivered,
            released: AtomicUsize::new(0),
        });
        let (_alive, stop_signal) = bounded(0);
        let control = Control::new(false);
        let mut scorer = Scorer::new(Tables::embedded(), 100, control.clone()).unwrap();
        let current = Mutex::default();
        let error = OnceLock::new();
        let runner = TaskRunner { source: source.clone(), current, error, control };
        let pause = Duration::ZERO;
        assert_eq!(
            runner.run_next(TaskKind::Scoring, &mut scorer, &stop_signal, pause),
            Some(true)
        );
        let attempts: Vec<bool> = attempts.try_iter().collect();
        let is_accepted = attempts.last() == Some(&true);
        (attempts.len(), is_accepted, source.released.load(Ordering::Relaxed))
    }

    #[test]
    fn results_are_submitted_again_after_temporary_errors() {
        let full = || {
            StoreError::from(rusqlite::Error::SqliteFailure(
                rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_FULL),
                None,
            ))
        };
        assert_eq!(submit_with(vec![full(), full()]), (3, true, 0));
        assert_eq!(submit_with(vec![full(); 30]), (20, false, 0));
        assert_eq!(submit_with(vec![StoreError::ReadOnly, full()]), (2, false, 0));
    }

    #[test]
    fn blocked_workers_are_abandoned() {
        let (answer, silence) = bounded(0);
        let (requested, is_requested) = unbounded();
        let source = Arc::new(Silent { requested, silence });
        let start = |_| {
            let tables = Tables::embedded();
            Worker::start(source.clone(), tables, 1_000, Duration::ZERO).unwrap()
        };
        let workers: Vec<Worker> = (0..2).map(start).collect();
        workers.iter().for_each(|_| is_requested.recv().unwrap());
        let statuses: Vec<_> = workers.iter().map(|worker| worker.status.clone()).collect();
        drop(Workers(workers));
        for status in &statuses {
            assert!(matches!(status.try_recv(), Err(TryRecvError::Empty)));
        }
        drop(answer);
        for status in &statuses {
            assert!(status.recv().is_err());
        }
    }

    #[test]
    fn a_stopped_worker_requests_no_tasks_of_the_next_kind() {
        let (answer, silence) = bounded(0);
        let (requested, is_requested) = unbounded();
        let source = Arc::new(Silent { requested, silence });
        let mut worker = Worker::start(source, Tables::embedded(), 1_000, Duration::ZERO).unwrap();
        is_requested.recv().unwrap();
        worker.stop();
        drop(answer);
        assert!(worker.status.recv().is_err());
        assert!(is_requested.try_recv().is_err());
    }

    #[test]
    fn the_lease_of_an_abandoned_worker_is_released_once() {
        let source = Arc::new(Endless::default());
        let tables = Tables::embedded();
        let nodes = 1_000_000_000;
        let mut worker = Worker::start(source.clone(), tables, nodes, Duration::ZERO).unwrap();
        while worker.runner.current.lock().is_none() {
            std::thread::yield_now();
        }
        // The worker was not stopped, so it does not end.
        worker.wait_until(Instant::now());
        assert_eq!(source.released.load(Ordering::Relaxed), 1);
        worker.stop();
        assert!(worker.status.recv().is_err());
        let leases = source.leases.load(Ordering::Relaxed);
        assert_eq!(leases, source.released.load(Ordering::Relaxed));
    }
}
