//! What results are worth: Elo with its error, the sequential test, and the figures of each engine.

mod elo;
mod sprt;
mod standings;

pub use elo::{Estimate, Interval, Scores};
pub use sprt::{Decision, EloModel, Sprt, SprtRun};
pub use standings::{EngineFigures, Standings};
