//! The network in floating point: output, loss and gradient of one sample.
//!
//! The compiler vectorizes the loops. Every sum has a fixed order, so the results do not depend on the width of
//! the vector instructions.

use std::iter::repeat_n;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use super::samples::{FeatureList, PackedSample};
use crate::eval::nnue::features::FEATURES;
use crate::eval::nnue::simd::FloatBlock;
use crate::eval::nnue::{
    Architecture, INPUT_QUANT, InputBuckets, Network, NetworkParameters, OUTPUT_QUANT,
};

/// The number of neurons that are kept in registers at a time.
const TILE: usize = 64;
/// Active inputs in a typical position, for the scale of the initial weights.
const TYPICAL_ACTIVE: f32 = 24.0;
/// Maximum noise on the input weights of a widened network.
const WIDENING_NOISE: f32 = 0.035;
/// [`folded_sum`] does not fold this number of terms or fewer.
const UNFOLDED: usize = 16;

/// Offsets of the parts of the network in the parameter vector, in [`FloatBlock`]s. The rows of the input weights
/// come first.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    pub architecture: Architecture,
    /// Length of a row: the neurons of a perspective.
    pub row: usize,
    /// Input weights that are added to those of each bucket (a *factorizer*). Empty with one bucket.
    pub shared_weights: usize,
    pub input_biases: usize,
    pub output_weights: usize,
    pub output_biases: usize,
    /// Length of the parameter vector.
    pub length: usize,
}

impl Layout {
    pub fn new(architecture: Architecture) -> Self {
        let row = architecture.width / FloatBlock::LEN;
        let shared_weights = architecture.rows() * row;
        let shared = match architecture.inputs.count() {
            1 => 0,
            _ => FEATURES * row,
        };
        let input_biases = shared_weights + shared;
        let output_weights = input_biases + row;
        let output_biases = output_weights + architecture.outputs.count() * 2 * row;
        Self {
            architecture,
            row,
            shared_weights,
            input_biases,
            output_weights,
            output_biases,
            length: output_biases + architecture.outputs.count().div_ceil(FloatBlock::LEN),
        }
    }

    /// Initial parameters: uniformly random weights, so small that most neurons begin between 0 and 1, and input biases
    /// of 0.2. Shared weights and output biases are zero.
    pub fn random_parameters(&self, seed: u64) -> Vec<FloatBlock> {
        let mut rng = StdRng::seed_from_u64(seed);
        let mut parameters = vec![FloatBlock::ZERO; self.length];
        let mut fill = |part: &mut [FloatBlock], bound: f32| {
            for weight in FloatBlock::numbers_mut(part) {
                *weight = rng.random_range(-bound..bound);
            }
        };
        fill(&mut parameters[..self.shared_weights], 0.5 / TYPICAL_ACTIVE.sqrt());
        let output_bound = 1.0 / (2.0 * self.architecture.width as f32).sqrt();
        fill(&mut parameters[self.output_weights..self.output_biases], output_bound);
        FloatBlock::numbers_mut(&mut parameters[self.input_biases..self.output_weights]).fill(0.2);
        parameters
    }

    /// Whether training can start from a network of this architecture: the same output buckets, the same input
    /// buckets or only one, and the same width or half.
    pub fn can_start_from(&self, from: Architecture) -> bool {
        let Architecture { width, inputs, outputs } = self.architecture;
        (width == from.width || width == 2 * from.width)
            && (inputs == from.inputs || from.inputs == InputBuckets::One)
            && outputs == from.outputs
    }

    /// The parameters of a network. Shared weights are zero, unless the network has one input bucket and this
    /// architecture has several: then the shared weights are the input weights of the network, and those of the buckets
    /// are zero.
    ///
    /// A network of half the width is widened (T. Chen, I. Goodfellow and J. Shlens, "Net2Net", 2016): each neuron is
    /// copied and its output weights are halved. Opposite noise is added to the input weights of the copies, so that
    /// they can diverge while their sum hardly changes.
    ///
    /// If `scale`, that of the recipe, is not that of the network, the output weights and biases are multiplied by the
    /// ratio, so that evaluations remain the same.
    pub fn parameters_from(&self, network: &Network, scale: f32, seed: u64) -> Vec<FloatBlock> {
        let NetworkParameters { input_weights, input_biases, output_weights, output_biases } =
            network.parameters();
        let width = network.architecture.width;
        let copies = self.architecture.width / width;
        let mut parameters = vec![FloatBlock::ZERO; self.length];
        let mut fill = |start: usize, numbers: &[i16], divisor: f32| {
            let targets = FloatBlock::numbers_mut(&mut parameters[start..]).chunks_exact_mut(width);
            let rows = numbers.chunks_exact(width);
            for (target, row) in targets.zip(rows.flat_map(|row| repeat_n(row, copies))) {
                for (target, number) in target.iter_mut().zip(row) {
                    *target = f32::from(*number) / divisor;
                }
            }
        };
        let inputs = if self.architecture.inputs == network.architecture.inputs {
            0..self.shared_weights
        } else {
            self.shared_weights..self.input_biases
        };
        let input_quant = INPUT_QUANT as f32;
        fill(inputs.start, &input_weights, input_quant);
        fill(self.input_biases, &input_biases, input_quant);
        let output_quant = OUTPUT_QUANT as f32 * scale / network.scale as f32;
        fill(self.output_weights, &output_weights, output_quant * copies as f32);
        let biases = FloatBlock::numbers_mut(&mut parameters[self.output_biases..]);
        for (bias, number) in biases.iter_mut().zip(output_biases) {
            *bias = number as f32 / (input_quant * output_quant);
        }
        if copies == 2 {
            let mut rng = StdRng::seed_from_u64(seed);
            let rows = FloatBlock::numbers_mut(&mut parameters[inputs]);
            for row in rows.chunks_exact_mut(2 * width) {
                let (first, second) = row.split_at_mut(width);
                for (first, second) in first.iter_mut().zip(second) {
                    let noise = rng.random_range(-WIDENING_NOISE..WIDENING_NOISE);
                    *first += noise;
                    *second -= noise;
                }
            }
        }
        parameters
    }

    /// Moves the middle of the input weights of the buckets, within `clip`, to the shared weights. Training limits the
    /// parts of a weight separately, so a bucket alone cannot have a weight above the limit.
    pub fn share_weights(&self, parameters: &mut [FloatBlock], clip: f32) {
        let (buckets, rest) = parameters.split_at_mut(self.shared_weights);
        let buckets = FloatBlock::numbers_mut(buckets);
        let shared = FloatBlock::numbers_mut(&mut rest[..self.input_biases - self.shared_weights]);
        let count = shared.len();
        for (index, shared) in shared.iter_mut().enumerate() {
            let in_buckets = (index..buckets.len()).step_by(count);
            let weights = in_buckets.clone().map(|index| buckets[index]);
            let middle = (weights.clone().fold(f32::INFINITY, f32::min)
                + weights.fold(f32::NEG_INFINITY, f32::max))
                / 2.0;
            let before = std::mem::replace(shared, (*shared + middle).clamp(-clip, clip));
            in_buckets.for_each(|index| buckets[index] += before - *shared);
        }
    }

    /// The effective input weights: those of each bucket plus the shared ones.
    pub fn merged(&self, parameters: &[FloatBlock]) -> Vec<FloatBlock> {
        let mut rows = parameters[..self.shared_weights].to_vec();
        let shared = &parameters[self.shared_weights..self.input_biases];
        if !shared.is_empty() {
            for bucket in rows.chunks_exact_mut(shared.len()) {
                add(FloatBlock::numbers_mut(bucket), FloatBlock::numbers(shared));
            }
        }
        rows
    }

    /// Adds the gradients of the buckets to that of the shared weights.
    pub fn share_gradient(&self, gradient: &mut [FloatBlock]) {
        let (rows, rest) = gradient.split_at_mut(self.shared_weights);
        let shared = &mut rest[..self.input_biases - self.shared_weights];
        if !shared.is_empty() {
            for bucket in rows.chunks_exact(shared.len()) {
                add(FloatBlock::numbers_mut(shared), FloatBlock::numbers(bucket));
            }
        }
    }
}

/// The settings of the loss. The target of a sample is a mixture of the result of its game and its score.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Share of the result, from 0 to 1; the rest is the share of the score.
    pub result_share: f32,
    /// Evaluation units at which the odds are e to 1.
    pub scale: f32,
    /// The loss is this power of the error.
    pub loss_power: f32,
}

impl Target {
    /// The derivative of the loss with respect to the error.
    fn loss_slope(self, error: f32) -> f32 {
        let slope = self.loss_power * error.abs().powf(self.loss_power - 1.0);
        slope.copysign(error)
    }

    /// The target for the side to move, from 0 to 1.
    pub fn of(self, sample: &PackedSample) -> f32 {
        let result = f32::from(sample.result) / 2.0;
        let expected = sigmoid(f32::from(sample.score) / self.scale);
        self.result_share * result + (1.0 - self.result_share) * expected
    }
}

pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// Buffers for the computation of one sample.
pub struct Workspace {
    features: FeatureList,
    /// By perspective: the sums of the first layer, later their gradient.
    hidden: [Vec<FloatBlock>; 2],
    /// Contributions of the neurons of a perspective to the output.
    terms: Vec<FloatBlock>,
}

impl Workspace {
    pub fn new(layout: &Layout) -> Self {
        Self {
            features: FeatureList::new(),
            hidden: [vec![FloatBlock::ZERO; layout.row], vec![FloatBlock::ZERO; layout.row]],
            terms: vec![FloatBlock::ZERO; layout.row],
        }
    }

    /// The network's output for a sample, in units of [`Target::scale`], and the output bucket. `rows` are the input
    /// weights of [`Layout::merged`].
    #[inline(always)]
    pub fn output(
        &mut self,
        layout: &Layout,
        rows: &[FloatBlock],
        parameters: &[FloatBlock],
        sample: &PackedSample,
        mirror: bool,
    ) -> (f32, usize) {
        let length = layout.row;
        sample.features(layout.architecture, mirror, &mut self.features);
        let count = self.features.count;
        let bucket = layout.architecture.outputs.for_pieces(count);
        let biases = &parameters[layout.input_biases..][..length];
        let weights = &parameters[layout.output_weights + bucket * 2 * length..][..2 * length];
        let terms = FloatBlock::numbers_mut(&mut self.terms);
        let output_biases = FloatBlock::numbers(&parameters[layout.output_biases..]);
        let mut output = output_biases[bucket];
        for (side, hidden) in self.hidden.iter_mut().enumerate() {
            let hidden = FloatBlock::numbers_mut(hidden);
            let indices = &self.features.indices[side][..count];
            sum_rows(hidden, FloatBlock::numbers(biases), FloatBlock::numbers(rows), indices);
            let weights = FloatBlock::numbers(&weights[side * length..][..length]);
            for ((term, sum), weight) in terms.iter_mut().zip(&*hidden).zip(weights) {
                let clipped = sum.clamp(0.0, 1.0);
                *term = clipped * clipped * weight;
            }
            output += folded_sum(terms);
        }
        (output, bucket)
    }

    /// Adds the gradient of a sample's loss to `gradient` and returns the square of the error.
    #[inline(always)]
    pub fn add_gradient(
        &mut self,
        layout: &Layout,
        rows: &[FloatBlock],
        parameters: &[FloatBlock],
        (sample, mirror): (&PackedSample, bool),
        target: Target,
        gradient: &mut [FloatBlock],
    ) -> f64 {
        let length = layout.row;
        let (output, bucket) = self.output(layout, rows, parameters, sample, mirror);
        let predicted = sigmoid(output * sample.scale());
        let error = predicted - target.of(sample);
        let slope = target.loss_slope(error) * predicted * (1.0 - predicted) * sample.scale();
        FloatBlock::numbers_mut(&mut gradient[layout.output_biases..])[bucket] += slope;
        let output_weights = layout.output_weights + bucket * 2 * length;
        for (side, hidden) in self.hidden.iter_mut().enumerate() {
            let hidden = FloatBlock::numbers_mut(hidden);
            let start = output_weights + side * length;
            let weights = FloatBlock::numbers(&parameters[start..start + length]);
            let weight_slopes = FloatBlock::numbers_mut(&mut gradient[start..start + length]);
            let weights = weight_slopes.iter_mut().zip(weights);
            for (sum, (weight_slope, weight)) in hidden.iter_mut().zip(weights) {
                let clipped = sum.clamp(0.0, 1.0);
                let scaled = clipped * slope;
                *weight_slope += scaled * clipped;
                let inner = 2.0 * scaled * weight;
                *sum = if *sum > 0.0 && *sum < 1.0 { inner } else { 0.0 };
            }
            let mut add_at = |start: usize| {
                let row = &mut gradient[start..start + length];
                add(FloatBlock::numbers_mut(row), hidden);
            };
            add_at(layout.input_biases);
            for index in &self.features.indices[side][..self.features.count] {
                add_at(*index as usize * length);
            }
        }
        f64::from(error) * f64::from(error)
    }
}

/// Sets `sums` to the biases plus the rows with these indices.
#[inline(always)]
fn sum_rows(sums: &mut [f32], biases: &[f32], rows: &[f32], indices: &[u32]) {
    let length = sums.len();
    let row = |index: &u32| &rows[*index as usize * length..][..length];
    let (tiles, rest) = sums.as_chunks_mut::<TILE>();
    let (bias_tiles, rest_biases) = biases.as_chunks::<TILE>();
    for (number, (sums, biases)) in tiles.iter_mut().zip(bias_tiles).enumerate() {
        // A tile of fixed length stays in registers.
        let mut tile = *biases;
        for index in indices {
            let (row_tiles, _) = row(index).as_chunks::<TILE>();
            add(&mut tile, &row_tiles[number]);
        }
        *sums = tile;
    }
    rest.copy_from_slice(rest_biases);
    for index in indices {
        add(rest, &row(index)[length - rest.len()..]);
    }
}

/// Adds `terms` to `sums`, element by element; both have the same length.
#[inline(always)]
pub fn add(sums: &mut [f32], terms: &[f32]) {
    for (sum, term) in sums.iter_mut().zip(terms) {
        *sum += term;
    }
}

/// Sums `terms` in a fixed order that vector instructions of any width can follow: adds the second half to the
/// first until at most [`UNFOLDED`] terms or an odd number are left. Overwrites `terms`.
#[inline(always)]
fn folded_sum(mut terms: &mut [f32]) -> f32 {
    while terms.len() > UNFOLDED && terms.len().is_multiple_of(2) {
        let (first, second) = terms.split_at_mut(terms.len() / 2);
        add(first, second);
        terms = first;
    }
    terms.iter().sum()
}
