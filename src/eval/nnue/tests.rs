//! Tests of the network: evaluations at every SIMD level against a reference, incremental sums along random lines and
//! in the tree of moves, and network files.

use features::{FEATURES, Perspective};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

use super::*;
use crate::board::Color;
use crate::movegen::legal_moves;

/// A network with random weights about as large as those of a trained one. With `at_limits`, they are up to the limits
/// of the format, a third of them at a limit, so that sums wrap around.
fn random_network(architecture: Architecture, seed: u64, at_limits: bool) -> Network {
    let (min, max, biases, scale) = if at_limits {
        (i16::MIN, i16::MAX, [i32::MIN, 0, i32::MAX, 12_345], [100_000, 1][seed as usize % 2])
    } else {
        (-200, 200, [-10_000, 0, 10_000, 1_234], 400)
    };
    let mut rng = StdRng::seed_from_u64(seed);
    let mut shorts = |count: usize, min: i16, max: i16| -> Vec<i16> {
        let mut number = || match rng.random_range(0..6) {
            0 if at_limits => min,
            1 if at_limits => max,
            _ => rng.random_range(min..=max),
        };
        (0..count).map(|_| number()).collect()
    };
    let (width, outputs) = (architecture.width, architecture.outputs.count());
    let parameters = NetworkParameters {
        input_weights: shorts(architecture.rows() * width, min, max),
        input_biases: shorts(width, min, max),
        output_weights: shorts(outputs * 2 * width, -127, 127),
        output_biases: biases.into_iter().cycle().take(outputs).collect(),
    };
    Network::new(architecture, scale, "random".to_owned(), &parameters).expect("the shape fits")
}

fn architectures() -> [Architecture; 4] {
    let shape = |width, inputs, outputs| Architecture { width, inputs, outputs };
    [
        shape(32, InputBuckets::One, OutputBuckets::One),
        shape(96, InputBuckets::Attackers, OutputBuckets::Pieces),
        shape(128, InputBuckets::One, OutputBuckets::Pieces),
        shape(1024, InputBuckets::Attackers, OutputBuckets::One),
    ]
}

/// The reference evaluation, without accumulators and vectors.
fn reference(network: &Network, position: &Position) -> i32 {
    let Architecture { width, inputs, outputs } = network.architecture;
    let number = |blocks: &[simd::Block], index: usize| {
        i64::from(blocks[index / simd::Block::LEN].0[index % simd::Block::LEN])
    };
    let bucket = outputs.for_pieces(position.occupied().len() as usize);
    let mut sum = 0;
    for (half, side) in [position.side_to_move(), !position.side_to_move()].into_iter().enumerate()
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
            let weight = number(&network.output_weights, (bucket * 2 + half) * width + neuron);
            sum += clipped * clipped * weight;
        }
    }
    let output = sum / i64::from(INPUT_QUANT) + i64::from(network.output_biases[bucket]);
    let value = output * i64::from(network.scale) / i64::from(INPUT_QUANT * OUTPUT_QUANT);
    value.clamp(-32_767, 32_767) as i32
}

fn fresh(level: SimdLevel, network: &Network, position: &Position) -> i32 {
    evaluate(level, network, &mut AccumulatorStack::new(network, position), position)
}

#[test]
fn symmetric_positions_have_equal_values() {
    let network = random_network(architectures()[1], 7, false);
    let mut rng = StdRng::seed_from_u64(7);
    let mut position = Position::startpos();
    for _ in 0..150 {
        let Some(&played) = legal_moves(&position).choose(&mut rng) else {
            break;
        };
        position.make(played);
        let value = |position: &Position| fresh(SimdLevel::BASELINE, &network, position);
        let swapped = position.with_colors_swapped();
        assert_eq!(value(&swapped), value(&position), "{position}");
        // The perspective of a side with its king on the middle file is never mirrored. The mirror image of such a
        // position can have another value.
        if Color::ALL.iter().all(|color| position.king(*color).file() != 4) {
            assert_eq!(value(&position.mirrored()), value(&position), "{position}");
        }
    }
}

#[test]
fn embedded_network_values_pieces() {
    assert_eq!(embedded().to_bytes(), EMBEDDED);
    assert!(!embedded().description.is_empty());
    let value = |fen: &str| fresh(SimdLevel::BASELINE, embedded(), &fen.parse().expect(fen));
    let even = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w";
    let knight_down = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/R1BAKABNR w";
    let rook_down = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/1NBAKABNR w";
    assert!(value(even).abs() < 150, "{}", value(even));
    assert!(value(knight_down) < value(even) - 200);
    assert!(value(rook_down) < value(knight_down) - 200);
}

/// Evaluates `positions` positions of random games, which depend only on the seed. At the baseline level, some of the
/// values are compared with the reference and with those of new stacks at every level.
fn line_values(network: &Network, level: SimdLevel, seed: u64, positions: usize) -> Vec<i32> {
    let mut rng = StdRng::seed_from_u64(seed);
    let root = Position::startpos();
    let mut stack = AccumulatorStack::new(network, &root);
    let mut values = Vec::new();
    while values.len() < positions {
        let mut position = root.clone();
        stack.reset(network, &root);
        let mut line = Vec::new();
        // Makes moves, sometimes unmakes one, and does not evaluate all positions: so there are updates over any number
        // of moves.
        for _ in 0..300 {
            if !line.is_empty() && rng.random_ratio(2, 10) {
                let (played, undo) = line.pop().expect("not empty");
                position.unmake(played, undo);
                stack.pop();
            } else if let Some(&played) = legal_moves(&position).choose(&mut rng) {
                line.push((played, position.make_observed(played, &mut stack.push(network))));
            }
            if values.len() == positions || rng.random_ratio(1, 3) {
                continue;
            }
            let value = evaluate(level, network, &mut stack, &position);
            if level == SimdLevel::BASELINE && values.len().is_multiple_of(16) {
                assert_eq!(value, reference(network, &position), "{position}");
                for level in SimdLevel::available() {
                    assert_eq!(value, fresh(level, network, &position), "{position}");
                }
            }
            values.push(value);
        }
    }
    values
}

/// Compares the [`line_values`] of all levels, with the embedded network, random networks and networks at the limits of
/// the format.
fn compare_levels(positions: usize) {
    let mut networks = vec![Network::clone(embedded())];
    for at_limits in [false, true] {
        let shapes = (0..).zip(architectures());
        networks.extend(shapes.map(|(seed, shape)| random_network(shape, seed, at_limits)));
    }
    for (seed, network) in (0..).zip(&networks) {
        let values = |level| line_values(network, level, seed, positions.div_ceil(networks.len()));
        let expected = values(SimdLevel::BASELINE);
        for level in SimdLevel::available().skip(1) {
            assert!(values(level) == expected, "{level:?}, network {seed}");
        }
    }
}

#[test]
fn all_levels_agree_with_the_reference() {
    compare_levels(20_000);
}

#[test]
#[ignore = "a million positions take minutes"]
fn all_levels_agree_on_a_million_positions() {
    compare_levels(1_000_000);
}

/// Walks the tree of legal and null moves. In every position the sums must equal those of a new stack, before its moves
/// are made and after they are unmade. With `at_leaves`, only the leaves are compared. Returns the number of leaves.
fn walk(
    network: &Network,
    stack: &mut AccumulatorStack,
    position: &mut Position,
    depth: u32,
    at_leaves: bool,
) -> u64 {
    if depth == 0 || !at_leaves {
        assert!(stack.equals_fresh(network, position), "{position}");
    }
    if depth == 0 {
        return 1;
    }
    let mut leaves = 0;
    if !position.in_check() {
        let undo = position.make_null();
        leaves += walk(network, stack, position, depth - 1, at_leaves);
        position.unmake_null(undo);
    }
    for played in legal_moves(position) {
        let undo = position.make_observed(played, &mut stack.push(network));
        leaves += walk(network, stack, position, depth - 1, at_leaves);
        position.unmake(played, undo);
        stack.pop();
    }
    if !at_leaves {
        assert!(stack.equals_fresh(network, position), "{position}");
    }
    leaves
}

#[test]
fn incremental_sums_equal_fresh_sums_in_the_tree() {
    let four_buckets = random_network(architectures()[1], 5, false);
    for (fen, depth) in [
        // The starting position; a middlegame; captures of the last rook, knight and cannon; a king that crosses the
        // middle file.
        ("rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w", 2),
        ("r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w", 2),
        ("4k4/4a4/9/9/3r5/3R5/2n6/2C6/4A4/4K4 w", 3),
        ("3k5/9/9/9/9/4p4/9/4n4/9/4KR3 b", 3),
    ] {
        for network in [&**embedded(), &four_buckets] {
            let mut position: Position = fen.parse().expect(fen);
            let mut stack = AccumulatorStack::new(network, &position);
            let leaves = walk(network, &mut stack, &mut position, depth, false);
            let again = walk(network, &mut stack, &mut position, depth, true);
            assert!(leaves == again && leaves > 500, "{fen}: {leaves}");
        }
    }
}

#[test]
fn outdated_sums_are_detected() {
    let network = embedded();
    let mut position = Position::startpos();
    let mut stack = AccumulatorStack::new(network, &position);
    assert!(stack.equals_fresh(network, &position));
    position.make("h2e2".parse().expect("a move"));
    assert!(!stack.equals_fresh(network, &position));
}

#[test]
fn architecture_hashes_are_stable() {
    // Every network file contains the hash.
    let hashes = architectures().map(Architecture::hash);
    let known = [0x88ad_d2b1, 0x9dfd_720e, 0xab00_9331, 0x4fff_3508];
    assert_eq!(hashes, known);
}

#[test]
fn large_output_weights_are_refused() {
    let network = random_network(architectures()[0], 1, false);
    for weight in [128, -128, i16::MIN] {
        let mut parameters = network.parameters();
        parameters.output_weights[5] = weight;
        let made = Network::new(network.architecture, 400, String::new(), &parameters);
        assert_eq!(made.err(), Some(NetworkError::OutputWeight(weight)), "{weight}");
    }
}

#[test]
fn files_round_trip_and_damaged_ones_are_refused() {
    let network = random_network(architectures()[1], 3, false);
    let bytes = network.to_bytes();
    assert_eq!(Network::from_bytes(&bytes), Ok(network));
    assert_eq!(Network::from_bytes(b""), Err(NetworkError::Foreign));
    assert_eq!(
        Network::from_bytes(b"Some other format, and long enough"),
        Err(NetworkError::Foreign)
    );
    for length in [8, 26, 29, 30, 100, bytes.len() - 1] {
        let cut = Network::from_bytes(&bytes[..length]);
        assert!(matches!(cut, Err(NetworkError::Length { .. })), "{length}: {cut:?}");
    }
    // Damage anywhere in the file, including the header, is reported as damage or as a truncated file.
    for at in (8..40).chain([bytes.len() / 2, bytes.len() - 1]) {
        for bit in [1, 0x40] {
            let mut bytes = bytes.clone();
            bytes[at] ^= bit;
            let damaged = Network::from_bytes(&bytes);
            let is_cut = matches!(&damaged, Err(NetworkError::Length { expected, actual }) if expected > actual);
            assert!(is_cut || damaged == Err(NetworkError::Checksum), "{at}: {damaged:?}");
        }
    }
}

#[test]
fn valid_files_of_other_kinds_are_reported() {
    let bytes = random_network(architectures()[1], 3, false).to_bytes();
    let changed = |at: usize, value: u8| {
        let mut bytes = bytes[..bytes.len() - 4].to_vec();
        bytes[at] = value;
        bytes.extend(crc32c::crc32c(&bytes).to_le_bytes());
        Network::from_bytes(&bytes).expect_err("another kind").to_string()
    };
    for (at, value, message) in [
        (8, 2, "format version 2"),
        (12, 9, "its inputs, buckets, activation or quantization"),
        (16, 33, "width=33, input_buckets=4, output_buckets=8"),
        (18, 2, "width=96, input_buckets=2, output_buckets=8"),
        (19, 7, "output_buckets=7"),
        (23, 0x80, "the scale is -2147483248"),
        (24, 7, "it is truncated or damaged"),
        (bytes.len() - 40, 0x80, "an output weight is "),
    ] {
        let error = changed(at, value);
        assert!(error.contains(message), "{at}: {error}");
    }
}

#[cfg(unix)]
#[test]
fn pipes_devices_and_large_files_are_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.expect("mkfifo").success());
    for path in [&*path, std::path::Path::new("/dev/zero")] {
        let error = Network::open(path).expect_err("no regular file");
        assert_eq!(error.to_string(), "not a regular file");
    }
    let large = directory.path().join("large");
    let file = std::fs::File::create(&large).expect("a file");
    file.set_len((64 << 20) + 1).expect("a sparse file");
    let error = Network::open(&large).expect_err("too large").to_string();
    let expected = "the file is longer than the limit of 64 MB";
    assert!(error.starts_with(expected), "{error}");
}
