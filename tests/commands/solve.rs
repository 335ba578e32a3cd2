//! `chuhe solve`.

use std::fs;

use assert_cmd::Command;
use predicates::str::{contains, is_empty};
use serde_json::Value;

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
    verify()
        .code(0)
        .stdout(contains("the solution is correct: mate in 2 moves, "));
    file["tree"]["replies"] = Value::Array(Vec::new());
    fs::write(&path, file.to_string()).unwrap();
    verify().code(1).stderr(contains("is missing after"));
    fs::write(&path, "{}").unwrap();
    verify()
        .code(1)
        .stderr(contains("solution.json: missing field"));
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
