//! Finding the best move.

mod event;
mod pool;
mod request;
mod score;

pub use event::{Bound, Event, Info, Outcome};
pub use pool::{HashProbe, Pool, ResizeError};
pub use request::{
    Control, Level, Limits, PlayerClock, Randomness, SearchRequest, Settings, Style,
};
pub use score::{MAX_PLY, Score, Verdict};
