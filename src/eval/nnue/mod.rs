//! The evaluation by a neural network that is updated move by move (NNUE: Y. Nasu, *Efficiently
//! Updatable Neural-Network-based Evaluation Functions for Computer Shogi*, 2018).
//!
//! Each side's view of the board is a list of [`features`], whose weights are summed up to a hidden
//! layer per side ([`AccumulatorStack`]). The neurons, squared between 0 and 1 (SCReLU), are weighted
//! into one output, the side to move first. All of it is whole numbers: the same on every processor.
//!
//! # Numbers that do not fit
//!
//! A sum of the hidden layer has 16 bits. Networks of the trainer stay within them: it holds weights and biases
//! within 900 either way, and 32 pieces and a bias come to 33 times that, 29,700. The format takes any weight,
//! though, and with larger ones sums wrap around, at every vector width alike: each neuron is added up for itself,
//! and the remainder modulo 2^16 does not depend on the order. The products of the output cannot wrap, as its
//! weights are bounded ([`simd::squared_product`]); they are summed up in 64 bits, and what comes out is held within
//! [`LARGEST_VALUE`].

mod accumulator;
mod architecture;
pub mod features;
mod header;
mod network;
pub mod simd;
#[cfg(test)]
mod tests;

pub use accumulator::{AccumulatorStack, Recorder};
pub use architecture::{
    Architecture, INPUT_QUANT, InputBuckets, MAX_WIDTH, OUTPUT_QUANT, OutputBuckets,
};
pub use header::{NetworkError, OpenError};
pub use network::{Network, NetworkParameters};

use std::sync::{Arc, LazyLock};

use crate::board::Position;
use simd::SimdLevel;

/// The file of the network that is part of the program; `training::network` tells how it was made.
static EMBEDDED: &[u8] = include_bytes!("embedded.nnue");

/// The network that is part of the program.
pub fn embedded() -> &'static Arc<Network> {
    static NETWORK: LazyLock<Arc<Network>> = LazyLock::new(|| {
        let network = Network::from_bytes(EMBEDDED);
        Arc::new(network.expect("a test reads the embedded network"))
    });
    &NETWORK
}

/// No value of a network is larger either way, in units of evaluation.
pub const LARGEST_VALUE: i32 = i16::MAX as i32;

/// Evaluates `position`, on the top of `stack`, for its side to move, in units of evaluation, within
/// [`LARGEST_VALUE`] either way.
///
/// Every piece must have an input ([`features::is_representable`]).
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
            let bucket = network
                .architecture
                .outputs
                .for_pieces(position.occupied().len() as usize);
            let (own, other) = network.output_row(bucket);
            let sum = simd::squared_product(sums[side], own, INPUT_QUANT as i16)
                + simd::squared_product(sums[!side], other, INPUT_QUANT as i16);
            // The squares carry one factor of quantisation too many.
            let output = sum / i64::from(INPUT_QUANT) + i64::from(network.output_biases[bucket]);
            let value = output * i64::from(network.scale) / i64::from(INPUT_QUANT * OUTPUT_QUANT);
            value.clamp((-LARGEST_VALUE).into(), LARGEST_VALUE.into()) as i32
        },
    )
}
