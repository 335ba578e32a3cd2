//! The error rates of the SPRT in simulations.

use chuhe::tournament::stats::{Decision, EloModel, Sprt};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Number of matches per simulation.
const MATCHES: u64 = 2_000;

/// A typical distribution of pair results, tilted exponentially so that its mean score is `score`.
fn pairs_with_score(score: f64) -> [f64; 5] {
    let shape: [f64; 5] = [0.05, 0.20, 0.45, 0.25, 0.05];
    let tilted = |x: f64| {
        let weights: [f64; 5] = std::array::from_fn(|i| shape[i] * (x * i as f64).exp());
        let sum: f64 = weights.iter().sum();
        weights.map(|w| w / sum)
    };
    let (mut low, mut high) = (-10.0, 10.0);
    for _ in 0..200 {
        let middle = (low + high) / 2.0;
        if mean(&tilted(middle)) < score {
            low = middle;
        } else {
            high = middle;
        }
    }
    tilted(low)
}

/// As [`pairs_with_score`], for a logistic Elo.
fn pairs_with_elo(elo: f64) -> [f64; 5] {
    pairs_with_score(1.0 / (1.0 + 10f64.powf(-elo / 400.0)))
}

/// As [`pairs_with_score`], for a normalized Elo.
fn pairs_with_normalized_elo(elo: f64) -> [f64; 5] {
    let (mut low, mut high) = (0.2, 0.8);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if normalized_elo(&pairs_with_score(middle)) < elo {
            low = middle;
        } else {
            high = middle;
        }
    }
    pairs_with_score(low)
}

/// The mean score per game.
fn mean(p: &[f64; 5]) -> f64 {
    (0..5).map(|i| p[i] * i as f64 / 4.0).sum()
}

fn normalized_elo(p: &[f64; 5]) -> f64 {
    let mean = mean(p);
    let variance: f64 = (0..5).map(|i| p[i] * (i as f64 / 4.0 - mean).powi(2)).sum();
    (mean - 0.5) / (2.0 * variance).sqrt() * 800.0 / std::f64::consts::LN_10
}

/// The number of matches that accept H0 and H1, and the mean number of pairs.
fn simulate(sprt: &Sprt, truth: &[f64; 5], seed: u64) -> ([u64; 2], f64) {
    let mut decided = [0; 2];
    let mut played = 0u64;
    for number in 0..MATCHES {
        let mut random = StdRng::seed_from_u64(seed * MATCHES + number);
        let mut pairs = [0u64; 5];
        let decision = loop {
            let mut point: f64 = random.random();
            let result = truth.iter().position(|p| {
                point -= p;
                point < 0.0
            });
            pairs[result.unwrap_or(4)] += 1;
            played += 1;
            if let Some(decision) = sprt.decision(&pairs) {
                break decision;
            }
        };
        decided[usize::from(decision == Decision::H1)] += 1;
    }
    (decided, played as f64 / MATCHES as f64)
}

/// Checks the rate at which the SPRT accepts `wrong` although the other hypothesis is true: 5 % within one percentage
/// point.
fn check(model: EloModel, wrong: Decision, seed: u64, distribution: impl Fn(f64) -> [f64; 5]) {
    let sprt = Sprt { elo0: 0.0, elo1: 20.0, alpha: 0.05, beta: 0.05, model };
    let (elo, wrong) = match wrong {
        Decision::H1 => (sprt.elo0, 1),
        Decision::H0 => (sprt.elo1, 0),
    };
    let (decided, pairs) = simulate(&sprt, &distribution(elo), seed);
    let rate = decided[wrong] as f64 / MATCHES as f64;
    assert!((0.04..=0.06).contains(&rate), "{model:?} {elo}: {rate}, {pairs:.0} pairs a match");
}

#[test]
fn logistic_error_rates_are_nominal() {
    check(EloModel::Logistic, Decision::H1, 1, pairs_with_elo);
    check(EloModel::Logistic, Decision::H0, 2, pairs_with_elo);
}

#[test]
fn normalized_rate_of_wrong_acceptance_is_nominal() {
    check(EloModel::Normalized, Decision::H1, 3, pairs_with_normalized_elo);
}

#[test]
fn normalized_rate_of_wrong_rejection_is_nominal() {
    check(EloModel::Normalized, Decision::H0, 4, pairs_with_normalized_elo);
}

#[test]
fn matches_between_the_hypotheses_take_longer() {
    let sprt: Sprt = "elo0=0,elo1=40,model=logistic".parse().unwrap();
    let middle = pairs_with_elo(20.0);
    let (decided, in_the_middle) = simulate(&sprt, &middle, 5);
    let strong = pairs_with_elo(100.0);
    let (clear, pairs) = simulate(&sprt, &strong, 6);
    assert!(decided.iter().all(|n| *n > MATCHES / 4), "{decided:?}");
    assert_eq!(clear[0], 0);
    assert!(pairs < in_the_middle / 2.0, "{pairs} {in_the_middle}");
}
