//! Training of the evaluation's neural network: games in, a network file out.
//!
//! # The method
//!
//! A [`Recipe`] says what is trained and how, on one screen. The network is
//!
//! ```text
//! piece-squares of each side's view (692) -> width, the same weights for both sides
//! squares of the neurons between 0 and 1 (SCReLU), side to move first -> 1, by number of pieces
//! ```
//!
//! and its loss the squared difference between the expected result it gives, `sigmoid(output)`, and a
//! mixture of the game's result and of the score that the search gave the position. Only quiet
//! positions count: not in check, the best move no capture, the score within 2,200, and not among the last
//! twelve plies of a game that a repetition has decided ([`Recipe::filter`]; each can be set). Text samples
//! (`FEN | score | result`) tell no moves, so that of these only the check and the score are looked at. A batch is
//! divided into shards that are
//! summed in a fixed order; with AdamW, a cosine schedule and every sample mirrored at random, a run
//! repeats exactly for a seed, whatever the number of threads. Which games are held back to test with depends on
//! their seed and number, or on their first sample where those are not known, and on the recipe's seed; not on the
//! names of files. As about 24 of the 692 inputs are on, the
//! first layer is a sum of rows, and so is its gradient.
//!
//! Results of the networks so far: [`guide::training_log`](crate::guide::training_log).

mod checkpoint;
mod model;
mod optimizer;
mod recipe;
mod samples;
#[cfg(test)]
mod tests;
mod trainer;
mod vector;

pub use checkpoint::CheckpointError;
pub use recipe::{Recipe, RecipeError};
pub use samples::{PackedSample, Samples};
pub use trainer::{PassReport, Trainer, TrainerError};
