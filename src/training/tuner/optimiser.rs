//! The optimiser: how weights follow their slopes.

use serde::{Deserialize, Serialize};

use super::plan::Weights;
use crate::eval::handcrafted::features::COUNT;

/// Share of the running mean of a slope that stays with each step.
const MEAN_DECAY: f64 = 0.9;
/// Share of the running mean of a squared slope that stays with each step.
const VARIANCE_DECAY: f64 = 0.999;
/// Keeps a slope that was always zero from being divided by zero.
const EPSILON: f64 = 1e-12;

/// The optimiser of Kingma and Ba, "Adam: a method for stochastic optimization" (2015).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Adam {
    mean: Weights,
    variance: Weights,
    steps: i32,
}

impl Adam {
    /// An optimiser that has seen no slope yet.
    pub(super) fn new() -> Self {
        Self {
            mean: vec![[0.0; 2]; COUNT],
            variance: vec![[0.0; 2]; COUNT],
            steps: 0,
        }
    }

    /// Whether there is a mean for each weight.
    pub(super) fn is_whole(&self) -> bool {
        self.mean.len() == COUNT && self.variance.len() == COUNT && self.steps >= 0
    }

    /// Moves the weights down the slope, by about `step` each.
    pub(super) fn step(&mut self, weights: &mut Weights, gradient: &Weights, step: f64) {
        self.steps += 1;
        let correct1 = 1.0 - MEAN_DECAY.powi(self.steps);
        let correct2 = 1.0 - VARIANCE_DECAY.powi(self.steps);
        for index in 0..COUNT {
            for half in 0..2 {
                let slope = gradient[index][half];
                let mean = &mut self.mean[index][half];
                *mean = MEAN_DECAY * *mean + (1.0 - MEAN_DECAY) * slope;
                let variance = &mut self.variance[index][half];
                *variance = VARIANCE_DECAY * *variance + (1.0 - VARIANCE_DECAY) * slope * slope;
                let scaled = (*variance / correct2).sqrt() + EPSILON;
                weights[index][half] -= step * (*mean / correct1) / scaled;
            }
        }
    }
}
