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
const STACK_BYTES: usize = 32 << 20;

/// More than what a thread keeps from one search to the next, in bytes.
const DATA_BYTES: usize = 4 << 20;

/// What a search thread takes in all, in bytes.
pub(super) const THREAD_BYTES: usize = STACK_BYTES + DATA_BYTES;

/// The messages to a search thread.
pub(super) enum ThreadMessage {
    /// Answered with the thread's number and what it found.
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

    /// Waits until the thread has done what it was told, and ends it.
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
            let result = catch_unwind(AssertUnwindSafe(|| search(data, &shared)));
            match result {
                // The coordinator waits for every thread.
                Ok(result) => drop(results.send((data.id, result))),
                // A fault of the search, already reported, costs this search and no later one.
                Err(_) => *data = ThreadData::new(data.id, data.table.clone()),
            }
        }
        ThreadMessage::UseTable(table) => data.table = table,
        ThreadMessage::Clear => data.histories.clear(),
    }
}
