//! Misbehaving engines: they hang, crash, send too much output, or play illegal moves.

use std::thread;

use serde_json::Value;

use super::{
    FOUR_GAMES, assert_processes_end, chuhe, match_of, mode_with, output, report, script,
    script_with, with,
};
use crate::TestDir;

/// The limit of engines that exceed their time.
const SHORT_TIME: &str = "movetime=100 margin=400";

/// Asserts that the engine loses each game for `reason` with this detail, and that `counter` is its only counter of
/// forfeits that is not zero; if `counter` is empty, all are zero.
fn assert_loses(mode: &str, reason: &str, detail: &str, counter: &str) {
    assert_details(&lost_games(script("bad", mode), reason, counter), detail);
}

/// As [`assert_loses`], for losses on time.
fn assert_loses_on_time(mode: &str, detail: &str) {
    let bad = with(script("bad", mode), SHORT_TIME);
    assert_details(&lost_games(bad, "time loss", "time_losses"), detail);
}

fn assert_details(details: &[String], expected: &str) {
    let is_expected = |detail: &String| detail.contains(expected);
    assert!(details.iter().all(is_expected), "{expected}: {details:?}");
}

/// The details of four games that a bad engine loses to a good one.
fn lost_games(bad: Vec<String>, reason: &str, counter: &str) -> Vec<String> {
    let mode = bad.join(" ");
    let report = report([bad, script("good", "good")], FOUR_GAMES);
    assert_eq!(report["end"], "finished");
    let games = report["games"].as_array().unwrap();
    assert_eq!(games.len(), 4, "{mode}");
    for game in games {
        assert_eq!(game["reason"], reason, "{mode}: {game}");
        let winner = if game["red"] == "good" { "1-0" } else { "0-1" };
        assert_eq!(game["result"], winner, "{mode}: {game}");
    }
    let [bad, good] = [0, 1].map(|n| &report["engines"][n]);
    for key in ["illegal_moves", "time_losses", "crashes"] {
        let expected = if key == counter { 4 } else { 0 };
        assert_eq!(bad[key], expected, "{mode}: {key}");
        assert_eq!(good[key], 0, "{mode}: {key}");
    }
    let detail = |game: &Value| game["detail"].as_str().unwrap().to_owned();
    games.iter().map(detail).collect()
}

#[test]
fn engines_that_exit_or_close_their_output_lose_by_crash() {
    assert_loses("closed", "crash", "closed its output", "crashes");
    // In some games the closed pipe may be noticed before the exit.
    for (mode, end) in
        [("crash", "it exited (exit status: 3): out of luck"), ("killed", "it exited (signal: 9")]
    {
        let details = lost_games(script("bad", mode), "crash", "crashes");
        let is_reported = details.iter().any(|detail| detail.starts_with(end));
        assert!(is_reported, "{details:?}");
    }
}

/// A process that the engine started keeps its output open after the engine has exited.
#[test]
fn exits_with_open_output_are_crashes() {
    let bad = with(script("bad", "orphan"), SHORT_TIME);
    let details = lost_games(bad, "crash", "crashes");
    assert_details(&details, "exit status: 4");
}

#[test]
fn engines_that_hang_lose_on_time() {
    // `frozen` is stopped by a signal, `unended` writes a line without end, `silent` does not respond.
    thread::scope(|scope| {
        for mode in ["hang", "silent", "frozen", "unended"] {
            scope.spawn(move || assert_loses_on_time(mode, "no bestmove"));
        }
    });
}

#[test]
fn engines_that_flood_their_output_lose_by_crash() {
    for mode in ["flood", "chatter", "endless"] {
        // They lose by their output, long before they exceed their time.
        assert_loses(mode, "crash", "too much output", "crashes");
    }
}

#[test]
fn misbehavior_while_the_opponent_thinks_is_a_crash() {
    let dir = TestDir::new();
    // `spills` does not know `isready`, `misses` ignores `stop` while it ponders.
    for (bad, good, limit, detail) in [
        ("gush", "waits", "tc=60+1 ponder=on", "too much output"),
        ("spills", "waits", "movetime=60000", "too much output"),
        ("misses", "good", "tc=60+1 ponder=on", "no bestmove after stop within "),
    ] {
        let file = dir.path(bad);
        let engines = [("bad", bad), ("good", good)];
        let engines = engines.map(|(name, mode)| script(name, &mode_with(mode, &file)));
        let arguments = format!("--openings start --rounds 1 --each {limit}");
        let report = report(engines, &arguments);
        assert_eq!(report["end"], "finished");
        for game in report["games"].as_array().unwrap() {
            assert_eq!(game["reason"], "crash", "{game}");
            assert!(game["detail"].as_str().unwrap().starts_with(detail), "{game}");
        }
        assert_eq!(report["engines"][0]["crashes"], 2);
    }
}

#[test]
fn illegal_moves_lose() {
    assert_loses("illegal", "illegal move", "a0a9", "illegal_moves");
    assert_loses("theft", "illegal move", "b9c7", "illegal_moves");
    assert_loses("garbage", "illegal move", "", "illegal_moves");
    assert_loses("nul", "illegal move", "", "illegal_moves");
    // This engine counts ranks from 1.
    let bad = script_with("bad", "ranks-illegal", "proto=ucci ranks=1 init=known");
    assert_eq!(lost_games(bad, "illegal move", "illegal_moves"), ["H3-E2"; 4]);
}

/// The XBoard engine refuses the moves of its opponent, or `go`.
#[test]
fn refused_moves_and_searches_are_crashes() {
    for (mode, message) in [("refuses", "Illegal move: "), ("balks", "Error (no game): go")] {
        let mode = format!("{mode} '{}'", env!("CARGO_BIN_EXE_chuhe"));
        let bad = script_with("bad", &mode, "proto=xboard ranks=0 init=known");
        let details = lost_games(bad, "crash", "crashes");
        let expected = format!("it refused the position, a legal move or the search: {message}");
        assert_details(&details, &expected);
    }
}

#[test]
fn late_answers_lose_on_time() {
    assert_loses_on_time("late", " ms of 100");
    // During the detection this engine answers after `stop`.
    let bad = script_with("bad", "late", SHORT_TIME);
    lost_games(bad, "time loss", "time_losses");
}

#[test]
fn resignations_and_missing_moves_lose() {
    assert_loses("resign", "resignation", "", "");
    assert_loses("nothing", "resignation", "no move", "");
    assert_loses("none", "resignation", "no move", "");
}

#[test]
fn unusual_but_valid_engines_are_accepted() {
    for mode in ["liar", "noisy", "twice", "eager", "stays", "wordy", "loud"] {
        let report = report([script("odd", mode), script("good", "good")], FOUR_GAMES);
        assert_eq!(report["engines"][0]["engine"], format!("Shuffler {mode}, UCCI"));
        for game in report["games"].as_array().unwrap() {
            assert_eq!(game["reason"], "repetition", "{mode}: {game}");
            assert_eq!(game["plies"], 8, "{mode}");
        }
    }
}

#[test]
fn information_after_the_move_is_ignored() {
    // The engine would resign by its late score.
    let arguments = format!("{FOUR_GAMES} --resign score=800,moves=1");
    let report = report([script("late", "talks-on"), script("good", "good")], &arguments);
    assert_eq!(report["reasons"]["repetition"], report["games_played"]);
    assert_eq!(report["engines"][0]["mean_depth"], 5.0);
}

#[test]
fn an_engine_that_cannot_be_restarted_loses_its_games() {
    let dir = TestDir::new();
    let file = dir.path("once");
    let once = script("bad", &mode_with("once", &file));
    let report = report([once, script("good", "good")], FOUR_GAMES);
    assert_eq!(report["engines"][0]["crashes"], 4);
    assert_eq!(report["games"].as_array().unwrap().len(), 4);
}

#[test]
fn child_processes_of_a_killed_engine_are_killed() {
    let dir = TestDir::new();
    let file = dir.path("children");
    let hang = script("bad", &mode_with("hang", &file));
    // Enough time to start a child process.
    let hang = with(hang, "movetime=100 margin=2900");
    report([hang, script("good", "good")], FOUR_GAMES);
    let children = std::fs::read_to_string(&file).unwrap();
    let children: Vec<String> = children.lines().map(str::to_owned).collect();
    // Void games are replayed.
    assert!((1..=20).contains(&children.len()), "{children:?}");
    assert_processes_end(&children);
}

#[test]
fn a_slow_engine_does_not_delay_other_games() {
    // The first engine moves only after the game of the other two is nearly over.
    let dir = TestDir::new();
    let file = dir.path("far");
    let [waits, signals] = ["waits", "signals"].map(|mode| mode_with(mode, &file));
    let engines = [script("bad", &waits), script("good", "good")];
    let mut command = match_of(engines, "--openings start --rounds 1 --concurrency 6");
    command.args(script("other", &signals));
    command.args(["--each", "depth=1"]);
    let text = output(&mut command);
    let reasons = "end reasons: repetition 6; 8 plies per game";
    assert!(text.contains(reasons), "{text}");
}

#[test]
fn chuhe_beats_an_engine_that_moves_back_and_forth() {
    let chuhe = with(chuhe("chuhe"), "nodes=3000");
    let arguments = "--openings start --rounds 1 --each depth=1 --max-plies 300";
    let report = report([chuhe, script("bad", "good")], arguments);
    assert_eq!(report["engines"][0]["wins"], 2, "{report}");
}
