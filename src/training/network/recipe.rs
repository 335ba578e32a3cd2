//! What is trained, on what, and how: one screen to read and to change.

use serde::{Deserialize, Serialize};

use crate::eval::nnue::{Architecture, InputBuckets, MAX_WIDTH, OutputBuckets};
use crate::training::data::Filter;

/// A training run. As a file it is TOML with these keys; what it leaves out is as in
/// [`Recipe::default`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Recipe {
    // ---- Architecture: (piece-squares -> width) x 2 -> screlu -> 1 ----
    /// Neurons of each perspective: a multiple of 32, up to 1024.
    pub width: usize,
    /// Sets of input weights: 1, or 4 by what the side has to attack with.
    pub input_buckets: usize,
    /// Sets of output weights: 1, or 8 by the number of pieces.
    pub output_buckets: usize,

    // ---- Loss: (sigmoid(output) - target)^2 ----
    // ---- target = share * result + (1 - share) * sigmoid(score / scale) ----
    /// How much the result of the game counts beside the score, 0 to 1, in the first pass.
    pub result_share: f32,
    /// The same in the last pass; it changes linearly in between.
    pub final_result_share: f32,
    /// Units of evaluation that make the odds e to 1.
    pub scale: f32,

    // ---- Schedule: AdamW, the rate rising over the warm-up, then falling by half a cosine ----
    /// Passes over all samples.
    pub passes: u32,
    /// Samples a step.
    pub batch: usize,
    /// Highest learning rate.
    pub rate: f32,
    /// Learning rate at the end.
    pub final_rate: f32,
    /// Steps over which the rate rises from nothing.
    pub warm_up: u32,
    /// Weight decay a step, times the rate (I. Loshchilov and F. Hutter, 2019).
    pub decay: f32,
    /// Bound of the weights' size, so that the quantisation can hold them: 127/64.
    pub clip: f32,

    // ---- Data ----
    /// Seed of weights, order and mirroring. The same seed gives the same network.
    pub seed: u64,
    /// Games held back to test with: one in so many.
    pub hold_out: u64,
    /// Samples with a larger score, either way, are left out, in units of evaluation.
    pub largest_score: i16,
    /// Of each game so many plies are left out from the first that a search has scored on. Text does not tell
    /// them.
    pub first_plies: usize,
    /// Of each game that a repetition has decided so many of the last plies are left out: its result depends on
    /// the path. Text does not tell them.
    pub repetition_plies: usize,
    /// Whether positions in check are left out.
    pub leave_out_checks: bool,
    /// Whether positions are left out in which a capture was played, the search's best move. Text does not tell
    /// them.
    pub leave_out_captures: bool,
}

impl Default for Recipe {
    fn default() -> Self {
        Self {
            width: 128,
            input_buckets: 1,
            output_buckets: 8,
            result_share: 0.3,
            final_result_share: 0.3,
            scale: 370.0,
            passes: 30,
            batch: 16_384,
            rate: 1e-3,
            final_rate: 1e-5,
            warm_up: 200,
            decay: 0.01,
            clip: 127.0 / 64.0,
            seed: 1,
            hold_out: 50,
            largest_score: Filter::QUIET.decided,
            first_plies: Filter::QUIET.first_plies,
            repetition_plies: Filter::QUIET.repetition_plies,
            leave_out_checks: Filter::QUIET.in_check,
            leave_out_captures: Filter::QUIET.captures,
        }
    }
}

/// What a recipe asks for cannot be done.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{key} is {value}, but must be {allowed}")]
pub struct RecipeError {
    key: &'static str,
    value: String,
    allowed: &'static str,
}

impl RecipeError {
    fn new(key: &'static str, value: &dyn ToString, allowed: &'static str) -> Self {
        Self {
            key,
            value: value.to_string(),
            allowed,
        }
    }
}

/// Refuses `value` of `key` unless `holds`.
fn must(
    holds: bool,
    key: &'static str,
    value: &dyn ToString,
    allowed: &'static str,
) -> Result<(), RecipeError> {
    match holds {
        true => Ok(()),
        false => Err(RecipeError::new(key, value, allowed)),
    }
}

impl Recipe {
    /// The shape of the network.
    ///
    /// # Errors
    /// When a number of the recipe is out of its range.
    pub fn architecture(&self) -> Result<Architecture, RecipeError> {
        self.check_schedule()?;
        let width = self.width.is_multiple_of(32) && (32..=MAX_WIDTH).contains(&self.width);
        let allowed = "a multiple of 32 from 32 to 1024";
        must(width, "width", &self.width, allowed)?;
        let inputs = match self.input_buckets {
            1 => InputBuckets::One,
            4 => InputBuckets::Attackers,
            other => return Err(RecipeError::new("input_buckets", &other, "1 or 4")),
        };
        let outputs = match self.output_buckets {
            1 => OutputBuckets::One,
            8 => OutputBuckets::Pieces,
            other => return Err(RecipeError::new("output_buckets", &other, "1 or 8")),
        };
        Ok(Architecture {
            width: self.width,
            inputs,
            outputs,
        })
    }

    /// Which positions are left out.
    pub fn filter(&self) -> Filter {
        Filter {
            in_check: self.leave_out_checks,
            captures: self.leave_out_captures,
            decided: self.largest_score,
            first_plies: self.first_plies,
            repetition_plies: self.repetition_plies,
        }
    }

    /// Refuses numbers of loss, schedule and data that are out of their ranges.
    fn check_schedule(&self) -> Result<(), RecipeError> {
        for (key, share) in [
            ("result_share", self.result_share),
            ("final_result_share", self.final_result_share),
        ] {
            must((0.0..=1.0).contains(&share), key, &share, "0 to 1")?;
        }
        // A file of a network holds it as a whole number.
        let is_scale = (1.0..=100_000.0).contains(&self.scale);
        must(is_scale, "scale", &self.scale, "1 to 100000")?;
        must(self.passes > 0, "passes", &self.passes, "at least 1")?;
        must(self.batch >= 64, "batch", &self.batch, "at least 64")?;
        let is_rate = self.rate > 0.0 && self.rate <= 1.0;
        must(is_rate, "rate", &self.rate, "over 0, up to 1")?;
        let final_rate = self.final_rate >= 0.0 && self.final_rate <= self.rate;
        must(final_rate, "final_rate", &self.final_rate, "0 to rate")?;
        let is_decay = (0.0..1.0).contains(&self.decay);
        must(is_decay, "decay", &self.decay, "0 to less than 1")?;
        let is_clip = self.clip > 0.0 && self.clip <= 127.0 / 64.0;
        must(is_clip, "clip", &self.clip, "over 0, up to 1.984375")?;
        must(self.hold_out >= 2, "hold_out", &self.hold_out, "at least 2")?;
        let (key, score) = ("largest_score", self.largest_score);
        must(score > 0, key, &score, "1 to 32767")
    }

    /// The learning rate of step `step` of `steps`.
    pub fn rate_at(&self, step: u64, steps: u64) -> f32 {
        let warm_up = u64::from(self.warm_up).min(steps / 10);
        if step < warm_up {
            return self.rate * (step + 1) as f32 / warm_up as f32;
        }
        let progress = (step - warm_up) as f64 / (steps - warm_up).max(1) as f64;
        let cosine = 0.5 * (1.0 + (std::f64::consts::PI * progress).cos());
        self.final_rate + (self.rate - self.final_rate) * cosine as f32
    }

    /// The share of the result in step `step` of `steps`.
    pub fn result_share_at(&self, step: u64, steps: u64) -> f32 {
        let progress = step as f32 / steps.max(1) as f32;
        self.result_share + (self.final_result_share - self.result_share) * progress
    }
}
