//! `chuhe play`, driven through a pipe.

use std::fs;

use assert_cmd::Command;

use crate::engine_client::scratch;

/// What is printed while these lines are typed.
fn played(arguments: &[&str], lines: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chuhe"));
    let arguments = ["play", "--ascii"].iter().chain(arguments);
    let assert = command.args(arguments).write_stdin(lines).assert().code(0);
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

#[test]
fn a_person_plays_and_the_engine_answers() {
    let text = played(&["--depth", "2"], "炮二平五\nmoves\nquit\n");
    assert!(text.contains("I play "), "{text}");
    let moves = text
        .lines()
        .rev()
        .find(|line| line.starts_with("炮二平五 "));
    assert!(moves.is_some(), "{text}");
    // The engine begins, and the rest is left at the end of input.
    let text = played(&["--red", "--depth", "1"], "");
    assert!(text.contains("I play "), "{text}");
}

#[test]
fn it_is_said_why_a_move_is_impossible() {
    let text = played(&[], "b0d1\nh7e7\nnonsense\na0a9\n马二进四\nP1+2\n");
    for reason in [
        "Not possible: the knight is hobbled by the piece on c0 (蹩马腿).",
        "Not possible: the piece on h7 is not yours.",
        "\"nonsense\" cannot be read as a move",
        "Not possible: the piece on a3 is in the way.",
        "Not possible: the knight is hobbled by the piece on g0 (蹩马腿).",
        "Not possible: the pawn does not move like that.",
    ] {
        assert!(text.contains(reason), "{reason}: {text}");
    }
}

#[test]
fn the_end_of_the_game_is_announced() {
    let mate = "3k5/9/R8/1R7/9/9/9/9/9/4K4 w";
    let text = played(&[mate, "--depth", "2"], "b6d6\na7a6\nundo\nresign\n");
    assert!(
        text.contains("black is checkmated (将死), red wins."),
        "{text}"
    );
    assert!(text.contains("The game is over"), "{text}");
    assert!(text.contains("red resigns, black wins."), "{text}");
    // Giving up after the end changes no result.
    let text = played(&[mate, "--depth", "2"], "b6d6\nresign\n");
    assert!(!text.contains("resigns"), "{text}");
    assert!(text.contains("The game is over"), "{text}");
}

#[test]
fn commands_do_what_help_says() {
    let pgn = scratch("game.pgn");
    let path = pgn.to_str().unwrap();
    let text = played(
        &["--depth", "1"],
        &format!(
            "help\neval\nhint\nlevel elo 1000\nlevel nonsense\nanalyse 0.05\nanalyse never\n\
             h2e2\nsave {path}\nundo\nfen\nnew\nload {path}\nmoves\nload {path}:9\nload {path}:1@1\nload no-such-file\nflip\nquit\n"
        ),
    );
    let record = fs::read_to_string(&pgn).unwrap();
    fs::remove_file(&pgn).unwrap();
    assert!(record.contains("1. 炮二平五 "), "{record}");
    for said in [
        "save FILE",
        "for the side to move",
        "level time SECONDS",
        "never: not a number",
        "Saved to ",
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w",
        "Loaded.",
        "no-such-file: ",
        "there is no game 9",
        "0  R---N",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
}

#[test]
fn the_opening_is_played_from_a_book_unless_told_otherwise() {
    let first = |arguments: &[&str]| {
        let text = played(&[&["--red", "--depth", "1"], arguments].concat(), "quit\n");
        let line = text.lines().find(|line| line.starts_with("I play "));
        line.expect("a move").to_owned()
    };
    assert!(first(&[]).ends_with(", from the book."));
    assert!(!first(&["--no-book"]).contains("book"));
    // Outside the book the engine thinks.
    let ending = "3k5/9/9/9/9/9/9/4K4/9/R8 w";
    assert!(!first(&[ending]).contains("book"));

    let mut missing = Command::new(env!("CARGO_BIN_EXE_chuhe"));
    missing.args(["play", "--book", "no-such-book.dat"]);
    let assert = missing.assert().failure();
    let said = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(said.contains("no-such-book.dat"), "{said}");
}
