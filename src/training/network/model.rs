//! The network in floating point: output, loss and gradient of one sample.

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use super::samples::{FeatureList, PackedSample};
use super::vector::{add, folded_sum};
use crate::eval::nnue::features::FEATURES;
use crate::eval::nnue::simd::FloatBlock;
use crate::eval::nnue::{Architecture, INPUT_QUANT, Network, NetworkParameters, OUTPUT_QUANT};

/// Numbers that are kept in registers at a time.
const TILE: usize = 64;
/// Inputs that are on in a usual position, for the size of the first weights.
const USUAL_ACTIVE: f32 = 24.0;

/// Where each part of the parameters stands in the one list of all, counted in [`FloatBlock`]s.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub architecture: Architecture,
    /// Blocks of a row: the neurons of a perspective.
    pub row: usize,
    /// Weights that all buckets of an input share (a *factoriser*), added to those of each; none with
    /// one bucket. The rows of all buckets stand before.
    pub shared_weights: usize,
    pub input_biases: usize,
    pub output_weights: usize,
    pub output_biases: usize,
    /// Length of the list.
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

    /// First parameters: uniform, so that neurons begin between their bounds; nothing shared.
    pub fn start(&self, seed: u64) -> Vec<FloatBlock> {
        let mut rng = StdRng::seed_from_u64(seed);
        let mut parameters = vec![FloatBlock::ZERO; self.length];
        let mut fill = |part: &mut [FloatBlock], bound: f32| {
            for weight in FloatBlock::numbers_mut(part) {
                *weight = rng.random_range(-bound..bound);
            }
        };
        fill(
            &mut parameters[..self.shared_weights],
            0.5 / USUAL_ACTIVE.sqrt(),
        );
        let output_bound = 1.0 / (2.0 * self.architecture.width as f32).sqrt();
        fill(
            &mut parameters[self.output_weights..self.output_biases],
            output_bound,
        );
        FloatBlock::numbers_mut(&mut parameters[self.input_biases..self.output_weights]).fill(0.2);
        parameters
    }

    /// Parameters that give this network, whose architecture is the layout's: nothing shared.
    pub fn start_from(&self, network: &Network) -> Vec<FloatBlock> {
        let NetworkParameters {
            input_weights,
            input_biases,
            output_weights,
            output_biases,
        } = network.parameters();
        let mut parameters = vec![FloatBlock::ZERO; self.length];
        let mut fill = |start: usize, numbers: &mut dyn Iterator<Item = f32>| {
            let places = FloatBlock::numbers_mut(&mut parameters[start..]).iter_mut();
            places
                .zip(numbers)
                .for_each(|(place, number)| *place = number);
        };
        let (inputs, outputs) = (INPUT_QUANT as f32, OUTPUT_QUANT as f32);
        let over = |numbers: Vec<i16>, factor: f32| {
            numbers
                .into_iter()
                .map(move |number| f32::from(number) / factor)
        };
        fill(0, &mut over(input_weights, inputs));
        fill(self.input_biases, &mut over(input_biases, inputs));
        fill(self.output_weights, &mut over(output_weights, outputs));
        let biases = output_biases.into_iter();
        fill(
            self.output_biases,
            &mut biases.map(|bias| bias as f32 / (inputs * outputs)),
        );
        parameters
    }

    /// The weights by row as they count: those of the bucket and those that all share.
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

    /// Adds the gradient of the rows to that of what they share.
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

/// What a sample is compared with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub result_share: f32,
    pub scale: f32,
}

impl Target {
    /// The wanted share of points for the side to move.
    pub fn of(self, sample: &PackedSample) -> f32 {
        let result = f32::from(sample.result) / 2.0;
        let expected = sigmoid(f32::from(sample.score) / self.scale);
        self.result_share * result + (1.0 - self.result_share) * expected
    }
}

pub(super) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// Room for one sample's work, kept from sample to sample.
pub(super) struct Workspace {
    features: FeatureList,
    /// By perspective: sums, then their gradient.
    hidden: [Vec<FloatBlock>; 2],
    /// What each neuron of a perspective adds to the output.
    shares: Vec<FloatBlock>,
}

impl Workspace {
    pub fn new(layout: &Layout) -> Self {
        Self {
            features: FeatureList::new(),
            hidden: [
                vec![FloatBlock::ZERO; layout.row],
                vec![FloatBlock::ZERO; layout.row],
            ],
            shares: vec![FloatBlock::ZERO; layout.row],
        }
    }

    /// The network's output for a sample, in units of the scale, and its bucket. `rows` are the merged
    /// weights of the inputs.
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
        let shares = FloatBlock::numbers_mut(&mut self.shares);
        let output_biases = FloatBlock::numbers(&parameters[layout.output_biases..]);
        let mut output = output_biases[bucket];
        for (side, hidden) in self.hidden.iter_mut().enumerate() {
            let hidden = FloatBlock::numbers_mut(hidden);
            let indices = &self.features.indices[side][..count];
            sum_rows(
                hidden,
                FloatBlock::numbers(biases),
                FloatBlock::numbers(rows),
                indices,
            );
            let weights = FloatBlock::numbers(&weights[side * length..][..length]);
            for ((share, sum), weight) in shares.iter_mut().zip(&*hidden).zip(weights) {
                let clipped = sum.clamp(0.0, 1.0);
                *share = clipped * clipped * weight;
            }
            output += folded_sum(shares);
        }
        (output, bucket)
    }

    /// Adds the gradient of a sample's loss to `gradient` and returns the loss.
    #[inline(always)]
    pub fn learn(
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
        let predicted = sigmoid(output);
        let error = predicted - target.of(sample);
        let slope = 2.0 * error * predicted * (1.0 - predicted);
        FloatBlock::numbers_mut(&mut gradient[layout.output_biases..])[bucket] += slope;
        let place = layout.output_weights + bucket * 2 * length;
        for (side, hidden) in self.hidden.iter_mut().enumerate() {
            let hidden = FloatBlock::numbers_mut(hidden);
            let start = place + side * length;
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

/// Sets `sums` to the biases and the rows of these indices; `rows` stand one behind the other.
#[inline(always)]
fn sum_rows(sums: &mut [f32], biases: &[f32], rows: &[f32], indices: &[u32]) {
    let length = sums.len();
    let row = |index: &u32| &rows[*index as usize * length..][..length];
    let (tiles, rest) = sums.as_chunks_mut::<TILE>();
    let (bias_tiles, rest_biases) = biases.as_chunks::<TILE>();
    for (number, (sums, biases)) in tiles.iter_mut().zip(bias_tiles).enumerate() {
        // As its length is fixed, the tile is kept in registers.
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
