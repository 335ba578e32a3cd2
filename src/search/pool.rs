//! The search threads, which live as long as the process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

use crossbeam_channel::{Sender, bounded, unbounded};

use super::clock::TimeBudget;
use super::event::{Bound, Event, Outcome};
use super::request::{Control, Limits, SearchRequest, Settings};
use super::root::RootResult;
use super::score::Score;
use super::select::choose;
use super::table::Table;
use super::worker::{Job, Worker, evaluator};
use crate::board::{Move, Position};
use crate::eval::PieceSquareSum;
use crate::movegen::{is_legal, legal_moves};
use crate::notation::fen::start_position;
use crate::rules::Game;

/// The largest automatic hash table, in MB.
const AUTOMATIC_HASH: usize = 128;
/// Stack of a search thread: the deepest recursion in an unoptimised build.
const STACK_BYTES: usize = 32 << 20;

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

/// What a search thread is told.
enum Order {
    Search(Arc<Job>, Sender<(usize, RootResult)>, Option<Sender<Event>>),
    UseTable(Arc<Table>),
    Forget,
}

struct Thread {
    orders: Sender<Order>,
    handle: JoinHandle<()>,
}

impl Thread {
    fn start(id: usize, table: Arc<Table>) -> std::io::Result<Self> {
        let (orders, inbox) = unbounded();
        let handle = std::thread::Builder::new()
            .name(format!("search-{id}"))
            .stack_size(STACK_BYTES)
            .spawn(move || {
                let mut worker = Worker::new(id, table, idle_job());
                for order in inbox {
                    match order {
                        Order::Search(job, results, events) => {
                            worker.prepare(job);
                            let result = worker.iterate(events.as_ref());
                            worker.flush_nodes();
                            // The asker waits for every thread it asked.
                            let _ = results.send((id, result));
                        }
                        Order::UseTable(table) => worker.table = table,
                        Order::Forget => worker.histories.clear(),
                    }
                }
            })?;
        Ok(Self { orders, handle })
    }
}

fn idle_job() -> Arc<Job> {
    Arc::new(Job {
        game: Game::new(start_position()),
        limits: Limits::default(),
        settings: Settings::default(),
        control: Control::new(false),
        root_moves: Vec::new(),
        hard_limit: None,
        nodes: AtomicU64::new(0),
        finished: AtomicBool::new(false),
    })
}

/// What the coordinating thread is told.
enum Message {
    Search(Box<SearchRequest>),
    Threads(Vec<Thread>),
    Table(Arc<Table>),
    Forget,
    /// Answered when everything before it is done.
    Sync(Sender<()>),
}

/// The search threads and the hash table they share.
#[derive(Debug)]
pub struct Pool {
    messages: Option<Sender<Message>>,
    coordinator: Option<JoinHandle<()>>,
    table: Arc<Table>,
    threads: usize,
}

impl Pool {
    /// Starts one search thread with a hash table of automatic size. The pool reports to `events`;
    /// each request is answered with exactly one [`Event::Done`].
    ///
    /// # Panics
    /// When the system cannot start a thread or give a MB of memory.
    pub fn new(events: Sender<Event>) -> Self {
        let table = Table::new(automatic_hash_size()).or_else(|| Table::new(1));
        let table = Arc::new(table.expect("a hash table of 1 MB fits"));
        let first = Thread::start(0, table.clone()).expect("the search thread starts");
        let (messages, inbox) = unbounded();
        let mut coordinator = Coordinator {
            threads: vec![first],
            table: table.clone(),
            events,
        };
        let handle = std::thread::Builder::new()
            .name("coordinator".to_owned())
            .spawn(move || inbox.iter().for_each(|message| coordinator.handle(message)))
            .expect("the coordinating thread starts");
        Self {
            messages: Some(messages),
            coordinator: Some(handle),
            table,
            threads: 1,
        }
    }

    fn send(&self, message: Message) {
        if let Some(messages) = &self.messages {
            // The coordinator only ends when `messages` is dropped.
            let _ = messages.send(message);
        }
    }

    /// Begins a search; returns at once.
    pub fn start(&self, request: SearchRequest) {
        self.send(Message::Search(Box::new(request)));
    }

    /// Waits until the search under way is done.
    fn wait(&self) {
        let (sender, receiver) = bounded(1);
        self.send(Message::Sync(sender));
        // An error means that the coordinator is gone, and with it every search.
        let _ = receiver.recv();
    }

    /// Sets the size of the hash table, its contents lost; 0 for an automatic size. Returns the size
    /// in force in MB. Waits for a search under way.
    ///
    /// # Errors
    /// Keeps the old table when there is no room for the new one.
    pub fn set_hash_size(&mut self, megabytes: usize) -> Result<usize, ResizeError> {
        let wanted = if megabytes == 0 {
            automatic_hash_size()
        } else {
            megabytes
        };
        let kept = self.table.megabytes();
        if wanted == kept {
            return Ok(kept);
        }
        let refused = ResizeError::NoMemory {
            megabytes: wanted,
            kept,
        };
        self.wait();
        if wanted > free_megabytes() {
            return Err(refused);
        }
        let table = Arc::new(Table::new(wanted).ok_or(refused)?);
        self.table = table.clone();
        self.send(Message::Table(table));
        self.wait();
        Ok(wanted)
    }

    /// Sets the number of search threads; 0 for one a processor core. Returns the number in force.
    /// Waits for a search under way.
    ///
    /// # Errors
    /// Keeps the old number when the system refuses more threads.
    pub fn set_threads(&mut self, threads: usize) -> Result<usize, ResizeError> {
        let wanted = match threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            n => n,
        };
        if wanted == self.threads {
            return Ok(wanted);
        }
        self.wait();
        let started: Result<Vec<_>, _> = (0..wanted)
            .map(|id| Thread::start(id, self.table.clone()))
            .collect();
        let Ok(started) = started else {
            return Err(ResizeError::NoThreads {
                threads: wanted,
                kept: self.threads,
            });
        };
        self.threads = wanted;
        self.send(Message::Threads(started));
        self.wait();
        Ok(wanted)
    }

    /// Forgets everything learned in the last game. Waits for a search under way.
    pub fn new_game(&mut self) {
        self.send(Message::Forget);
        self.wait();
    }

    /// What the hash table holds of `position`; may be asked during a search.
    pub fn probe(&self, position: &Position) -> Option<HashProbe> {
        let record = self.table.probe(position.key())?;
        let known = Some((record.score, record.depth as u32));
        let (lower, upper) = match record.bound {
            None => (None, None),
            Some(Bound::Exact) => (known, known),
            Some(Bound::Lower) => (known, None),
            Some(Bound::Upper) => (None, known),
        };
        let best = Some(record.best).filter(|m| is_legal(position, *m));
        Some(HashProbe { best, lower, upper })
    }

    /// The static evaluation of the position that `request` asks about, for its side to move.
    pub fn evaluate(&self, request: &SearchRequest) -> Score {
        let position = request.game.position();
        let sum = PieceSquareSum::new(position);
        Score::evaluation(evaluator(&request.settings).evaluate(position, &sum))
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.messages = None;
        if let Some(coordinator) = self.coordinator.take() {
            // A panic of the coordinator was reported when it happened.
            let _ = coordinator.join();
        }
    }
}

fn free_megabytes() -> usize {
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    (system.available_memory() >> 20) as usize
}

fn automatic_hash_size() -> usize {
    AUTOMATIC_HASH.min(free_megabytes() / 4).max(1)
}

/// Hands requests to the threads and gathers what they found.
struct Coordinator {
    threads: Vec<Thread>,
    table: Arc<Table>,
    events: Sender<Event>,
}

impl Coordinator {
    fn handle(&mut self, message: Message) {
        match message {
            Message::Search(request) => {
                let outcome = self.search(*request);
                // The receiver may be gone while the process ends.
                let _ = self.events.send(Event::Done(outcome));
            }
            Message::Threads(threads) => {
                let old = std::mem::replace(&mut self.threads, threads);
                end(old);
            }
            Message::Table(table) => {
                for thread in &self.threads {
                    let _ = thread.orders.send(Order::UseTable(table.clone()));
                }
                self.table = table;
            }
            Message::Forget => {
                self.table.clear();
                for thread in &self.threads {
                    let _ = thread.orders.send(Order::Forget);
                }
            }
            Message::Sync(done) => {
                let _ = done.send(());
            }
        }
    }

    fn search(&self, request: SearchRequest) -> Outcome {
        let mut root_moves = legal_moves(request.game.position()).to_vec();
        if let Some(allowed) = &request.root_moves {
            root_moves.retain(|m| allowed.contains(m));
        }
        let control = request.control.clone();
        if root_moves.is_empty() || request.limits.depth == Some(0) {
            let score = (!root_moves.is_empty()).then(|| static_score(&request));
            let time = control.elapsed();
            return Outcome {
                best: None,
                ponder: None,
                score,
                depth: 0,
                nodes: 0,
                time,
            };
        }
        let budget = TimeBudget::new(&request.limits, &request.settings);
        let job = Arc::new(Job {
            game: request.game,
            limits: request.limits,
            settings: request.settings,
            control: request.control,
            root_moves,
            hard_limit: budget.map(|b| b.hard),
            nodes: AtomicU64::new(0),
            finished: AtomicBool::new(false),
        });
        self.table.age();
        let results = self.run(&job);
        let chosen = choose(&results, &job.settings);
        Outcome {
            // A thread that died of a fault of ours answers nothing, and a move is owed all the same.
            best: chosen.map(|c| c.played).or(job.root_moves.first().copied()),
            ponder: chosen.and_then(|c| self.expected_reply(&job, &c.pv)),
            score: chosen.map(|c| c.score),
            depth: results.first().map_or(0, |r| r.depth as u32),
            nodes: job.nodes.load(Ordering::Relaxed),
            time: control.elapsed(),
        }
    }

    /// Runs the job on all threads; the first result is that of the first thread.
    fn run(&self, job: &Arc<Job>) -> Vec<RootResult> {
        let (sender, receiver) = unbounded();
        for (id, thread) in self.threads.iter().enumerate() {
            let events = (id == 0).then(|| self.events.clone());
            let _ = thread
                .orders
                .send(Order::Search(job.clone(), sender.clone(), events));
        }
        drop(sender);
        let mut results: Vec<_> = receiver
            .iter()
            .inspect(|(id, _)| {
                if *id == 0 {
                    job.finished.store(true, Ordering::Relaxed);
                }
            })
            .collect();
        results.sort_by_key(|(id, _)| *id);
        results.into_iter().map(|(_, result)| result).collect()
    }

    /// The second move of the main line, or what the hash table expects.
    fn expected_reply(&self, job: &Job, pv: &[Move]) -> Option<Move> {
        let mut game = job.game.clone();
        game.push(*pv.first()?).ok()?;
        let expected = match pv.get(1) {
            Some(m) => *m,
            None => self.table.probe(game.position().key())?.best,
        };
        is_legal(game.position(), expected).then_some(expected)
    }
}

fn static_score(request: &SearchRequest) -> Score {
    let position = request.game.position();
    let sum = PieceSquareSum::new(position);
    Score::evaluation(evaluator(&request.settings).evaluate(position, &sum))
}

fn end(threads: Vec<Thread>) {
    for Thread { orders, handle } in threads {
        drop(orders);
        // A panic of the thread was reported when it happened.
        let _ = handle.join();
    }
}

impl Drop for Coordinator {
    fn drop(&mut self) {
        end(std::mem::take(&mut self.threads));
    }
}
