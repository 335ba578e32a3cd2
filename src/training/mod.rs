//! Making the evaluation better by play: games against itself and the tuner of the weights.

pub mod data;
mod holdout;
pub mod prepare;
#[cfg(test)]
mod random;
mod sample;
mod selfplay;
mod tuner;

pub use sample::{ParseSampleError, Sample};
pub use selfplay::{Interrupt, Plan, Progress, Run, SelfPlay, SelfPlayError};
pub use tuner::{TuneError, TuneReport, Tuning, tune, write_weights};
