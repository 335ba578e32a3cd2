//! The loss: the squared error of the expected result, and its slope.

use rayon::prelude::*;

use super::features::{FeatureRow, sigmoid};
use super::plan::Weights;
use crate::eval::handcrafted::features::COUNT;

/// Rows whose slopes are added up by one thread. The sums of these parts are added in their order, so
/// that the result does not depend on the number of threads.
const PART: usize = 1024;

/// The slope of the squared error over some rows, and the error, both as sums.
pub(super) fn gradient(rows: &[&FeatureRow], weights: &Weights, scale: f64) -> (Weights, f64) {
    let sums: Vec<_> = rows
        .par_chunks(PART)
        .map(|part| {
            let mut slopes = vec![[0.0; 2]; COUNT];
            let errors = part
                .iter()
                .map(|row| add_slope(row, weights, scale, &mut slopes));
            let error = errors.sum::<f64>();
            (slopes, error)
        })
        .collect();
    let mut total = (vec![[0.0; 2]; COUNT], 0.0);
    for (slopes, error) in sums {
        for (sum, slope) in total.0.iter_mut().zip(slopes) {
            sum[0] += slope[0];
            sum[1] += slope[1];
        }
        total.1 += error;
    }
    total
}

/// Adds the slope of one row and returns its error.
fn add_slope(row: &FeatureRow, weights: &Weights, scale: f64, slopes: &mut Weights) -> f64 {
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
