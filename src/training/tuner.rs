//! Fitting the weights of the evaluation to the results of games (P. Österlund's "Texel" method):
//! logistic regression of the result on the score, by gradient descent (Adam) on all weights.

use std::fmt::Write as _;
use std::sync::Mutex;

use super::holdout::held_back;
use super::sample::Sample;
use crate::board::{Color, Position};
use crate::eval::PieceSquareAccumulator;
use crate::eval::handcrafted::features::{
    self, COUNT, GROUPS, MATERIAL, TEMPO, by_king, piece_square,
};
use crate::eval::handcrafted::{self, AttackMap, FULL_PHASE, Terms, WEIGHTS};

/// How to tune.
#[derive(Clone, Copy, Debug)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TuneError {
    /// Too few samples were given.
    #[error("{0} samples are too few, at least 1000 are needed")]
    TooFew(usize),
}

/// A sample as the tuner sees it: which terms it has, red's less black's.
struct Row {
    terms: Vec<(u16, i8)>,
    phase: f32,
    target: f32,
}

/// Middlegame and endgame weights in floating point.
type Weights = Vec<[f64; 2]>;

/// A list of one side's terms.
struct List<'a> {
    counts: &'a mut [i32],
    sign: i32,
}

impl Terms for List<'_> {
    fn add(&mut self, feature: usize, count: i32) {
        self.counts[feature] += self.sign * count;
    }
}

/// Fits the weights to the samples and returns them, rounded, in the order of the features.
///
/// # Errors
/// When there are too few samples.
pub fn tune(
    samples: &[Sample],
    plan: &Tuning,
    mut progress: impl FnMut(TuneReport),
) -> Result<Vec<(i32, i32)>, TuneError> {
    if samples.len() < 1000 {
        return Err(TuneError::TooFew(samples.len()));
    }
    let rows: Vec<Row> = samples.iter().map(|sample| row(sample, plan)).collect();
    let held_back = held_back(samples);
    let part = |test: bool| -> Vec<&Row> {
        let chosen = rows
            .iter()
            .zip(&held_back)
            .filter(|(_, held)| **held == test);
        chosen.map(|(row, _)| row).collect()
    };
    let (test, training) = (part(true), part(false));
    let mut weights: Weights = WEIGHTS
        .iter()
        .map(|w| [f64::from(w.middlegame()), f64::from(w.endgame())])
        .collect();
    let mut adam = Adam::new();
    // A normal prior of width `spread` against the noise of a result, whose variance is about 0.04;
    // the positions of a game are one result, worth some ten independent samples in a hundred.
    let independent = training.len() as f64 / 10.0;
    let decay = 2.0 * 0.04 / (independent * plan.spread * plan.spread);
    const BATCH: usize = 16_384;
    for epoch in 1..=plan.epochs {
        let fade = 1.0 - 0.9 * f64::from(epoch - 1) / f64::from(plan.epochs.max(2) - 1);
        let mut error = 0.0;
        for batch in training.chunks(BATCH) {
            let (mut gradient, sum) = gradient(batch, &weights, plan);
            error += sum;
            for (index, (slope, weight)) in gradient.iter_mut().zip(&weights).enumerate() {
                let is_material = (MATERIAL.start..MATERIAL.start + MATERIAL.len).contains(&index);
                let decay = if is_material { 0.0 } else { decay };
                for half in 0..2 {
                    slope[half] = slope[half] / batch.len() as f64 + decay * weight[half];
                }
            }
            adam.step(&mut weights, &gradient, plan.step * fade);
        }
        progress(TuneReport {
            epoch,
            training_error: error / training.len() as f64,
            test_error: gradient(&test, &weights, plan).1 / test.len() as f64,
        });
    }
    center(&mut weights);
    Ok(weights
        .iter()
        .map(|w| (w[0].round() as i32, w[1].round() as i32))
        .collect())
}

fn row(sample: &Sample, plan: &Tuning) -> Row {
    let position = &sample.position;
    let counts = term_counts(position);
    let terms = counts
        .iter()
        .enumerate()
        .filter(|(_, count)| **count != 0)
        .map(|(index, count)| (index as u16, *count as i8))
        .collect();
    let expected = sigmoid(f64::from(sample.score) / plan.scale);
    let target = plan.result_share * sample.result + (1.0 - plan.result_share) * expected;
    let phase = PieceSquareAccumulator::new(position).phase;
    Row {
        terms,
        phase: phase as f32 / FULL_PHASE as f32,
        target: target as f32,
    }
}

/// How often each term occurs in a position, red's less black's: the sum over weights is the
/// evaluation for red at full knowledge.
fn term_counts(position: &Position) -> Vec<i32> {
    let mut counts = vec![0; COUNT];
    for square in position.occupied() {
        if let Some(piece) = position.piece_on(square) {
            let sign = piece.color().sign();
            counts[MATERIAL.at(piece.kind().index())] += sign;
            counts[piece_square(piece.kind(), piece.color(), square)] += sign;
            for side in Color::ALL {
                if let Some(feature) = by_king(position.king(side), side, piece, square) {
                    counts[feature] += sign;
                }
            }
        }
    }
    let map = AttackMap::new(position);
    for color in Color::ALL {
        let sign = color.sign();
        let mut list = List {
            counts: &mut counts,
            sign,
        };
        handcrafted::defenders(position, color, &mut list);
        handcrafted::pairs(position, color, &mut list);
        handcrafted::positional(position, color, &map, &mut list);
        handcrafted::tactical(position, color, &map, &mut list);
    }
    counts[TEMPO.start] += position.side_to_move().sign();
    counts
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// The slope of the squared error over some rows, and the error.
fn gradient(rows: &[&Row], weights: &Weights, plan: &Tuning) -> (Weights, f64) {
    let total = Mutex::new((vec![[0.0; 2]; COUNT], 0.0));
    std::thread::scope(|scope| {
        for part in rows.chunks(rows.len().div_ceil(plan.threads.max(1)).max(1)) {
            let total = &total;
            scope.spawn(move || {
                let mut slopes = vec![[0.0; 2]; COUNT];
                let mut error = 0.0;
                for row in part {
                    error += add_slope(row, weights, plan.scale, &mut slopes);
                }
                let mut total = total.lock().unwrap_or_else(|e| e.into_inner());
                for (sum, slope) in total.0.iter_mut().zip(slopes) {
                    sum[0] += slope[0];
                    sum[1] += slope[1];
                }
                total.1 += error;
            });
        }
    });
    total.into_inner().unwrap_or_else(|e| e.into_inner())
}

fn add_slope(row: &Row, weights: &Weights, scale: f64, slopes: &mut Weights) -> f64 {
    let phase = f64::from(row.phase);
    let score: f64 = row
        .terms
        .iter()
        .map(|(index, count)| {
            let [middlegame, endgame] = weights[usize::from(*index)];
            f64::from(*count) * (middlegame * phase + endgame * (1.0 - phase))
        })
        .sum();
    let expected = sigmoid(score / scale);
    let error = expected - f64::from(row.target);
    let slope = 2.0 * error * expected * (1.0 - expected) / scale;
    for (index, count) in &row.terms {
        let slope = slope * f64::from(*count);
        let cell = &mut slopes[usize::from(*index)];
        cell[0] += slope * phase;
        cell[1] += slope * (1.0 - phase);
    }
    error * error
}

/// The optimiser of Kingma and Ba, "Adam: a method for stochastic optimization" (2015).
struct Adam {
    mean: Weights,
    variance: Weights,
    steps: i32,
}

impl Adam {
    fn new() -> Self {
        Self {
            mean: vec![[0.0; 2]; COUNT],
            variance: vec![[0.0; 2]; COUNT],
            steps: 0,
        }
    }

    fn step(&mut self, weights: &mut Weights, gradient: &Weights, step: f64) {
        self.steps += 1;
        let (b1, b2): (f64, f64) = (0.9, 0.999);
        let correct1 = 1.0 - b1.powi(self.steps);
        let correct2 = 1.0 - b2.powi(self.steps);
        for index in 0..COUNT {
            for half in 0..2 {
                let slope = gradient[index][half];
                let mean = &mut self.mean[index][half];
                *mean = b1 * *mean + (1.0 - b1) * slope;
                let variance = &mut self.variance[index][half];
                *variance = b2 * *variance + (1.0 - b2) * slope * slope;
                let scaled = (*variance / correct2).sqrt() + 1e-12;
                weights[index][half] -= step * (*mean / correct1) / scaled;
            }
        }
    }
}

/// Squares that the table of a kind tells apart: ten ranks, and files by distance from the edge.
const SQUARES_OF_A_KIND: usize = 50;

/// Moves what all squares of a kind have in common into its material value, where `knowledge none`
/// finds it; the evaluation stays the same. Empty squares of the table (where a kind never stands)
/// are left at zero.
fn center(weights: &mut Weights) {
    for kind in 1..MATERIAL.len {
        let start = features::PIECE_SQUARE.start + kind * SQUARES_OF_A_KIND;
        let squares = start..start + SQUARES_OF_A_KIND;
        for half in [0, 1] {
            let used: Vec<usize> = squares
                .clone()
                .filter(|i| weights[*i][half].abs() > 0.5)
                .collect();
            if used.is_empty() {
                continue;
            }
            let mean = used.iter().map(|i| weights[*i][half]).sum::<f64>() / used.len() as f64;
            used.iter().for_each(|i| weights[*i][half] -= mean);
            weights[MATERIAL.at(kind)][half] += mean;
        }
    }
}

/// The weights as the source file `src/eval/handcrafted/weights.rs`.
pub fn write_weights(weights: &[(i32, i32)]) -> String {
    let mut text = String::from(
        "//! The weights of the evaluation, middlegame and endgame, in units of which a minor piece\n\
         //! has about 450. Written by `chuhe tune`.\n\n\
         use super::features::COUNT;\nuse super::tapered::Tapered;\n\n\
         const fn w(middlegame: i32, endgame: i32) -> Tapered {\n    \
         Tapered::new(middlegame, endgame)\n}\n\n\
         /// Every weight, in the order of [`super::features`].\n\
         #[rustfmt::skip]\npub static WEIGHTS: [Tapered; COUNT] = [\n",
    );
    for group in GROUPS {
        let _ = writeln!(text, "    // {}", group.name);
        for line in weights[group.start..group.start + group.len].chunks(group.row) {
            let cells: Vec<_> = line.iter().map(|(a, b)| format!("w({a}, {b}),")).collect();
            let _ = writeln!(text, "    {}", cells.join(" "));
        }
    }
    text.push_str("];\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Evaluator;
    use crate::eval::handcrafted::Tapered;
    use crate::training::random::positions;

    #[test]
    fn weighted_counts_are_the_evaluation() {
        let evaluator = Evaluator::default();
        let mut compared = 0;
        for position in positions(150, 160) {
            // Where a side has nothing to attack with, the evaluation is scaled.
            if !Color::ALL.into_iter().all(|c| position.has_attackers(c)) {
                continue;
            }
            let mut value = Tapered::ZERO;
            for (weight, count) in WEIGHTS.iter().zip(term_counts(&position)) {
                assert!(i8::try_from(count).is_ok());
                value += *weight * count;
            }
            let sums = PieceSquareAccumulator::new(&position);
            let value = value.at_phase(sums.phase) * position.side_to_move().sign();
            let fen = crate::notation::fen::write_position(&position);
            assert_eq!(evaluator.evaluate(&position, &sums), value, "{fen}");
            compared += 1;
        }
        assert!(compared > 5000, "{compared}");
    }

    #[test]
    fn both_errors_are_numbers() {
        let samples: Vec<Sample> = positions(30, 40)
            .into_iter()
            .map(|position| Sample {
                position,
                score: 30,
                result: 1.0,
            })
            .collect();
        let plan = Tuning {
            epochs: 2,
            ..Tuning::default()
        };
        let mut reports = 0;
        let weights = tune(&samples[..1000], &plan, |report| {
            assert!(report.training_error.is_finite() && report.test_error.is_finite());
            reports += 1;
        });
        assert_eq!((weights.unwrap().len(), reports), (COUNT, 2));
        assert_eq!(
            tune(&samples[..999], &plan, |_| {}),
            Err(TuneError::TooFew(999))
        );
    }
}
