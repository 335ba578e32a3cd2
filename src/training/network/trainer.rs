//! Passes over the samples: batches in a random order, the gradient of each summed in a fixed order.

use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rayon::prelude::*;

use super::model::{Layout, Target, Workspace};
use super::optimizer::{AdamStep, AdamW};
use super::recipe::{Recipe, RecipeError};
use super::samples::{PackedSample, Samples};
use super::vector::add;
use crate::eval::nnue::simd::{FloatBlock, SimdLevel};
use crate::eval::nnue::{Architecture, INPUT_QUANT, Network, NetworkParameters, OUTPUT_QUANT};

/// Parts that the samples of a batch are divided into, whatever the number of threads, so that sums
/// come out the same. No more threads than this are of use.
const SHARDS: usize = 8;
/// Blocks of parameters that one task sums up and moves at a time.
const SLICE: usize = 1024;

/// Largest whole weight of an input: 32 of them and a bias fit 16 bits.
pub(super) const INPUT_BOUND: f32 = 900.0;

/// A training run as it stands.
pub struct Trainer {
    recipe: Recipe,
    layout: Layout,
    pub(super) parameters: Vec<FloatBlock>,
    pub(super) optimizer: AdamW,
    /// Passes that are done.
    pub(super) passes: u32,
    /// Checksum of the network that the run began with; 0 for random weights.
    pub(super) start: u32,
    level: SimdLevel,
}

/// Why a run cannot begin.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TrainerError {
    /// A number of the recipe is out of its range.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// The network to begin with has another shape.
    #[error("the network to begin with has {found:?}, the recipe {wanted:?}")]
    OtherArchitecture {
        /// The shape of the network.
        found: Architecture,
        /// The shape that the recipe asks for.
        wanted: Architecture,
    },
}

/// What a pass came to: mean squared errors of the expected result.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct PassReport {
    /// Number of the pass, from 1.
    pub pass: u32,
    /// Error over the samples learned from, while they were learned from.
    pub training_loss: f64,
    /// Error over the samples of the games that were held back.
    pub test_loss: f64,
    /// Learning rate of the last step.
    pub rate: f32,
}

/// A shard's share of the work on a batch.
struct Shard {
    gradient: Vec<FloatBlock>,
    workspace: Workspace,
    loss: f64,
}

impl Trainer {
    /// A run that has not begun, with random weights or with those of `start`, so that what earlier games
    /// taught is kept. A lower rate suits a network to begin with.
    ///
    /// # Errors
    /// When a number of the recipe is out of its range, or `start` has another shape than the recipe.
    pub fn new(recipe: Recipe, start: Option<&Network>) -> Result<Self, TrainerError> {
        let wanted = recipe.architecture()?;
        let layout = Layout::new(wanted);
        let parameters = match start {
            None => layout.start(recipe.seed),
            Some(network) if network.architecture == wanted => layout.start_from(network),
            Some(network) => {
                let found = network.architecture;
                return Err(TrainerError::OtherArchitecture { found, wanted });
            }
        };
        Ok(Self {
            parameters,
            optimizer: AdamW::new(layout.length),
            passes: 0,
            start: start.map_or(0, |network| crc32c::crc32c(&network.to_bytes())),
            level: SimdLevel::widest(),
            layout,
            recipe,
        })
    }

    /// What is trained and how.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// Passes that are done.
    pub fn passes(&self) -> u32 {
        self.passes
    }

    /// Whether all passes of the recipe are done.
    pub fn is_done(&self) -> bool {
        self.passes >= self.recipe.passes
    }

    /// Goes over all samples once, telling `progress` of the samples done, which may end the pass by
    /// `false`: then the trainer is as far as it came, and `None` is returned.
    pub fn pass(
        &mut self,
        samples: &Samples,
        mut progress: impl FnMut(usize) -> bool,
    ) -> Option<PassReport> {
        let mut rng =
            StdRng::seed_from_u64(self.recipe.seed ^ (u64::from(self.passes) << 32 | 0x5eed));
        let count = samples.training.len();
        let mut order: Vec<u32> = (0..count as u32).collect();
        order.shuffle(&mut rng);
        let mut shards: Vec<Shard> = (0..SHARDS).map(|_| self.shard()).collect();
        let steps_a_pass = count.div_ceil(self.recipe.batch) as u64;
        let steps = steps_a_pass * u64::from(self.recipe.passes);
        let (mut loss, mut done, mut rate) = (0.0, 0, 0.0);
        for (number, batch) in order.chunks(self.recipe.batch).enumerate() {
            let step = u64::from(self.passes) * steps_a_pass + number as u64;
            rate = self.recipe.rate_at(step, steps);
            let target = Target {
                result_share: self.recipe.result_share_at(step, steps),
                scale: self.recipe.scale,
            };
            let mirrors = rng.random();
            loss += self.learn(&mut shards, &samples.training, batch, mirrors, target, rate);
            done += batch.len();
            if !progress(done) {
                return None;
            }
        }
        self.passes += 1;
        Some(PassReport {
            pass: self.passes,
            training_loss: loss / count.max(1) as f64,
            test_loss: self.test_loss(&samples.test),
            rate,
        })
    }

    fn shard(&self) -> Shard {
        Shard {
            gradient: vec![FloatBlock::ZERO; self.layout.length],
            workspace: Workspace::new(&self.layout),
            loss: 0.0,
        }
    }

    /// One step: learns from a batch and returns the sum of its losses.
    fn learn(
        &mut self,
        shards: &mut [Shard],
        samples: &[PackedSample],
        batch: &[u32],
        mirrors: u64,
        target: Target,
        rate: f32,
    ) -> f64 {
        let (layout, parameters, level) = (&self.layout, &self.parameters, self.level);
        let rows = layout.merged(parameters);
        let share = batch.len().div_ceil(SHARDS);
        let parts = batch.par_chunks(share).zip(shards.par_iter_mut());
        parts.for_each(|(part, shard)| {
            let Shard {
                gradient,
                workspace,
                loss,
            } = shard;
            gradient.fill(FloatBlock::ZERO);
            *loss = 0.0;
            level.run(
                #[inline(always)]
                || {
                    for index in part {
                        // One bit of a hash of the sample's number says whether it is mirrored.
                        let hash =
                            (u64::from(*index) ^ mirrors).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                        let sample = (&samples[*index as usize], hash >> 63 == 1);
                        *loss +=
                            workspace.learn(layout, &rows, parameters, sample, target, gradient);
                    }
                },
            );
            layout.share_gradient(gradient);
        });
        let used = batch.len().div_ceil(share);
        let shards = &shards[..used];
        self.step(shards, batch.len(), rate);
        shards.iter().map(|shard| shard.loss).sum()
    }

    /// Sums the shards' gradients up and moves the parameters.
    fn step(&mut self, shards: &[Shard], count: usize, rate: f32) {
        let scale = 1.0 / count as f32;
        let step = AdamStep {
            rate,
            decay: self.recipe.decay,
            clip: self.recipe.clip,
        };
        let free_from = self.layout.output_biases;
        let (level, optimizer) = (self.level, &mut self.optimizer);
        optimizer.steps += 1;
        let steps = optimizer.steps;
        let means = optimizer
            .mean
            .par_chunks_mut(SLICE)
            .zip(optimizer.square.par_chunks_mut(SLICE));
        let slices = self.parameters.par_chunks_mut(SLICE).zip(means).enumerate();
        slices.for_each(|(number, (parameters, (mean, square)))| {
            let start = number * SLICE;
            let bound = free_from.saturating_sub(start).min(parameters.len());
            level.run(
                #[inline(always)]
                || {
                    let mut gradient = vec![FloatBlock::ZERO; parameters.len()];
                    let slopes = FloatBlock::numbers_mut(&mut gradient);
                    for shard in shards {
                        let part = &shard.gradient[start..start + parameters.len()];
                        add(slopes, FloatBlock::numbers(part));
                    }
                    slopes.iter_mut().for_each(|slope| *slope *= scale);
                    super::optimizer::step(parameters, mean, square, &gradient, steps, step, bound);
                },
            );
        });
    }

    /// Mean squared error over samples that nothing is learned from.
    pub fn test_loss(&self, samples: &[PackedSample]) -> f64 {
        let rows = self.layout.merged(&self.parameters);
        let target = Target {
            result_share: self.recipe.final_result_share,
            scale: self.recipe.scale,
        };
        let share = samples.len().div_ceil(SHARDS).max(1);
        let sums: Vec<f64> = samples
            .par_chunks(share)
            .map(|part| {
                let mut workspace = Workspace::new(&self.layout);
                self.level.run(
                    #[inline(always)]
                    || {
                        let error = |sample| {
                            let output = workspace.output(
                                &self.layout,
                                &rows,
                                &self.parameters,
                                sample,
                                false,
                            );
                            let error = super::model::sigmoid(output.0) - target.of(sample);
                            f64::from(error) * f64::from(error)
                        };
                        part.iter().map(error).sum()
                    },
                )
            })
            .collect();
        sums.iter().sum::<f64>() / samples.len().max(1) as f64
    }

    /// The output for a sample in floating point, in units of evaluation.
    pub fn evaluate(&self, sample: &PackedSample) -> f32 {
        let rows = self.layout.merged(&self.parameters);
        let mut workspace = Workspace::new(&self.layout);
        workspace
            .output(&self.layout, &rows, &self.parameters, sample, false)
            .0
            * self.recipe.scale
    }

    /// The network in whole numbers.
    pub fn network(&self, description: String) -> Network {
        let layout = &self.layout;
        let (inputs, outputs) = (INPUT_QUANT as f32, OUTPUT_QUANT as f32);
        let whole = |values: &[FloatBlock], factor: f32, bound: f32| -> Vec<i16> {
            let whole = |value: f32| (value * factor).round().clamp(-bound, bound) as i16;
            FloatBlock::numbers(values)
                .iter()
                .map(|&value| whole(value))
                .collect()
        };
        let parameters = &self.parameters;
        let parameters = NetworkParameters {
            input_weights: whole(&layout.merged(parameters), inputs, INPUT_BOUND),
            input_biases: whole(
                &parameters[layout.input_biases..layout.output_weights],
                inputs,
                INPUT_BOUND,
            ),
            output_weights: whole(
                &parameters[layout.output_weights..layout.output_biases],
                outputs,
                127.0,
            ),
            output_biases: FloatBlock::numbers(&parameters[layout.output_biases..])
                .iter()
                .take(layout.architecture.outputs.count())
                .map(|value| (value * inputs * outputs).round() as i32)
                .collect(),
        };
        let scale = self.recipe.scale.round() as i32;
        Network::new(layout.architecture, scale, description, &parameters)
            .expect("the layout has as many numbers as the architecture asks for")
    }
}
