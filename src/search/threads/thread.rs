//! Search threads, which wait for requests, and other threads that can search.

use std::cell::Cell;
use std::io::{self, ErrorKind};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle, Scope, ScopedJoinHandle};

use crossbeam_channel::{Sender, unbounded};

use super::memory::{THREAD_HEAP_BYTES, has_room, start_thread};
use crate::search::tree::{Iteration, SharedState, ThreadData, search};
use crate::search::tt::TranspositionTable;

/// Stack of a search thread in bytes: enough for the deepest recursion of an unoptimised build.
const STACK_BYTES: usize = 32 << 20;

/// An upper bound of the data that a thread keeps between searches, in bytes.
const DATA_BYTES: usize = 4 << 20;

/// Memory of a search thread, in bytes.
pub const THREAD_BYTES: usize = STACK_BYTES + DATA_BYTES;

/// The messages to a search thread.
pub enum ThreadMessage {
    /// Answered with the thread's number and its result, `None` after a panic.
    Search(Arc<SharedState>, Sender<(usize, Option<Iteration>)>),
    UseTt(Arc<TranspositionTable>),
    /// Clears the histories of earlier searches.
    Clear,
}

/// The handle of a search thread.
pub struct SearchThread {
    messages: Sender<ThreadMessage>,
    handle: JoinHandle<()>,
}

impl SearchThread {
    /// Starts the thread with this number. The histories and the stack are allocated here, so that a lack of memory is
    /// an error. The accumulators of the network are allocated at the first search.
    ///
    /// # Errors
    /// There is no memory for the thread, or the system does not start it.
    pub fn start(id: usize, tt: Arc<TranspositionTable>) -> io::Result<Self> {
        if !has_room(THREAD_BYTES) {
            return Err(ErrorKind::OutOfMemory.into());
        }
        let mut data = ThreadData::new(id, tt);
        let (messages, inbox) = unbounded();
        let work = move || inbox.iter().for_each(|message| handle(&mut data, message));
        let handle = start_thread(&format!("search-{id}"), STACK_BYTES, work)?;
        Ok(Self { messages, handle })
    }

    pub fn send(&self, message: ThreadMessage) {
        // Sending succeeds: the thread runs as long as its handle exists.
        let _ = self.messages.send(message);
    }

    /// Waits until the thread has handled its messages, and ends it.
    pub fn end(self) {
        let Self { messages, handle } = self;
        drop(messages);
        // A panic of the thread was reported when it happened.
        let _ = handle.join();
    }
}

fn handle(data: &mut ThreadData, message: ThreadMessage) {
    match message {
        ThreadMessage::Search(shared, results) => {
            // Sending succeeds: the coordinator waits for the results of all threads.
            let _ = results.send((data.id, search_or_renew(data, &shared)));
        }
        ThreadMessage::UseTt(tt) => data.tt = tt,
        ThreadMessage::Clear => data.histories.clear(),
    }
}

/// Runs a search. If it panics, returns `None` and replaces the thread's data, so that later searches are not affected.
/// The panic has then been reported already.
pub fn search_or_renew(data: &mut ThreadData, shared: &SharedState) -> Option<Iteration> {
    let result = catch_unwind(AssertUnwindSafe(|| search(data, shared)));
    if result.is_err() {
        *data = ThreadData::new(data.id, data.tt.clone());
    }
    result.ok()
}

thread_local! {
    /// Whether the stack of this thread is large enough for a search.
    static HAS_SEARCH_STACK: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` with a stack that is large enough for a search: in this thread if it has one, else in a new
/// thread.
///
/// # Errors
/// There is no memory for the thread, or the system refuses it.
pub fn on_search_stack<R: Send>(work: impl FnOnce() -> R + Send) -> io::Result<R> {
    if HAS_SEARCH_STACK.get() {
        return Ok(work());
    }
    thread::scope(|scope| {
        let handle = spawn_search_thread(scope, work)?;
        handle.join().or_else(|panic| resume_unwind(panic))
    })
}

/// Starts a thread in which a [`Searcher`](super::Searcher) searches without starting another one.
///
/// # Errors
/// There is no memory for the thread, or the system refuses it.
pub fn spawn_search_thread<'scope, R: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> R + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, R>> {
    if !has_room(STACK_BYTES + THREAD_HEAP_BYTES) {
        return Err(ErrorKind::OutOfMemory.into());
    }
    let builder = thread::Builder::new().name("searcher".to_owned());
    builder.stack_size(STACK_BYTES).spawn_scoped(scope, || {
        HAS_SEARCH_STACK.set(true);
        work()
    })
}

/// Whether there is memory for this number of search threads, not counting their hash tables.
#[cfg(feature = "training")]
pub fn has_room_for_searches(threads: usize) -> bool {
    has_room(threads.saturating_mul(THREAD_BYTES) + THREAD_HEAP_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Game;
    use crate::search::request::{Limits, SearchRequest};

    #[test]
    fn a_thread_answers_after_a_panic() {
        let tt = TranspositionTable::new(1).expect("1 MB is free");
        let thread = SearchThread::start(0, Arc::new(tt)).expect("the thread starts");
        let request = SearchRequest::new(Game::default(), Limits::default());
        // A search without root moves panics.
        let shared = Arc::new(SharedState::new(request, Vec::new(), 1));
        let (sender, results) = unbounded();
        thread.send(ThreadMessage::Search(shared, sender));
        let answers: Vec<_> = results
            .iter()
            .map(|(id, result)| (id, result.is_some()))
            .collect();
        assert_eq!(answers, [(0, false)]);
        thread.end();
    }
}
