//! `chuhe check` on Chuhe, which keeps both protocols, and on engines that do not.

use std::process::Command;
use std::thread;

use chuhe::board::Position;
use chuhe::book::{BookEntry, BookMove, encode_dat};
use serde_json::Value;

use crate::{SCRIPT, scratch};

/// The patience with Chuhe in seconds, for the machine may be busy.
const PATIENCE: &str = "20";

/// Checks an engine, and returns the exit code and the outcome of each check.
fn check(words: &[&str]) -> (Option<i32>, Vec<(String, String, String)>) {
    let output = Command::new(env!("CARGO_BIN_EXE_chuhe"))
        .args(["check", "--json"])
        .args(words)
        .env_remove("RUST_LOG")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let reports = text.lines().map(|line| {
        let report: Value = serde_json::from_str(line).unwrap();
        let part = |key: &str| report[key].as_str().unwrap().to_owned();
        assert!(!part("document").is_empty());
        (part("check"), part("outcome"), part("detail"))
    });
    (output.status.code(), reports.collect())
}

#[test]
fn chuhe_keeps_both_protocols() {
    let chuhe = format!("cmd={}", env!("CARGO_BIN_EXE_chuhe"));
    let keeps = |protocol: &str, option: &str| {
        let protocol = format!("proto={protocol}");
        let words = [chuhe.as_str(), &protocol, option, "--patience", PATIENCE];
        let (code, reports) = check(&words);
        let not_kept: Vec<_> = reports.iter().filter(|report| report.1 != "kept").collect();
        assert!(
            not_kept.is_empty() && code == Some(0),
            "{protocol}: {not_kept:?}"
        );
        assert!(reports.len() > 25, "{reports:?}");
    };
    // Most of it is waiting.
    thread::scope(|scope| {
        scope.spawn(|| keeps("ucci", "option.hashsize=1"));
        scope.spawn(|| keeps("uci", "option.Hash=1"));
    });
}

/// A move of a book takes no time and searches nothing.
#[test]
fn books_are_switched_off() {
    let chuhe = format!("cmd={}", env!("CARGO_BIN_EXE_chuhe"));
    let switches_off = |protocol: &str, option: &str, line: &str| {
        let book = scratch("book.dat");
        let entry = BookEntry {
            position: Position::startpos(),
            moves: vec![BookMove::new("h2e2".parse().unwrap(), 1)],
        };
        std::fs::write(&book, encode_dat(&[entry]).bytes).unwrap();
        let option = format!("option.{option}={}", book.display());
        let output = Command::new(env!("CARGO_BIN_EXE_chuhe"))
            .args(["check", "--verbose", "--patience", PATIENCE, &chuhe])
            .args([format!("proto={protocol}"), option])
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains(", 0 doubtful, 0 broken\n"), "{text}");
        assert!(text.contains(line), "{text}");
        std::fs::remove_file(book).unwrap();
    };
    thread::scope(|scope| {
        scope.spawn(|| switches_off("ucci", "bookfiles", "> setoption usebook false\n"));
        let line = "> setoption name OwnBook value false\n";
        scope.spawn(move || switches_off("uci", "BookFile", line));
    });
}

/// It ends at positions of xiangqi where it is not told to play that.
#[test]
fn an_engine_of_several_games_is_told_which_one() {
    let arguments = format!("args='{SCRIPT}' ranks");
    let (_, reports) = check(&["cmd=sh", &arguments]);
    let known = reports.iter().find(|report| report.0 == "known lines");
    assert_eq!(known.unwrap().1, "kept", "{known:?}");
}

/// The script answers by the number of moves alone, knows no search that goes on, and one of its modes
/// stays when its input ends.
#[test]
fn faults_are_found() {
    let arguments = format!("args='{SCRIPT}' stays");
    let (code, reports) = check(&["cmd=sh", &arguments, "proto=ucci", "ranks=0"]);
    assert_eq!(code, Some(1));
    let outcome = |name: &str| {
        let (_, outcome, detail) = reports.iter().find(|report| report.0 == name).unwrap();
        (outcome.as_str(), detail.as_str())
    };
    for name in [
        "greeting",
        "options",
        "ready",
        "usemillisec",
        "clock",
        "new game",
    ] {
        assert_eq!(outcome(name).0, "kept", "{name}: {reports:?}");
    }
    for (name, part) in [
        ("stop", "does not search until it is stopped"),
        ("ponder", "plays a move while it ponders"),
        ("black to move", "is no legal move here"),
        ("mated", "in a position without a move"),
        ("quit", "does not end"),
        ("end of input", "goes on at the end of its input"),
        ("end of input in search", "searches on"),
    ] {
        let (outcome, detail) = outcome(name);
        assert_eq!(outcome, "broken", "{name}");
        assert!(detail.contains(part), "{name}: {detail}");
    }
}

/// It takes three seconds to end.
#[test]
fn a_slow_engine_is_given_time() {
    let arguments = format!("args='{SCRIPT}' lingers");
    let outcome_at = |patience: &[&str]| {
        let words = ["cmd=sh", &arguments, "proto=uci", "ranks=0"];
        let (_, reports) = check(&[&words, patience].concat());
        let quit = reports.into_iter().find(|report| report.0 == "quit");
        quit.unwrap().1
    };
    thread::scope(|scope| {
        scope.spawn(|| assert_eq!(outcome_at(&[]), "broken"));
        scope.spawn(|| assert_eq!(outcome_at(&["--patience", PATIENCE]), "kept"));
    });
}

#[test]
fn an_engine_without_usemillisec_gets_seconds() {
    let output = Command::new(env!("CARGO_BIN_EXE_chuhe"))
        .args(["check", "--verbose", "proto=ucci", "ranks=0", "cmd=sh"])
        .arg(format!("args='{SCRIPT}' seconds"))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    for part in [
        "doubtful  usemillisec: ",
        "kept      clock\n",
        "          > go time 3 increment 0 opptime 3 oppincrement 0\n",
        "          > go ponder time 2 increment 0 opptime 2 oppincrement 0\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("short clock"), "{text}");
}

#[test]
fn what_is_broken_is_shown_with_its_lines() {
    let output = Command::new(env!("CARGO_BIN_EXE_chuhe"))
        .args(["check", "cmd=sh", &format!("args='{SCRIPT}' twice")])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    for part in [
        "kept      greeting\n",
        "broken    depth: it answers twice\n          the document: go depth N plays",
        "          > go depth 1\n          < bestmove a0a1\n          > isready\n          < bestmove a0a9\n",
        // It offers UseMillisec in these letters.
        "          > go ponder time 2000 increment 0 opptime 2000 oppincrement 0\n",
        "Shuffler twice, UCCI: ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    for (words, code, part) in [
        (&["cmd=true"][..], 1, "engine true: "),
        (&["no/such/engine"], 1, "No such file"),
        (&["cmd=true", "speed=1"], 2, "no such key"),
        (&[], 2, "required"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_chuhe"))
            .arg("check")
            .args(words)
            .output()
            .unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{told}");
        assert!(told.contains(part), "{told}");
    }
}
