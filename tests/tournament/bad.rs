//! Engines that hang, crash, lie, cheat and talk too much.

use std::time::{Duration, Instant};

use crate::{chuhe, is_alive, match_of, output, report, scratch, script};

/// Limits under which nothing takes long.
const QUICK: &str = "--openings start --rounds 2 --each movetime=100 margin=900";

/// Each game against a good engine is lost for the reason given, and the count of faults is right.
fn loses(mode: &str, reason: &str, detail: &str, faults: &str) {
    let report = report([script("bad", mode), script("good", "good")], QUICK);
    assert_eq!(report["end"], "finished");
    let games = report["games"].as_array().unwrap();
    assert_eq!(games.len(), 4, "{mode}");
    for game in games {
        assert_eq!(game["reason"], reason, "{mode}: {game}");
        let told = game["detail"].as_str().unwrap();
        assert!(told.contains(detail), "{mode}: {game}");
        let winner = if game["red"] == "good" { "1-0" } else { "0-1" };
        assert_eq!(game["result"], winner, "{mode}: {game}");
    }
    let [bad, good] = [0, 1].map(|n| &report["engines"][n]);
    for key in ["illegal_moves", "time_losses", "crashes"] {
        assert_eq!(bad[key], if key == faults { 4 } else { 0 }, "{mode}: {key}");
        assert_eq!(good[key], 0, "{mode}: {key}");
    }
}

#[test]
fn crashes() {
    loses("crash", "crash", "exit status: 3): out of luck", "crashes");
    loses("killed", "crash", "signal: 9", "crashes");
    loses("closed", "crash", "closed its output", "crashes");
}

#[test]
fn hanging() {
    loses("hang", "time loss", "no bestmove", "time_losses");
    loses("deaf", "time loss", "no bestmove", "time_losses");
}

#[test]
fn floods() {
    for mode in ["flood", "chatter", "endless"] {
        let begin = Instant::now();
        let arguments = QUICK.replace("movetime=100", "movetime=20000");
        let report = report([script("bad", mode), script("good", "good")], &arguments);
        assert_eq!(report["engines"][0]["crashes"], 4, "{mode}");
        let detail = report["games"][0]["detail"].as_str().unwrap();
        assert!(detail.contains("floods"), "{mode}: {detail}");
        assert!(begin.elapsed() < Duration::from_secs(40), "{mode}");
    }
}

#[test]
fn illegal_moves() {
    loses("illegal", "illegal move", "a0a9", "illegal_moves");
    loses("theft", "illegal move", "b9c7", "illegal_moves");
    loses("garbage", "illegal move", "", "illegal_moves");
}

#[test]
fn late_answers() {
    loses("late", "time loss", " ms of 100", "time_losses");
}

#[test]
fn giving_up() {
    loses("resign", "resignation", "", "nothing");
    loses("nothing", "resignation", "no move", "nothing");
    loses("none", "resignation", "no move", "nothing");
}

#[test]
fn those_who_only_look_bad_are_played() {
    for mode in ["liar", "noisy", "twice", "eager", "stays"] {
        let report = report([script("odd", mode), script("good", "good")], QUICK);
        for game in report["games"].as_array().unwrap() {
            assert_eq!(game["reason"], "repetition", "{mode}: {game}");
            assert_eq!(game["plies"], 8, "{mode}");
        }
    }
}

#[test]
fn an_engine_that_starts_no_more_loses_and_the_tournament_goes_on() {
    let file = scratch("once");
    let once = script("bad", &format!("once '{}'", file.display()));
    let report = report([once, script("good", "good")], QUICK);
    assert_eq!(report["engines"][0]["crashes"], 4);
    assert_eq!(report["games"].as_array().unwrap().len(), 4);
    std::fs::remove_file(file).unwrap();
}

#[test]
fn what_a_killed_engine_has_started_dies_with_it() {
    let file = scratch("children");
    let hang = script("bad", &format!("hang '{}'", file.display()));
    report([hang, script("good", "good")], QUICK);
    let children = std::fs::read_to_string(&file).unwrap();
    assert_eq!(children.lines().count(), 4);
    for child in children.lines() {
        assert!(!is_alive(child), "{child}");
    }
    std::fs::remove_file(file).unwrap();
}

#[test]
fn a_bad_engine_does_not_slow_the_others() {
    // While the bad one hangs for all its time, the other two play on.
    let engines = [script("bad", "hang"), script("good", "good")];
    let mut command = match_of(engines, "--openings start --rounds 1 --concurrency 6");
    command.args(script("other", "good"));
    command.args(["--each", "movetime=100", "margin=900"]);
    let begin = Instant::now();
    let text = output(&mut command);
    assert!(begin.elapsed() < Duration::from_secs(20), "{text}");
    let good = text
        .lines()
        .find(|line| line.starts_with("1 good "))
        .unwrap();
    assert!(good.contains("  4  2  2  0  "), "{text}");
}

#[test]
fn chuhe_beats_a_bad_engine_that_plays() {
    let arguments = "--openings start --rounds 1 --each movetime=200 margin=2000 --max-plies 300";
    let report = report([chuhe("chuhe"), script("bad", "good")], arguments);
    assert_eq!(report["engines"][0]["wins"], 2, "{report}");
}
