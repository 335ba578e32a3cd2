//! Every legal move has a unique text in every notation, which is read back as the same move.

use std::collections::HashSet;

use chuhe::board::{Move, Position};
use chuhe::movegen::legal_moves;
use chuhe::notation::{chinese, coordinates, fen, parse_move, wxf};
use proptest::prelude::*;

use crate::test_positions::{self, Shape};

fn check_notation(
    position: &Position,
    write: impl Fn(&Position, Move) -> String,
) -> Result<(), TestCaseError> {
    let board = fen::write_position(position);
    let mut seen = HashSet::new();
    for m in legal_moves(position) {
        let text = write(position, m);
        prop_assert_eq!(parse_move(position, &text), Ok(m), "{} {}", board, text);
        prop_assert!(seen.insert(text.clone()), "{} twice in {}", text, board);
    }
    Ok(())
}

fn check_all(position: &Position) -> Result<(), TestCaseError> {
    check_notation(position, chinese::write)?;
    check_notation(position, wxf::write)?;
    check_notation(position, |_, m| coordinates::write_iccs(m))?;
    check_notation(position, |_, m| m.to_string())
}

proptest! {
    #[test]
    fn moves_of_games_round_trip(seed: u64, plies in 0..150usize) {
        check_all(&test_positions::playout(seed, plies))?;
        check_all(&test_positions::promotion_playout(seed, plies))?;
    }

    #[test]
    fn moves_of_set_up_positions_round_trip(seed: u64) {
        check_all(&test_positions::random_position(seed, Shape::Any))?;
        check_all(&test_positions::random_position(seed, Shape::PawnsDoubled))?;
        check_all(&test_positions::random_position(seed, Shape::Irregular))?;
    }

    #[test]
    fn garbage_never_panics(
        seed: u64,
        text in prop_oneof![
            ".*",
            "[前中后後一二三四五六七八九1-9１-９兵卒炮车马进退平变]{0,5}",
            "[CNRPABKHE+.=1-9a-i-]{0,6}",
        ],
    ) {
        let shape = if seed % 2 == 0 { Shape::PawnsDoubled } else { Shape::Irregular };
        let position = test_positions::random_position(seed, shape);
        if let Ok(m) = parse_move(&position, &text) {
            prop_assert!(legal_moves(&position).contains(&m));
        }
    }
}
