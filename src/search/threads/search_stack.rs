//! Threads with a stack that is large enough for a search.

use std::cell::Cell;
use std::io::{self, ErrorKind};
use std::panic::resume_unwind;
use std::thread::{self, Scope, ScopedJoinHandle};

use super::memory::{THREAD_HEAP_BYTES, has_room};
use super::search_thread::STACK_BYTES;
#[cfg(feature = "training")]
use super::search_thread::THREAD_BYTES;

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
