//! The search threads, which wait between searches; another number of them is another set.

use std::sync::Arc;
use std::thread::JoinHandle;

use crossbeam_channel::{Sender, bounded, unbounded};

use super::coordinator::{Coordinator, Message};
use super::search_thread::SearchThread;
use crate::board::{Move, Position};
use crate::movegen::is_legal;
use crate::search::event::{Bound, Event};
use crate::search::request::SearchRequest;
use crate::search::score::Score;
use crate::search::table::{TranspositionTable, TtEntry};

/// Largest hash table that may be asked for, in MB.
pub const MAX_HASH: u32 = 1 << 20;
/// Most threads that may be asked for.
pub const MAX_THREADS: u32 = 512;
/// The largest hash table that a new game clears where it is, in MB.
const CLEARED_IN_PLACE: usize = 256;
/// The largest automatic hash table, in MB.
const AUTOMATIC_HASH: usize = 128;

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

/// The search threads and the hash table they share.
#[derive(Debug)]
pub struct Pool {
    messages: Option<Sender<Message>>,
    coordinator: Option<JoinHandle<()>>,
    table: Arc<TranspositionTable>,
    threads: usize,
}

impl Pool {
    /// Starts one search thread with a hash table of automatic size. The pool reports to `events`;
    /// each request is answered with exactly one [`Event::Done`].
    ///
    /// # Panics
    /// When the system cannot start a thread or give a MB of memory.
    pub fn new(events: Sender<Event>) -> Self {
        let table =
            TranspositionTable::new(automatic_hash_size()).or_else(|| TranspositionTable::new(1));
        let table = Arc::new(table.expect("a hash table of 1 MB fits"));
        let first = SearchThread::start(0, table.clone()).expect("the search thread starts");
        let (messages, inbox) = unbounded();
        let mut coordinator = Coordinator::new(first, table.clone(), events);
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
        self.use_table(TranspositionTable::new(wanted).ok_or(refused)?);
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
            .map(|id| SearchThread::start(id, self.table.clone()))
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
            self.table.store(position.key(), TtEntry { best, ..entry });
            position.make(best);
        }
    }

    /// Forgets everything learned: hash table, histories, move overhead. For a new game, and for settings under
    /// which old scores mean nothing. Waits for a search under way.
    pub fn forget(&mut self) {
        self.wait();
        self.forget_table();
        self.send(Message::Clear);
        self.wait();
    }

    /// Empties the hash table: a small one in place, for memory that the process has is quicker to
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

    /// What the hash table holds of `position`; may be asked during a search.
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

fn free_megabytes() -> usize {
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    (system.available_memory() >> 20) as usize
}

fn automatic_hash_size() -> usize {
    AUTOMATIC_HASH.min(free_megabytes() / 4).max(1)
}
