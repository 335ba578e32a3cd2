//! Training of the neural network of the evaluation from game files.
//!
//! # The method
//!
//! A [`Recipe`] has all settings of a training run. The network is
//!
//! ```text
//! piece-squares as each side sees them (692) -> width neurons, same weights for both sides
//! SCReLU (clipped to 0..1, squared), side to move first -> 1 output, weights by number of pieces
//! ```
//!
//! With four input buckets there are four sets of input weights. Each side uses the set for the kinds of attackers that
//! it has (see [`InputBuckets`](crate::eval::nnue::InputBuckets)).
//!
//! The loss is the square, or another power, of the difference between the predicted result and a mixture of the result
//! of the game and the score of the search ([`Recipe`] has the formula). The search scales evaluations toward zero as
//! the number of plies without a capture grows, and the scores of the samples are results of such searches. So the
//! output is scaled in the same way before the loss is computed, and the network learns the evaluation before scaling.
//! With [`Recipe::later_share`] above 0, each score is first averaged with the later ones of its game, which reduces
//! noise.
//!
//! - Only quiet positions are used: not in check, the move played is not a capture, and the absolute score is at most
//!   2200. The last twelve plies of games that a repetition decided are not used. Each condition can be changed
//!   ([`Recipe::filter`]). For text samples (`FEN | score | result`), whose moves are unknown, only check and score
//!   are tested.
//! - The optimizer is AdamW with a cosine schedule. Samples are mirrored at random. The gradient of a batch is
//!   summed in a fixed order, so the same seed gives the same network with any number of threads.
//! - Only one input per piece is active, about 24 of 692. So the first layer adds one row of weights per piece, and
//!   its gradient has only these rows.
//! - Some games are used only for the test loss. They are chosen by their seed and number (or by their first
//!   sample if those are unknown) and the seed of the recipe, independently of file names.
//!
//! Results of the networks so far: [`guide::training_log`](crate::guide::training_log).

mod checkpoint;
mod model;
mod recipe;
mod samples;
#[cfg(test)]
mod tests;
mod trainer;

pub use checkpoint::CheckpointError;
pub use recipe::{Recipe, RecipeError};
pub use samples::{PackedSample, Samples};
pub use trainer::{ClassLoss, PassReport, SCORE_CLASS_BOUNDS, TestLosses, Trainer};
