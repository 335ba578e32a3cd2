//! Requests and the threads that answer them.
//!
//! A [`Pool`] takes requests. Its coordinator passes each to the search threads, which wait between
//! searches, and chooses the move by a vote among their results. A [`Searcher`] searches in the caller's
//! thread.

mod memory;
mod pool;
mod request_handler;
mod search_thread;
mod searcher;

#[cfg(feature = "cli")]
pub(crate) use memory::cores;
pub use memory::free_megabytes;
pub(crate) use memory::{USUAL_STACK, start_thread};
pub use pool::{HashProbe, MAX_HASH, MAX_THREADS, Pool, ResizeError, StartError};
pub use request_handler::{SearchLine, SearchResult};
#[cfg(feature = "training")]
pub(crate) use search_thread::{has_room_for_searches, on_search_stack, spawn_search_thread};
pub use searcher::Searcher;
