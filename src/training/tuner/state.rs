//! How far the fitting of weights has come.

use serde::{Deserialize, Serialize};

use super::emitter;
use super::optimiser::Adam;
use super::plan::{TuneError, Tuning, Weights};
use crate::eval::handcrafted::WEIGHTS;
use crate::training::sample::Sample;

/// Fewest samples to tune with.
const FEWEST: usize = 1000;

/// How far the fitting of weights has come: all that it needs to go on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TuneState {
    pub(super) plan: Tuning,
    /// Samples that are fitted to.
    pub(super) samples: usize,
    /// Passes made.
    pub(super) epoch: u32,
    pub(super) weights: Weights,
    pub(super) adam: Adam,
    /// The least test error and the weights that have it.
    pub(super) best: Option<(f64, Weights)>,
}

impl TuneState {
    /// The beginning, with the weights that the evaluation has.
    ///
    /// # Errors
    /// When there are too few samples.
    pub fn new(samples: &[Sample], plan: &Tuning) -> Result<Self, TuneError> {
        if samples.len() < FEWEST {
            return Err(TuneError::TooFew(samples.len()));
        }
        let weights = WEIGHTS.iter();
        let weights = weights.map(|w| [f64::from(w.middlegame()), f64::from(w.endgame())]);
        Ok(Self {
            plan: *plan,
            samples: samples.len(),
            epoch: 0,
            weights: weights.collect(),
            adam: Adam::new(),
            best: None,
        })
    }

    /// Whether this is on the way from [`Self::new`] of these samples and plan; the number of threads may
    /// be another one.
    pub fn goes_on(&self, samples: &[Sample], plan: &Tuning) -> bool {
        let threads = self.plan.threads;
        let is_whole = |weights: &Weights| weights.len() == WEIGHTS.len();
        self.plan == Tuning { threads, ..*plan }
            && self.samples == samples.len()
            && is_whole(&self.weights)
            && self.adam.is_whole()
            && self.best.iter().all(|(_, weights)| is_whole(weights))
    }

    /// Passes made.
    pub fn epoch(&self) -> u32 {
        self.epoch
    }

    /// The weights of the pass with the least test error, rounded, in the order of the features.
    pub fn best_weights(&self) -> Vec<(i32, i32)> {
        let best = self.best.as_ref().map_or(&self.weights, |(_, best)| best);
        let mut weights = best.clone();
        emitter::center(&mut weights);
        let rounded = weights
            .iter()
            .map(|w| (w[0].round() as i32, w[1].round() as i32));
        rounded.collect()
    }
}
