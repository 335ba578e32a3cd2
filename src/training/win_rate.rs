//! Fits the win rate model to games.

use std::fmt::Write as _;

use super::data::{BadRecord, Filter, Record};
use crate::eval::win_rate::{FULL_MATERIAL, MIN_SPREAD, material, offset, spread};

/// The maximum absolute score. Positions with a larger one are skipped, because their games are decided.
const LARGEST_SCORE: i32 = 3000;
/// Width of a score class, in evaluation units.
const SCORE_CLASS: i32 = 25;
/// Number of score classes, most negative first.
const SCORE_CLASSES: usize = (2 * LARGEST_SCORE / SCORE_CLASS + 1) as usize;
/// Minimum number of positions for a fit.
const MIN_POSITIONS: u64 = 10_000;
/// Steps of the gradient descent.
const STEPS: i32 = 4000;
/// First step size, in [`UNIT`]s. It falls linearly to zero.
const STEP: f64 = 0.05;
/// Evaluation units per unit of a coefficient during the fit.
const UNIT: f64 = 100.0;
/// The shifted Legendre polynomials by their coefficients, constant first. They are orthogonal from 0 to 1, so the fit
/// converges in few steps. Along powers of the material, which are similar to each other, it does not.
const BASIS: [[f64; 4]; 4] =
    [[1.0, 0.0, 0.0, 0.0], [-1.0, 2.0, 0.0, 0.0], [1.0, -6.0, 6.0, 0.0], [-1.0, 12.0, -30.0, 20.0]];
/// Lower bound of a probability, which keeps the loss finite.
const MIN_CHANCE: f64 = 1e-6;

/// The number of positions with each result, by material and score.
#[derive(Clone, Debug)]
pub struct WinRateCounts {
    /// By material and score class: positions lost, drawn and won by the side to move.
    cells: Vec<[u64; 3]>,
    positions: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct WinRateModel {
    /// Coefficients of the polynomial that gives the score at which half of the games are won, from the material;
    /// constant first.
    pub a: [f64; 4],
    /// Coefficients of the polynomial that gives the width of the curve from the material; constant first.
    pub b: [f64; 4],
    /// Mean negative logarithm of the probability of the actual result.
    pub loss: f64,
    /// Number of positions of the fit.
    pub positions: u64,
}

/// The counts have too few positions for a fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} positions are too few: a fit needs at least {MIN_POSITIONS}")]
pub struct TooFewPositions(u64);

impl Default for WinRateCounts {
    fn default() -> Self {
        Self { cells: vec![[0; 3]; (FULL_MATERIAL as usize + 1) * SCORE_CLASSES], positions: 0 }
    }
}

impl WinRateCounts {
    /// Counts the scored positions of a game, except those of its random plies, those with a decisive score and the
    /// last ones before a repetition that ended it.
    ///
    /// # Errors
    /// A move of the game is illegal. The positions before it are counted.
    pub fn add(&mut self, record: &Record) -> Result<(), BadRecord> {
        let filter = Filter {
            largest_score: LARGEST_SCORE as i16,
            repetition_plies: Filter::QUIET.repetition_plies,
            ..Filter::NONE
        };
        record.visit(&filter, |labeled| {
            let result = (2.0 * labeled.points()) as usize;
            self.count(i32::from(labeled.score), material(labeled.position), result);
        })
    }

    /// Counts a position. The `result` for the side to move is 0 for a loss, 1 for a draw and 2 for a win.
    fn count(&mut self, score: i32, material: i32, result: usize) {
        let class = (score + LARGEST_SCORE + SCORE_CLASS / 2) / SCORE_CLASS;
        let row = material.clamp(0, FULL_MATERIAL) as usize;
        self.cells[row * SCORE_CLASSES + class as usize][result] += 1;
        self.positions += 1;
    }

    /// Fits the coefficients to the counts by maximum likelihood, with gradient descent (Adam) along the polynomials of
    /// `BASIS`.
    pub fn fit(&self) -> Result<WinRateModel, TooFewPositions> {
        if self.positions < MIN_POSITIONS {
            return Err(TooFewPositions(self.positions));
        }
        let mut model = WinRateModel {
            a: [450.0, 0.0, 0.0, 0.0],
            b: [200.0, 0.0, 0.0, 0.0],
            loss: 0.0,
            positions: self.positions,
        };
        let (mut mean, mut square) = ([0.0; 8], [0.0; 8]);
        for step in 1..=STEPS {
            let (loss, slope) = self.loss_and_gradient(&model);
            model.loss = loss;
            let rate = STEP * (1.0 - f64::from(step - 1) / f64::from(STEPS));
            for index in 0..8 {
                let basis = BASIS[index % 4];
                let (coefficients, slopes) = match index {
                    0..4 => (&mut model.a, &slope[..4]),
                    _ => (&mut model.b, &slope[4..]),
                };
                let slope = basis.iter().zip(slopes).map(|(factor, slope)| factor * slope).sum();
                let (mean, square) = (&mut mean[index], &mut square[index]);
                let moved = UNIT * rate * adam_step(mean, square, slope, step);
                for (coefficient, factor) in coefficients.iter_mut().zip(basis) {
                    *coefficient -= moved * factor;
                }
            }
        }
        Ok(model)
    }

    /// The mean loss and its gradient with respect to the coefficients in [`UNIT`]s: four of `a`, then four of `b`.
    fn loss_and_gradient(&self, model: &WinRateModel) -> (f64, [f64; 8]) {
        let (mut loss, mut slope) = (0.0, [0.0; 8]);
        for (row, cells) in self.cells.chunks(SCORE_CLASSES).enumerate() {
            let (a, b) = (offset(&model.a, row as i32), spread(&model.b, row as i32));
            let (mut by_a, mut by_b) = (0.0, 0.0);
            for (class, counts) in cells.iter().enumerate().filter(|(_, c)| **c != [0; 3]) {
                let score = f64::from(class as i32 * SCORE_CLASS - LARGEST_SCORE);
                let [lost, drawn, won] = counts.map(|count| count as f64);
                let win = 1.0 / (1.0 + ((a - score) / b).exp());
                let lose = 1.0 / (1.0 + ((a + score) / b).exp());
                let draw = (1.0 - win - lose).max(MIN_CHANCE);
                let (win, lose) = (win.max(MIN_CHANCE), lose.max(MIN_CHANCE));
                loss -= won * win.ln() + lost * lose.ln() + drawn * draw.ln();
                let by_win = (drawn / draw - won / win) * win * (1.0 - win) / b;
                let by_lose = (drawn / draw - lost / lose) * lose * (1.0 - lose) / b;
                by_a -= by_win + by_lose;
                by_b -= by_win * (score - a) / b + by_lose * (-score - a) / b;
            }
            let share = row as f64 / f64::from(FULL_MATERIAL);
            // Where `offset` is limited to 0, the model predicts no draws. The slope is kept, so that draws can raise
            // `a` again.
            for power in 0..4 {
                let by_coefficient = UNIT * share.powi(power as i32) / self.positions as f64;
                slope[power] += by_a * by_coefficient;
                slope[4 + power] += if b > MIN_SPREAD { by_b * by_coefficient } else { 0.0 };
            }
        }
        (loss / self.positions as f64, slope)
    }
}

/// Decay of the mean of slopes in Adam.
const BETA1: f64 = 0.9;
/// Decay of the mean of squared slopes.
const BETA2: f64 = 0.999;
/// Avoids a division by zero if a slope was always zero.
const EPSILON: f64 = 1e-12;

/// One step of Adam (D. P. Kingma and J. Ba, "Adam: a method for stochastic optimization", 2015) for one
/// parameter: updates the running means of the slope and its square, and returns the distance to move against the
/// slope, in units of the step size. `step` counts from 1.
fn adam_step(mean: &mut f64, square: &mut f64, slope: f64, step: i32) -> f64 {
    *mean = BETA1 * *mean + (1.0 - BETA1) * slope;
    *square = BETA2 * *square + (1.0 - BETA2) * slope * slope;
    let mean = *mean / (1.0 - BETA1.powi(step));
    let square = *square / (1.0 - BETA2.powi(step));
    mean / (square.sqrt() + EPSILON)
}

impl WinRateModel {
    /// The model as the source file `src/eval/win_rate/model.rs`.
    pub fn source(&self) -> String {
        let mut text = format!(
            "//! Coefficients of the model of win rates, constant first, in units of the evaluation.\n\
             //! Written by `chuhe data win-rate` from {} positions (mean loss {:.4}).\n\n",
            self.positions, self.loss
        );
        for (name, meaning, [c0, c1, c2, c3]) in [
            ("A", "Coefficients of the score at which half of the games are won.", self.a),
            ("B", "Coefficients of the width of the curve.", self.b),
        ] {
            let _ = write!(
                text,
                "/// {meaning}\npub(super) const {name}: [f64; 4] = [{c0:.2}, {c1:.2}, {c2:.2}, {c3:.2}];\n"
            );
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    use super::*;

    #[test]
    fn a_fit_to_generated_results_finds_the_model() {
        let (a, b) = ([450.0, -900.0, 1500.0, -700.0], [100.0, 400.0, -900.0, 600.0]);
        let rng = &mut StdRng::seed_from_u64(1);
        let mut counts = WinRateCounts::default();
        for _ in 0..400_000 {
            let row = rng.random_range(10..=FULL_MATERIAL);
            let score = SCORE_CLASS * rng.random_range(-60..=60);
            let (a, b) = (offset(&a, row), spread(&b, row));
            let chance = |score: f64| 1.0 / (1.0 + ((a - score) / b).exp());
            let (win, lose) = (chance(f64::from(score)), chance(-f64::from(score)));
            let sampled = rng.random::<f64>();
            let result = if sampled < win {
                2
            } else if sampled < win + lose {
                0
            } else {
                1
            };
            counts.count(score, row, result);
        }
        let model = counts.fit().unwrap();
        for row in [20, 50, 80] {
            let (found, made) = (offset(&model.a, row), offset(&a, row));
            assert!((found - made).abs() < 10.0, "a {row}: {found} {made}");
            let (found, made) = (spread(&model.b, row), spread(&b, row));
            assert!((found - made).abs() < 10.0, "b {row}: {found} {made}");
        }
        // The likelihood is at its maximum.
        let (_, slopes) = counts.loss_and_gradient(&model);
        assert!(slopes.iter().all(|slope| slope.abs() < 1e-9), "{slopes:?}");
        assert_eq!(WinRateCounts::default().fit(), Err(TooFewPositions(0)));
    }
}
