//! Repetitions on a walk, and rounding.

use super::tests::{START, ask, empty_with, write, write_from};
use super::{LibraryOptions, Rounding};
use crate::board::Move;
use crate::cloud::fen;
use crate::cloud::key::View;
use crate::cloud::moves::ordered_moves;
use crate::cloud::value::{score_of, value};

/// A library that answers with moves of which little is known.
fn eager() -> LibraryOptions {
    LibraryOptions {
        least_visits: 0,
        ..LibraryOptions::default()
    }
}

/// Writes a score for each move that leads round in a circle, the last move first.
fn write_circle(library: &super::Library, start: &str, circle: &[&str]) {
    for n in (1..circle.len()).rev() {
        write_from(library, start, &circle[..n].join(" "), circle[n], 0);
    }
}

#[test]
fn a_side_that_must_not_repeat_plays_its_next_move() {
    let (_directory, library) = empty_with(eager());
    // The rook checks for ever, or leaves the file.
    let start = "5k3/9/9/p1p3p1p/9/9/P1P3P1P/9/4R4/3K5 w";
    write_from(&library, start, "", "e1f1", 0);
    write_from(&library, start, "", "e1e5", 15);
    write_circle(&library, start, &["e1f1", "f9e9", "f1e1", "e9f9"]);
    let list = ask(&library, "queryall", start, "");
    assert!(list.starts_with("move:e1f1,score:0,"), "{list}");
    assert_eq!(
        ask(&library, "querysearch", start, ""),
        "search:e1f1|search:e1e5\0"
    );
    // Black is checked and not at fault: nothing changes on the way through.
    let checked = "4k4/9/9/p1p3p1p/9/9/P1P3P1P/9/5R3/3K5 w";
    assert_eq!(ask(&library, "querybest", checked, ""), "move:f1e1\0");
}

#[test]
fn a_move_that_only_draws_counts_nothing() {
    let (_directory, library) = empty_with(eager());
    write(&library, "", "a0a1", 10);
    write(&library, "", "c3c4", 16);
    write_circle(&library, START, &["a0a1", "a9a8", "a1a0", "a8a9"]);
    let list = ask(&library, "queryall", START, "");
    assert!(list.starts_with("move:a0a1,score:-10,"), "{list}");
    // Beside 0 the other move is no longer good.
    assert_eq!(ask(&library, "querysearch", START, ""), "search:a0a1\0");
    // A mirror image of the start is no repetition.
    let (_directory, library) = empty_with(eager());
    let start = "4k4/3r5/9/p1p1p1p1p/9/9/P1P1P1P1P/9/3R5/4K4 w";
    write_from(&library, start, "", "d1f1", 10);
    write_from(&library, start, "", "a3a4", 16);
    write_circle(&library, start, &["d1f1", "d8f8"]);
    let list = ask(&library, "queryall", start, "");
    assert!(list.starts_with("move:d1f1,score:-12,"), "{list}");
    assert_eq!(
        ask(&library, "querysearch", start, ""),
        "search:d1f1|search:a3a4\0"
    );
}

#[test]
fn values_may_be_rounded_as_they_are_asked_for() {
    let told = |rounding: Rounding, board: &str| -> Vec<(Move, i32)> {
        let (_directory, library) = empty_with(LibraryOptions {
            rounding,
            ..LibraryOptions::default()
        });
        let start = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/P8/2P1P1P1P/1C5C1/9/RNBAKABNR b";
        for m in [
            "h7e7", "b9c7", "c6c5", "g6g5", "a9a8", "i9i8", "a6a5", "i6i5", "e6e5", "h9g7",
        ] {
            write_from(&library, start, "", m, 0);
            write_from(&library, start, m, "h0g2", 45);
        }
        let list = ask(&library, "queryall", board, "");
        let entries = list.trim_end_matches('\0').split('|');
        entries
            .map(|entry| {
                let score = entry[16..].split(',').next().unwrap();
                (entry[5..9].parse().unwrap(), score.parse().unwrap())
            })
            .collect()
    };
    let straight = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/P8/2P1P1P1P/1C5C1/9/RNBAKABNR b";
    let mirrored = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/8P/P1P1P1P2/1C5C1/9/RNBAKABNR b";
    let sorted = |mut moves: Vec<(Move, i32)>, is_mirrored: bool| {
        for (m, _) in moves.iter_mut().filter(|_| is_mirrored) {
            *m = m.flip_file();
        }
        moves.sort_by_key(|(m, _)| m.bits());
        moves
    };
    let both = |rounding| {
        let one = sorted(told(rounding, straight), false);
        (one, sorted(told(rounding, mirrored), true))
    };
    let (one, other) = both(Rounding::Stored);
    assert_eq!(one, other);
    let (one, other) = both(Rounding::Asked);
    assert_ne!(one, other);
    for (board, is_mirrored, found) in [(straight, false, one), (mirrored, true, other)] {
        let position = fen::parse(board).unwrap();
        let key = View::of(&position).key;
        for (m, score) in found {
            let m = if is_mirrored { m.flip_file() } else { m };
            assert!(ordered_moves(&position).contains(&m));
            let expected = value(&mut [-45], &key, m).map(score_of);
            assert_eq!(Some(score), expected, "{m}");
        }
    }
}
