//! The optimizer: how weights follow their slopes.

use serde::{Deserialize, Serialize};

use super::plan::Weights;
use crate::eval::handcrafted::features::COUNT;
use crate::training::adam;

/// The optimizer of Kingma and Ba, "Adam: a method for stochastic optimization" (2015).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Adam {
    mean: Weights,
    variance: Weights,
    steps: i32,
}

impl Adam {
    /// An optimizer that has seen no slope yet.
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
        for index in 0..COUNT {
            for half in 0..2 {
                let moved = adam::update(
                    &mut self.mean[index][half],
                    &mut self.variance[index][half],
                    gradient[index][half],
                    self.steps,
                );
                weights[index][half] -= step * moved;
            }
        }
    }
}
