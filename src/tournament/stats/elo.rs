//! Elo estimates with confidence intervals, and the inverse of a matrix, with which other statistics are fitted.

use serde::Serialize;

/// The factor of [`Estimate::normalized_elo`]: 800 / ln 10.
pub const NORMALIZED_SCALE: f64 = 800.0 / std::f64::consts::LN_10;
/// Half width of the 95% confidence interval in standard errors: the 97.5% quantile of the normal distribution.
pub const Z_95: f64 = 1.959_963_984_540_054;

/// Results from the point of view of one engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scores {
    /// Losses, draws and wins.
    pub games: [u64; 3],
    /// Pentanomial: the number of game pairs with 0, ½, 1, 1½ and 2 points.
    pub pairs: [u64; 5],
}

/// A value with its 95% confidence interval. In JSON an infinite number is `null`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// The most likely value.
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// The strength estimated from results.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// Score, 0 to 1.
    pub score: f64,
    /// Elo difference; infinite if one engine has all points.
    pub elo: Interval,
    /// Normalized Elo difference: the score minus ½, divided by the standard deviation of the result of a game, and
    /// multiplied by `NORMALIZED_SCALE` (800 / ln 10).
    pub normalized_elo: Interval,
    /// Likelihood of superiority (LOS), 0 to 1.
    pub los: f64,
    /// Draw ratio, 0 to 1.
    pub draw_ratio: f64,
}

impl Estimate {
    pub fn score_interval(&self) -> Interval {
        Interval { value: self.score, low: score_of(self.elo.low), high: score_of(self.elo.high) }
    }
}

impl Scores {
    /// Number of games.
    pub fn count(&self) -> u64 {
        self.games.iter().sum()
    }

    /// Points: 1 for a win, ½ for a draw.
    pub fn points(&self) -> f64 {
        self.games[2] as f64 + self.games[1] as f64 / 2.0
    }

    /// The results from the opponent's point of view.
    pub fn reversed(mut self) -> Self {
        self.games.reverse();
        self.pairs.reverse();
        self
    }

    pub fn add(&mut self, others: &Self) {
        let add = |to: &mut [u64], from: &[u64]| to.iter_mut().zip(from).for_each(|(a, b)| *a += b);
        add(&mut self.games, &others.games);
        add(&mut self.pairs, &others.pairs);
    }

    /// The counts of the outcomes, and the ratio of the variance of a game to that of an outcome. The outcomes are the
    /// pairs, or the single games if there are no pairs. The ratio for pairs is 2: the variance of the mean of two
    /// independent games is half that of one game.
    fn outcomes(&self) -> (&[u64], f64) {
        if self.pairs == [0; 5] { (&self.games, 1.0) } else { (&self.pairs, 2.0) }
    }

    /// The variance of the result of a game.
    pub fn variance(&self) -> f64 {
        let (outcomes, ratio) = self.outcomes();
        ratio * variance(outcomes)
    }

    /// The variance of the result of a game around the score that a model expects; never zero. If all outcomes are the
    /// same, the variance around their mean comes only from Jeffreys' prior, which is too wide for a score near 0 or 1.
    /// It is then limited to `expected * (1 - expected)`, the variance of games without draws.
    pub fn squared_deviation(&self, expected: f64) -> f64 {
        let (outcomes, ratio) = self.outcomes();
        let limit = if is_constant(outcomes) { expected * (1.0 - expected) } else { f64::INFINITY };
        let deviation = self.points() / self.count() as f64 - expected;
        self.variance().min(limit) + ratio * deviation.powi(2)
    }

    /// The estimate from the results; `None` without games.
    ///
    /// One game or one pair does not show the variance, so the bounds are then infinite.
    pub fn estimate(&self) -> Option<Estimate> {
        let count = self.count();
        if count == 0 {
            return None;
        }
        let games = count as f64;
        let score = self.points() / games;
        let variance = self.variance();
        let error = (variance / games).sqrt();
        let pairs: u64 = self.pairs.iter().sum();
        let half = match (pairs, count) {
            (1, _) | (0, 1) => f64::INFINITY,
            _ => Z_95 * error,
        };
        let interval = |f: &dyn Fn(f64) -> f64| Interval {
            value: f(score),
            low: f(score - half),
            high: f(score + half),
        };
        let normalized = |score: f64| (score - 0.5) / variance.sqrt() * NORMALIZED_SCALE;
        Some(Estimate {
            score,
            elo: interval(&elo_of),
            normalized_elo: interval(&normalized),
            los: normal_distribution((score - 0.5) / error),
            draw_ratio: self.games[1] as f64 / games,
        })
    }
}

/// The variance of equally spaced outcomes from 0 to 1; never zero.
///
/// If all outcomes are the same, half a result is added to each possible outcome: the prior of H. Jeffreys ("An
/// invariant form for the prior probability in estimation problems", 1946) for a multinomial distribution.
fn variance(counts: &[u64]) -> f64 {
    let prior = if is_constant(counts) { 0.5 } else { 0.0 };
    let total: f64 = counts.iter().map(|n| *n as f64 + prior).sum();
    let step = 1.0 / (counts.len() - 1) as f64;
    let moment = |power: i32| {
        let weighted = counts.iter().enumerate();
        let sum: f64 =
            weighted.map(|(i, n)| (*n as f64 + prior) * (i as f64 * step).powi(power)).sum();
        sum / total
    };
    moment(2) - moment(1).powi(2)
}

/// Whether all outcomes are the same.
fn is_constant(counts: &[u64]) -> bool {
    counts.iter().filter(|n| **n > 0).count() < 2
}

/// The Elo difference of an expected score: minus infinity at 0, infinity at 1.
pub fn elo_of(score: f64) -> f64 {
    match score {
        s if s <= 0.0 => f64::NEG_INFINITY,
        s if s >= 1.0 => f64::INFINITY,
        s => 400.0 * (s / (1.0 - s)).log10(),
    }
}

/// The expected score of an Elo difference.
pub fn score_of(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The probability that a standard normal variable is below `x`.
fn normal_distribution(x: f64) -> f64 {
    libm::erfc(-x / std::f64::consts::SQRT_2) / 2.0
}

/// The inverse of a matrix by Gauss-Jordan elimination; `None` if it is singular.
pub fn invert(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let count = matrix.len();
    for (index, row) in matrix.iter_mut().enumerate() {
        row.extend((0..count).map(|column| if column == index { 1.0 } else { 0.0 }));
    }
    for column in 0..count {
        let size = |row: &usize| matrix[*row][column].abs();
        let pivot = (column..count).max_by(|a, b| size(a).total_cmp(&size(b)))?;
        if matrix[pivot][column].abs() < 1e-12 {
            return None;
        }
        matrix.swap(column, pivot);
        let divisor = matrix[column][column];
        for value in &mut matrix[column] {
            *value /= divisor;
        }
        let pivot_row = matrix[column].clone();
        for (index, row) in matrix.iter_mut().enumerate() {
            if index == column {
                continue;
            }
            let factor = row[column];
            for (value, pivot) in row.iter_mut().zip(&pivot_row) {
                *value -= factor * pivot;
            }
        }
    }
    let inverse = matrix.into_iter().map(|mut row| row.split_off(count));
    Some(inverse.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(games: [u64; 3], pairs: [u64; 5]) -> Estimate {
        Scores { games, pairs }.estimate().unwrap()
    }

    fn near(a: f64, b: f64, tolerance: f64) -> bool {
        (a - b).abs() <= tolerance
    }

    #[test]
    fn elo_and_score_are_inverse() {
        for elo in [-800.0, -35.0, 0.0, 3.0, 200.0] {
            assert!(near(elo_of(score_of(elo)), elo, 1e-9));
        }
        assert!(near(score_of(400.0), 10.0 / 11.0, 1e-12));
        assert_eq!((elo_of(0.0), elo_of(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
    }

    #[test]
    fn estimates_match_manual_calculations() {
        // 100 games, +40 =40 -20 without pairs: 0.6 points a game, variance 0.5 - 0.36 = 0.14.
        let uneven = estimate([20, 40, 40], [0; 5]);
        assert!(near(uneven.score, 0.6, 1e-12));
        assert!(near(uneven.elo.value, 70.437, 1e-3));
        let error = 1.959_964 * (0.14f64 / 100.0).sqrt();
        assert!(near(uneven.elo.low, elo_of(0.6 - error), 1e-6));
        assert!(near(uneven.score_interval().high, 0.6 + error, 1e-9));
        let normalized = 0.1 / 0.14f64.sqrt() * 347.4356;
        assert!(near(uneven.normalized_elo.value, normalized, 1e-3));
        assert!(near(uneven.los, 0.996_23, 1e-4));
        assert!(near(uneven.draw_ratio, 0.4, 1e-12));
        // Pairs with one win and one loss: the opening decides, not the engine.
        let even = estimate([50, 1, 49], [0, 1, 49, 0, 0]);
        assert!(even.elo.high - even.elo.low < 15.0);
        let equal = estimate([0, 100, 0], [0, 0, 50, 0, 0]);
        // Variance 2 (0.25 + 0.0625) / 52.5 per game.
        let error = 1.959_964 * (0.625f64 / 52.5 / 100.0).sqrt();
        assert!(near(equal.elo.high, elo_of(0.5 + error), 1e-6));
        assert!(near(equal.elo.low, -equal.elo.high, 1e-9));
        assert_eq!(equal.los, 0.5);
        assert_eq!(equal.normalized_elo.value, 0.0);
        // The same results in independent pairs have the error of single games.
        let mixed = estimate([50, 0, 50], [13, 0, 24, 0, 13]);
        let unpaired = estimate([50, 0, 50], [0; 5]);
        assert!(near(mixed.elo.high, unpaired.elo.high, 2.0));
        assert_eq!(Scores::default().estimate(), None);
    }

    #[test]
    fn one_sided_results_give_infinite_elo() {
        let all = Scores { games: [0, 0, 4], pairs: [0, 0, 0, 0, 2] };
        let estimate = all.estimate().unwrap();
        assert_eq!(estimate.elo.value, f64::INFINITY);
        assert!((0.9..1.0).contains(&estimate.los));
        let score = estimate.score_interval();
        assert!((0.3..0.9).contains(&score.low) && score.high == 1.0);
        assert!(!estimate.normalized_elo.value.is_nan());
        let none = all.reversed().estimate().unwrap();
        assert_eq!(none.elo.value, f64::NEG_INFINITY);
        assert!(near(none.los, 1.0 - estimate.los, 1e-9));
    }

    #[test]
    fn few_results_have_wide_intervals() {
        let unbounded = (f64::NEG_INFINITY, f64::INFINITY);
        let bounds = |i: Interval| (i.low, i.high);
        for (games, pairs) in [
            ([0, 1, 0], [0; 5]),
            ([1, 0, 0], [0; 5]),
            ([0, 2, 0], [0, 0, 1, 0, 0]),
            ([1, 0, 1], [0, 0, 1, 0, 0]),
            ([0, 0, 2], [0, 0, 0, 0, 1]),
            ([0, 1, 2], [0, 0, 0, 0, 1]),
        ] {
            let estimate = estimate(games, pairs);
            assert_eq!(bounds(estimate.elo), unbounded, "{games:?}");
            assert_eq!(bounds(estimate.normalized_elo), unbounded, "{games:?}");
            assert!(!estimate.elo.value.is_nan() && !estimate.normalized_elo.value.is_nan());
            let score = estimate.score_interval();
            assert_eq!(bounds(score), (0.0, 1.0), "{games:?}");
        }
        // The interval narrows as the same result repeats.
        let mut last = f64::INFINITY;
        for pairs in [2, 3, 5, 10, 100] {
            let elo = estimate([0, 2 * pairs, 0], [0, 0, pairs, 0, 0]).elo;
            assert!(elo.high > 0.0 && elo.high < last, "{pairs}: {elo:?}");
            assert!(near(elo.low, -elo.high, 1e-9));
            last = elo.high;
        }
    }
}
