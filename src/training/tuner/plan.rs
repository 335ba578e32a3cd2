//! How to tune, what each pass comes to, and the weights while they are tuned.

use serde::{Deserialize, Serialize};

/// How to tune.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tuning {
    /// Passes over all samples.
    pub epochs: u32,
    /// First step size, in units of the evaluation; it falls to a tenth by the end.
    pub step: f64,
    /// How much the result of the game counts beside the score of the search, 0 to 1.
    pub result_share: f64,
    /// Units of evaluation that make the odds e to 1.
    pub scale: f64,
    /// How large weights are expected to be, in units of the evaluation: all but material are
    /// pulled towards zero, the harder the rarer their term, against noise.
    pub spread: f64,
    /// Threads to work with.
    pub threads: usize,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            epochs: 300,
            step: 3.0,
            result_share: 0.3,
            scale: 370.0,
            spread: 40.0,
            threads: 1,
        }
    }
}

/// What one pass came to: mean squared error of the expected result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TuneReport {
    /// Number of the pass, from 1.
    pub epoch: u32,
    /// Error over the samples learned from.
    pub training_error: f64,
    /// Error over the twentieth or so that was held back.
    pub test_error: f64,
}

/// Why there is nothing to tune with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TuneError {
    /// Too few samples were given.
    #[error("{0} samples are too few, at least 1000 are needed")]
    TooFew(usize),
    /// The system refuses so many threads.
    #[error("the threads cannot be started: {0}")]
    NoThreads(String),
}

/// Middlegame and endgame weights in floating point.
pub(super) type Weights = Vec<[f64; 2]>;
