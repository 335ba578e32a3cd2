//! A reference evaluation, and the networks for tests.

mod files;
mod lines;

use super::*;
use crate::board::Color;
use crate::movegen::legal_moves;
use features::{FEATURES, Perspective};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

/// A network with random weights about as large as those of a trained one.
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

/// A network with weights up to the limits of the format, a third of them at a limit, so that sums wrap around.
fn network_at_the_limits(architecture: Architecture, seed: u64) -> Network {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut shorts = |count: usize, min: i16, max: i16| -> Vec<i16> {
        let mut number = || match rng.random_range(0..6) {
            0 => min,
            1 => max,
            _ => rng.random_range(min..=max),
        };
        (0..count).map(|_| number()).collect()
    };
    let (width, outputs) = (architecture.width, architecture.outputs.count());
    let parameters = NetworkParameters {
        input_weights: shorts(architecture.rows() * width, i16::MIN, i16::MAX),
        input_biases: shorts(width, i16::MIN, i16::MAX),
        output_weights: shorts(outputs * 2 * width, -127, 127),
        output_biases: (0..outputs)
            .map(|bucket| [i32::MIN, 0, i32::MAX, 12_345][bucket % 4])
            .collect(),
    };
    let scale = if seed.is_multiple_of(2) { 100_000 } else { 1 };
    Network::new(architecture, scale, String::new(), &parameters).expect("the shape fits")
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

/// The reference evaluation, without accumulators and vectors.
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
                let feature = perspective.feature(piece, square);
                let row = inputs.of(position, side) * FEATURES + feature;
                value += number(&network.input_weights, row * width + neuron);
            }
            // Sums wrap around.
            let clipped = i64::from(value as i16).clamp(0, INPUT_QUANT.into());
            let weight = number(
                &network.output_weights,
                (bucket * 2 + half) * width + neuron,
            );
            sum += clipped * clipped * weight;
        }
    }
    let output = sum / i64::from(INPUT_QUANT) + i64::from(network.output_biases[bucket]);
    let value = output * i64::from(network.scale) / i64::from(INPUT_QUANT * OUTPUT_QUANT);
    value.clamp(-32_767, 32_767) as i32
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
fn symmetric_positions_have_equal_values() {
    let network = random_network(architectures()[1], 7);
    let mut rng = StdRng::seed_from_u64(7);
    let mut position = Position::startpos();
    for _ in 0..150 {
        let Some(&played) = legal_moves(&position).choose(&mut rng) else {
            break;
        };
        position.make(played);
        let value = fresh(SimdLevel::BASELINE, &network, &position);
        // With a king on the middle file the board is not mirrored, so its mirror image differs.
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
fn embedded_network_values_pieces() {
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
