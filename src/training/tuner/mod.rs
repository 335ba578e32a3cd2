//! Fitting the weights of the evaluation to the results of games (P. Österlund's "Texel" method):
//! logistic regression of the result on the score, by gradient descent (Adam) on all weights.
//!
//! `features` turns samples into the terms that they have, `loss` tells how wrong the weights are and
//! which way is down, the `optimizer` goes there, the `emitter` writes the weights as source text. The same
//! samples give the same weights with any number of threads.

mod emitter;
mod features;
mod loss;
mod optimizer;
mod plan;
mod state;

use rayon::ThreadPoolBuilder;

use super::holdout::held_back;
use super::sample::Sample;
use crate::eval::handcrafted::features::MATERIAL;
pub use emitter::write_weights;
use features::{FeatureRow, row};
use loss::gradient;
use optimizer::Adam;
use plan::Weights;
pub use plan::{TuneError, TuneReport, Tuning};
pub use state::{StateMismatch, TuneState};

/// Rows of one step of the optimizer.
const BATCH: usize = 16_384;
/// The step falls to this share of the first one by the last pass.
const LAST_STEP: f64 = 0.1;
/// Variance of a result around what is expected of it.
const RESULT_VARIANCE: f64 = 0.04;
/// The positions of a game have one result between them: so many are worth one independent sample.
const DEPENDENT: f64 = 10.0;

/// Fits the weights to the samples, from a state to the last pass. `progress` is called after each pass
/// with the state then; where it returns `false` it was the last, and the state can be gone on from.
///
/// # Errors
/// The system refuses the threads of the plan.
pub fn tune(
    state: &mut TuneState,
    samples: &[Sample],
    plan: &Tuning,
    mut progress: impl FnMut(&TuneState, TuneReport) -> bool,
) -> Result<(), TuneError> {
    let pool = ThreadPoolBuilder::new().num_threads(plan.threads).build();
    let pool = pool.map_err(|error| TuneError::NoThreads(error.to_string()))?;
    let rows: Vec<FeatureRow> = samples.iter().map(|sample| row(sample, plan)).collect();
    let held_back = held_back(samples);
    let part = |test: bool| -> Vec<&FeatureRow> {
        let chosen = rows
            .iter()
            .zip(&held_back)
            .filter(|(_, held)| **held == test);
        chosen.map(|(row, _)| row).collect()
    };
    let (test, training) = (part(true), part(false));
    while state.epoch < plan.epochs {
        let done = f64::from(state.epoch) / f64::from(plan.epochs.max(2) - 1);
        let step = plan.step * (1.0 - (1.0 - LAST_STEP) * done);
        let weights = &mut state.weights;
        let error = pool.install(|| pass(&training, weights, &mut state.adam, plan, step));
        let (_, test_error) = pool.install(|| gradient(&test, weights, plan.scale));
        let test_error = test_error / test.len() as f64;
        if state
            .best
            .as_ref()
            .is_none_or(|(least, _)| test_error < *least)
        {
            state.best = Some((test_error, state.weights.clone()));
        }
        state.epoch += 1;
        let report = TuneReport {
            epoch: state.epoch,
            training_error: error / training.len() as f64,
            test_error,
        };
        let goes_on = progress(state, report);
        if !goes_on {
            break;
        }
    }
    Ok(())
}

/// One pass over the rows; returns the sum of their errors.
fn pass(
    rows: &[&FeatureRow],
    weights: &mut Weights,
    adam: &mut Adam,
    plan: &Tuning,
    step: f64,
) -> f64 {
    // A normal prior of width `spread` against the noise of a result.
    let independent = rows.len() as f64 / DEPENDENT;
    let decay = 2.0 * RESULT_VARIANCE / (independent * plan.spread * plan.spread);
    let mut error = 0.0;
    for batch in rows.chunks(BATCH) {
        let (mut slopes, sum) = gradient(batch, weights, plan.scale);
        error += sum;
        for (index, (slope, weight)) in slopes.iter_mut().zip(weights.iter()).enumerate() {
            let is_material = (MATERIAL.start..MATERIAL.start + MATERIAL.len).contains(&index);
            let decay = if is_material { 0.0 } else { decay };
            for half in 0..2 {
                slope[half] = slope[half] / batch.len() as f64 + decay * weight[half];
            }
        }
        adam.step(weights, &slopes, step);
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::handcrafted::features::COUNT;
    use crate::training::test_positions::positions;

    fn samples() -> Vec<Sample> {
        let sample = |(number, position)| Sample {
            position,
            score: (number % 7) as i32 * 40 - 100,
            result: (number % 3) as f64 / 2.0,
        };
        positions(80, 40)
            .into_iter()
            .enumerate()
            .map(sample)
            .collect()
    }

    #[test]
    fn both_errors_are_numbers() {
        let plan = Tuning {
            epochs: 2,
            ..Tuning::default()
        };
        let mut reports = 0;
        let samples = samples();
        let samples = &samples[..1000];
        let mut state = TuneState::new(samples, &plan).unwrap();
        tune(&mut state, samples, &plan, |_, report| {
            assert!(report.training_error.is_finite() && report.test_error.is_finite());
            reports += 1;
            true
        })
        .unwrap();
        assert_eq!((state.best_weights().len(), reports), (COUNT, 2));
        assert_eq!(
            TuneState::new(&samples[..999], &plan),
            Err(TuneError::TooFew(999))
        );
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let samples = samples();
        assert!(samples.len() > 2 * 1024, "more than one part");
        let run = |threads| {
            let plan = Tuning {
                epochs: 3,
                threads,
                ..Tuning::default()
            };
            let mut errors = Vec::new();
            let mut state = TuneState::new(&samples, &plan).unwrap();
            tune(&mut state, &samples, &plan, |_, report| {
                errors.push((report.training_error.to_bits(), report.test_error.to_bits()));
                true
            })
            .unwrap();
            (state.best_weights(), errors)
        };
        let alone = run(1);
        assert_eq!(alone, run(2));
        assert_eq!(alone, run(5));
    }

    #[test]
    fn a_run_ended_early_has_the_best_weights_so_far() {
        let samples = samples();
        let run = |epochs, last| {
            let plan = Tuning {
                epochs,
                ..Tuning::default()
            };
            let mut errors = Vec::new();
            let mut state = TuneState::new(&samples, &plan).unwrap();
            tune(&mut state, &samples, &plan, |_, report| {
                errors.push(report.test_error);
                report.epoch < last
            })
            .unwrap();
            (state.best_weights(), errors)
        };
        let (early, errors) = run(300, 2);
        assert_eq!(errors.len(), 2);
        let (first, _) = run(300, 1);
        assert_eq!(early == first, errors[0] <= errors[1]);
    }

    #[test]
    fn a_resumed_run_comes_to_what_an_uninterrupted_run_comes_to() {
        let samples = samples();
        let plan = Tuning {
            epochs: 4,
            ..Tuning::default()
        };
        let mut whole = TuneState::new(&samples, &plan).unwrap();
        tune(&mut whole, &samples, &plan, |_, _| true).unwrap();
        let mut first = TuneState::new(&samples, &plan).unwrap();
        tune(&mut first, &samples, &plan, |_, report| report.epoch < 2).unwrap();
        let text = serde_json::to_string(&first).unwrap();
        let mut later: TuneState = serde_json::from_str(&text).unwrap();
        assert_eq!(later, first);
        assert_eq!(
            later.check(&samples, &Tuning { threads: 3, ..plan }),
            Ok(())
        );
        tune(&mut later, &samples, &plan, |_, _| true).unwrap();
        assert_eq!(later, whole);
        let other = Tuning {
            spread: 9.0,
            ..plan
        };
        assert!(whole.check(&samples, &other).is_err());
        assert!(whole.check(&samples[1..], &plan).is_err());
        let mut others = samples.clone();
        others[7].score += 1;
        assert!(whole.check(&others, &plan).is_err());
    }
}
