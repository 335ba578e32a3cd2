//! `chuhe solve`.

use std::fs;

use assert_cmd::Command;
use predicates::str::{contains, is_empty};
use serde_json::{Value, json};

use crate::engine_client::scratch;

/// Two rooks mate in two moves.
const TWO_ROOKS: &str = "3k5/9/R8/1R7/9/9/9/9/9/5K3 w";

fn solve(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chuhe"));
    command.arg("solve").args(arguments).env_remove("RUST_LOG");
    command
}

#[test]
fn the_solution_is_printed_as_a_tree() {
    let assert = solve(&[TWO_ROOKS, "--notation", "coordinate"])
        .assert()
        .code(0)
        .stderr(is_empty());
    let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    assert!(
        text.starts_with("mate in 2 moves (3 plies), no shorter mate exists\nmain line: "),
        "{text}"
    );
    assert!(text.contains("\n1. ") && text.contains(" #\n"), "{text}");
    assert!(
        text.contains("\nmove 1: ") && text.contains("\nmove 2: "),
        "{text}"
    );
}

#[test]
fn a_json_solution_is_verified() {
    let assert = solve(&[TWO_ROOKS, "--json"]).assert().code(0);
    let mut file: Value = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    assert_eq!(
        (&file["moves"], &file["is_shortest"]),
        (&2.into(), &true.into())
    );
    let path = scratch("solution.json");
    fs::write(&path, file.to_string()).unwrap();
    let verify = || solve(&["--verify", path.to_str().unwrap()]).assert();
    verify().code(0).stdout(contains(
        "the solution is correct: mate in 2 moves (3 plies), ",
    ));
    file["tree"]["replies"] = Value::Array(Vec::new());
    fs::write(&path, file.to_string()).unwrap();
    verify().code(1).stderr(contains("is missing after"));
    fs::write(&path, "{}").unwrap();
    verify().code(1).stderr(contains(
        "solution.json: not a solution as JSON: missing field",
    ));
}

#[test]
fn unsolved_problems_are_errors() {
    solve(&[TWO_ROOKS, "--mate", "1"])
        .assert()
        .code(1)
        .stderr("chuhe: solve: there is no mate in 1\n");
    solve(&["startpos", "--mate", "9", "--nodes", "20000"])
        .assert()
        .code(1)
        .stderr("chuhe: solve: no mate in 9 found within the limit of nodes\n");
    solve(&[])
        .assert()
        .code(2)
        .stderr(contains("no position is given"));
}

/// A rook captures a knight and wins by an endgame table.
const TABLE_WIN: &str = "3ak4/4a4/9/9/9/9/9/9/1n7/1R2K4 w";
/// A pawn cannot win against two advisors, and black has nothing to attack with.
const DRAW: &str = "4k4/4a4/3a5/9/9/9/9/3P5/9/4K4 w";

#[test]
fn a_solution_is_written_as_pgn_and_as_diagrams() {
    let assert = solve(&[TWO_ROOKS, "--pgn", "-", "--notation", "coordinate"]).assert();
    let pgn = String::from_utf8(assert.code(0).get_output().stdout.clone()).unwrap();
    assert!(pgn.contains("[Result \"1-0\"]"), "{pgn}");
    assert!(
        pgn.contains("mate in 2 moves (3 plies)")
            && pgn.contains("also mates: a7d7, mate in 2 moves (3 plies);"),
        "{pgn}"
    );
    let path = scratch("solution.svg");
    let pgn = scratch("solution.pgn");
    solve(&[
        TWO_ROOKS,
        "--svg",
        path.to_str().unwrap(),
        "--pgn",
        pgn.to_str().unwrap(),
    ])
    .assert()
    .code(0)
    .stdout(contains("mate in 2 moves"));
    let picture = fs::read_to_string(&path).unwrap();
    assert_eq!(picture.matches("class=\"arrow\"").count(), 2, "{picture}");
    // The record can be read, with its variations.
    let mut replay = Command::new(env!("CARGO_BIN_EXE_chuhe"));
    let converted = replay.args(["convert", pgn.to_str().unwrap(), "--to", "pgn"]);
    converted.assert().code(0).stdout(contains("1-0"));
}

/// Solves with `--json`, verifies the file, and returns it with its path.
fn verified(arguments: &[&str], name: &str) -> (Value, std::path::PathBuf) {
    let assert = solve(arguments).arg("--json").assert().code(0);
    let path = scratch(name);
    fs::write(&path, &assert.get_output().stdout).unwrap();
    let file = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    solve(&["--verify", path.to_str().unwrap()])
        .assert()
        .code(0)
        .stdout(contains("the solution is correct: "));
    (file, path)
}

#[test]
fn a_win_may_end_in_a_table() {
    let (mut file, path) = verified(&[TABLE_WIN, "--win"], "win.json");
    assert_eq!(file["stipulation"], "win");
    assert!(file.to_string().contains("\"by_table\":true"), "{file}");
    file["tree"]["plies"] = 1.into();
    fs::write(&path, file.to_string()).unwrap();
    solve(&["--verify", path.to_str().unwrap()])
        .assert()
        .code(1)
        .stderr(contains("the length of the mate is not 1 plies"));
}

#[test]
fn a_draw_is_proven_for_both_sides() {
    let (mut file, path) = verified(&[DRAW, "--draw"], "draw.json");
    assert_eq!(file["stipulation"], "draw");
    let moves = file["strategies"][1].as_array_mut().unwrap();
    assert!(!moves.is_empty());
    moves.pop();
    fs::write(&path, file.to_string()).unwrap();
    solve(&["--verify", path.to_str().unwrap()])
        .assert()
        .code(1)
        .stderr(contains("black: no move for the position"));
}

#[test]
fn a_draw_is_proven_under_the_chinese_rules() {
    let (file, _) = verified(&[DRAW, "--draw", "--rules", "chinese"], "draw-chinese.json");
    assert_eq!(file["rules"], "chinese");
}

#[test]
fn a_proof_of_a_draw_is_resumed() {
    let (file, _) = verified(&[DRAW, "--draw"], "draw-whole.json");
    let side = |n: usize| -> Vec<Value> {
        let replies = file["strategies"][n].as_array().unwrap().iter();
        replies
            .map(|reply| json!({ "fen": reply["fen"], "moves": [reply["move"]] }))
            .collect()
    };
    let path = scratch("draw-resume.json");
    let resume = path.to_str().unwrap();
    let write = |fen: &Value, positions: [Vec<Value>; 2]| {
        let stored = json!({ "fen": fen, "rules": file["rules"], "positions": positions });
        fs::write(&path, stored.to_string()).unwrap();
    };
    write(&file["fen"], [side(0), side(1)]);
    solve(&[DRAW, "--draw", "--resume", resume])
        .assert()
        .code(0);
    write(&json!(TWO_ROOKS), [Vec::new(), Vec::new()]);
    solve(&[DRAW, "--draw", "--resume", resume])
        .assert()
        .code(1)
        .stderr(contains("the file belongs to another position"));
    write(
        &file["fen"],
        [vec![json!({ "fen": "9", "moves": [] })], side(1)],
    );
    solve(&[DRAW, "--draw", "--resume", resume])
        .assert()
        .code(1)
        .stderr(contains("it is not proven that red does not lose: 9: "));
}

#[test]
fn a_draw_that_is_not_proven_is_an_error() {
    // Red wins.
    solve(&[TWO_ROOKS, "--draw", "--nodes", "3"])
        .assert()
        .code(1)
        .stderr(contains("it is not proven that black does not lose: "));
    solve(&[DRAW, "--draw", "--win"]).assert().code(2);
}
