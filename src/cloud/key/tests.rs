//! Keys and moves as they are stored.

use rand::SeedableRng;
use rand::rngs::StdRng;

use super::*;
use crate::movegen::legal_moves;
use crate::random;

fn after(played: &str) -> View {
    let mut position = Position::startpos();
    if let Ok(m) = played.parse() {
        position.make(m);
    }
    View::of(&position)
}

#[test]
fn keys_are_those_of_the_public_library() {
    let start = after("");
    assert_eq!(
        start.key.to_string(),
        "6532723568804844010101010188889090909090c84c088edbafabde"
    );
    assert!(start.is_symmetric);
    let center = "65327235688048148310101010188889090909090c84c088edbafabde0";
    assert_eq!(after("h2e2").key.to_string(), center);
    assert_eq!(after("b2e2").key.to_string(), center);
    let right = after("h2e2").orientation;
    let left = after("b2e2").orientation;
    assert_eq!((right.colors, right.files), (true, false));
    assert_eq!((left.colors, left.files), (true, true));
    // Here a final 0 is left out.
    assert_eq!(
        after("h2d2").key.to_string(),
        "6532723568804048410101010188889090909090c84c088edbafabde"
    );
}

#[test]
fn symmetric_positions_store_the_smaller_move() {
    let start = after("");
    let parse = |text: &str| text.parse::<Move>().unwrap();
    assert_eq!(start.stored(parse("h2e2")), parse("b2e2"));
    assert_eq!(start.stored(parse("g3g4")), parse("c3c4"));
    assert_eq!(start.played(parse("b2e2")), parse("b2e2"));
    let mut symmetric = Position::startpos();
    symmetric.make(parse("e3e4"));
    let view = View::of(&symmetric);
    assert!(view.is_symmetric);
    let stored = view.stored(parse("h7e7"));
    assert_eq!(view.played(stored), parse("b7e7"));
}

#[test]
fn mirror_images_share_key_and_moves() {
    let mut random = StdRng::seed_from_u64(16);
    for _ in 0..200 {
        let game = random::game(&mut random, Position::startpos(), 60);
        let position = game.position();
        let view = View::of(position);
        let mirrored = position.mirrored();
        let mirrored_view = View::of(&mirrored);
        let canonical = view.key.position().expect("a key tells its position");
        assert_eq!(View::of(&canonical).orientation, Orientation::default());
        assert_eq!(view.key, mirrored_view.key);
        for m in legal_moves(position) {
            assert_eq!(view.stored(m), mirrored_view.stored(m.flip_file()));
            assert!(crate::movegen::is_legal(&canonical, view.stored(m)));
            let played = view.played(view.stored(m));
            assert!(played == m || view.is_symmetric && played == m.flip_file());
        }
    }
}

#[test]
fn the_smallest_text_is_the_key() {
    let mut random = StdRng::seed_from_u64(17);
    for _ in 0..200 {
        let game = random::game(&mut random, Position::startpos(), 120);
        let position = game.position();
        let cells = Cells::of(position);
        let texts = [false, true].map(|files| {
            [false, true].map(|colors| {
                let mut digits = Digits::new();
                let orientation = Orientation { colors, files };
                (0..RANKS).for_each(|row| cells.push_rank(row, orientation, &mut digits));
                end(
                    &mut digits,
                    (position.side_to_move() == Color::Black) != colors,
                );
                (digits, (files, colors))
            })
        });
        let (digits, (files, colors)) = texts.concat().into_iter().min().unwrap();
        let view = View::of(position);
        let hex: String = digits.iter().map(|digit| format!("{digit:x}")).collect();
        assert_eq!(view.key.to_string(), hex);
        assert_eq!(view.orientation, Orientation { colors, files });
    }
}

#[test]
fn other_bytes_are_no_key() {
    for bytes in [&[][..], &[0xff; 20], &[0x88; 10], &[0x65, 0x32]] {
        let key = Key::from_bytes(bytes).unwrap();
        assert_eq!(key.position(), None, "{key}");
    }
    assert_eq!(Key::from_bytes(&[1; 49]), None);
}
