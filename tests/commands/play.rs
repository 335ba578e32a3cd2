//! `chuhe play`, driven through a pipe.

use std::fs;

use assert_cmd::Command;

use crate::engine_client::scratch;

/// The output for these lines of input.
fn played(arguments: &[&str], lines: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chuhe"));
    let arguments = ["play", "--ascii"].iter().chain(arguments);
    let assert = command.args(arguments).write_stdin(lines).assert().code(0);
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

#[test]
fn engine_answers_moves() {
    let text = played(&["--depth", "2"], "炮二平五\nmoves\nquit\n");
    assert!(text.contains("I play "), "{text}");
    let moves = text
        .lines()
        .rev()
        .find(|line| line.starts_with("炮二平五 "));
    assert!(moves.is_some(), "{text}");
    // The engine moves first; the end of input ends the game.
    let text = played(&["--red", "--depth", "1"], "");
    assert!(text.contains("I play "), "{text}");
}

#[test]
fn weak_levels_vary_their_moves() {
    let first_move = || {
        let text = played(&["--red", "--elo", "500", "--no-book"], "");
        let line = text.lines().find(|line| line.contains("I play "));
        line.unwrap().split('(').next().unwrap().to_owned()
    };
    let first = first_move();
    assert!((0..20).any(|_| first_move() != first), "always {first}");
}

#[test]
fn reasons_of_illegal_moves_are_given() {
    let text = played(&[], "b0d1\nh7e7\nnonsense\na0a9\n马二进四\nP1+2\n");
    for reason in [
        "\"b0d1\" is illegal: the knight is hobbled by the piece on c0 (蹩马腿).",
        "\"h7e7\" is illegal: the piece on h7 is not yours.",
        "\"nonsense\" cannot be read as a move",
        "\"a0a9\" is illegal: the piece on a3 is in the way.",
        "\"马二进四\" is illegal: the knight is hobbled by the piece on g0 (蹩马腿).",
        "\"P1+2\" is illegal: the pawn does not move like that.",
    ] {
        assert!(text.contains(reason), "{reason}: {text}");
    }
}

#[test]
fn end_of_the_game_is_reported() {
    let mate = "3k5/9/R8/1R7/9/9/9/9/9/4K4 w";
    let text = played(&[mate, "--depth", "2"], "b6d6\na7a6\nundo\nresign\n");
    assert!(
        text.contains("black is checkmated (将死), red wins"),
        "{text}"
    );
    assert!(text.contains("The game is over"), "{text}");
    assert!(text.contains("red resigns, black wins"), "{text}");
    // Resigning after the end does not change the result.
    let text = played(&[mate, "--depth", "2"], "b6d6\nresign\n");
    assert!(!text.contains("resigns"), "{text}");
    assert!(text.contains("The game is over"), "{text}");
}

#[test]
fn commands_do_what_the_help_says() {
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
fn opening_is_played_from_a_book_by_default() {
    let first = |arguments: &[&str]| {
        let text = played(&[&["--red", "--depth", "1"], arguments].concat(), "quit\n");
        let line = text.lines().find(|line| line.starts_with("I play "));
        line.expect("a move").to_owned()
    };
    assert!(first(&[]).contains(", from the book"));
    assert!(!first(&["--no-book"]).contains("book"));
    // Outside the book the engine searches.
    let ending = "3k5/9/9/9/9/9/9/4K4/9/R8 w";
    assert!(!first(&[ending]).contains("book"));

    let mut missing = Command::new(env!("CARGO_BIN_EXE_chuhe"));
    missing.args(["play", "--book", "no-such-book.dat"]);
    let assert = missing.assert().failure();
    let said = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(said.contains("no-such-book.dat"), "{said}");
}

/// Illegal moves, commands and moves in any notation after the end of the game report the end.
#[test]
fn finished_games_are_known_as_finished() {
    let pgn = scratch("mated.pgn");
    let fen = "3k5/9/R8/1R7/9/9/9/9/9/4K4 w - - 0 1";
    fs::write(&pgn, format!("[FEN \"{fen}\"]\n\n1. b6d6 *\n")).unwrap();
    let text = played(
        &[],
        &format!("load {}\n将4平5\na7a6\neval\nhint\ndraw\n", pgn.display()),
    );
    fs::remove_file(&pgn).unwrap();
    assert!(
        text.contains("Loaded. black is checkmated (将死), red wins"),
        "{text}"
    );
    assert_eq!(
        text.matches("The game is over: black is checkmated")
            .count(),
        5,
        "{text}"
    );
    let text = played(&["3k5/3R5/3R5/9/9/9/9/9/9/4K4 b"], "");
    assert!(text.contains("black is checkmated"), "{text}");
    assert!(!text.contains("Type a move"), "{text}");
}

#[test]
fn board_is_shown_once_per_turn() {
    let text = played(&["--depth", "1", "--no-book"], "h2e2\n");
    assert_eq!(text.matches("9  ").count(), 2, "{text}");
}

#[test]
fn settings_and_clocks_are_used() {
    let text = played(
        &[
            "--clock",
            "10+5",
            "--no-book",
            "--threads",
            "2",
            "--hash",
            "4",
            "--rules",
            "chinese",
        ],
        "h2e2\nlevel elo 100\nmoves\n",
    );
    assert!(text.contains("I play "), "{text}");
    assert!(text.contains("level elo needs a number from 5"), "{text}");
    // The time is used up while the person thinks.
    let text = played(&["--clock", "0.0000001", "--no-book"], "h2e2\nh9g7\n");
    assert!(
        text.contains("red has run out of time, black wins"),
        "{text}"
    );
    let mut missing = Command::new(env!("CARGO_BIN_EXE_chuhe"));
    missing.args(["play", "--network", "no-such.nnue"]);
    let assert = missing.assert().code(1);
    assert!(String::from_utf8_lossy(&assert.get_output().stderr).contains("no-such.nnue"));
}

#[test]
fn draws_are_offered_and_games_are_saved_with_names() {
    let pgn = scratch("draw.pgn");
    let path = pgn.to_str().unwrap();
    let text = played(
        &["--no-book", "--name", "甲", "--depth", "1"],
        &format!("draw\nengine none\nh2e2\ndraw\nsave {path}\nsave {path}\nsave --force {path}\n"),
    );
    assert!(text.contains("I decline: it is too early"), "{text}");
    assert!(text.contains("draw by agreement"), "{text}");
    assert!(text.contains("the file already exists"), "{text}");
    assert_eq!(text.matches("Saved to").count(), 2, "{text}");
    let record = fs::read_to_string(&pgn).unwrap();
    fs::remove_file(&pgn).unwrap();
    for part in [
        "[Red \"甲\"]",
        "[Date \"20",
        "[Result \"1/2-1/2\"]",
        "[Rules \"asian\"]",
    ] {
        assert!(record.contains(part), "{part}: {record}");
    }
}

#[test]
fn messages_are_in_the_chosen_language() {
    let pieces = ["--lang", "zh", "--depth", "1", "--no-book"];
    let text = played(&pieces, "help\nh2e2\nresign\nhint\n");
    for part in [
        "请输入着法",
        "提示最佳着法",
        "\nengine red | black | none   引擎执红",
        "我走 ",
        "红方认输，黑方胜",
        "对局已结束",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_chuhe"));
    command
        .args(["play", "--help"])
        .env("LC_ALL", "zh_CN.UTF-8");
    let help = command.assert().code(0).get_output().stdout.clone();
    let help = String::from_utf8(help).unwrap();
    assert!(
        help.contains("在终端中与引擎对弈") && help.contains("置换表大小"),
        "{help}"
    );
}

#[test]
fn moves_may_have_numbers() {
    let text = played(&["--depth", "1", "--no-book"], "1. h2e2\nfen\n");
    assert!(text.contains("I play"), "{text}");
    assert!(text.contains("/1C2C4/"), "{text}");
}
