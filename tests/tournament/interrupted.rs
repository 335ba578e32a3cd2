//! Matches that are interrupted or killed.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::process::Signal;

use super::{assert_processes_end, match_of, mode_with, output, pgn_games, script};
use crate::TestDir;
use crate::processes::{send_signal, wait_for};

const SLOW: &str = "--openings start --rounds 15 --concurrency 2 --each depth=1";

/// Starts a match of slow engines and waits until some games are finished.
fn begin(journal: &Path, pgn: &Path) -> Child {
    let mut child = command(journal, pgn).stdout(Stdio::piped()).spawn().unwrap();
    let lines = || fs::read_to_string(journal).map_or(0, |text| text.lines().count());
    wait_for(&mut child, || lines() >= 6);
    child
}

fn command(journal: &Path, pgn: &Path) -> Command {
    let mut command = match_of([script("one", "slow"), script("two", "slow")], SLOW);
    command.arg("--resume").arg(journal).arg("--pgn").arg(pgn);
    command
}

/// The child processes of a match: its engines, and the helper that kills them if the match is killed.
fn child_processes(of: &Child) -> Vec<String> {
    let path = format!("/proc/{0}/task", of.id());
    let tasks = fs::read_dir(path).unwrap().flatten();
    let children = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    let children: Vec<String> = children.collect();
    children.iter().flat_map(|list| list.split_whitespace()).map(str::to_owned).collect()
}

fn interrupt_and_resume(signal: Signal) {
    let dir = TestDir::new();
    let [journal, pgn] = ["interrupted.jsonl", "interrupted.pgn"].map(|name| dir.path(name));
    let child = begin(&journal, &pgn);
    let processes = child_processes(&child);
    assert_eq!(processes.len(), 5, "four engines and the helper");
    send_signal(&child, signal);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("\ninterrupted\none vs two: "), "{text}");
    assert_processes_end(&processes);
    finish(&journal, &pgn);
}

/// Resumes the match to its end and checks that every game was played once.
fn finish(journal: &Path, pgn: &Path) {
    let before = fs::read_to_string(journal).unwrap();
    let text = output(&mut command(journal, pgn));
    assert!(text.contains("resumed after "), "{text}");
    assert!(text.contains("all games played\none vs two: 30 games, +0 =30 -0"), "{text}");
    let after = fs::read_to_string(journal).unwrap();
    let end = before.rfind('\n').unwrap();
    assert!(after.starts_with(&before[..end]), "no game is played again");
    let number = |line| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        line["game"]["number"].as_u64()
    };
    let numbers: Vec<u64> = after.lines().filter_map(number).collect();
    assert_eq!(numbers.len(), 30);
    let numbers: HashSet<u64> = numbers.into_iter().collect();
    assert_eq!(numbers, (0..30).collect());
    let games = pgn_games(pgn);
    let rounds: HashSet<&str> = games.iter().map(|game| game.tag("Round").unwrap()).collect();
    assert_eq!((games.len(), rounds.len()), (30, 30));
}

#[test]
fn signals_end_a_match_cleanly() {
    interrupt_and_resume(Signal::INT);
    interrupt_and_resume(Signal::TERM);
}

#[test]
fn a_killed_match_resumes_without_losing_or_repeating_games() {
    let dir = TestDir::new();
    let [journal, pgn] = ["killed.jsonl", "killed.pgn"].map(|name| dir.path(name));
    let mut child = begin(&journal, &pgn);
    let processes = child_processes(&child);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_processes_end(&processes);
    // Incomplete lines, as a kill during a write leaves them.
    let mut text = fs::read_to_string(&journal).unwrap();
    text += "{\"game\":{\"number\":29,\"players\":[1";
    fs::write(&journal, text).unwrap();
    let mut text = fs::read_to_string(&pgn).unwrap();
    text += "[Event \"half";
    fs::write(&pgn, text).unwrap();
    finish(&journal, &pgn);
}

/// Engines that do not exit at the end of their input are killed with the match.
#[test]
fn a_killed_match_leaves_no_engine_running() {
    let dir = TestDir::new();
    let journal = dir.path("stays");
    let mut child = match_of(
        [script("one", "stays"), script("two", "stays")],
        "--openings start --each depth=1 --rounds 100000",
    )
    .arg("--resume")
    .arg(&journal)
    .stdout(Stdio::null())
    .spawn()
    .unwrap();
    wait_for(&mut child, || {
        fs::read_to_string(&journal).is_ok_and(|text| text.lines().count() > 3)
    });
    let processes = child_processes(&child);
    assert_eq!(processes.len(), 3, "two engines and the helper");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_processes_end(&processes);
}

/// A signal during the detection before the first game also ends the engines.
#[test]
fn an_interrupt_before_the_first_game_leaves_no_engine_running() {
    let dir = TestDir::new();
    let file = dir.path("dawdles");
    let dawdles = script("one", &mode_with("dawdles", &file));
    for signal in [Signal::INT, Signal::TERM] {
        let engines = [dawdles.clone(), script("two", "good")];
        let mut child = match_of(engines, "--openings start --each depth=1 --startup 100")
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        wait_for(&mut child, || file.exists());
        let begun = fs::read_to_string(&file).unwrap();
        let begun: Vec<String> = begun.lines().map(str::to_owned).collect();
        send_signal(&child, signal);
        assert_eq!(child.wait().unwrap().code(), Some(130));
        assert_processes_end(&begun);
        fs::remove_file(&file).unwrap();
    }
}
