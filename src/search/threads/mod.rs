//! Requests and the threads that answer them.
//!
//! A [`Pool`] takes requests. Its coordinator hands each to the search threads, which wait between
//! searches, and lets them `vote` on what they found.

mod coordinator;
mod memory;
mod pool;
mod search_thread;
mod searcher;
mod start;
mod vote;

pub use memory::free_megabytes;
pub use pool::{HashProbe, MAX_HASH, MAX_THREADS, Pool, ResizeError, StartError};
pub use searcher::Searcher;
pub(crate) use start::{USUAL_STACK, start_thread};
