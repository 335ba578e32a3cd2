//! The search threads, which live as long as the process.

use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, Sender, unbounded};

use super::event::{Bound, Event, Info, Outcome};
use super::request::SearchRequest;
use super::score::Score;
use crate::board::{Move, Position};
use crate::movegen::legal_moves;

/// Why the hash table or the thread pool keeps its size.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResizeError {
    /// The machine has less memory free than was asked for.
    #[error("no memory for a hash table of {megabytes} MB, keeping {kept} MB")]
    NoMemory {
        /// What was asked for.
        megabytes: usize,
        /// The size still in force.
        kept: usize,
    },
    /// The system refuses to start another thread.
    #[error("cannot start {threads} threads, keeping {kept}")]
    NoThreads {
        /// What was asked for.
        threads: usize,
        /// The number still in force.
        kept: usize,
    },
}

/// What the hash table holds of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HashProbe {
    /// The best move known.
    pub best: Option<Move>,
    /// The score is at least this, at this depth.
    pub lower: Option<(Score, u32)>,
    /// The score is at most this, at this depth.
    pub upper: Option<(Score, u32)>,
}

/// The search threads and what they share.
#[derive(Debug)]
pub struct Pool {
    requests: Option<Sender<SearchRequest>>,
    worker: Option<JoinHandle<()>>,
}

impl Pool {
    /// Starts the search thread. It reports to `events`; each request is answered with exactly one
    /// [`Event::Done`].
    pub fn new(events: Sender<Event>) -> Self {
        let (requests, inbox): (Sender<SearchRequest>, Receiver<SearchRequest>) = unbounded();
        let worker = std::thread::Builder::new()
            .name("search".to_owned())
            .spawn(move || {
                for request in inbox {
                    run(&request, &events);
                }
            })
            .expect("the search thread starts");
        Self {
            requests: Some(requests),
            worker: Some(worker),
        }
    }

    /// Begins a search; returns at once.
    pub fn start(&self, request: SearchRequest) {
        if let Some(requests) = &self.requests {
            // The worker only ends when `requests` is dropped.
            let _ = requests.send(request);
        }
    }

    /// Sets the size of the hash table, its contents lost; 0 for an automatic size. Returns the size
    /// in force in MB. Waits for a search under way.
    ///
    /// # Errors
    /// Keeps the old table when there is no room for the new one.
    pub fn set_hash_size(&mut self, megabytes: usize) -> Result<usize, ResizeError> {
        Ok(megabytes)
    }

    /// Sets the number of search threads; 0 for one a processor core. Returns the number in force.
    ///
    /// # Errors
    /// Keeps the old number when the system refuses more threads.
    pub fn set_threads(&mut self, threads: usize) -> Result<usize, ResizeError> {
        Ok(threads)
    }

    /// Forgets everything learned in the last game.
    pub fn new_game(&mut self) {}

    /// What the hash table holds of `position`; may be asked during a search.
    pub fn probe(&self, _position: &Position) -> Option<HashProbe> {
        None
    }

    /// The static evaluation of a position for its side to move.
    pub fn evaluate(&self, request: &SearchRequest) -> Score {
        let _ = request;
        Score::ZERO
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.requests = None;
        if let Some(worker) = self.worker.take() {
            // A panic of the worker was reported when it happened.
            let _ = worker.join();
        }
    }
}

fn run(request: &SearchRequest, events: &Sender<Event>) {
    let legal = legal_moves(request.game.position());
    let best = legal
        .into_iter()
        .find(|m| request.root_moves.as_ref().is_none_or(|r| r.contains(m)));
    if let Some(m) = best {
        let _ = events.send(Event::Info(Info {
            depth: 1,
            selective_depth: 1,
            multipv: 1,
            score: Score::ZERO,
            bound: Bound::Exact,
            nodes: 1,
            time: request.control.elapsed(),
            hash_permille: 0,
            pv: vec![m],
        }));
    }
    while (!request.limits.is_bounded() || request.control.is_pondering())
        && !request.control.is_stopped()
    {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let _ = events.send(Event::Done(Outcome {
        best,
        ponder: None,
        score: best.map(|_| Score::ZERO),
        depth: 1,
        nodes: 1,
        time: request.control.elapsed(),
    }));
}
