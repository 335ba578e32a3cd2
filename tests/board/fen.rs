//! FENs: positions round-trip, and no input panics.

use chuhe::board::Position;
use chuhe::notation::fen::{self, Strictness};
use proptest::prelude::*;

use crate::test_positions;

/// Accepted text round-trips; other text gives an error message.
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

/// Replaces, removes or duplicates one character.
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
        let any = test_positions::random_position(seed, test_positions::Shape::Any);
        for position in [test_positions::playout(seed, plies), any] {
            let text = fen::write_position(&position);
            let read = fen::parse_position(&text).unwrap();
            prop_assert_eq!(fen::write_position(&read), text);
            prop_assert_eq!(read.key(), position.key());
            prop_assert_eq!(Position::try_from(&position.setup()), Ok(read));
        }
    }

    #[test]
    fn arbitrary_text_is_read_or_refused(text: String, bytes: Vec<u8>) {
        check_text(&text)?;
        check_text(&String::from_utf8_lossy(&bytes))?;
    }

    #[test]
    fn almost_boards_are_read_or_refused(
        text in "([rnbakcpRNBAKCPheHE1-9]{1,9}/){7,9}[rnbakcpRNBAKCP1-9]{1,9} ?[wbr-]?( [-0-9]{1,6}){0,4}",
    ) {
        check_text(&text)?;
    }

    #[test]
    fn damaged_fens_are_read_or_refused(
        seed: u64,
        cut in 0..80usize,
        damage in prop::collection::vec((any::<usize>(), any::<char>(), 0..3usize), 0..4),
    ) {
        let text = fen::write_position(&test_positions::random_position(seed, test_positions::Shape::Any));
        check_text(&text.chars().take(cut).collect::<String>())?;
        let damaged = damage.into_iter().fold(text, |text, (at, letter, how)| {
            mutate(&text, at, letter, how)
        });
        check_text(&damaged)?;
    }

    #[test]
    fn swapped_letters_are_read_or_refused(
        seed: u64,
        damage in prop::collection::vec((any::<usize>(), "[rnbakcpRNBAKCP1-9/ ]", 0..3usize), 1..4),
    ) {
        let text = fen::write_position(&test_positions::random_position(seed, test_positions::Shape::Any));
        let damaged = damage.into_iter().fold(text, |text, (at, letter, how)| {
            mutate(&text, at, letter.chars().next().unwrap(), how)
        });
        check_text(&damaged)?;
    }
}
