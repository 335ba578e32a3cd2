//! Checks for free memory before large allocations and before threads are started.
//!
//! A failed allocation aborts the program. The memory of a search is therefore allocated, or found to be free, before
//! the engine accepts a setting. [`RESERVE`] bytes must then still be free for everything else: input lines, games,
//! principal variations, and the caches of the allocator.

use std::io::{self, ErrorKind};
use std::thread::{self, JoinHandle};

use crossbeam_channel::{Receiver, bounded};

/// Bytes that must stay free after every large allocation. The trial allocation of [`has_room`] includes them, and must
/// be larger than what an allocator can serve from memory that it already has (up to 32 MB in glibc), so that the
/// system decides. A system that overcommits memory refuses only allocations beyond a limit.
const RESERVE: usize = 40 << 20;
/// Address space in bytes that glibc reserves for the heap of a thread. If less is available when a thread starts, the
/// thread tries again at each of its allocations, and could then take memory that a check has found free.
pub const THREAD_HEAP_BYTES: usize = 128 << 20;
/// Stack of a search thread in bytes: enough for the deepest recursion of an unoptimized build.
pub const STACK_BYTES: usize = 32 << 20;
/// An upper bound on the size of the data that a thread keeps between searches, in bytes.
const DATA_BYTES: usize = 4 << 20;
/// Memory of a search thread, in bytes.
pub const THREAD_BYTES: usize = STACK_BYTES + DATA_BYTES;
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

/// A builder for a thread with a stack of `stack` bytes.
///
/// # Errors
/// There is no memory for the thread.
pub fn thread_builder(name: &str, stack: usize) -> io::Result<thread::Builder> {
    if !has_room(stack.saturating_add(THREAD_HEAP_BYTES)) {
        return Err(ErrorKind::OutOfMemory.into());
    }
    Ok(thread::Builder::new().name(name.to_owned()).stack_size(stack))
}

/// Starts a thread with a stack of `stack` bytes and waits until it has its own heap, so that later checks take its
/// memory into account.
///
/// # Errors
/// There is no memory for the thread, or the system refuses it. `body` is then dropped.
pub(crate) fn start_thread(
    name: &str,
    stack: usize,
    body: impl FnOnce() + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    let builder = thread_builder(name, stack)?;
    let (body, ready) = with_own_heap(body);
    let handle = builder.spawn(body)?;
    // An error means that the thread panicked, which was reported when it happened.
    let _ = ready.recv();
    Ok(handle)
}

/// Wraps the body of a thread: the thread first makes the allocator create its heap, then sends a message to the
/// returned receiver, then runs `body`. A check for free memory takes the heap into account only after the message.
pub fn with_own_heap<R>(body: impl FnOnce() -> R) -> (impl FnOnce() -> R, Receiver<()>) {
    let (sender, ready) = bounded(1);
    let body = move || {
        drop(std::hint::black_box(Box::new(0_u64)));
        // An error means that the caller does not wait for the message.
        let _ = sender.send(());
        body()
    };
    (body, ready)
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
