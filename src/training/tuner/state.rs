//! How far the fitting of weights has come.

use serde::{Deserialize, Serialize};

use super::emitter;
use super::optimizer::Adam;
use super::plan::{TuneError, Tuning, Weights};
use crate::eval::handcrafted::WEIGHTS;
use crate::training::sample::Sample;

/// Fewest samples to tune with.
const FEWEST: usize = 1000;

/// Version of the state as it is kept in files.
const VERSION: u32 = 2;

/// Why a stored state cannot be gone on from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StateMismatch {
    /// Another version of the program wrote it.
    #[error("it is of version {0}, but this program reads version {VERSION}")]
    Version(u32),
    /// It is of another run.
    #[error("it belongs to other samples or settings")]
    OtherRun,
}

/// How far the fitting of weights has come: all that it needs to go on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TuneState {
    version: u32,
    pub(super) plan: Tuning,
    /// Samples that are fitted to.
    pub(super) samples: usize,
    /// CRC-32C of them; version 1 has none.
    #[serde(default)]
    digest: u32,
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
            version: VERSION,
            plan: *plan,
            samples: samples.len(),
            digest: digest(samples),
            epoch: 0,
            weights: weights.collect(),
            adam: Adam::new(),
            best: None,
        })
    }

    /// Accepts a state on the way from [`Self::new`] of these samples and plan; the number of threads may
    /// be another one.
    ///
    /// # Errors
    /// When it is of another version or run.
    pub fn check(&self, samples: &[Sample], plan: &Tuning) -> Result<(), StateMismatch> {
        if self.version != VERSION {
            return Err(StateMismatch::Version(self.version));
        }
        let threads = self.plan.threads;
        let is_whole = |weights: &Weights| weights.len() == WEIGHTS.len();
        let is_this_run = self.plan == Tuning { threads, ..*plan }
            && (self.samples, self.digest) == (samples.len(), digest(samples))
            && is_whole(&self.weights)
            && self.adam.is_whole()
            && self.best.iter().all(|(_, weights)| is_whole(weights));
        match is_this_run {
            true => Ok(()),
            false => Err(StateMismatch::OtherRun),
        }
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

/// A number that tells lists of samples apart.
fn digest(samples: &[Sample]) -> u32 {
    samples.iter().fold(0, |sum, sample| {
        let sum = crc32c::crc32c_append(sum, &sample.position.key().to_le_bytes());
        let sum = crc32c::crc32c_append(sum, &sample.score.to_le_bytes());
        crc32c::crc32c_append(sum, &sample.result.to_le_bytes())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files of interrupted runs are kept: their keys do not change with the names of the program.
    #[test]
    fn a_stored_state_of_version_2_is_read() {
        let stored = concat!(
            r#"{"version":2,"plan":{"epochs":300,"step":3.0,"result_share":0.3,"scale":370.0,"#,
            r#""spread":12.0,"threads":2},"samples":5000,"digest":77,"epoch":7,"weights":[[1.0,2.5]],"#,
            r#""adam":{"mean":[[0.5,0.0]],"variance":[[0.25,0.0]],"steps":7},"#,
            r#""best":[0.0625,[[1.0,2.0]]]}"#
        );
        let state: TuneState = serde_json::from_str(stored).unwrap();
        assert_eq!((state.epoch(), state.samples), (7, 5000));
        assert_eq!(serde_json::to_string(&state).unwrap(), stored);
        let first = stored
            .replace("\"version\":2", "\"version\":1")
            .replace("\"digest\":77,", "");
        let first: TuneState = serde_json::from_str(&first).unwrap();
        let told = first.check(&[], &Tuning::default());
        assert_eq!(told, Err(StateMismatch::Version(1)));
        let told = state.check(&[], &Tuning::default());
        assert_eq!(told, Err(StateMismatch::OtherRun));
    }
}
