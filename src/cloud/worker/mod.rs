//! Workers: they take tasks, search them, and hand in what they have found.

mod employer;
mod public;
mod remote;
mod search;
pub mod wire;
mod work;

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError};

use super::store::TaskKind;
use crate::search::StartError;
use crate::tablebase::Tables;
use search::{Scorer, UndoneWork};

pub use employer::{Employer, EmployerError, Local};
pub use remote::Remote;
pub use search::Halt;
pub use work::{Findings, FoundScore, Job, Work};

/// A thread that works until it is halted.
#[derive(Debug)]
pub struct Worker {
    halt: Arc<Halt>,
    /// Wakes a worker that waits; gone when the worker shall end.
    alive: Option<crossbeam_channel::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    /// Disconnected when the thread has ended.
    ended: Receiver<()>,
    employer: Arc<dyn Employer>,
    held: Arc<HeldWork>,
}

/// The tasks that a worker searches. Whoever takes them out hands them in or gives them back.
type HeldWork = Mutex<Option<Arc<Work>>>;

/// How long a worker is waited for that has been told to end. On a busy machine its priority may not let it
/// come to that.
const PATIENCE: Duration = Duration::from_secs(3);

impl Worker {
    /// Starts a worker at low priority, which searches so many nodes for a score and looks for new tasks so
    /// often.
    ///
    /// # Errors
    /// There is no memory for its search, or the system starts no thread.
    pub fn start(
        employer: Arc<dyn Employer>,
        tables: Arc<Tables>,
        nodes: u64,
        pause: Duration,
    ) -> Result<Self, StartError> {
        let halt = Arc::new(Halt::default());
        let (alive, dismissed) = crossbeam_channel::bounded(0);
        let (sender, started) = crossbeam_channel::bounded(1);
        let (running, ended) = crossbeam_channel::bounded(0);
        let halting = halt.clone();
        let held = Arc::new(HeldWork::default());
        let (asked, holding) = (employer.clone(), held.clone());
        let thread = std::thread::Builder::new()
            .name("cloud worker".to_owned())
            .spawn(move || {
                let _running = running;
                lower_priority();
                // The threads of the search have the priority of the one that starts them.
                let scorer = Scorer::new(tables, nodes, halting.clone());
                let (scorer, result) = match scorer {
                    Ok(scorer) => (Some(scorer), Ok(())),
                    Err(error) => (None, Err(error)),
                };
                // Whoever starts a worker waits for this.
                let _ = sender.send(result);
                if let Some(mut scorer) = scorer {
                    let desk = Desk {
                        employer: &*asked,
                        held: &holding,
                        halt: &halting,
                    };
                    desk.work(&mut scorer, &dismissed, pause);
                }
            })
            .map_err(StartError::NoThread)?;
        let worker = Self {
            halt,
            alive: Some(alive),
            thread: Some(thread),
            ended,
            employer,
            held,
        };
        match started.recv() {
            Ok(Err(error)) => Err(error),
            _ => Ok(worker),
        }
    }
}

impl Worker {
    /// Tells the worker to end the search under way and to give its tasks back.
    fn dismiss(&mut self) {
        self.halt.halt();
        drop(self.alive.take());
    }

    /// Waits for the end of a worker that was told to. From a moment on it is left to itself, and its tasks are
    /// given back for it.
    fn wait_until(&mut self, deadline: Instant) {
        let Some(thread) = self.thread.take() else {
            return;
        };
        if self.ended.recv_deadline(deadline) == Err(RecvTimeoutError::Timeout) {
            log::warn!("a worker does not end");
            if let Some(work) = take(&self.held) {
                self.employer.give_back(&work);
            }
        } else {
            // A panic has been told already.
            let _ = thread.join();
        }
    }
}

impl Drop for Worker {
    /// Ends the search under way, gives its tasks back, and waits at most three seconds for that.
    fn drop(&mut self) {
        self.dismiss();
        self.wait_until(Instant::now() + PATIENCE);
    }
}

/// Workers that end together.
#[derive(Debug)]
pub struct Workers(Vec<Worker>);

impl From<Vec<Worker>> for Workers {
    fn from(workers: Vec<Worker>) -> Self {
        Self(workers)
    }
}

impl Drop for Workers {
    /// Tells all to end before the first is waited for; the three seconds are those of all.
    fn drop(&mut self) {
        self.0.iter_mut().for_each(Worker::dismiss);
        let deadline = Instant::now() + PATIENCE;
        (self.0.iter_mut()).for_each(|worker| worker.wait_until(deadline));
    }
}

/// Gives the thread, and those it starts, the lowest priority (nice 19); on Linux alone.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, 19) {
        log::warn!("the priority of a worker cannot be lowered: {error}");
    }
}

/// Takes out what a worker holds, if nobody has yet.
fn take(held: &HeldWork) -> Option<Arc<Work>> {
    held.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// Where a worker gets its tasks and leaves what it has found.
struct Desk<'a> {
    employer: &'a dyn Employer,
    held: &'a HeldWork,
    halt: &'a Halt,
}

impl Desk<'_> {
    /// Works until the worker is halted or dismissed, or cannot search.
    fn work(&self, scorer: &mut Scorer, dismissed: &Receiver<()>, pause: Duration) {
        while !self.halt.is_halted() {
            let mut has_worked = false;
            for kind in TaskKind::ALL {
                match self.work_on(kind, scorer) {
                    Ok(has_found) => has_worked |= has_found,
                    Err(Finished) => return,
                }
            }
            if !has_worked && dismissed.recv_timeout(pause) != Err(RecvTimeoutError::Timeout) {
                return;
            }
        }
    }

    /// Does the next tasks of a kind; whether something was found.
    fn work_on(&self, kind: TaskKind, scorer: &mut Scorer) -> Result<bool, Finished> {
        let work = match self.employer.lease(kind) {
            Ok(Some(work)) => Arc::new(work),
            Ok(None) => return Ok(false),
            Err(error) => {
                log::warn!("no work: {error}");
                return Ok(false);
            }
        };
        *self.held.lock().unwrap_or_else(PoisonError::into_inner) = Some(work.clone());
        let findings = scorer.work(&work);
        if take(self.held).is_none() {
            // Nobody waits for the worker any longer, and its tasks were given back.
            return Err(Finished);
        }
        match findings {
            Ok(findings) => {
                if let Err(error) = self.employer.hand_in(&work, &findings) {
                    // The tasks are given to another worker when their time is over.
                    log::warn!("what was found is not taken: {error}");
                }
                Ok(true)
            }
            Err(UndoneWork::Halted) => {
                self.employer.give_back(&work);
                Ok(false)
            }
            // The tasks are given to another worker when their time is over.
            Err(fault) => {
                log::error!("a task is not done: {fault}");
                match fault {
                    UndoneWork::NoSearch => Err(Finished),
                    _ => Ok(false),
                }
            }
        }
    }
}

/// A worker has no threads to search with any more, or is not waited for.
struct Finished;

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use crossbeam_channel::TryRecvError;

    use super::*;
    use crate::board::Position;
    use crate::cloud::store::Priority;

    /// Gives the same work again and again; ends the worker with the lease of this number.
    #[derive(Debug)]
    struct Endless {
        halt: Arc<Halt>,
        last: usize,
        leases: AtomicUsize,
        given_back: AtomicUsize,
    }

    impl Employer for Endless {
        fn lease(&self, kind: TaskKind) -> Result<Option<Work>, EmployerError> {
            if self.leases.fetch_add(1, Ordering::Relaxed) + 1 == self.last {
                self.halt.halt();
            }
            let job = Job {
                position: Position::startpos(),
                moves: Vec::new(),
                priority: Priority::Asked,
            };
            let jobs = vec![job];
            let lease = 1;
            Ok(Some(Work { lease, kind, jobs }))
        }

        fn hand_in(&self, _: &Work, _: &Findings) -> Result<(), EmployerError> {
            Ok(())
        }

        fn give_back(&self, _: &Work) {
            self.given_back.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Tells that it is asked, and answers nothing until it may.
    #[derive(Debug)]
    struct Silent {
        asked: crossbeam_channel::Sender<()>,
        silence: Receiver<()>,
    }

    impl Employer for Silent {
        fn lease(&self, _: TaskKind) -> Result<Option<Work>, EmployerError> {
            let _ = self.asked.send(());
            let _ = self.silence.recv();
            Ok(None)
        }

        fn hand_in(&self, _: &Work, _: &Findings) -> Result<(), EmployerError> {
            Ok(())
        }

        fn give_back(&self, _: &Work) {}
    }

    #[test]
    fn workers_that_cannot_end_are_not_waited_for() {
        let (answer, silence) = crossbeam_channel::bounded(0);
        let (asked, is_asked) = crossbeam_channel::unbounded();
        let employer = Arc::new(Silent { asked, silence });
        let start = |_| {
            let tables = Tables::embedded();
            Worker::start(employer.clone(), tables, 1_000, Duration::ZERO).unwrap()
        };
        let workers: Vec<Worker> = (0..2).map(start).collect();
        workers.iter().for_each(|_| is_asked.recv().unwrap());
        let ended: Vec<Receiver<()>> = workers.iter().map(|worker| worker.ended.clone()).collect();
        drop(Workers::from(workers));
        for ended in &ended {
            assert_eq!(ended.try_recv(), Err(TryRecvError::Empty));
        }
        drop(answer);
        for ended in &ended {
            assert!(ended.recv().is_err());
        }
    }

    #[test]
    fn what_a_worker_holds_that_does_not_end_is_given_back_once() {
        let employer = Arc::new(Endless {
            halt: Arc::default(),
            last: usize::MAX,
            leases: AtomicUsize::new(0),
            given_back: AtomicUsize::new(0),
        });
        let tables = Tables::embedded();
        let nodes = 1_000_000_000;
        let mut worker = Worker::start(employer.clone(), tables, nodes, Duration::ZERO).unwrap();
        while worker.held.lock().unwrap().is_none() {
            std::thread::yield_now();
        }
        // It has not been told to end, so that it does not.
        worker.wait_until(Instant::now());
        assert_eq!(employer.given_back.load(Ordering::Relaxed), 1);
        worker.dismiss();
        assert!(worker.ended.recv().is_err());
        let leases = employer.leases.load(Ordering::Relaxed);
        assert_eq!(leases, employer.given_back.load(Ordering::Relaxed));
    }

    /// How many leases a worker takes and how many of them it gives back, at most `last` leases and those
    /// of the round.
    fn work(last: usize, prepare: impl Fn(&mut Scorer)) -> (usize, usize) {
        let halt = Arc::new(Halt::default());
        let employer = Endless {
            halt: halt.clone(),
            last,
            leases: AtomicUsize::new(0),
            given_back: AtomicUsize::new(0),
        };
        let mut scorer = Scorer::new(Tables::embedded(), 1_000, halt.clone()).unwrap();
        prepare(&mut scorer);
        let (_alive, dismissed) = crossbeam_channel::bounded(0);
        let desk = Desk {
            employer: &employer,
            held: &HeldWork::default(),
            halt: &halt,
        };
        desk.work(&mut scorer, &dismissed, Duration::ZERO);
        let count = |counter: AtomicUsize| counter.into_inner();
        (count(employer.leases), count(employer.given_back))
    }

    #[test]
    fn a_worker_that_is_halted_gives_its_tasks_back() {
        assert_eq!(work(2, |_| ()), (2, 1));
    }

    #[test]
    fn a_worker_without_search_threads_ends_and_keeps_its_task() {
        assert_eq!(work(9, Scorer::lose_search), (1, 0));
    }
}
