//! How much time a move may take, and what a move costs beyond it.

mod manager;
mod overhead;

pub use manager::TimeManager;
pub use overhead::MoveOverhead;
