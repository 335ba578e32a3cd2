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
//! positions count: not in check, the best move no capture. A batch is divided into shards that are
//! summed in a fixed order; with AdamW, a cosine schedule and every sample mirrored at random, a run
//! repeats exactly for a seed, whatever the number of threads. As about 24 of the 692 inputs are on, the
//! first layer is a sum of rows, and so is its gradient.
//!
//! # Generations
//!
//! A network becomes part of the program when it wins at a fixed number of nodes and at equal time.
//!
//! Generation 1, not accepted: 5,420,864 quiet positions (and 105,993 of other games to test with) of
//! self-play by the handcrafted evaluation, 1500 nodes a move, of about 45,000 games; the default recipe
//! with 25 passes: training loss 0.00810, test loss 0.00945, as good as reached in pass 18. Against the
//! handcrafted evaluation of the same build: 8000 nodes a move +51 =19 -50 of 120, +3 [-46, +52] Elo;
//! 1 s + 0.01 s +98 =20 -82 of 200, +28 [-21, +77], as it evaluates 1.4 times as fast. 600 positions
//! scored by both: correlation 0.98, slope 1.00, so the margins of the search hold for either. Ten passes
//! end at a test loss of 0.00970; a rate of 0.0015 learns faster and comes to overfit. What is missing is data.

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
pub use trainer::{PassReport, Trainer};
