//! The evaluation by an efficiently updatable neural network (NNUE: Y. Nasu, *Efficiently Updatable
//! Neural-Network-based Evaluation Functions for Computer Shogi*, 2018).
//!
//! The [`features`] of each side's view of the board select rows of weights. Their sum plus the biases is the hidden
//! layer of that side ([`AccumulatorStack`]). The activations (SCReLU: clamped to 0 to 1, then squared) of both sides,
//! the side to move first, are weighted into one output. All arithmetic is on integers, so that every processor gives
//! the same results.
//!
//! # The value of a position
//!
//! ```
//! use chuhe::board::Position;
//! use chuhe::eval::nnue::simd::SimdLevel;
//! use chuhe::eval::nnue::{self, AccumulatorStack};
//!
//! let (network, level) = (nnue::embedded(), SimdLevel::widest());
//! let mut position = Position::startpos();
//! let mut stack = AccumulatorStack::new(network, &position);
//! let before = nnue::evaluate(level, network, &mut stack, &position);
//! let undo = position.make_observed("h2e2".parse()?, &mut stack.push(network));
//! println!("{before}, {}", nnue::evaluate(level, network, &mut stack, &position));
//! stack.pop();
//! position.unmake("h2e2".parse()?, undo);
//! assert_eq!(nnue::evaluate(level, network, &mut stack, &position), before);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Searches also scale this value and limit it; see [`Searcher::static_score`](crate::search::Searcher::static_score).
//!
//! # Overflow
//!
//! A sum of the hidden layer has 16 bits. The trainer limits weights and biases to ±900, so that the sum of 32
//! pieces and a bias is at most 33 times that, 29,700. The file format allows larger weights. Sums then wrap around,
//! with the same result at every vector width, because each neuron is summed separately modulo 2^16. The products of
//! the output layer and their 32-bit sums cannot overflow, because the output weights are bounded
//! ([`simd::squared_product`]). These sums are added in 64 bits, and the result is clamped to ±[`MAX_VALUE`].

mod accumulator;
mod architecture;
pub mod features;
mod network;
pub mod simd;
#[cfg(test)]
mod tests;

pub use accumulator::{AccumulatorStack, Recorder};
pub use architecture::{
    Architecture, INPUT_QUANT, InputBuckets, MAX_WIDTH, OUTPUT_QUANT, OutputBuckets,
};
pub use network::{Network, NetworkError, NetworkParameters, OpenError};

use std::sync::{Arc, LazyLock};

use crate::board::Position;
use simd::SimdLevel;

/// The file of the embedded network; the training log (`src/guide/training-log.md`) describes how it was made.
static EMBEDDED: &[u8] = include_bytes!("embedded.nnue");

/// The embedded network.
pub fn embedded() -> &'static Arc<Network> {
    static NETWORK: LazyLock<Arc<Network>> = LazyLock::new(|| {
        let network = Network::from_bytes(EMBEDDED);
        Arc::new(network.expect("the embedded network is valid"))
    });
    &NETWORK
}

/// The maximum absolute value of an evaluation, in units of the evaluation.
pub const MAX_VALUE: i32 = i16::MAX as i32;

/// Evaluates `position`, which must be at the top of `stack`, for its side to move, in units of the
/// evaluation, clamped to ±[`MAX_VALUE`].
#[inline]
pub fn evaluate(
    level: SimdLevel,
    network: &Network,
    stack: &mut AccumulatorStack,
    position: &Position,
) -> i32 {
    level.run(
        #[inline(always)]
        || {
            let side = position.side_to_move();
            let sums = stack.sums(network, position);
            let bucket =
                network.architecture.outputs.for_pieces(position.occupied().len() as usize);
            let (own, other) = network.output_row(bucket);
            let sum = simd::squared_product(sums[side], own, INPUT_QUANT as i16)
                + simd::squared_product(sums[!side], other, INPUT_QUANT as i16);
            // The squares contain the quantization factor twice.
            let output = sum / i64::from(INPUT_QUANT) + i64::from(network.output_biases[bucket]);
            let value = output * i64::from(network.scale) / i64::from(INPUT_QUANT * OUTPUT_QUANT);
            value.clamp((-MAX_VALUE).into(), MAX_VALUE.into()) as i32
        },
    )
}
