//! Properties of the handcrafted evaluation.

use chuhe::board::{PieceKind, Position, SEE_VALUES};
use chuhe::eval::{HandcraftedEvaluator, Knowledge, NORMAL_ATTACK};

use proptest::prelude::*;

use crate::test_positions::playout;

pub(super) fn evaluate(position: &Position, knowledge: Knowledge) -> i32 {
    HandcraftedEvaluator::new(knowledge, NORMAL_ATTACK).evaluate(position)
}

proptest! {
    #[test]
    fn evaluation_is_symmetric(seed: u64, plies in 0..150usize) {
        let position = playout(seed, plies);
        for knowledge in Knowledge::ALL {
            let value = evaluate(&position, knowledge);
            prop_assert_eq!(value, evaluate(&position.with_colors_swapped(), knowledge));
            prop_assert_eq!(value, evaluate(&position.mirrored(), knowledge));
        }
    }
}

#[test]
fn see_values_are_near_the_values_of_the_evaluation() {
    // For each kind of piece, how much the evaluation falls for the owner when one is removed.
    let mut changes: [Vec<i32>; PieceKind::COUNT] = Default::default();
    for fen in chuhe::search::BENCH_POSITIONS {
        let position: Position = fen.parse().expect(fen);
        let value = evaluate(&position, Knowledge::Large);
        let us = position.side_to_move();
        for (square, piece) in position.setup().pieces() {
            let mut setup = position.setup();
            setup.squares[square.index()] = None;
            // Without a king, or with the other side in check, the position is invalid.
            let Ok(without) = Position::try_from(&setup) else {
                continue;
            };
            if !position.in_check() && !without.in_check() {
                let lost = value - evaluate(&without, Knowledge::Large);
                let for_owner = if piece.color() == us { lost } else { -lost };
                changes[piece.kind().index()].push(for_owner);
            }
        }
    }
    for kind in PieceKind::ALL.into_iter().filter(|k| *k != PieceKind::King) {
        let changes = &changes[kind.index()];
        let mean = changes.iter().sum::<i32>() / changes.len() as i32;
        let value = SEE_VALUES[kind.index()];
        let off = (mean - value).abs();
        assert!(off <= 20 + value / 8, "{kind:?}: {mean} in the evaluation, {value} in exchanges");
    }
}

#[test]
fn side_without_attackers_has_no_advantage() {
    // Red is a bishop ahead.
    let position = "3ak4/4a4/4b4/9/9/9/9/4B4/4A4/2BAK4 w".parse().unwrap();
    assert!(evaluate(&position, Knowledge::Large).abs() < 50);
}
