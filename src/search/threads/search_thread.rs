//! A search thread, which waits from one search to the next.

use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;

use crossbeam_channel::{Sender, unbounded};

use super::memory::{has_room, start_thread};
use crate::search::table::TranspositionTable;
use crate::search::tree::iteration::Iteration;
use crate::search::tree::search;
use crate::search::tree::shared::SharedState;
use crate::search::tree::thread_data::ThreadData;

/// Stack of a search thread: the deepest recursion in an unoptimised build.
pub(super) const STACK_BYTES: usize = 32 << 20;

/// An upper bound of what a thread keeps from one search to the next, in bytes.
const DATA_BYTES: usize = 4 << 20;

/// Memory of a search thread, in bytes.
pub(super) const THREAD_BYTES: usize = STACK_BYTES + DATA_BYTES;

/// The messages to a search thread.
pub(super) enum ThreadMessage {
    /// Answered with the thread's number and its result.
    Search(Arc<SharedState>, Sender<(usize, Iteration)>),
    UseTable(Arc<TranspositionTable>),
    /// Clears the histories of earlier searches.
    Clear,
}

/// The handle of a search thread.
pub(super) struct SearchThread {
    messages: Sender<ThreadMessage>,
    handle: JoinHandle<()>,
}

impl SearchThread {
    /// Starts the thread with this number. Histories, stack and table of material are allocated here, where a
    /// lack of memory can be reported; the sums of the network in the first search.
    ///
    /// # Errors
    /// When there is no memory for another thread, or the system refuses it.
    pub(super) fn start(id: usize, table: Arc<TranspositionTable>) -> std::io::Result<Self> {
        if !has_room(THREAD_BYTES) {
            return Err(ErrorKind::OutOfMemory.into());
        }
        let mut data = ThreadData::new(id, table);
        let (messages, inbox) = unbounded();
        let work = move || inbox.iter().for_each(|message| handle(&mut data, message));
        let handle = start_thread(&format!("search-{id}"), STACK_BYTES, work)?;
        Ok(Self { messages, handle })
    }

    pub(super) fn send(&self, message: ThreadMessage) {
        // The thread only ends with its handle.
        let _ = self.messages.send(message);
    }

    /// Waits until the thread has handled its messages, and ends it.
    pub(super) fn end(self) {
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
                // The coordinator waits for every thread.
                let _ = results.send((data.id, result));
            }
        }
        ThreadMessage::UseTable(table) => data.table = table,
        ThreadMessage::Clear => data.histories.clear(),
    }
}

/// Runs a search. If it panics, which is reported when it happens, returns `None` and replaces the thread's
/// data, so that later searches are not affected.
pub(super) fn search_or_renew(data: &mut ThreadData, shared: &SharedState) -> Option<Iteration> {
    let result = catch_unwind(AssertUnwindSafe(|| search(data, shared)));
    if result.is_err() {
        *data = ThreadData::new(data.id, data.table.clone());
    }
    result.ok()
}
