//! The start of threads: search threads, which wait for requests, other threads that can search, and all others. Free
//! memory is checked before threads are started and before large allocations.
//!
//! A failed allocation aborts the program. All memory of a search is therefore allocated before the engine accepts a
//! setting. [`RESERVE`] bytes must then still be free for everything else: input lines, games, principal variations,
//! and the caches of the allocator.

use std::cell::Cell;
use std::io::{self, ErrorKind};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle, Scope, ScopedJoinHandle};

use crossbeam_channel::{Sender, bounded, unbounded};

use crate::search::tree::{Iteration, SharedState, ThreadData, search};
use crate::search::tt::TranspositionTable;

/// Bytes that must stay free after every large allocation. The trial allocation of [`has_room`] is at least this
/// large, which is above the largest size (32 MB in glibc) that an allocator serves from the memory it keeps for one
/// thread. Memory that the check finds free is therefore available to every thread.
const RESERVE: usize = 40 << 20;
/// Address space in bytes that glibc reserves for the heap of a thread. If less is available when a thread starts, the
/// thread tries again at each of its allocations, and could then take memory that a check has found free.
pub const THREAD_HEAP_BYTES: usize = 128 << 20;
/// Stack size in bytes of threads that do not search.
pub(crate) const USUAL_STACK: usize = 2 << 20;

/// Whether `bytes` can be allocated and [`RESERVE`] is still free then. Nothing stays allocated.
pub fn has_room(bytes: usize) -> bool {
    let Some(bytes) = bytes.checked_add(RESERVE) else {
        return false;
    };
    let mut trial = Vec::<u8>::new();
    let reserved = trial.try_reserve_exact(bytes).is_ok();
    // Keeps the compiler from removing the allocation.
    std::hint::black_box(&mut trial);
    reserved
}

/// The number of processor cores that this process may use.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Free memory in MB: of the machine, or within the limit of the process's control group if that is less.
/// `usize::MAX` if unknown, for example without `/proc` on Linux.
pub fn free_megabytes() -> usize {
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    if system.total_memory() == 0 {
        return usize::MAX;
    }
    let limit = system.cgroup_limits().map_or(u64::MAX, |l| l.free_memory);
    (system.available_memory().min(limit) >> 20) as usize
}

/// Starts a thread with a stack of `stack` bytes and waits until it has its own heap, so that later checks take its
/// memory into account.
///
/// # Errors
/// When there is no memory for the thread or the system refuses it; `body` is dropped then.
pub(crate) fn start_thread(
    name: &str,
    stack: usize,
    body: impl FnOnce() + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    if !has_room(stack.saturating_add(THREAD_HEAP_BYTES)) {
        return Err(ErrorKind::OutOfMemory.into());
    }
    let builder = thread::Builder::new()
        .name(name.to_owned())
        .stack_size(stack);
    let (sender, started) = bounded(1);
    let handle = builder.spawn(move || {
        drop(std::hint::black_box(Box::new(0_u64)));
        // The receiver waits below.
        let _ = sender.send(());
        body();
    })?;
    // An error means that the thread panicked, which was reported when it happened.
    let _ = started.recv();
    Ok(handle)
}

/// Stack of a search thread in bytes: enough for the deepest recursion of an unoptimised build.
const STACK_BYTES: usize = 32 << 20;

/// An upper bound of the data that a thread keeps between searches, in bytes.
const DATA_BYTES: usize = 4 << 20;

/// Memory of a search thread, in bytes.
pub const THREAD_BYTES: usize = STACK_BYTES + DATA_BYTES;

/// The messages to a search thread.
pub enum ThreadMessage {
    /// Answered with the thread's number and its result.
    Search(Arc<SharedState>, Sender<(usize, Iteration)>),
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
            if let Some(result) = search_or_renew(data, &shared) {
                // Sending succeeds: the coordinator waits for the results of all threads.
                let _ = results.send((data.id, result));
            }
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

    #[test]
    fn an_impossible_size_does_not_fit() {
        assert!(has_room(1 << 16));
        assert!(!has_room(isize::MAX as usize));
        assert!(!has_room(usize::MAX));
        assert!(free_megabytes() > 0);
    }

    #[test]
    fn a_thread_that_does_not_fit_is_an_error() {
        let handle = start_thread("test", USUAL_STACK, || {}).unwrap();
        handle.join().unwrap();
        let error = start_thread("test", isize::MAX as usize, || {}).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutOfMemory);
    }
}
