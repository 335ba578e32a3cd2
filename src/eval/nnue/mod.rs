//! The evaluation by a neural network that is updated move by move (NNUE: Y. Nasu, *Efficiently
//! Updatable Neural-Network-based Evaluation Functions for Computer Shogi*, 2018).
//!
//! Each side's view of the board is a list of [`features`], whose weights are summed up to a hidden
//! layer per side ([`AccumulatorStack`]). The neurons, squared between 0 and 1 (SCReLU), are weighted
//! into one output, the side to move first. All of it is whole numbers: the same on every processor.

mod accumulator;
mod architecture;
pub mod features;
mod network;
pub mod simd;

pub use accumulator::{AccumulatorStack, Recorder};
pub use architecture::{
    Architecture, INPUT_QUANT, InputBuckets, MAX_WIDTH, OUTPUT_QUANT, OutputBuckets,
};
pub use network::{Network, NetworkError, NetworkParameters, OpenError};

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

/// Evaluates `position`, on the top of `stack`, for its side to move, in units of evaluation.
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
            (output * i64::from(network.scale) / i64::from(INPUT_QUANT * OUTPUT_QUANT)) as i32
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Color;
    use crate::movegen::legal_moves;
    use features::{FEATURES, Perspective};
    use rand::rngs::StdRng;
    use rand::seq::IndexedRandom;
    use rand::{Rng, SeedableRng};

    /// A network of random weights as large as the format holds.
    fn random_network(architecture: Architecture, seed: u64) -> Network {
        let mut rng = StdRng::seed_from_u64(seed);
        let mut shorts = |count: usize, bound: i16| -> Vec<i16> {
            (0..count)
                .map(|_| rng.random_range(-bound..=bound))
                .collect()
        };
        let (width, outputs) = (architecture.width, architecture.outputs.count());
        let parameters = NetworkParameters {
            input_weights: shorts(architecture.rows() * width, 200),
            input_biases: shorts(width, 200),
            output_weights: shorts(outputs * 2 * width, 127),
            output_biases: shorts(outputs, 10_000).into_iter().map(i32::from).collect(),
        };
        Network::new(architecture, 400, "random".to_owned(), &parameters).expect("the shape fits")
    }

    fn architectures() -> [Architecture; 4] {
        let shape = |width, inputs, outputs| Architecture {
            width,
            inputs,
            outputs,
        };
        [
            shape(32, InputBuckets::One, OutputBuckets::One),
            shape(96, InputBuckets::Attackers, OutputBuckets::Pieces),
            shape(128, InputBuckets::One, OutputBuckets::Pieces),
            shape(1024, InputBuckets::Attackers, OutputBuckets::One),
        ]
    }

    #[test]
    fn files_made_before_are_read() {
        // The hash stands in every file of a network.
        let hashes = architectures().map(Architecture::hash);
        let known = [0x88ad_d2b1, 0x9dfd_720e, 0xab00_9331, 0x4fff_3508];
        assert_eq!(hashes, known);
    }

    #[test]
    fn output_weights_that_products_cannot_hold_are_refused() {
        let network = random_network(architectures()[0], 1);
        for weight in [128, -128, i16::MIN] {
            let mut parameters = network.parameters();
            parameters.output_weights[5] = weight;
            let made = Network::new(network.architecture, 400, String::new(), &parameters);
            assert_eq!(made.err(), Some(NetworkError::Architecture), "{weight}");
        }
    }

    /// The definition, number by number: no accumulator, no vectors.
    fn reference(network: &Network, position: &Position) -> i32 {
        let Architecture {
            width,
            inputs,
            outputs,
        } = network.architecture;
        let number = |blocks: &[simd::Block], index: usize| {
            i64::from(blocks[index / simd::Block::LEN].0[index % simd::Block::LEN])
        };
        let bucket = outputs.for_pieces(position.occupied().len() as usize);
        let mut sum = 0;
        for (half, side) in [position.side_to_move(), !position.side_to_move()]
            .into_iter()
            .enumerate()
        {
            let perspective = Perspective::of(position, side);
            for neuron in 0..width {
                let mut value = number(&network.input_biases, neuron);
                for square in position.occupied() {
                    let piece = position.piece_on(square).expect("occupied");
                    let feature = perspective.feature(piece, square).expect("no promotion");
                    let row = inputs.of(position, side) * FEATURES + feature;
                    value += number(&network.input_weights, row * width + neuron);
                }
                let clipped = value.clamp(0, INPUT_QUANT.into());
                let weight = number(
                    &network.output_weights,
                    (bucket * 2 + half) * width + neuron,
                );
                sum += clipped * clipped * weight;
            }
        }
        let output = sum / i64::from(INPUT_QUANT) + i64::from(network.output_biases[bucket]);
        (output * i64::from(network.scale) / i64::from(INPUT_QUANT * OUTPUT_QUANT)) as i32
    }

    fn fresh(level: SimdLevel, network: &Network, position: &Position) -> i32 {
        evaluate(
            level,
            network,
            &mut AccumulatorStack::new(network, position),
            position,
        )
    }

    #[test]
    fn every_level_gives_what_the_definition_says_along_random_lines() {
        for (seed, architecture) in (0..).zip(architectures()) {
            let network = random_network(architecture, seed);
            for level in SimdLevel::available() {
                let mut rng = StdRng::seed_from_u64(seed);
                let root = Position::startpos();
                let mut stack = AccumulatorStack::new(&network, &root);
                let mut position = root;
                let mut line = Vec::new();
                // Forwards mostly, sometimes back, evaluating now and then: updates of every length.
                for _ in 0..400 {
                    if !line.is_empty() && rng.random_ratio(3, 10) {
                        let (played, undo) = line.pop().expect("not empty");
                        position.unmake(played, undo);
                        stack.pop();
                    } else if let Some(&played) = legal_moves(&position).choose(&mut rng) {
                        let undo = position.make_observed(played, &mut stack.push(&network));
                        line.push((played, undo));
                    }
                    if rng.random_ratio(1, 3) {
                        let value = evaluate(level, &network, &mut stack, &position);
                        assert_eq!(
                            value,
                            reference(&network, &position),
                            "{level:?} {position}"
                        );
                        assert_eq!(value, fresh(level, &network, &position));
                    }
                }
            }
        }
    }

    #[test]
    fn colors_exchanged_and_boards_mirrored_are_worth_the_same() {
        let network = random_network(architectures()[1], 7);
        let mut rng = StdRng::seed_from_u64(7);
        let mut position = Position::startpos();
        for _ in 0..150 {
            let Some(&played) = legal_moves(&position).choose(&mut rng) else {
                break;
            };
            position.make(played);
            let value = fresh(SimdLevel::BASELINE, &network, &position);
            // A king on the middle file has no side of its own, so only its mirror image is mirrored.
            let middle = Color::ALL
                .iter()
                .any(|color| position.king(*color).file() == 4);
            let fen = position.to_string();
            assert_eq!(
                fresh(
                    SimdLevel::BASELINE,
                    &network,
                    &position.with_colors_exchanged()
                ),
                value,
                "{fen}"
            );
            if !middle {
                assert_eq!(
                    fresh(SimdLevel::BASELINE, &network, &position.mirrored()),
                    value,
                    "{fen}"
                );
            }
        }
    }

    #[test]
    fn the_embedded_network_knows_what_pieces_are_worth() {
        assert_eq!(embedded().to_bytes(), EMBEDDED);
        assert!(!embedded().description.is_empty());
        let value = |fen: &str| fresh(SimdLevel::BASELINE, embedded(), &fen.parse().expect(fen));
        let level = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w";
        let knight_down = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/R1BAKABNR w";
        let rook_down = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/1NBAKABNR w";
        assert!(value(level).abs() < 150, "{}", value(level));
        assert!(value(knight_down) < value(level) - 200);
        assert!(value(rook_down) < value(knight_down) - 200);
    }

    #[test]
    fn files_round_trip_and_damaged_ones_are_refused() {
        let network = random_network(architectures()[1], 3);
        let bytes = network.to_bytes();
        assert_eq!(Network::from_bytes(&bytes), Ok(network));
        assert_eq!(Network::from_bytes(b""), Err(NetworkError::Foreign));
        assert_eq!(
            Network::from_bytes(b"Compressed by nobody, and long enough"),
            Err(NetworkError::Foreign)
        );
        for length in [26, 100, bytes.len() - 1] {
            let cut = Network::from_bytes(&bytes[..length]);
            assert!(
                matches!(cut, Err(NetworkError::Length { .. })),
                "{length}: {cut:?}"
            );
        }
        let changed = |at: usize| {
            let mut bytes = bytes.clone();
            bytes[at] ^= 0x40;
            Network::from_bytes(&bytes)
        };
        assert!(matches!(changed(8), Err(NetworkError::Version(_))));
        for at in [12, 18, 19] {
            assert_eq!(changed(at), Err(NetworkError::Architecture), "{at}");
        }
        for at in [40, bytes.len() / 2, bytes.len() - 1] {
            assert_eq!(changed(at), Err(NetworkError::Checksum), "{at}");
        }
    }
}
