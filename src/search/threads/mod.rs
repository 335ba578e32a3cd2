//! Requests and the threads that answer them.
//!
//! A [`Pool`] takes requests. A search with n threads runs in n search threads, which wait between searches. The first
//! one is the coordinator: it gives the others, the helpers, their searches, runs the searches for mates by checks and
//! by proof numbers, and chooses the move by a vote among the results. A [`Searcher`] searches while its caller waits.
//! Both use `request_handler`, which also keeps the last mate that it has announced. Before a thread starts, `memory`
//! checks that there is memory for it.

mod memory;
mod request_handler;
mod searcher;

pub use memory::free_megabytes;
pub(crate) use memory::{USUAL_STACK, cores, start_thread};
pub use searcher::Searcher;
#[cfg(feature = "training")]
pub(crate) use searcher::has_room_for_searches;
#[cfg(feature = "cli")]
pub(crate) use searcher::{search_in_parallel, spawn_search_thread};

use std::io::{self, ErrorKind};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;

use crossbeam_channel::{Sender, bounded, unbounded};

use memory::{STACK_BYTES, THREAD_BYTES, has_room};
use request_handler::RequestHandler;

use crate::board::{Move, Position};
use crate::eval::nnue;
use crate::movegen::is_legal;
use crate::search::event::{Bound, Event};
use crate::search::request::SearchRequest;
use crate::search::score::Score;
use crate::search::tree::{Iteration, SharedState, ThreadData, search};
use crate::search::tt::{TranspositionTable, TtEntry};

/// Maximum size of the transposition table in MB.
pub const MAX_HASH: u32 = 1 << 20;
/// Maximum number of threads.
pub const MAX_THREADS: u32 = 512;
/// Size in MB up to which a new game clears the transposition table in place.
const CLEARED_IN_PLACE: usize = 256;
/// Maximum automatic size of the transposition table in MB.
const AUTOMATIC_HASH: usize = 128;
/// Upper bound on the size in bytes of the embedded network, which is allocated at its first use and then kept.
const NETWORK_BYTES: usize = 4 << 20;

/// The reason why the search threads cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// There is no memory for a search thread and a transposition table of this size in MB.
    #[error("too little memory for a search thread and a hash table of {0} MB")]
    NoMemory(usize),
    /// The system does not start a thread.
    #[error("the system cannot start a search thread: {0}")]
    NoThread(io::Error),
}

/// The reason why the transposition table or the pool cannot be resized.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResizeError {
    /// There is too little free memory, or the size exceeds [`MAX_HASH`].
    #[error("no memory for a hash table of {megabytes} MB, keeping {kept} MB")]
    NoMemory {
        /// The requested size in MB.
        megabytes: usize,
        /// The present size in MB, which is kept.
        kept: usize,
    },
    /// There is no memory for more threads, the system does not start them, or there are more than [`MAX_THREADS`].
    #[error("cannot start {threads} threads, keeping {kept}")]
    NoThreads {
        /// The requested number.
        threads: usize,
        /// The number that is kept.
        kept: usize,
    },
}

/// The contents of the transposition table for a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HashProbe {
    /// The best move known.
    pub best: Option<Move>,
    /// The score is at least this, at this depth.
    pub lower: Option<(Score, u32)>,
    /// The score is at most this, at this depth.
    pub upper: Option<(Score, u32)>,
}

/// The search threads and their transposition table.
///
/// ```
/// use chuhe::crossbeam_channel::unbounded;
/// use chuhe::rules::Game;
/// use chuhe::search::{Event, Limits, Pool, Report, SearchRequest};
///
/// let (sender, events) = unbounded();
/// let pool = Pool::new(sender)?;
/// let request = SearchRequest::new(Game::startpos(), Limits::default());
/// let control = request.control.clone();
/// pool.start(request); // without a limit
/// for event in &events {
///     match event {
///         Event::Report(Report::Line(info)) if info.depth >= 4 => control.stop(),
///         Event::Report(report) => println!("{report:?}"),
///         Event::Done(result) => {
///             println!("{}", result.outcome);
///             break;
///         }
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Dropping the pool waits for the current search. One without a limit must be stopped first, or the drop never
/// returns.
#[derive(Debug)]
pub struct Pool {
    coordinator: Worker<Message>,
    tt: Arc<TranspositionTable>,
    /// Whether [`Self::prepare`] has been called for this transposition table.
    is_prepared: bool,
    threads: usize,
}

impl Pool {
    /// Starts one search thread with a transposition table of automatic size, or a smaller one if memory is
    /// short. The pool sends reports to `events`, and exactly one [`Event::Done`] for each request.
    ///
    /// # Errors
    /// There is no memory for a search thread and a table of one MB, or the system does not start a thread.
    pub fn new(events: Sender<Event>) -> Result<Self, StartError> {
        let mut megabytes = automatic_hash_size();
        // Start the thread first, because the allocator reserves memory for it.
        let mut pool = Self::with_one_megabyte(events)?;
        while megabytes > 1 {
            match TranspositionTable::new(megabytes).filter(|_| has_room(0)) {
                Some(tt) => {
                    pool.use_tt(tt);
                    break;
                }
                None => log::warn!("no memory for a hash table of {megabytes} MB"),
            }
            megabytes /= 2;
        }
        Ok(pool)
    }

    /// Starts one search thread with a transposition table of one MB.
    fn with_one_megabyte(events: Sender<Event>) -> Result<Self, StartError> {
        if !has_room(THREAD_BYTES + NETWORK_BYTES) {
            return Err(StartError::NoMemory(1));
        }
        // Decoded now, while the program can still report that memory is missing.
        nnue::embedded();
        let tt = Arc::new(TranspositionTable::new(1).ok_or(StartError::NoMemory(1))?);
        let no_thread = |error: io::Error| match error.kind() {
            ErrorKind::OutOfMemory => StartError::NoMemory(1),
            _ => StartError::NoThread(error),
        };
        let mut coordinator = Coordinator {
            data: ThreadData::new(0, tt.clone()),
            helpers: Vec::new(),
            handler: RequestHandler::default(),
            events,
        };
        let handle = move |message| coordinator.handle(message);
        let pool = Self {
            coordinator: Worker::start(0, handle).map_err(no_thread)?,
            tt,
            is_prepared: false,
            threads: 1,
        };
        if has_room(0) { Ok(pool) } else { Err(StartError::NoMemory(1)) }
    }

    /// Starts a search and returns at once.
    pub fn start(&self, request: SearchRequest) {
        self.coordinator.send(Message::Search(Box::new(request)));
    }

    /// Waits for the end of the current search.
    fn wait(&self) {
        let (sender, receiver) = bounded(1);
        self.coordinator.send(Message::Sync(sender));
        // An error means that the coordinator has ended, and with it every search.
        let _ = receiver.recv();
    }

    /// Sets the size of the transposition table; 0 for an automatic size. Returns the size in MB. If the size changes,
    /// waits for the end of the current search and begins with an empty table.
    ///
    /// # Errors
    /// There is too little memory, or the size exceeds [`MAX_HASH`]; the old table is kept.
    pub fn set_hash_size(&mut self, megabytes: usize) -> Result<usize, ResizeError> {
        let wanted = if megabytes == 0 { automatic_hash_size() } else { megabytes };
        let kept = self.tt.megabytes();
        if wanted == kept {
            return Ok(kept);
        }
        let refused = ResizeError::NoMemory { megabytes: wanted, kept };
        if wanted > MAX_HASH as usize {
            return Err(refused);
        }
        self.wait();
        // Replacing the table by a smaller one frees memory, so it needs no check.
        let grows = wanted > kept;
        if grows && wanted > free_megabytes() {
            return Err(refused);
        }
        match TranspositionTable::new(wanted).filter(|_| !grows || has_room(0)) {
            Some(tt) => self.use_tt(tt),
            None => return Err(refused),
        }
        Ok(wanted)
    }

    /// Sets the number of search threads; 0 for one per processor core, up to [`MAX_THREADS`]. Returns the number. If
    /// it changes, waits for the end of the current search.
    ///
    /// # Errors
    /// The threads cannot all be started, or there would be more than [`MAX_THREADS`]; the old number is kept.
    pub fn set_threads(&mut self, threads: usize) -> Result<usize, ResizeError> {
        let wanted = match threads {
            0 => cores().min(MAX_THREADS as usize),
            n => n,
        };
        if wanted == self.threads {
            return Ok(wanted);
        }
        let refused = ResizeError::NoThreads { threads: wanted, kept: self.threads };
        if wanted > MAX_THREADS as usize {
            return Err(refused);
        }
        self.wait();
        let start = |id| start_helper(id, self.tt.clone());
        let started: io::Result<Vec<_>> = (self.threads..wanted).map(start).collect();
        let started = started.map_err(|error| {
            log::warn!("cannot start {wanted} search threads: {error}");
            refused
        })?;
        self.threads = wanted;
        self.coordinator.send(Message::Helpers { kept: wanted - 1, started });
        self.wait();
        Ok(wanted)
    }

    /// The size of the transposition table, in MB.
    pub fn hash_size(&self) -> usize {
        self.tt.megabytes()
    }

    /// The number of search threads.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Stores the moves of `line` as hash moves, so that searches try them first. Stops at the first illegal move. May
    /// be called during a search. Known scores are kept.
    pub fn hint(&self, position: &Position, line: &[Move]) {
        let mut position = position.clone();
        for &best in line {
            if !is_legal(&position, best) {
                return;
            }
            let known = self.tt.probe(position.key());
            self.tt.mark_used();
            self.tt.store(position.key(), TtEntry { best, ..known.unwrap_or_default() });
            position.make(best);
        }
    }

    /// Clears the transposition table, the histories, the measured move overhead and the mate announced last, before a
    /// new game or after a change of settings that makes old scores invalid. Waits for the end of the current search.
    pub fn forget(&mut self) {
        self.wait();
        self.forget_tt();
        self.coordinator.send(Message::Clear);
        self.wait();
    }

    /// Clears the transposition table. A small one is cleared in place, which keeps its memory pages. A large one is
    /// replaced by newly allocated memory, because clearing it would take seconds.
    fn forget_tt(&mut self) {
        if !self.tt.is_used() {
            return;
        }
        let megabytes = self.tt.megabytes();
        if megabytes > CLEARED_IN_PLACE
            && let Some(fresh) = TranspositionTable::new(megabytes)
        {
            self.use_tt(fresh);
        } else {
            self.tt.clear();
        }
    }

    /// Makes the system provide the memory of a new transposition table now rather than during the first search.
    pub fn prepare(&mut self) {
        if !std::mem::replace(&mut self.is_prepared, true) && !self.tt.is_used() {
            self.tt.touch_pages(cores());
        }
    }

    /// Replaces the transposition table, after the end of the current search.
    fn use_tt(&mut self, tt: TranspositionTable) {
        self.tt = Arc::new(tt);
        self.is_prepared = false;
        self.coordinator.send(Message::Tt(self.tt.clone()));
        self.wait();
    }

    /// The contents of the transposition table for `position`. May be called during a search.
    pub fn probe(&self, position: &Position) -> Option<HashProbe> {
        let entry = self.tt.probe(position.key())?;
        let known = Some((entry.score, entry.depth as u32));
        let (lower, upper) = match entry.bound {
            None => (None, None),
            Some(Bound::Exact) => (known, known),
            Some(Bound::Lower) => (known, None),
            Some(Bound::Upper) => (None, known),
        };
        let best = Some(entry.best).filter(|m| is_legal(position, *m));
        Some(HashProbe { best, lower, upper })
    }
}

fn automatic_hash_size() -> usize {
    AUTOMATIC_HASH.min(free_megabytes() / 4).max(1)
}

#[derive(Debug)]
enum Message {
    Search(Box<SearchRequest>),
    /// Keeps the first `kept` helpers, ends the others, and adds those that have been started.
    Helpers {
        kept: usize,
        started: Vec<Helper>,
    },
    Tt(Arc<TranspositionTable>),
    Clear,
    /// Answered when all earlier messages have been handled.
    Sync(Sender<()>),
}

/// The search thread with number 0, which also gives the helpers their searches and collects the results.
struct Coordinator {
    data: ThreadData,
    /// The search threads with the numbers from 1.
    helpers: Vec<Helper>,
    events: Sender<Event>,
    handler: RequestHandler,
}

impl Coordinator {
    fn handle(&mut self, message: Message) {
        match message {
            Message::Search(request) => {
                let Self { data, helpers, events, handler } = self;
                let (tt, threads) = (data.tt.clone(), 1 + helpers.len());
                let run = |shared: &Arc<SharedState>| run(data, helpers, shared);
                let search = || handler.search(*request, Some(events.clone()), &tt, threads, run);
                // After a panic, which was reported when it happened, the answer has no move.
                let result = catch_unwind(AssertUnwindSafe(search)).unwrap_or_default();
                // Sending fails if the receiver was dropped because the process is exiting.
                let _ = self.events.send(Event::Done(result));
            }
            Message::Helpers { kept, started } => {
                self.helpers.truncate(kept);
                self.helpers.extend(started);
            }
            Message::Tt(tt) => {
                for helper in &self.helpers {
                    helper.send(HelperMessage::UseTt(tt.clone()));
                }
                self.data.tt = tt;
            }
            Message::Clear => {
                self.handler.clear();
                self.data.histories.clear();
                for helper in &self.helpers {
                    helper.send(HelperMessage::Clear);
                }
            }
            Message::Sync(done) => {
                let _ = done.send(());
            }
        }
    }
}

/// Runs the search in this thread, whose data is `data`, and in the helpers. When this thread finishes, the helpers
/// stop. The results are in the order of the threads, without those of threads that panicked.
fn run(data: &mut ThreadData, helpers: &[Helper], shared: &Arc<SharedState>) -> Vec<Iteration> {
    let start = |helper: &Helper| {
        let (sender, result) = bounded(1);
        helper.send(HelperMessage::Search(shared.clone(), sender));
        result
    };
    let others: Vec<_> = helpers.iter().map(start).collect();
    let first = search_or_renew(data, shared);
    shared.finished.store(true, Ordering::Relaxed);
    let others = others.iter().filter_map(|result| result.recv().ok());
    first.into_iter().chain(others).collect()
}

type Helper = Worker<HelperMessage>;

#[derive(Debug)]
enum HelperMessage {
    /// Answered with the result; after a panic, the channel is closed without one.
    Search(Arc<SharedState>, Sender<Iteration>),
    UseTt(Arc<TranspositionTable>),
    /// Clears the histories of earlier searches.
    Clear,
}

/// A search thread that handles messages. Dropping the worker waits until all messages are handled and ends the thread.
#[derive(Debug)]
struct Worker<M> {
    messages: Option<Sender<M>>,
    thread: Option<JoinHandle<()>>,
}

impl<M: Send + 'static> Worker<M> {
    /// Starts the search thread with this number; see [`start_thread`] for errors.
    fn start(id: usize, handle: impl FnMut(M) + Send + 'static) -> io::Result<Self> {
        let (messages, inbox) = unbounded();
        let body = move || inbox.iter().for_each(handle);
        let thread = start_thread(&format!("search-{id}"), STACK_BYTES, body)?;
        Ok(Self { messages: Some(messages), thread: Some(thread) })
    }
}

impl<M> Worker<M> {
    fn send(&self, message: M) {
        if let Some(messages) = &self.messages {
            // Sending succeeds: the thread only ends when `messages` is dropped.
            let _ = messages.send(message);
        }
    }
}

impl<M> Drop for Worker<M> {
    fn drop(&mut self) {
        self.messages = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was reported when it happened.
            let _ = thread.join();
        }
    }
}

/// Starts the helper with this number. The histories and the stack are allocated here, so that a lack of memory is an
/// error. The accumulators of the network are allocated at the first search.
fn start_helper(id: usize, tt: Arc<TranspositionTable>) -> io::Result<Helper> {
    let no_memory = || Err(ErrorKind::OutOfMemory.into());
    if !has_room(THREAD_BYTES) {
        return no_memory();
    }
    let mut data = ThreadData::new(id, tt);
    let helper = Worker::start(id, move |message| match message {
        HelperMessage::Search(shared, sender) => {
            if let Some(result) = search_or_renew(&mut data, &shared) {
                // Sending succeeds: the coordinator waits for the results of all helpers.
                let _ = sender.send(result);
            }
        }
        HelperMessage::UseTt(tt) => data.tt = tt,
        HelperMessage::Clear => data.histories.clear(),
    })?;
    if has_room(0) { Ok(helper) } else { no_memory() }
}

/// Runs a search. If it panics, returns `None` and replaces the thread's data, so that later searches are not affected.
/// The panic has then been reported already.
fn search_or_renew(data: &mut ThreadData, shared: &SharedState) -> Option<Iteration> {
    let result = catch_unwind(AssertUnwindSafe(|| search(data, shared)));
    if result.is_err() {
        *data = ThreadData::new(data.id, data.tt.clone());
    }
    result.ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Game;
    use crate::search::request::{Limits, SearchRequest};

    #[test]
    fn a_search_that_panics_is_answered() {
        let tt = Arc::new(TranspositionTable::new(1).expect("1 MB is free"));
        let mut data = ThreadData::new(0, tt.clone());
        let helper = start_helper(1, tt).expect("the thread starts");
        let request = SearchRequest::new(Game::default(), Limits::default());
        // A search without root moves panics.
        let shared = Arc::new(SharedState::new(request, Vec::new(), 2));
        assert!(run(&mut data, &[helper], &shared).is_empty());
    }
}
