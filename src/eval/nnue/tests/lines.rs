//! Incrementally updated sums: at every SIMD level, along random lines and in the tree of moves.

use super::*;
use crate::board::{Observer, Piece, Square};

/// Forwards a move to several stacks.
struct Recorders<'a>(Vec<Recorder<'a>>);

impl Observer for Recorders<'_> {
    fn added(&mut self, piece: Piece, square: Square) {
        self.0.iter_mut().for_each(|one| one.added(piece, square));
    }

    fn removed(&mut self, piece: Piece, square: Square) {
        self.0.iter_mut().for_each(|one| one.removed(piece, square));
    }

    fn completed(&mut self, position: &Position) {
        self.0.iter_mut().for_each(|one| one.completed(position));
    }
}

/// Evaluates `positions` positions of random games at every level, each with its own stack, and compares some
/// of them with the reference and with a new stack.
fn compare_levels(network: &Network, seed: u64, positions: usize) {
    let mut rng = StdRng::seed_from_u64(seed);
    let root = Position::startpos();
    let stack = AccumulatorStack::new(network, &root);
    let mut stacks: Vec<_> = SimdLevel::available()
        .map(|level| (level, stack.clone()))
        .collect();
    let mut left = positions;
    while left > 0 {
        let mut position = root.clone();
        stacks
            .iter_mut()
            .for_each(|(_, stack)| stack.reset(network, &root));
        let mut line = Vec::new();
        // Mostly makes moves, sometimes unmakes one, and evaluates now and then: updates of every length.
        for _ in 0..300 {
            if !line.is_empty() && rng.random_ratio(2, 10) {
                let (played, undo) = line.pop().expect("not empty");
                position.unmake(played, undo);
                stacks.iter_mut().for_each(|(_, stack)| stack.pop());
            } else if let Some(&played) = legal_moves(&position).choose(&mut rng) {
                let recorders = stacks.iter_mut().map(|(_, stack)| stack.push(network));
                let mut recorders = Recorders(recorders.collect());
                line.push((played, position.make_observed(played, &mut recorders)));
            }
            if left == 0 || rng.random_ratio(1, 3) {
                continue;
            }
            left -= 1;
            let values = (stacks.iter_mut())
                .map(|(level, stack)| evaluate(*level, network, stack, &position));
            let values: Vec<_> = values.collect();
            assert!(
                values.iter().all(|value| *value == values[0]),
                "{values:?} {position}"
            );
            if left.is_multiple_of(16) {
                assert_eq!(values[0], reference(network, &position), "{position}");
                for level in SimdLevel::available() {
                    assert_eq!(values[0], fresh(level, network, &position), "{position}");
                }
            }
        }
    }
}

/// [`compare_levels`] with the embedded network, random networks and networks at the limits of the format.
fn compare_levels_of_networks(positions: usize) {
    let random = (0..)
        .zip(architectures())
        .map(|(seed, shape)| random_network(shape, seed));
    let limits = (0..)
        .zip(architectures())
        .map(|(seed, shape)| network_at_the_limits(shape, seed));
    let networks: Vec<Network> = random.chain(limits).collect();
    let networks = std::iter::once(&**embedded()).chain(&networks);
    for (seed, network) in (0..).zip(networks) {
        compare_levels(network, seed, positions.div_ceil(9));
    }
}

#[test]
fn all_levels_agree_with_the_reference() {
    compare_levels_of_networks(20_000);
}

#[test]
#[ignore = "a million positions take minutes"]
fn all_levels_agree_on_a_million_positions() {
    compare_levels_of_networks(1_000_000);
}

/// Walks the tree of legal and null moves. The sums of every position (with `at_leaves`, of the leaves) must equal
/// those of a new stack, before the moves and after they were unmade.
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
    let mut nodes = 0;
    if !position.in_check() {
        let undo = position.make_null();
        nodes += walk(network, stack, position, depth - 1, at_leaves);
        position.unmake_null(undo);
    }
    for played in legal_moves(position) {
        let undo = position.make_observed(played, &mut stack.push(network));
        nodes += walk(network, stack, position, depth - 1, at_leaves);
        position.unmake(played, undo);
        stack.pop();
    }
    if !at_leaves {
        assert!(stack.equals_fresh(network, position), "{position}");
    }
    nodes
}

#[test]
fn incremental_sums_equal_fresh_sums_in_the_tree() {
    let four_buckets = random_network(architectures()[1], 5);
    for (fen, depth) in [
        // The starting position; captures of the last rook and minor pieces; kings crossing the middle file.
        (
            "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w",
            2,
        ),
        (
            "r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w",
            2,
        ),
        ("4k4/4a4/9/9/3r5/3R5/2n6/2C6/4A4/4K4 w", 3),
        ("3k5/9/9/9/9/4p4/9/4n4/9/4KR3 b", 3),
    ] {
        for network in [&**embedded(), &four_buckets] {
            let mut position: Position = fen.parse().expect(fen);
            let mut stack = AccumulatorStack::new(network, &position);
            let each = walk(network, &mut stack, &mut position, depth, false);
            let leaves = walk(network, &mut stack, &mut position, depth, true);
            assert!(each == leaves && each > 500, "{fen}: {each}");
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
