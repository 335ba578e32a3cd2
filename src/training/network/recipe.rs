//! The settings of a training run.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::eval::nnue::{Architecture, InputBuckets, MAX_WIDTH, OutputBuckets};
use crate::training::data::Filter;

/// Declares the recipe, and the documentation of its keys as texts.
macro_rules! recipe {
    ($(#[$meta:meta])* pub struct $name:ident {
        $($(#[doc = $doc:literal])+ pub $key:ident: $type:ty,)+
    }) => {
        $(#[$meta])*
        pub struct $name { $($(#[doc = $doc])+ pub $key: $type,)+ }

        impl $name {
            /// Each key with its meaning and range.
            pub const NOTES: &'static [(&'static str, &'static str)] =
                &[$((stringify!($key), concat!($($doc),+))),+];
        }
    };
}

recipe! {
    /// The settings of a training run. A recipe file is TOML with these keys; missing keys have the values of
    /// [`Recipe::default`].
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct Recipe {
        // ---- Architecture: (piece-squares -> width) x 2 -> screlu -> 1 ----
        /// Neurons per perspective: a multiple of 32, up to 1024.
        pub width: usize,
        /// Sets of input weights: 1, or 4 by whether the side has a rook and whether it has a knight or cannon.
        pub input_buckets: usize,
        /// Sets of output weights: 1, or 8 by the number of pieces.
        pub output_buckets: usize,

        // ---- Loss: |sigmoid(output * factor for the no-capture count) - target|^loss_power ----
        // ---- target = share * result + (1 - share) * sigmoid(score / scale) ----
        /// Share of the result of the game in the target, 0 to 1, at the beginning of the run. The rest is
        /// sigmoid(score / scale).
        pub result_share: f32,
        /// Share at the end of the run, 0 to 1. It changes linearly in between.
        pub final_result_share: f32,
        /// Weight of the average score of the later plies in the score of a ply, 0 to less than 1: lambda of
        /// TD(lambda) (R. S. Sutton, 1988). No effect on text samples.
        pub later_share: f32,
        /// Evaluation units at which the odds are e to 1; range 1 to 100000. A minor piece is worth 450 units.
        pub scale: f32,
        /// Power of the error in the loss, 1 to 4. The losses that are shown are squared errors in any case.
        pub loss_power: f32,

        // ---- Schedule: AdamW; the rate rises during the warm-up, then falls along half a cosine ----
        /// Passes over all samples, at least 1.
        pub passes: u32,
        /// Samples per step, at least 64.
        pub batch: usize,
        /// Maximum learning rate, above 0 and at most 1.
        pub rate: f32,
        /// Learning rate at the end, 0 to `rate`.
        pub final_rate: f32,
        /// Steps in which the rate rises from zero; at most a tenth of all steps.
        pub warm_up: u32,
        /// Weight decay per step, 0 to less than 1, multiplied by the rate (I. Loshchilov and F. Hutter, 2019).
        pub decay: f32,
        /// Maximum absolute weight, above 0 and at most 1.984375 (127/64) because of the quantization.
        pub clip: f32,

        // ---- Data ----
        /// Seed of the initial weights, of the order and mirroring of the samples, and of the choice of games for the
        /// test loss. The same seed gives the same network.
        pub seed: u64,
        /// One in this number of games, at least 2, is used for the test loss instead of training.
        pub hold_out: u64,
        /// Samples with a larger absolute score, in evaluation units, are skipped; 1 to 32767.
        pub largest_score: i16,
        /// Number of plies to skip after the random ones. No effect on text samples.
        pub first_plies: usize,
        /// Number of last plies to skip in games that a repetition decided, because their result depends on the path.
        /// No effect on text samples.
        pub repetition_plies: usize,
        /// Positions whose score and the score after the move differ by more than this, in evaluation units, are
        /// skipped; 1 to 32767. No effect on text samples.
        pub largest_swing: i16,
        /// Whether to skip positions in check.
        pub leave_out_checks: bool,
        /// Whether to skip positions in which the move played is a capture. No effect on text samples.
        pub leave_out_captures: bool,
    }
}

impl Default for Recipe {
    fn default() -> Self {
        Self {
            width: 128,
            input_buckets: 1,
            output_buckets: 8,
            result_share: 0.3,
            final_result_share: 0.3,
            later_share: 0.0,
            scale: 370.0,
            loss_power: 2.0,
            passes: 30,
            batch: 16_384,
            rate: 1e-3,
            final_rate: 1e-5,
            warm_up: 200,
            decay: 0.01,
            clip: 127.0 / 64.0,
            seed: 1,
            hold_out: 50,
            largest_score: Filter::QUIET.largest_score,
            first_plies: Filter::QUIET.first_plies,
            repetition_plies: Filter::QUIET.repetition_plies,
            largest_swing: Filter::QUIET.largest_swing,
            leave_out_checks: Filter::QUIET.leave_out_checks,
            leave_out_captures: Filter::QUIET.leave_out_captures,
        }
    }
}

/// The reason why a run with a recipe cannot begin, as a message.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct RecipeError(pub(super) String);

fn out_of_range(key: &str, value: &dyn fmt::Display, allowed: &str) -> RecipeError {
    RecipeError(format!("{key} is {value}, but must be {allowed}"))
}

/// Returns an error about `key` unless its value is valid.
fn require(
    is_valid: bool,
    key: &str,
    value: &dyn fmt::Display,
    allowed: &str,
) -> Result<(), RecipeError> {
    if is_valid { Ok(()) } else { Err(out_of_range(key, value, allowed)) }
}

impl Recipe {
    /// Checks the settings and returns the architecture of the network.
    pub fn architecture(&self) -> Result<Architecture, RecipeError> {
        self.check_ranges()?;
        let is_width = self.width.is_multiple_of(32) && (32..=MAX_WIDTH).contains(&self.width);
        let allowed = "a multiple of 32 from 32 to 1024";
        require(is_width, "width", &self.width, allowed)?;
        let inputs = InputBuckets::with_count(self.input_buckets)
            .ok_or_else(|| out_of_range("input_buckets", &self.input_buckets, "1 or 4"))?;
        let outputs = OutputBuckets::with_count(self.output_buckets)
            .ok_or_else(|| out_of_range("output_buckets", &self.output_buckets, "1 or 8"))?;
        Ok(Architecture { width: self.width, inputs, outputs })
    }

    pub fn filter(&self) -> Filter {
        Filter {
            leave_out_checks: self.leave_out_checks,
            leave_out_captures: self.leave_out_captures,
            largest_score: self.largest_score,
            first_plies: self.first_plies,
            repetition_plies: self.repetition_plies,
            largest_swing: self.largest_swing,
        }
    }

    /// Checks the ranges of the settings of loss, schedule and data.
    fn check_ranges(&self) -> Result<(), RecipeError> {
        for (key, share) in
            [("result_share", self.result_share), ("final_result_share", self.final_result_share)]
        {
            require((0.0..=1.0).contains(&share), key, &share, "0 to 1")?;
        }
        let is_share = (0.0..1.0).contains(&self.later_share);
        require(is_share, "later_share", &self.later_share, "0 to less than 1")?;
        let is_power = (1.0..=4.0).contains(&self.loss_power);
        require(is_power, "loss_power", &self.loss_power, "1 to 4")?;
        // The range in a network file, which stores the scale rounded to an integer.
        let is_scale = (1.0..=100_000.0).contains(&self.scale);
        require(is_scale, "scale", &self.scale, "1 to 100000")?;
        require(self.passes > 0, "passes", &self.passes, "at least 1")?;
        require(self.batch >= 64, "batch", &self.batch, "at least 64")?;
        let is_rate = self.rate > 0.0 && self.rate <= 1.0;
        require(is_rate, "rate", &self.rate, "above 0 and at most 1")?;
        let is_final_rate = self.final_rate >= 0.0 && self.final_rate <= self.rate;
        require(is_final_rate, "final_rate", &self.final_rate, "0 to rate")?;
        let is_decay = (0.0..1.0).contains(&self.decay);
        require(is_decay, "decay", &self.decay, "0 to less than 1")?;
        let is_clip = self.clip > 0.0 && self.clip <= 127.0 / 64.0;
        require(is_clip, "clip", &self.clip, "above 0 and at most 1.984375")?;
        require(self.hold_out >= 2, "hold_out", &self.hold_out, "at least 2")?;
        for (key, units) in
            [("largest_score", self.largest_score), ("largest_swing", self.largest_swing)]
        {
            require(units > 0, key, &units, "1 to 32767")?;
        }
        Ok(())
    }

    /// The learning rate at step `step` (from 0) of `steps`.
    pub fn rate_at(&self, step: u64, steps: u64) -> f32 {
        let warm_up = u64::from(self.warm_up).min(steps / 10);
        if step < warm_up {
            return self.rate * (step + 1) as f32 / warm_up as f32;
        }
        let progress = (step - warm_up) as f64 / (steps - warm_up).max(1) as f64;
        let cosine = 0.5 * (1.0 + (std::f64::consts::PI * progress).cos());
        self.final_rate + (self.rate - self.final_rate) * cosine as f32
    }

    /// The share of the result at step `step` (from 0) of `steps`.
    pub fn result_share_at(&self, step: u64, steps: u64) -> f32 {
        let progress = step as f32 / steps.max(1) as f32;
        self.result_share + (self.final_result_share - self.result_share) * progress
    }
}
