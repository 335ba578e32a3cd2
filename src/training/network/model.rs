//! The network in floating point: output, loss and gradient of one sample.

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use super::samples::{FeatureList, PackedSample};
use super::vector::Vector;
use crate::eval::nnue::features::FEATURES;
use crate::eval::nnue::{Architecture, INPUT_QUANT, Network, NetworkParameters, OUTPUT_QUANT};

/// Vectors that are kept in registers at a time.
const TILE: usize = 2;
/// Inputs that are on in a usual position, for the size of the first weights.
const USUAL_ACTIVE: f32 = 24.0;

/// Where each part of the parameters stands in the one list of all, counted in [`Vector`]s.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub architecture: Architecture,
    /// Vectors of a row: the neurons of a perspective.
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
        let row = architecture.width / Vector::LEN;
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
            length: output_biases + architecture.outputs.count().div_ceil(Vector::LEN),
        }
    }

    /// First parameters: uniform, so that neurons begin between their bounds; nothing shared.
    pub fn start(&self, seed: u64) -> Vec<Vector> {
        let mut rng = StdRng::seed_from_u64(seed);
        let mut parameters = vec![Vector::ZERO; self.length];
        let mut fill = |part: &mut [Vector], bound: f32| {
            for weight in part.iter_mut().flat_map(|vector| &mut vector.0) {
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
        parameters[self.input_biases..self.output_weights].fill(Vector::splat(0.2));
        parameters
    }

    /// Parameters that give this network, whose architecture is the layout's: nothing shared.
    pub fn start_from(&self, network: &Network) -> Vec<Vector> {
        let NetworkParameters {
            input_weights,
            input_biases,
            output_weights,
            output_biases,
        } = network.parameters();
        let mut parameters = vec![Vector::ZERO; self.length];
        let mut fill = |start: usize, numbers: &mut dyn Iterator<Item = f32>| {
            let places = parameters[start..]
                .iter_mut()
                .flat_map(|vector| &mut vector.0);
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
    pub fn merged(&self, parameters: &[Vector]) -> Vec<Vector> {
        let mut rows = parameters[..self.shared_weights].to_vec();
        let shared = &parameters[self.shared_weights..self.input_biases];
        if !shared.is_empty() {
            for bucket in rows.chunks_exact_mut(shared.len()) {
                let weights = bucket.iter_mut().zip(shared);
                weights.for_each(|(weight, shared)| *weight = weight.plus(*shared));
            }
        }
        rows
    }

    /// Adds the gradient of the rows to that of what they share.
    pub fn share_gradient(&self, gradient: &mut [Vector]) {
        let (rows, rest) = gradient.split_at_mut(self.shared_weights);
        let shared = &mut rest[..self.input_biases - self.shared_weights];
        if !shared.is_empty() {
            for bucket in rows.chunks_exact(shared.len()) {
                let slopes = shared.iter_mut().zip(bucket);
                slopes.for_each(|(shared, slope)| *shared = shared.plus(*slope));
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
    hidden: [Vec<Vector>; 2],
}

impl Workspace {
    pub fn new(layout: &Layout) -> Self {
        Self {
            features: FeatureList::new(),
            hidden: [
                vec![Vector::ZERO; layout.row],
                vec![Vector::ZERO; layout.row],
            ],
        }
    }

    /// The network's output for a sample, in units of the scale, and its bucket. `rows` are the merged
    /// weights of the inputs.
    #[inline(always)]
    pub fn output(
        &mut self,
        layout: &Layout,
        rows: &[Vector],
        parameters: &[Vector],
        sample: &PackedSample,
        mirror: bool,
    ) -> (f32, usize) {
        let length = layout.row;
        sample.features(layout.architecture, mirror, &mut self.features);
        let count = self.features.count;
        let bucket = layout.architecture.outputs.for_pieces(count);
        let biases = &parameters[layout.input_biases..][..length];
        let weights = &parameters[layout.output_weights + bucket * 2 * length..][..2 * length];
        let mut sum = Vector::ZERO;
        for (side, hidden) in self.hidden.iter_mut().enumerate() {
            let indices = &self.features.indices[side][..count];
            let weights = &weights[side * length..][..length];
            for start in (0..length).step_by(TILE) {
                let mut tile = [Vector::ZERO; TILE];
                tile.copy_from_slice(&biases[start..start + TILE]);
                for index in indices {
                    let row = &rows[*index as usize * length + start..][..TILE];
                    for i in 0..TILE {
                        tile[i] = tile[i].plus(row[i]);
                    }
                }
                for i in 0..TILE {
                    hidden[start + i] = tile[i];
                    let clipped = tile[i].clipped();
                    sum = sum.plus(clipped.times(clipped).times(weights[start + i]));
                }
            }
        }
        let bias = parameters[layout.output_biases + bucket / Vector::LEN].0[bucket % Vector::LEN];
        (sum.sum() + bias, bucket)
    }

    /// Adds the gradient of a sample's loss to `gradient` and returns the loss.
    #[inline(always)]
    pub fn learn(
        &mut self,
        layout: &Layout,
        rows: &[Vector],
        parameters: &[Vector],
        (sample, mirror): (&PackedSample, bool),
        target: Target,
        gradient: &mut [Vector],
    ) -> f64 {
        let length = layout.row;
        let (output, bucket) = self.output(layout, rows, parameters, sample, mirror);
        let predicted = sigmoid(output);
        let error = predicted - target.of(sample);
        let slope = 2.0 * error * predicted * (1.0 - predicted);
        gradient[layout.output_biases + bucket / Vector::LEN].0[bucket % Vector::LEN] += slope;
        let slopes = Vector::splat(slope);
        let place = layout.output_weights + bucket * 2 * length;
        for (side, hidden) in self.hidden.iter_mut().enumerate() {
            let start = place + side * length;
            let weights = &parameters[start..start + length];
            let weight_slopes = &mut gradient[start..start + length];
            for i in 0..length {
                let clipped = hidden[i].clipped();
                let scaled = clipped.times(slopes);
                weight_slopes[i] = weight_slopes[i].plus(scaled.times(clipped));
                let inner = scaled.plus(scaled).times(weights[i]);
                hidden[i] = hidden[i].where_inside(inner);
            }
            add_row(&mut gradient[layout.input_biases..][..length], hidden);
            for index in &self.features.indices[side][..self.features.count] {
                add_row(&mut gradient[*index as usize * length..][..length], hidden);
            }
        }
        f64::from(error) * f64::from(error)
    }
}

#[inline(always)]
fn add_row(row: &mut [Vector], slopes: &[Vector]) {
    for (row, slopes) in row.iter_mut().zip(slopes) {
        *row = row.plus(*slopes);
    }
}
