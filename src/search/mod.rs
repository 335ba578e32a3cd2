//! Finding the best move.
//!
//! A [`Pool`] takes a [`SearchRequest`] and reports [`Event`]s. Inside, each thread is a worker that
//! deepens iteratively (`root`), walks the tree (`node`, `quiescence`) in the order of the `picker`,
//! learns in `history`, shares what it finds in `table`, and asks `path` what the rules make of the
//! way it came. Every number lives in `margins`.

mod bench;
mod clock;
mod event;
mod history;
mod margins;
mod node;
mod path;
mod picker;
mod pool;
mod quiescence;
mod request;
mod root;
mod score;
mod select;
mod table;
mod worker;

pub use bench::{BENCH_DEPTH, BENCH_POSITIONS, BenchResult, bench};
pub use event::{Bound, Event, Info, Outcome};
pub use pool::{HashProbe, Pool, ResizeError};
pub use request::{
    Control, Level, Limits, PlayerClock, Randomness, SearchRequest, Settings, Style,
};
pub use score::{MAX_PLY, Score, Verdict};
