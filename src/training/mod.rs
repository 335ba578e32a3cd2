//! Making the evaluation better by play: self-play positions and the tuner of the weights.

mod holdout;
#[cfg(test)]
mod random;
mod sample;
mod selfplay;
mod tuner;

pub use sample::{ParseSampleError, Sample};
pub use selfplay::{SelfPlay, SelfPlayError, play_games};
pub use tuner::{TuneError, TuneReport, Tuning, tune, write_weights};
