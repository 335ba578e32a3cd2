//! The loss: the squared error of the expected result, and its slope.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::features::{Row, sigmoid};
use super::plan::Weights;
use crate::eval::handcrafted::features::COUNT;

/// Rows whose slopes are added up by one thread. The sums of these parts are added in their order, so
/// that the result does not depend on the number of threads.
const PART: usize = 1024;

/// The slope of the squared error over some rows, and the error, both as sums.
pub(super) fn gradient(
    rows: &[&Row],
    weights: &Weights,
    scale: f64,
    threads: usize,
) -> (Weights, f64) {
    let parts: Vec<_> = rows.chunks(PART).collect();
    let sums: Vec<_> = parts.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(part) = parts.get(index) else { return };
            let mut slopes = vec![[0.0; 2]; COUNT];
            let mut error = 0.0;
            for row in *part {
                error += add_slope(row, weights, scale, &mut slopes);
            }
            let mut sum = sums[index].lock().unwrap_or_else(PoisonError::into_inner);
            *sum = Some((slopes, error));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(parts.len()) {
            // Where the system starts no more threads, those that there are do the work.
            if std::thread::Builder::new()
                .spawn_scoped(scope, work)
                .is_err()
            {
                break;
            }
        }
        work();
    });
    let mut total = (vec![[0.0; 2]; COUNT], 0.0);
    for sum in sums {
        let Some((slopes, error)) = sum.into_inner().unwrap_or_else(PoisonError::into_inner) else {
            continue;
        };
        for (sum, slope) in total.0.iter_mut().zip(slopes) {
            sum[0] += slope[0];
            sum[1] += slope[1];
        }
        total.1 += error;
    }
    total
}

/// Adds the slope of one row and returns its error.
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
