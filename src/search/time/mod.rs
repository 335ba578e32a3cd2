//! Time management: the time limits of a move and the measured move overhead.

mod manager;
mod overhead;

pub use manager::TimeManager;
pub use overhead::MoveOverhead;
