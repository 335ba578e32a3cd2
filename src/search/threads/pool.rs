//! The search threads, which wait between searches; another number of them is another set.

use std::sync::Arc;
use std::thread::JoinHandle;

use crossbeam_channel::{Sender, bounded, unbounded};

use super::coordinator::{Coordinator, Message};
use super::memory::{free_megabytes, has_room, start_thread};
use super::search_thread::{SearchThread, THREAD_BYTES};
use crate::board::{Move, Position};
use crate::eval::nnue;
use crate::movegen::is_legal;
use crate::search::event::{Bound, Event};
use crate::search::request::SearchRequest;
use crate::search::score::Score;
use crate::search::table::{TranspositionTable, TtEntry};

/// Largest transposition table that may be asked for, in MB.
pub const MAX_HASH: u32 = 1 << 20;
/// Most threads that may be asked for.
pub const MAX_THREADS: u32 = 512;
/// The largest transposition table that a new game clears where it is, in MB.
const CLEARED_IN_PLACE: usize = 256;
/// The largest automatic transposition table, in MB.
const AUTOMATIC_HASH: usize = 128;
/// Upper bound of the memory that is set up at its first use and then kept, in bytes: the embedded network.
const LAZY_BYTES: usize = 4 << 20;
/// Stack of the coordinator, which passes messages on and looks for mates by checks, a few frames a ply.
const COORDINATOR_STACK_BYTES: usize = 2 << 20;

/// Why there can be no search.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Not even a transposition table of one MB fits beside a search thread.
    #[error("too little memory for a search thread and a hash table of 1 MB")]
    NoMemory,
    /// A transposition table of so many MB does not fit.
    #[error("too little memory for a search thread and a hash table of {0} MB")]
    NoMemoryForTable(usize),
    /// The system refuses a thread.
    #[error("the system starts no search thread, for want of memory or of processes: {0}")]
    NoThread(std::io::Error),
}

/// Why the transposition table or the thread pool keeps its size.
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
    /// There is no memory for more threads, or the system refuses them.
    #[error("cannot start {threads} threads, keeping {kept}")]
    NoThreads {
        /// What was asked for.
        threads: usize,
        /// The number still in force.
        kept: usize,
    },
}

/// What the transposition table holds of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HashProbe {
    /// The best move known.
    pub best: Option<Move>,
    /// The score is at least this, at this depth.
    pub lower: Option<(Score, u32)>,
    /// The score is at most this, at this depth.
    pub upper: Option<(Score, u32)>,
}

/// The search threads and the transposition table they share. Dropping it waits for the search under way:
/// stop that first.
#[derive(Debug)]
pub struct Pool {
    messages: Option<Sender<Message>>,
    coordinator: Option<JoinHandle<()>>,
    table: Arc<TranspositionTable>,
    threads: usize,
}

impl Pool {
    /// Starts one search thread with a transposition table of automatic size, or of a smaller one where
    /// memory does not suffice. The pool reports to `events`; each request is answered with exactly one
    /// [`Event::Done`].
    ///
    /// # Errors
    /// When there is no memory for a search thread and a table of one MB, or the system starts no thread.
    pub fn new(events: Sender<Event>) -> Result<Self, StartError> {
        Self::with_hash(automatic_hash_size(), events)
    }

    /// As [`Self::new`], with a transposition table of `megabytes`, or of a smaller one where memory
    /// does not suffice.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_hash(megabytes: usize, events: Sender<Event>) -> Result<Self, StartError> {
        // The threads first: what the allocator reserves for them the table cannot have.
        let mut pool = Self::with_least_table(events)?;
        let mut megabytes = megabytes;
        while megabytes > 1 {
            match TranspositionTable::new(megabytes).filter(|_| has_room(0)) {
                Some(table) => {
                    pool.use_table(table);
                    break;
                }
                None => log::warn!("no memory for a hash table of {megabytes} MB"),
            }
            megabytes /= 2;
        }
        Ok(pool)
    }

    /// Starts one search thread with a transposition table of one MB.
    fn with_least_table(events: Sender<Event>) -> Result<Self, StartError> {
        if !has_room(THREAD_BYTES + COORDINATOR_STACK_BYTES + LAZY_BYTES) {
            return Err(StartError::NoMemory);
        }
        // Decoded now, while the program can still report that memory is missing.
        nnue::embedded();
        let table = Arc::new(TranspositionTable::new(1).ok_or(StartError::NoMemory)?);
        let no_thread = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::OutOfMemory => StartError::NoMemory,
            _ => StartError::NoThread(error),
        };
        let first = SearchThread::start(0, table.clone()).map_err(no_thread)?;
        let (messages, inbox) = unbounded();
        let mut coordinator = Coordinator::new(first, table.clone(), events);
        let work = move || inbox.iter().for_each(|message| coordinator.handle(message));
        let handle =
            start_thread("coordinator", COORDINATOR_STACK_BYTES, work).map_err(no_thread)?;
        let pool = Self {
            messages: Some(messages),
            coordinator: Some(handle),
            table,
            threads: 1,
        };
        if has_room(0) {
            Ok(pool)
        } else {
            Err(StartError::NoMemory)
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

    /// Sets the size of the transposition table, its contents lost; 0 for an automatic size. Returns the size
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
        // A smaller one takes no more memory than there is once the old one is gone.
        let grows = wanted > kept;
        if grows && wanted > free_megabytes() {
            return Err(refused);
        }
        match TranspositionTable::new(wanted).filter(|_| !grows || has_room(0)) {
            Some(table) => self.use_table(table),
            None => return Err(refused),
        }
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
        if wanted < self.threads {
            self.threads = wanted;
            self.send(Message::FewerThreads(wanted));
            self.wait();
            return Ok(wanted);
        }
        let Some(started) = self.start_threads(wanted) else {
            return Err(ResizeError::NoThreads {
                threads: wanted,
                kept: self.threads,
            });
        };
        self.threads = wanted;
        self.send(Message::MoreThreads(started));
        self.wait();
        Ok(wanted)
    }

    /// The search threads that are missing to so many; none where not all can be had.
    fn start_threads(&self, wanted: usize) -> Option<Vec<SearchThread>> {
        let mut started = Vec::new();
        for id in self.threads..wanted {
            match SearchThread::start(id, self.table.clone()) {
                Ok(thread) => started.push(thread),
                Err(error) => {
                    log::warn!("search thread {id} of {wanted}: {error}");
                    break;
                }
            }
        }
        if self.threads + started.len() == wanted && has_room(0) {
            return Some(started);
        }
        started.into_iter().for_each(SearchThread::end);
        None
    }

    /// The size of the transposition table, in MB.
    pub fn hash_size(&self) -> usize {
        self.table.megabytes()
    }

    /// The number of search threads.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Has the searches look at the moves of `line` first, in the positions along it. An illegal move
    /// ends the line. May be called during a search. Scores that are known stay, and the line gets none.
    pub fn hint(&self, position: &Position, line: &[Move]) {
        let mut position = position.clone();
        for &best in line {
            if !is_legal(&position, best) {
                return;
            }
            let known = self.table.probe(position.key());
            let entry = known.unwrap_or(TtEntry {
                best,
                score: Score::ZERO,
                bound: None,
                depth: 0,
                evaluation: None,
                was_pv: false,
            });
            self.table.note_use();
            self.table.store(position.key(), TtEntry { best, ..entry });
            position.make(best);
        }
    }

    /// Clears what earlier searches stored: transposition table, histories, move overhead. For a new
    /// game, and for settings under which old scores mean nothing. Waits for a search under way.
    pub fn forget(&mut self) {
        self.wait();
        self.forget_table();
        self.send(Message::Clear);
        self.wait();
    }

    /// Empties the transposition table: a small one in place, for memory that the process has is quicker to
    /// search in; a large one by taking fresh memory, for walking through it would take seconds.
    fn forget_table(&mut self) {
        if !self.table.is_used() {
            return;
        }
        let large = self.table.megabytes() > CLEARED_IN_PLACE;
        match large
            .then(|| TranspositionTable::new(self.table.megabytes()))
            .flatten()
        {
            Some(fresh) => self.use_table(fresh),
            None => self.table.clear(),
        }
    }

    fn use_table(&mut self, table: TranspositionTable) {
        self.table = Arc::new(table);
        self.send(Message::Table(self.table.clone()));
        self.wait();
    }

    /// What the transposition table holds of `position`; may be asked during a search.
    pub fn probe(&self, position: &Position) -> Option<HashProbe> {
        let entry = self.table.probe(position.key())?;
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

impl Drop for Pool {
    fn drop(&mut self) {
        self.messages = None;
        if let Some(coordinator) = self.coordinator.take() {
            // A panic of the coordinator was reported when it happened.
            let _ = coordinator.join();
        }
    }
}

fn automatic_hash_size() -> usize {
    AUTOMATIC_HASH.min(free_megabytes() / 4).max(1)
}
