//! Threads that are known to run before their start is reported.

use std::io::{self, ErrorKind};
use std::thread::{self, JoinHandle};

use crossbeam_channel::bounded;

use super::memory::has_room;

/// Bytes that a thread needs beside its stack before its first line runs: a stack for signals, without
/// which the runtime aborts the program, guard pages, what others allocate meanwhile.
const ENTRY_BYTES: usize = 4 << 20;
/// Bytes of a stack that is enough for all but the search.
pub(crate) const USUAL_STACK: usize = 2 << 20;

/// Starts a thread with a stack of so many bytes and waits until it runs and has allocated. The allocator
/// reserves memory of its own for a thread at its first allocation; what [`has_room`] answers afterwards has
/// that taken off.
///
/// # Errors
/// When there is no room for the thread, the system refuses it, or nothing is left for it to allocate; `body`
/// is dropped then.
pub(crate) fn start_thread(
    name: &str,
    stack: usize,
    body: impl FnOnce() + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    if !has_room(stack + ENTRY_BYTES) {
        return Err(ErrorKind::OutOfMemory.into());
    }
    let builder = thread::Builder::new()
        .name(name.to_owned())
        .stack_size(stack);
    let (sender, started) = bounded(1);
    let handle = builder.spawn(move || {
        let usable = has_room(1);
        // The receiver waits below.
        let _ = sender.send(usable);
        if usable {
            body();
        }
    })?;
    match started.recv() {
        Ok(true) => Ok(handle),
        _ => {
            // A panic of the thread was reported when it happened.
            let _ = handle.join();
            Err(ErrorKind::OutOfMemory.into())
        }
    }
}
