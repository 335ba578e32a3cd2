//! `chuhe replay`: several files, missing ones, and records that contradict themselves.

use std::fs;

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;

fn replay(files: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chuhe"));
    command.arg("replay").args(files).env_remove("RUST_LOG");
    command
}

/// A file of games, by its path.
fn games(name: &str, text: &str) -> String {
    let name = format!("{name}-{}.pgn", std::process::id());
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).unwrap();
    path.to_str().expect("a path in UTF-8").to_owned()
}

#[test]
fn every_file_is_told_of_at_its_turn() {
    let good = games("good", "[Red \"a\"]\n\n1. h2e2 h9g7 1-0\n");
    let bad = games("bad", "1. h2e2 h2e2 *\n");
    replay(&[&good])
        .assert()
        .code(0)
        .stdout(format!("{good}: 1 of 1 games agree\n"));
    replay(&[&good, "no-such-file", &bad, &good])
        .assert()
        .code(1)
        .stdout(
            contains(format!("{good}: 1 of 1 games agree\n{bad}: game 1: "))
                .and(contains(format!("{bad}: 0 of 1 games agree\n{good}: 1 of"))),
        )
        .stderr(
            contains("chuhe: no-such-file: No such file")
                .and(contains("one game does not agree, one file cannot be read")),
        );
    fs::remove_file(good).unwrap();
    fs::remove_file(bad).unwrap();
}

#[test]
fn what_is_never_closed_ends_with_its_game() {
    let good = "[Red \"a\"]\n\n1. h2e2 {good} h9g7 1-0\n\n";
    for opened in ["{never closed", "(1. h2d2 {never closed"] {
        let text = format!("1. h2e2 {opened} 1-0\n\n{good}{good}");
        let path = games("unclosed", &text);
        replay(&[&path])
            .assert()
            .code(1)
            .stdout(contains("game 1: line 1: ").and(contains("2 of 3 games agree")));
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn records_that_contradict_themselves_do_not_agree() {
    let path = games("contradiction", "[Result \"1-0\"]\n\n1. h2e2 h9g7 0-1\n");
    replay(&[&path]).assert().code(1).stdout(contains(
        "game 1: line 3: 0-1 behind the moves, 1-0 in the tag Result\n",
    ));
    fs::remove_file(path).unwrap();
}
