//! `chuhe replay`.

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
fn standard_input_is_replayed() {
    replay(&["-"])
        .write_stdin("1. h2e2 h9g7 *\n\n1. c3c4 *\n")
        .assert()
        .code(0)
        .stdout("-: 2 of 2 games agree\n");
}

#[test]
fn files_are_reported_in_order() {
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
fn unclosed_comment_ends_with_its_game() {
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
fn contradictory_results_are_reported() {
    let path = games("contradiction", "[Result \"1-0\"]\n\n1. h2e2 h9g7 0-1\n");
    replay(&[&path]).assert().code(1).stdout(contains(
        "game 1: line 3: the result is 0-1 after the moves, but 1-0 in the tag Result\n",
    ));
    fs::remove_file(path).unwrap();
}

#[test]
fn games_and_plies_can_be_named() {
    let mate = "[Red \"a\"]\n[FEN \"4k4/R8/9/9/9/9/9/9/1R7/3K5 w\"]\n\n1. B1B9 0-1\n\n";
    let path = games(
        "places",
        &format!("[Red \"x\"]\n\n1. h2e2 h9g7 1-0\n\n{mate}"),
    );
    replay(&[&format!("{path}:1")]).assert().code(0);
    replay(&[&format!("{path}:2")])
        .assert()
        .code(1)
        .stdout(contains("game 2: 0-1 in the record, 1-0 by checkmate"));
    // Nothing is decided before the last move.
    replay(&[&format!("{path}:2@0")]).assert().code(0);
    replay(&[&format!("{path}:3")])
        .assert()
        .code(1)
        .stderr(contains("there is no such game"));
    replay(&[&format!("{path}:1@3")])
        .assert()
        .code(1)
        .stdout(contains("game 1: game 1 has only 2 plies"));
    replay(&["--list", &path]).assert().code(1).stdout(
        contains("1  x  ?  1-0  2 plies  B05  agrees\n")
            .and(contains(
                "2  a  ?  0-1  1 plies       0-1 in the record, 1-0 by checkmate\n",
            ))
            .and(contains("1 of 2 games agree")),
    );
    replay(&["--explain", &path]).assert().stdout(
        contains("black_loses\ncheckmate, asian rules\n").and(contains(
            "recorded result: 1-0 by resignation, agreement or another reason",
        )),
    );
    let output = replay(&["--json", "--explain", &path]).output().unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    let objects = super::objects(&lines);
    assert_eq!(objects.len(), 2);
    assert_eq!(
        (&objects[0]["agrees"], &objects[1]["agrees"]),
        (&true.into(), &false.into())
    );
    assert_eq!(
        (&objects[1]["verdict"], &objects[1]["game"]),
        (&"black_loses".into(), &2.into())
    );
    fs::remove_file(path).unwrap();
}

#[test]
fn other_commands_accept_a_game_of_a_file() {
    let mate = "[FEN \"4k4/R8/9/9/9/9/9/9/1R7/3K5 w\"]\n\n1. B1B9 0-1\n\n";
    let path = games("judged places", &format!("1. h2e2 h9g7 1-0\n\n{mate}"));
    let judge = |place: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_chuhe"));
        command.args(["judge", place]).env_remove("RUST_LOG");
        command.assert()
    };
    judge(&format!("{path}:2")).code(0).stdout("black_loses\n");
    judge(&format!("{path}:2@0")).code(0).stdout("none\n");
    judge(&format!("{path}:9"))
        .code(1)
        .stderr(contains("there is no game 9"));
    judge("no-such.pgn:2")
        .code(1)
        .stderr(contains("No such file"));
    fs::remove_file(path).unwrap();
}

#[test]
fn invalid_places_and_other_records_are_reported() {
    replay(&["none.pgn:-3"])
        .assert()
        .stderr(contains("as in games.pgn:3@42"));
    let xqf = format!("XQ\u{a}{}", "\0".repeat(2000));
    for record in [&xqf, "CCBridge Record\0", "<p>[DhtmlXQ]"] {
        let path = games("record", record);
        replay(&[&path])
            .assert()
            .code(1)
            .stdout(contains("game 1: ").and(contains("0 of 1 games agree")));
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn binary_files_are_refused() {
    let path = games("binary", "\x7fELF\x02\x01\0\0\0");
    replay(&[&path]).assert().code(1).stderr(
        contains("neither a text nor a game record").and(contains("one file cannot be read")),
    );
    fs::remove_file(path).unwrap();
}
