//! Finding the best move.
//!
//! A [`Pool`] takes a [`SearchRequest`] and reports [`Event`]s. Inside, a coordinator hands the request
//! to its threads and chooses from what they found. Each thread is a worker that deepens iteratively
//! (`deepening`, until `stopping`), as one of a `team`, from the `root` on, and walks the tree (`node`,
//! `quiescence`) in the order of the `picker`. `pruning` tells what is left out, `depth` how deep a
//! move is searched, `learning` what goes to the `history` and to the `table` that all threads share.
//! `path` asks what the rules make of the way to a node. Most of the numbers live in `margins`,
//! the others where they are used.

mod bench;
mod clock;
mod coordinator;
mod deepening;
mod depth;
mod event;
mod history;
mod lag;
mod learning;
mod margins;
mod node;
mod path;
mod picker;
mod pool;
mod pruning;
mod quiescence;
mod request;
mod root;
mod score;
mod searcher;
mod select;
mod stopping;
mod table;
mod team;
mod worker;

pub use bench::{BENCH_DEPTH, BENCH_POSITIONS, BenchResult, bench};
pub use event::{Bound, Event, Info, Outcome, nodes_per_second};
pub use pool::{HashProbe, Pool, ResizeError};
pub use request::{
    Control, Degree, Limits, PlayerClock, Randomness, SearchRequest, Settings, Style,
};
pub use score::{MAX_PLY, Meaning, Score};
pub use searcher::Searcher;
pub use worker::static_score;

/// Largest hash table that may be asked for, in MB.
pub const MAX_HASH: u32 = 1 << 20;
/// Most threads that may be asked for.
pub const MAX_THREADS: u32 = 512;
/// Iterations end at this depth, whatever depth is asked for.
pub const MAX_DEPTH: u32 = deepening::MAX_DEPTH as u32;
