//! `chuhe analyse`.

use assert_cmd::Command;
use chuhe::board::Move;
use chuhe::movegen::is_legal;
use chuhe::notation::{chinese, fen, wxf};
use predicates::prelude::*;
use predicates::str::{contains, is_empty, is_match, starts_with};

const ENDGAME: &str = "3ak4/4a4/4b4/9/9/9/9/4B4/4A4/2BAKR3 w - - 0 1";

fn analyse(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chuhe"));
    command
        .arg("analyse")
        .args(arguments)
        .env_remove("RUST_LOG");
    command
}

/// The printed rows.
fn rows(arguments: &[&str]) -> Vec<String> {
    let assert = analyse(arguments).assert().code(0).stderr(is_empty());
    let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[cfg(unix)]
#[test]
fn interrupt_ends_the_search_but_not_the_output() {
    use std::io::{BufRead, BufReader, Read};
    use std::process::{Command, Stdio};

    let mut child = Command::new(env!("CARGO_BIN_EXE_chuhe"))
        .args(["analyse", "startpos", "--time", "600"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut shown = BufReader::new(child.stdout.take().unwrap());
    for _ in 0..4 {
        shown.read_line(&mut String::new()).unwrap();
    }
    super::send_signal(&child, "-INT");
    let mut rest = String::new();
    shown.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(rest.lines().last().unwrap().starts_with("best "), "{rest}");
}

#[test]
fn games_of_a_pgn_are_named_by_number_and_ply() {
    let name = format!("analysed-{}.pgn", std::process::id());
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, "1. h2e2 *\n\n1. c3c4 *\n").unwrap();
    let file = path.to_str().unwrap();
    analyse(&[file, "--depth", "1"])
        .assert()
        .code(0)
        .stderr(contains("using the first of 2 games"));
    analyse(&[&format!("{file}:1"), "--depth", "1"])
        .assert()
        .code(0)
        .stderr(is_empty());
    for place in [":x", ":3@-1", "@"] {
        analyse(&[&format!("{file}{place}"), "--depth", "1"])
            .assert()
            .code(2)
            .stderr(contains("as in games.pgn:3@42"));
    }
    std::fs::remove_file(path).unwrap();
}

#[test]
fn each_depth_has_a_row() {
    let rows = rows(&["startpos", "--depth", "4"]);
    let (best, rows) = rows.split_last().unwrap();
    let (head, rows) = rows.split_first().unwrap();
    assert_eq!(
        head.split_whitespace().collect::<Vec<_>>().join(" "),
        "depth score time nodes line (red to move)"
    );
    assert_eq!(rows.len(), 4);
    let form = is_match(r"^ +\d+ +[+-]\d\.\d\d +\d+\.\d\ds +\d+  \S{4}( \S{4})*$").unwrap();
    assert!(rows.iter().all(|row| form.eval(row)), "{rows:?}");
    let form = [
        r"^best (\S+) \(([a-i]\d){2}\)  score [+-]\d\.\d\d  win/draw/loss \d+/\d+/\d+ %",
        r"depth 4  nodes \d+  time \d+\.\d\ds  nps \d+$",
    ];
    let form = form.join("  ");
    assert!(is_match(&form).unwrap().eval(best), "{best}");
}

#[test]
fn lines_can_be_replayed_in_every_notation() {
    let start = fen::parse_position(ENDGAME).unwrap();
    for (notation, write) in [
        ("chinese", chinese::write as fn(&_, _) -> _),
        ("wxf", wxf::write),
        ("coordinate", |_, m: Move| m.to_string()),
    ] {
        let rows = rows(&[ENDGAME, "--depth", "5", "--notation", notation]);
        for row in &rows[1..rows.len() - 1] {
            let mut position = start.clone();
            for word in row.split_whitespace().skip(4) {
                let played = chuhe::notation::parse_move(&position, word).unwrap();
                assert!(is_legal(&position, played));
                assert_eq!(write(&position, played), word);
                position.make(played);
            }
        }
        let best: Vec<&str> = rows.last().unwrap().split_whitespace().collect();
        assert_eq!(best[2] == "score", notation == "coordinate", "{best:?}");
    }
}

#[test]
fn several_lines_are_numbered() {
    let rows = rows(&["startpos", "--depth", "3", "--multipv", "3"]);
    let numbers: Vec<&str> = rows[1..rows.len() - 1]
        .iter()
        .map(|row| row.split_whitespace().nth(1).unwrap())
        .collect();
    assert_eq!(numbers, ["1", "2", "3"].repeat(3));
}

#[test]
fn fen_may_be_several_words_and_moves_may_follow() {
    let mut words: Vec<&str> = ENDGAME.split(' ').collect();
    words.extend(["--depth", "3", "--notation", "coordinate"]);
    let quoted = [ENDGAME, "--depth", "3", "--notation", "coordinate"];
    // All but time and speed.
    let facts = |arguments: &[&str]| {
        rows(arguments)
            .last()
            .unwrap()
            .split("  time")
            .next()
            .map(str::to_owned)
    };
    assert_eq!(facts(&words), facts(&quoted));
    for arguments in [
        &["startpos", "--depth", "2", "--moves", "炮二平五"][..],
        &["startpos", "--moves", "h2e2 N8+7", "P7+1", "--depth", "2"],
        &["position", "startpos", "moves", "H2-E2", "--depth", "2"],
    ] {
        assert!(rows(arguments)[0].ends_with("(black to move)"));
    }
}

#[test]
fn limits_and_resources_are_respected() {
    analyse(&[
        "startpos",
        "--nodes",
        "5000",
        "--hash",
        "4",
        "--threads",
        "2",
    ])
    .assert()
    .code(0)
    .stdout(contains("\nbest "));
    analyse(&["startpos", "--time", "0.1"])
        .timeout(std::time::Duration::from_secs(30))
        .assert()
        .code(0)
        .stdout(contains("\nbest "));
}

#[test]
fn mates_are_counted_in_plies() {
    let mate = "3k5/R8/9/9/9/9/9/9/4R4/4K4 w";
    analyse(&[mate, "--depth", "4"])
        .assert()
        .code(0)
        .stdout(contains("  score #1  "));
}

#[test]
fn end_of_the_game_is_reported() {
    for (fen, text) in [
        (
            "3k5/3R5/3R5/9/9/9/9/9/9/4K4 b",
            "black is checkmated (将死), red wins\n",
        ),
        (
            "3k5/4P4/9/9/9/9/9/9/9/4K4 b",
            "black has no legal move (困毙), red wins\n",
        ),
    ] {
        analyse(&[fen]).assert().code(0).stdout(text);
    }
    let bare = "3ak4/9/4b4/9/9/9/9/4B4/4A4/3K5 w";
    analyse(&[bare, "--depth", "2"]).assert().code(0).stdout(
        starts_with("by the rules (asian) this is a draw: insufficient material\n")
            .and(contains("\nbest ")),
    );
}

#[test]
fn invalid_fen_is_reported_with_all_reasons() {
    analyse(&["4k4/9/9/9/9/9/9/9/8/8x w"])
        .assert()
        .code(1)
        .stdout(is_empty())
        .stderr(
            contains("invalid FEN: ")
                .and(contains("rank 1"))
                .and(contains("'x'")),
        );
    analyse(&["4k4/9/9/9/9/9/9/9/9/4K4 w"])
        .assert()
        .code(1)
        .stderr(contains("the kings face each other"));
    analyse(&["startpos", "--moves", "h2e2", "h2e2"])
        .assert()
        .code(1)
        .stdout(is_empty())
        .stderr(contains("move 2: "));
}

#[test]
fn invalid_arguments_are_usage_errors() {
    analyse(&[])
        .assert()
        .code(2)
        .stderr("chuhe: analyse: no position is given: `startpos` or a FEN\n");
    for arguments in [
        &["startpos", "--depth", "0"][..],
        &["startpos", "--time", "0"],
        &["startpos", "--time", "soon"],
        &["startpos", "--nodes", "0"],
        &["startpos", "--multipv", "0"],
        &["startpos", "--notation", "english"],
        &["startpos", "--moves"],
        &["startpos", "--nonsense"],
    ] {
        analyse(arguments)
            .assert()
            .code(2)
            .stdout(is_empty())
            .stderr(contains("error: "));
    }
}

#[test]
fn settings_are_those_of_the_engine() {
    let rows = |arguments: &[&str]| {
        rows(&[&["startpos", "--depth", "5"], arguments].concat())
            .iter()
            .map(|row| row.split_whitespace().nth(3).unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    let usual = rows(&[]);
    assert_ne!(rows(&["--pruning", "none"]), usual);
    assert_ne!(rows(&["--knowledge", "small"]), usual);
    let bare = "3ak4/9/4b4/9/9/9/9/4B4/4A4/3K5 w";
    analyse(&[bare, "--depth", "1", "--rules", "chinese"])
        .assert()
        .code(0)
        .stdout(contains("by the rules (chinese)"));
}

#[test]
fn files_of_positions_are_analysed() {
    let name = format!("positions-{}.txt", std::process::id());
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let mated = "3k5/3R5/3R5/9/9/9/9/9/9/4K4 b";
    let text = format!("# positions\nstartpos moves h2e2\n{mated}\n{ENDGAME}\n");
    std::fs::write(&path, &text).unwrap();
    let file = path.to_str().unwrap();
    let assert = analyse(&[file, "--depth", "2"]).assert().code(0);
    let shown = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    for part in [
        "line 2: rnbakabnr",
        "line 3: 3k5",
        "red wins",
        "line 4: 3ak4",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert_eq!(shown.matches("\nbest ").count(), 2, "{shown}");
    let assert = analyse(&["-", "--depth", "3", "--json", "--multipv", "2"])
        .write_stdin(text)
        .assert()
        .code(0);
    let shown = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    let objects = super::objects(&shown);
    let lines: Vec<_> = objects
        .iter()
        .map(|object| object["line"].clone())
        .collect();
    assert_eq!(lines, [2, 3, 4]);
    assert_eq!(objects[0]["lines"].as_array().unwrap().len(), 2);
    assert_eq!(objects[0]["best"], objects[0]["lines"][0]["pv"][0]);
    assert_eq!(objects[0]["depth"], 3);
    assert!(objects[0]["score"].is_i64());
    assert_eq!(objects[1]["best"], serde_json::Value::Null);
    assert!(objects[1]["ruling"].as_str().unwrap().contains("red wins"));
    std::fs::remove_file(path).unwrap();
}
