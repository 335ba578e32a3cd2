//! The sequential probability ratio test (SPRT).
//!
//! The test is Michel Van den Bergh's generalized SPRT for pentanomial results ("A practical introduction to the
//! GSPRT", "Normalized Elo in practice"). The likelihoods are those of the maximum-likelihood distributions of pair
//! results under the two hypotheses.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use super::elo::{NORMALIZED_SCALE, score_of};
use crate::board::named_enum;
use crate::tournament::settings::{KeyValues, SettingError, require_valid};

named_enum! {
    /// The unit of `elo0` and `elo1`.
    pub enum EloModel {
        /// Logistic Elo, `400 * log10(s / (1 - s))` for the expected score `s`.
        Logistic = "logistic",
        /// Normalized Elo: the score minus ½, divided by the standard deviation of the result of a game, and multiplied
        /// by 800 / ln 10. The length of a test then does not depend on the draw ratio.
        Normalized = "normalized",
    }
}

impl EloModel {
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Logistic => "Elo",
            Self::Normalized => "nElo",
        }
    }
}

/// An SPRT of `elo1` against `elo0`. It is part of the journal.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sprt {
    /// Elo of hypothesis H0.
    pub elo0: f64,
    /// Elo of hypothesis H1.
    pub elo1: f64,
    /// Probability of accepting H1 if H0 is true.
    pub alpha: f64,
    /// Probability of accepting H0 if H1 is true.
    pub beta: f64,
    pub model: EloModel,
}

named_enum! {
    pub enum Decision {
        /// Elo is `elo0` or less.
        H0 = "H0",
        /// Elo is `elo1` or more.
        H1 = "H1",
    }
}

impl FromStr for Sprt {
    type Err = SettingError;

    /// Parses `elo0=0,elo1=5,alpha=0.05,beta=0.05,model=normalized`; the last three are optional.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let list = KeyValues::read(text, &["elo0", "elo1", "alpha", "beta", "model"])?;
        let unknown = || SettingError::new("model= must be normalized or logistic");
        let model: Option<String> = list.get("model")?;
        let model = model.map(|name| EloModel::from_name(&name).ok_or_else(unknown));
        let sprt = Self {
            elo0: list.require("elo0")?,
            elo1: list.require("elo1")?,
            alpha: list.get("alpha")?.unwrap_or(0.05),
            beta: list.get("beta")?.unwrap_or(0.05),
            model: model.transpose()?.unwrap_or(EloModel::Normalized),
        };
        // NaN is not within the range.
        let is_elo = |elo| (-200.0..=200.0).contains(&elo);
        let is_probability = |p| (1e-6..0.5).contains(&p);
        let are_elo = is_elo(sprt.elo0) && is_elo(sprt.elo1);
        require_valid(are_elo, "elo0 and elo1 must be between -200 and 200")?;
        require_valid(sprt.elo0 < sprt.elo1, "elo0 must be less than elo1")?;
        let are_valid = is_probability(sprt.alpha) && is_probability(sprt.beta);
        require_valid(are_valid, "alpha and beta must be at least 0.000001 and less than 0.5")?;
        Ok(sprt)
    }
}

impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}, {}]", self.model.unit(), self.elo0, self.elo1)?;
        write!(f, ", alpha {}, beta {}", self.alpha, self.beta)
    }
}

impl Sprt {
    /// The LLR bounds at which H0 and H1 are accepted (Wald).
    pub fn bounds(&self) -> (f64, f64) {
        let lower = (self.beta / (1.0 - self.alpha)).ln();
        let upper = ((1.0 - self.beta) / self.alpha).ln();
        (lower, upper)
    }

    /// The log-likelihood ratio (LLR) of H1 against H0 from pentanomial counts.
    pub fn llr(&self, pairs: &[u64; 5]) -> f64 {
        if pairs.iter().sum::<u64>() == 0 {
            return 0.0;
        }
        // A result that has not occurred gets a tiny count, so that it has a positive probability (as in fishtest).
        let counts = pairs.map(|n| (n as f64).max(1e-3));
        let total: f64 = counts.iter().sum();
        let seen = counts.map(|n| n / total);
        let likeliest = |elo: f64| match self.model {
            EloModel::Logistic => with_mean(&seen, &SCORES, score_of(elo)),
            EloModel::Normalized => with_normalized(&seen, elo),
        };
        let (p0, p1) = (likeliest(self.elo0), likeliest(self.elo1));
        (0..5).map(|i| counts[i] * (p1[i] / p0[i]).ln()).sum()
    }

    pub fn decision(&self, pairs: &[u64; 5]) -> Option<Decision> {
        let (lower, upper) = self.bounds();
        match self.llr(pairs) {
            ratio if ratio <= lower => Some(Decision::H0),
            ratio if ratio >= upper => Some(Decision::H1),
            _ => None,
        }
    }
}

/// The mean scores per game of the five pair results.
const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// The distribution over `values` with mean `mean` under which `seen` has the maximum likelihood.
///
/// The distribution is `seen / (1 + x (value - mean))`. x is the number for which the sum is 1 and the mean is
/// `mean`. x is found by Newton's method, between the bounds within which all probabilities are positive.
fn with_mean(seen: &[f64; 5], values: &[f64; 5], mean: f64) -> [f64; 5] {
    let off = values.map(|value| value - mean);
    let least = off.iter().copied().fold(f64::INFINITY, f64::min);
    let most = off.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // The mean lies between the values, so both bounds exist.
    let (mut low, mut high) = (-1.0 / most, -1.0 / least);
    let mut x = 0.0;
    for _ in 0..60 {
        let (mut slope, mut curve) = (0.0, 0.0);
        for (seen, off) in seen.iter().zip(&off) {
            let part = off / (1.0 + x * off);
            slope += seen * part;
            curve += seen * part * part;
        }
        if slope > 0.0 {
            low = x;
        } else {
            high = x;
        }
        let step = slope / curve;
        if step.abs() < 1e-12 {
            break;
        }
        // The function has poles at the bounds. x must stay away from them, because Newton steps near a pole are small
        // even far from the solution.
        x += step.clamp(0.9 * (low - x), 0.9 * (high - x));
    }
    std::array::from_fn(|i| seen[i] / (1.0 + x * off[i]))
}

/// The distribution of pair results with the normalized Elo `elo` under which `seen` has the maximum likelihood.
///
/// The condition, mean - ½ = t × deviation, is not linear in the distribution; it is linearized at the last guess
/// until the guess converges.
fn with_normalized(seen: &[f64; 5], elo: f64) -> [f64; 5] {
    // The deviation of a pair's mean score is that of a game divided by √2.
    let t = elo / NORMALIZED_SCALE * std::f64::consts::SQRT_2;
    let mut guess = [0.2; 5];
    for _ in 0..20 {
        let mean: f64 = (0..5).map(|i| guess[i] * SCORES[i]).sum();
        let variance: f64 = (0..5).map(|i| guess[i] * (SCORES[i] - mean).powi(2)).sum();
        let deviation = variance.sqrt();
        let values = SCORES
            .map(|s| s - 0.5 - t * deviation / 2.0 * (1.0 + ((s - mean) / deviation).powi(2)));
        let next = with_mean(seen, &values, 0.0);
        let change = (0..5).map(|i| (next[i] - guess[i]).abs()).fold(0.0, f64::max);
        guess = next;
        if change < 1e-9 {
            break;
        }
    }
    guess
}

/// An SPRT in progress.
///
/// Pairs count in the order of the schedule, not in the order in which they finish: counting short games first
/// would bias the test.
#[derive(Clone, Debug)]
pub struct SprtRun {
    pub sprt: Sprt,
    /// The pairs that count so far, by half points of the first engine.
    pub pairs: [u64; 5],
    /// Number of the next pair to count.
    next: u64,
    /// Half points of pairs that finished before an earlier pair, by number.
    waiting: BTreeMap<u64, usize>,
    pub decision: Option<Decision>,
}

impl SprtRun {
    pub fn new(sprt: Sprt) -> Self {
        Self { sprt, pairs: [0; 5], next: 0, waiting: BTreeMap::new(), decision: None }
    }

    /// Adds the result of a game pair: the half points of the first engine, 0 to 4. After a decision, pairs no longer
    /// count.
    pub fn add(&mut self, pair: u64, half_points: usize) {
        self.waiting.insert(pair, half_points);
        while self.decision.is_none()
            && let Some(result) = self.waiting.remove(&self.next)
        {
            self.next += 1;
            self.pairs[result.min(4)] += 1;
            self.decision = self.sprt.decision(&self.pairs);
        }
    }

    pub fn llr(&self) -> f64 {
        self.sprt.llr(&self.pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(model: EloModel) -> Sprt {
        Sprt { elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.1, model }
    }

    const PAIRS: [u64; 5] = [30, 120, 300, 150, 40];

    #[test]
    fn the_llr_is_close_to_the_normal_approximation() {
        let mean: f64 = (0..5).map(|i| PAIRS[i] as f64 * SCORES[i]).sum::<f64>() / 640.0;
        let off = |i: usize| (SCORES[i] - mean).powi(2);
        let variance: f64 = (0..5).map(|i| PAIRS[i] as f64 * off(i)).sum::<f64>() / 640.0;
        let (s0, s1) = (score_of(0.0), score_of(10.0));
        let normal = 640.0 * (s1 - s0) * (2.0 * mean - s0 - s1) / (2.0 * variance);
        let ratio = example(EloModel::Logistic).llr(&PAIRS);
        assert!((ratio - normal).abs() < 0.03, "{ratio} {normal}");
        // The same hypotheses in normalized Elo.
        let deviation = (2.0 * variance).sqrt();
        let normalized = |score: f64| (score - 0.5) / deviation * NORMALIZED_SCALE;
        let sprt = Sprt { elo1: normalized(s1), ..example(EloModel::Normalized) };
        let ratio = sprt.llr(&PAIRS);
        assert!((ratio - normal).abs() < 0.1, "{ratio} {normal}");
    }

    #[test]
    fn distributions_have_the_given_mean_and_maximum_likelihood() {
        let total: u64 = PAIRS.iter().sum();
        let seen = PAIRS.map(|n| n as f64 / total as f64);
        let likelihood = |p: &[f64; 5]| -> f64 { (0..5).map(|i| seen[i] * p[i].ln()).sum() };
        for mean in [0.1, 0.45, 0.5, 0.52, 0.9] {
            let p = with_mean(&seen, &SCORES, mean);
            assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            let got: f64 = (0..5).map(|i| p[i] * SCORES[i]).sum();
            assert!((got - mean).abs() < 1e-9, "{got} {mean}");
            // A step that keeps sum and mean lowers the likelihood.
            for step in [1e-4, -1e-4] {
                let mut other = p;
                other[1] += step;
                other[2] -= 2.0 * step;
                other[3] += step;
                assert!(likelihood(&other) < likelihood(&p));
            }
        }
        for elo in [-150.0, 0.0, 7.0, 150.0] {
            let p = with_normalized(&seen, elo);
            let mean: f64 = (0..5).map(|i| p[i] * SCORES[i]).sum();
            let variance: f64 = (0..5).map(|i| p[i] * (SCORES[i] - mean).powi(2)).sum();
            let got = (mean - 0.5) / (2.0 * variance).sqrt() * NORMALIZED_SCALE;
            assert!((got - elo).abs() < 1e-3, "{got} {elo}");
        }
    }

    #[test]
    fn small_counts_have_valid_distributions() {
        for code in 0..6u64.pow(5) {
            let pairs: [u64; 5] = std::array::from_fn(|i| code / 6u64.pow(i as u32) % 6 * 3);
            let counts = pairs.map(|n| (n as f64).max(1e-3));
            let total: f64 = counts.iter().sum();
            for elo in [-30.0, 0.0, 40.0] {
                let p = with_mean(&counts.map(|n| n / total), &SCORES, score_of(elo));
                let mean: f64 = (0..5).map(|i| p[i] * SCORES[i]).sum();
                assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-6, "{pairs:?} {elo}");
                assert!((mean - score_of(elo)).abs() < 1e-6, "{pairs:?} {elo}");
            }
        }
        let ratio = example(EloModel::Logistic).llr(&[1, 1, 9, 11, 8]);
        assert!(ratio > 0.0 && ratio < 3.0, "{ratio}");
    }

    #[test]
    fn extreme_results_are_decided() {
        for model in [EloModel::Logistic, EloModel::Normalized] {
            let sprt = example(model);
            for index in 0..5 {
                let mut pairs = [0; 5];
                assert_eq!(sprt.decision(&pairs), None);
                pairs[index] = 1;
                assert!(sprt.llr(&pairs).is_finite());
                pairs[index] = 5000;
                let expected = if index > 2 { Decision::H1 } else { Decision::H0 };
                assert_eq!(sprt.decision(&pairs), Some(expected), "{model:?} {index}");
            }
        }
    }

    #[test]
    fn tests_are_parsed() {
        let sprt: Sprt = "elo0=0,elo1=10,beta=0.1,model=logistic".parse().unwrap();
        assert_eq!(sprt, example(EloModel::Logistic));
        let (lower, upper) = sprt.bounds();
        assert!((lower + 2.2513).abs() < 1e-3 && (upper - 2.8904).abs() < 1e-3);
        // The first one is empty.
        let all = " elo0=0 elo0=5,elo1=5 elo0=0,elo1=x elo0=0,elo1=5,alpha=0.7 elo0=0,elo1=NaN \
                   elo0=0,elo1=1000 elo0=0,elo1=5,model=x elo0=0,elo1=5,x=1";
        for bad in all.split(' ') {
            assert!(bad.parse::<Sprt>().is_err(), "{bad}");
        }
        for (bad, reason) in [
            ("alpha=0.5", "alpha and beta must be at least 0.000001 and less than 0.5"),
            ("model=bayesian", "model= must be normalized or logistic"),
        ] {
            let error = format!("elo0=0,elo1=5,{bad}").parse::<Sprt>().unwrap_err();
            assert_eq!(error.to_string(), reason);
        }
    }

    #[test]
    fn pairs_count_in_the_order_of_the_schedule() {
        let sprt: Sprt = "elo0=0,elo1=10,model=logistic".parse().unwrap();
        let mut run = SprtRun::new(sprt);
        for pair in 1..2000 {
            run.add(pair, 4);
        }
        assert_eq!((run.pairs, run.decision), ([0; 5], None));
        run.add(0, 0);
        assert_eq!(run.decision, Some(Decision::H1));
        let seen: u64 = run.pairs.iter().sum();
        assert!(run.pairs[0] == 1 && seen < 2000, "pairs after the decision do not count: {seen}");
        run.add(2000, 0);
        assert_eq!(run.pairs.iter().sum::<u64>(), seen);
    }
}
