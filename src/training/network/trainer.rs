//! Passes over the samples, in random order and in batches. The gradient of a batch is summed in a fixed order.

use std::fmt;

use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rayon::prelude::*;

use super::model::{Layout, Target, Workspace, add, sigmoid};
use super::recipe::{Recipe, RecipeError};
use super::samples::{PackedSample, Samples};
use crate::eval::nnue::simd::{FloatBlock, SimdLevel};
use crate::eval::nnue::{INPUT_QUANT, Network, NetworkParameters, OUTPUT_QUANT};

/// Number of parts of a batch. It does not depend on the number of threads, so that sums are always the same. At most
/// this number of threads compute gradients or losses.
const SHARDS: usize = 8;
/// Blocks of parameters that one task updates.
const SLICE: usize = 1024;

/// Maximum absolute value of a quantized input weight or bias: the sum of 32 weights and a bias fits in 16 bits.
pub const INPUT_BOUND: f32 = 900.0;

/// Decay of the mean of gradients in AdamW.
const BETA1: f32 = 0.9;
/// Decay of the mean of squared gradients.
const BETA2: f32 = 0.999;
/// Avoids a division by zero.
const EPSILON: f32 = 1e-8;

pub struct Trainer {
    recipe: Recipe,
    layout: Layout,
    pub(super) parameters: Vec<FloatBlock>,
    pub(super) optimizer: AdamW,
    /// Completed passes.
    pub(super) passes: u32,
    /// Checksum of the initial network; 0 for random weights.
    pub(super) start_checksum: u32,
    level: SimdLevel,
}

/// The losses are mean squared differences between the predicted result and the target of the sample, whatever
/// the `loss_power` of the recipe is.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct PassReport {
    /// Number of the pass, from 1.
    pub pass: u32,
    /// Loss over the training samples, during the pass.
    pub training_loss: f64,
    /// Loss over the test samples, after the pass.
    pub test_loss: f64,
    /// Learning rate of the last step.
    pub rate: f32,
}

/// The losses of a class of samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClassLoss {
    pub samples: u64,
    pub sum: f64,
}

impl ClassLoss {
    /// Mean loss; 0 without samples.
    pub fn mean(self) -> f64 {
        self.sum / self.samples.max(1) as f64
    }

    fn merge(&mut self, other: Self) {
        self.samples += other.samples;
        self.sum += other.sum;
    }
}

/// Upper bounds of the classes of absolute scores in [`TestLosses`], in evaluation units.
pub const SCORE_CLASS_BOUNDS: [u16; 5] = [45, 100, 450, 1000, u16::MAX];

/// The losses over the test samples, as squared errors. Each of the two divisions into classes has every sample once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TestLosses {
    pub all: ClassLoss,
    /// By number of pieces: 1 to 4, 5 to 8, and so on to 29 to 32.
    pub by_pieces: [ClassLoss; 8],
    /// By absolute score; see [`SCORE_CLASS_BOUNDS`].
    pub by_score: [ClassLoss; SCORE_CLASS_BOUNDS.len()],
}

impl TestLosses {
    fn add(&mut self, sample: &PackedSample, loss: f64) {
        let loss = ClassLoss { samples: 1, sum: loss };
        let size = sample.score.unsigned_abs();
        let class = SCORE_CLASS_BOUNDS.partition_point(|bound| *bound < size);
        self.all.merge(loss);
        self.by_pieces[(sample.pieces().count() - 1) / 4].merge(loss);
        self.by_score[class].merge(loss);
    }

    fn merge(&mut self, other: &Self) {
        self.all.merge(other.all);
        let classes = self.by_pieces.iter_mut().chain(&mut self.by_score);
        let others = other.by_pieces.iter().chain(&other.by_score);
        classes.zip(others).for_each(|(class, other)| class.merge(*other));
    }
}

impl fmt::Display for TestLosses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = |f: &mut fmt::Formatter<'_>, name: String, loss: &ClassLoss| {
            let samples = loss.samples;
            let mean = match samples {
                0 => "-".to_owned(),
                _ => format!("{:.6}", loss.mean()),
            };
            writeln!(f, "  {mean:>8}  {samples:>9} samples  {name}")
        };
        writeln!(f, "test loss by pieces")?;
        for (class, loss) in self.by_pieces.iter().enumerate() {
            row(f, format!("{} to {}", 4 * class + 1, 4 * class + 4), loss)?;
        }
        writeln!(f, "test loss by score (evaluation units)")?;
        for (bound, loss) in SCORE_CLASS_BOUNDS.iter().zip(&self.by_score) {
            let name =
                if *bound == u16::MAX { "larger".to_owned() } else { format!("up to {bound}") };
            row(f, name, loss)?;
        }
        Ok(())
    }
}

/// The work on one part of a batch.
struct Shard {
    gradient: Vec<FloatBlock>,
    workspace: Workspace,
    loss: f64,
}

impl Trainer {
    /// Begins a run with random weights or those of `start`; a run from a network needs a lower learning rate. If
    /// `start` has half the width of the recipe, each of its neurons is doubled. If it has one input bucket and the
    /// recipe has several, each bucket begins with the weights of that one.
    ///
    /// # Errors
    /// A setting of the recipe is out of range, or `start` has other buckets (one input bucket is allowed), or neither
    /// the width of the recipe nor half of it.
    pub fn new(recipe: Recipe, start: Option<&Network>) -> Result<Self, RecipeError> {
        let wanted = recipe.architecture()?;
        let layout = Layout::new(wanted);
        let parameters = match start {
            None => layout.random_parameters(recipe.seed),
            Some(network) if layout.can_start_from(network.architecture) => {
                let mut parameters = layout.parameters_from(network, recipe.scale, recipe.seed);
                layout.share_weights(&mut parameters, recipe.clip);
                parameters
            }
            Some(network) => {
                let found = network.architecture;
                return Err(RecipeError(format!(
                    "the initial network has {found}, but the recipe has {wanted}"
                )));
            }
        };
        Ok(Self {
            parameters,
            optimizer: AdamW::new(layout.length),
            passes: 0,
            start_checksum: start.map_or(0, Network::checksum),
            level: SimdLevel::widest(),
            layout,
            recipe,
        })
    }

    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    pub fn passes(&self) -> u32 {
        self.passes
    }

    pub fn is_done(&self) -> bool {
        self.passes >= self.recipe.passes
    }

    /// Trains on all samples once. Calls `progress` before each batch with the number of samples done; if it returns
    /// `false`, the pass ends early and `None` is returned. The parameters then include the steps of the unfinished
    /// pass.
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
        let shard = |_| Shard {
            gradient: vec![FloatBlock::ZERO; self.layout.length],
            workspace: Workspace::new(&self.layout),
            loss: 0.0,
        };
        let mut shards: Vec<Shard> = (0..SHARDS).map(shard).collect();
        let steps_per_pass = count.div_ceil(self.recipe.batch) as u64;
        let steps = steps_per_pass * u64::from(self.recipe.passes);
        let (mut loss, mut done, mut rate) = (0.0, 0, 0.0);
        for (number, batch) in order.chunks(self.recipe.batch).enumerate() {
            if !progress(done) {
                return None;
            }
            let step = u64::from(self.passes) * steps_per_pass + number as u64;
            rate = self.recipe.rate_at(step, steps);
            let target = Target {
                result_share: self.recipe.result_share_at(step, steps),
                scale: self.recipe.scale,
                loss_power: self.recipe.loss_power,
            };
            let mirrors = rng.random();
            loss += self.learn(&mut shards, &samples.training, batch, mirrors, target, rate);
            done += batch.len();
        }
        self.passes += 1;
        Some(PassReport {
            pass: self.passes,
            training_loss: loss / count.max(1) as f64,
            test_loss: self.test_loss(&samples.test),
            rate,
        })
    }

    /// Trains on one batch. Returns the sum of its losses.
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
            let Shard { gradient, workspace, loss } = shard;
            gradient.fill(FloatBlock::ZERO);
            *loss = 0.0;
            level.run(
                #[inline(always)]
                || {
                    for index in part {
                        // One bit of a hash of the sample's index decides whether to mirror it.
                        let hash =
                            (u64::from(*index) ^ mirrors).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                        let sample = (&samples[*index as usize], hash >> 63 == 1);
                        *loss += workspace
                            .add_gradient(layout, &rows, parameters, sample, target, gradient);
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

    /// Sums the gradients of the shards and updates the parameters.
    fn step(&mut self, shards: &[Shard], count: usize, rate: f32) {
        let scale = 1.0 / count as f32;
        let step = AdamStep { rate, decay: self.recipe.decay, clip: self.recipe.clip };
        let output_biases = self.layout.output_biases;
        let (level, optimizer) = (self.level, &mut self.optimizer);
        optimizer.steps = optimizer.steps.saturating_add(1);
        let steps = optimizer.steps;
        let means =
            optimizer.mean.par_chunks_mut(SLICE).zip(optimizer.square.par_chunks_mut(SLICE));
        let slices = self.parameters.par_chunks_mut(SLICE).zip(means).enumerate();
        slices.for_each(|(number, (parameters, (mean, square)))| {
            let start = number * SLICE;
            let decayed = output_biases.saturating_sub(start).min(parameters.len());
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
                    adam_step(parameters, mean, square, &gradient, steps, step, decayed);
                },
            );
        });
    }

    pub fn test_loss(&self, samples: &[PackedSample]) -> f64 {
        self.test_losses(samples).all.mean()
    }

    /// Losses over samples, without training on them, by number of pieces and by score. The share of the result in the
    /// target is the final one of the recipe.
    pub fn test_losses(&self, samples: &[PackedSample]) -> TestLosses {
        let rows = self.layout.merged(&self.parameters);
        let target = Target {
            result_share: self.recipe.final_result_share,
            scale: self.recipe.scale,
            loss_power: self.recipe.loss_power,
        };
        let share = samples.len().div_ceil(SHARDS).max(1);
        let parts: Vec<TestLosses> = samples
            .par_chunks(share)
            .map(|part| {
                let mut workspace = Workspace::new(&self.layout);
                let mut losses = TestLosses::default();
                self.level.run(
                    #[inline(always)]
                    || {
                        for sample in part {
                            let (output, _) = workspace.output(
                                &self.layout,
                                &rows,
                                &self.parameters,
                                sample,
                                false,
                            );
                            let predicted = sigmoid(output * sample.scale());
                            let error = f64::from(predicted - target.of(sample));
                            losses.add(sample, error * error);
                        }
                    },
                );
                losses
            })
            .collect();
        let mut sum = TestLosses::default();
        parts.iter().for_each(|part| sum.merge(part));
        sum
    }

    /// The evaluation of a sample in floating point, in evaluation units.
    pub fn evaluate(&self, sample: &PackedSample) -> f32 {
        let rows = self.layout.merged(&self.parameters);
        let mut workspace = Workspace::new(&self.layout);
        workspace.output(&self.layout, &rows, &self.parameters, sample, false).0 * self.recipe.scale
    }

    /// The quantized network.
    pub fn network(&self, description: String) -> Network {
        let layout = &self.layout;
        let (inputs, outputs) = (INPUT_QUANT as f32, OUTPUT_QUANT as f32);
        let quantized = |values: &[FloatBlock], factor: f32, bound: f32| -> Vec<i16> {
            let quantize = |value: f32| (value * factor).round().clamp(-bound, bound) as i16;
            FloatBlock::numbers(values).iter().map(|&value| quantize(value)).collect()
        };
        let parameters = &self.parameters;
        let parameters = NetworkParameters {
            input_weights: quantized(&layout.merged(parameters), inputs, INPUT_BOUND),
            input_biases: quantized(
                &parameters[layout.input_biases..layout.output_weights],
                inputs,
                INPUT_BOUND,
            ),
            output_weights: quantized(
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
            .expect("the layout has the size of the architecture")
    }
}

/// State of AdamW (D. P. Kingma and J. Ba, "Adam", 2015, with the weight decay of I. Loshchilov and F. Hutter,
/// 2019): the means of the gradient and its square.
#[derive(Clone, Debug, PartialEq)]
pub struct AdamW {
    pub mean: Vec<FloatBlock>,
    pub square: Vec<FloatBlock>,
    pub steps: u64,
}

/// The settings of a step of AdamW; see [`Recipe`].
#[derive(Clone, Copy, Debug)]
struct AdamStep {
    rate: f32,
    decay: f32,
    clip: f32,
}

impl AdamW {
    fn new(length: usize) -> Self {
        Self {
            mean: vec![FloatBlock::ZERO; length],
            square: vec![FloatBlock::ZERO; length],
            steps: 0,
        }
    }
}

/// Updates a part of the parameters in step `step_number`, from 1. The first `decayed` blocks have weight decay and a
/// size limit; the output biases after them have neither.
#[inline(always)]
fn adam_step(
    parameters: &mut [FloatBlock],
    mean: &mut [FloatBlock],
    square: &mut [FloatBlock],
    gradient: &[FloatBlock],
    step_number: u64,
    settings: AdamStep,
    decayed: usize,
) {
    let exponent = step_number.min(1_000_000) as i32;
    let mean_scale = 1.0 / (1.0 - BETA1.powi(exponent));
    let square_scale = 1.0 / (1.0 - BETA2.powi(exponent));
    let decayed = decayed * FloatBlock::LEN;
    let parameters = FloatBlock::numbers_mut(parameters);
    let means = FloatBlock::numbers_mut(mean).iter_mut();
    let means = means.zip(FloatBlock::numbers_mut(square));
    let slopes = FloatBlock::numbers(gradient);
    for ((parameter, slope), (mean, square)) in parameters.iter_mut().zip(slopes).zip(means) {
        *mean += (1.0 - BETA1) * (slope - *mean);
        *square += (1.0 - BETA2) * (slope * slope - *square);
        let size = (*square * square_scale).sqrt() + EPSILON;
        *parameter -= settings.rate * (*mean * mean_scale) / size;
    }
    for parameter in &mut parameters[..decayed] {
        let decay = 1.0 - settings.rate * settings.decay;
        *parameter = (*parameter * decay).clamp(-settings.clip, settings.clip);
    }
}
