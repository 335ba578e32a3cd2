//! Requests and the threads that answer them.
//!
//! A [`Pool`] takes requests. Its coordinator hands each to the search threads, which wait between
//! searches, and lets them `vote` on what they found.

mod coordinator;
mod memory;
mod pool;
mod search_thread;
mod searcher;
mod vote;

pub use memory::free_megabytes;
pub(crate) use memory::{USUAL_STACK, start_thread};
pub use pool::{HashProbe, MAX_HASH, MAX_THREADS, Pool, ResizeError, StartError};
pub use searcher::Searcher;
