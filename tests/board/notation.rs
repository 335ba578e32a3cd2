//! Notation: every legal move has a unique text in Chinese notation, WXF, SAN, ICCS and coordinates, which is read back
//! as the same move; FENs are read back as the same positions; no text makes a parser panic.

use std::collections::HashSet;

use chuhe::board::{Move, Position};
use chuhe::movegen::legal_moves;
use chuhe::notation::fen::{self, Strictness};
use chuhe::notation::{chinese, coordinates, parse_move, san, wxf};
use proptest::prelude::*;

use crate::test_positions::{Shape, playout, promotion_playout, random_position};

/// Checks that the texts of the legal moves are unique and are read back as the same moves.
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

fn check_all_notations(position: &Position) -> Result<(), TestCaseError> {
    check_notation(position, chinese::write)?;
    check_notation(position, wxf::write)?;
    check_notation(position, san::write)?;
    check_notation(position, |_, m| coordinates::write_iccs(m))?;
    check_notation(position, |_, m| m.to_string())
}

proptest! {
    #[test]
    fn moves_of_games_round_trip(seed: u64, plies in 0..150usize) {
        check_all_notations(&playout(seed, plies))?;
        check_all_notations(&promotion_playout(seed, plies))?;
    }

    #[test]
    fn moves_of_set_up_positions_round_trip(seed: u64) {
        check_all_notations(&random_position(seed, Shape::Any))?;
        check_all_notations(&random_position(seed, Shape::PawnsDoubled))?;
        check_all_notations(&random_position(seed, Shape::Irregular))?;
    }

    #[test]
    fn any_text_is_a_legal_move_or_an_error(
        seed: u64,
        text in prop_oneof![
            ".*",
            "[前中后後一二三四五六七八九1-9１-９兵卒炮车马进退平变]{0,5}",
            "[CNRPABKHE+.=1-9a-i-]{0,6}",
        ],
    ) {
        let shape = if seed % 2 == 0 { Shape::PawnsDoubled } else { Shape::Irregular };
        let position = random_position(seed, shape);
        if let Ok(m) = parse_move(&position, &text) {
            prop_assert!(legal_moves(&position).contains(&m));
        }
    }
}

/// Checks that accepted text round-trips and that other text gives an error message.
fn check_text(text: &str) -> Result<(), TestCaseError> {
    match fen::parse_setup(text, Strictness::Strict) {
        Ok(setup) => {
            prop_assert_eq!(
                fen::parse_setup(&fen::write_setup(&setup), Strictness::Strict),
                Ok(setup)
            );
        }
        Err(error) => prop_assert!(!error.reasons.is_empty() && !error.to_string().is_empty()),
    }
    for promotion in [false, true] {
        match fen::parse_variant_position(text, promotion) {
            Ok(position) => {
                let written = fen::write_position(&position);
                let read = fen::parse_variant_position(&written, promotion);
                prop_assert_eq!(read, Ok(position));
            }
            Err(error) => prop_assert!(!error.reasons.is_empty() && !error.to_string().is_empty()),
        }
    }
    Ok(())
}

/// Replaces one character, removes it, or inserts a letter before it, for `how` 0, 1 or another number.
fn mutate(text: &str, at: usize, letter: char, how: usize) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    let at = at % letters.len();
    match how {
        0 => letters[at] = letter,
        1 => drop(letters.remove(at)),
        _ => letters.insert(at, letter),
    }
    letters.into_iter().collect()
}

proptest! {
    #[test]
    fn positions_round_trip(seed: u64, plies in 0..200usize) {
        let any = random_position(seed, Shape::Any);
        for position in [playout(seed, plies), any] {
            let text = fen::write_position(&position);
            let read = fen::parse_position(&text).unwrap();
            prop_assert_eq!(fen::write_position(&read), text);
            prop_assert_eq!(read.key(), position.key());
            prop_assert_eq!(Position::try_from(&position.setup()), Ok(read));
        }
    }

    #[test]
    fn arbitrary_text_is_read_or_rejected(text: String, bytes: Vec<u8>) {
        check_text(&text)?;
        check_text(&String::from_utf8_lossy(&bytes))?;
    }

    #[test]
    fn text_like_a_fen_is_read_or_rejected(
        text in "([rnbakcpRNBAKCPheHE1-9]{1,9}/){7,9}[rnbakcpRNBAKCP1-9]{1,9} ?[wbr-]?( [-0-9]{1,6}){0,4}",
    ) {
        check_text(&text)?;
    }

    #[test]
    fn damaged_fens_are_read_or_rejected(
        seed: u64,
        cut in 0..80usize,
        damage in prop::collection::vec((any::<usize>(), any::<char>(), 0..3usize), 0..4),
    ) {
        let text = fen::write_position(&random_position(seed, Shape::Any));
        check_text(&text.chars().take(cut).collect::<String>())?;
        let mutated = |text: String, (at, letter, how)| mutate(&text, at, letter, how);
        check_text(&damage.into_iter().fold(text, mutated))?;
    }

    #[test]
    fn fens_with_wrong_pieces_are_read_or_rejected(
        seed: u64,
        damage in prop::collection::vec((any::<usize>(), "[rnbakcpRNBAKCP1-9/ ]", 0..3usize), 1..4),
    ) {
        let text = fen::write_position(&random_position(seed, Shape::Any));
        let letter = |letter: String| letter.chars().next().unwrap();
        let mutated = |text: String, (at, letters, how)| mutate(&text, at, letter(letters), how);
        check_text(&damage.into_iter().fold(text, mutated))?;
    }
}
