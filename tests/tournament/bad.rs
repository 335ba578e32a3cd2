//! Engines that hang, crash, lie, cheat and talk too much.

use std::thread;

use serde_json::Value;

use crate::{assert_they_leave, chuhe, match_of, output, report, scratch, script};

/// Four games without a clock: whoever plays has two minutes for a move.
const PLAIN: &str = "--openings start --rounds 2 --each depth=1";

/// What a bad engine gets when it is to overrun its time; the good one has no clock.
const HURRIED: [&str; 2] = ["movetime=100", "margin=400"];

/// Each game against a good engine is lost for the reason given, and the count of faults is right.
fn loses(mode: &str, reason: &str, detail: &str, faults: &str) {
    each_tells(&lost_games(script("bad", mode), reason, faults), detail);
}

/// As [`loses`], on time.
fn loses_on_time(mode: &str, detail: &str) {
    let mut bad = script("bad", mode);
    bad.extend(HURRIED.map(str::to_owned));
    each_tells(&lost_games(bad, "time loss", "time_losses"), detail);
}

fn each_tells(details: &[String], detail: &str) {
    let tells = |told: &String| told.contains(detail);
    assert!(details.iter().all(tells), "{detail}: {details:?}");
}

/// The details of four games that a bad engine loses to a good one.
fn lost_games(bad: Vec<String>, reason: &str, faults: &str) -> Vec<String> {
    let mode = bad.join(" ");
    let report = report([bad, script("good", "good")], PLAIN);
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
        assert_eq!(bad[key], if key == faults { 4 } else { 0 }, "{mode}: {key}");
        assert_eq!(good[key], 0, "{mode}: {key}");
    }
    let detail = |game: &Value| game["detail"].as_str().unwrap().to_owned();
    games.iter().map(detail).collect()
}

#[test]
fn crashes() {
    loses("closed", "crash", "closed its output", "crashes");
    // Of one that ends the closed pipe may be seen long before its end.
    for (mode, end) in [
        ("crash", "it ended (exit status: 3): out of luck"),
        ("killed", "it ended (signal: 9"),
    ] {
        let details = lost_games(script("bad", mode), "crash", "crashes");
        assert!(
            details.iter().any(|told| told.starts_with(end)),
            "{details:?}"
        );
    }
}

#[test]
fn hanging() {
    // Frozen: stopped by a signal; unended: a line that never ends. Most of their time is waiting.
    thread::scope(|scope| {
        for mode in ["hang", "deaf", "frozen", "unended"] {
            scope.spawn(move || loses_on_time(mode, "no bestmove"));
        }
    });
}

#[test]
fn floods() {
    for mode in ["flood", "chatter", "endless"] {
        // Found out by what they say, long before their time is over.
        loses(mode, "crash", "floods", "crashes");
    }
}

#[test]
fn floods_while_pondering() {
    let file = scratch("gushed");
    let [gushes, waits] = ["gush", "waits"].map(|mode| format!("{mode} '{}'", file.display()));
    let engines = [script("bad", &gushes), script("good", &waits)];
    let arguments = "--openings start --rounds 1 --each tc=60+1 ponder=on";
    let report = report(engines, arguments);
    std::fs::remove_file(file).unwrap();
    for game in report["games"].as_array().unwrap() {
        assert_eq!(game["reason"], "crash", "{game}");
        assert_eq!(game["detail"], "it floods its output", "{game}");
    }
    assert_eq!(report["engines"][0]["crashes"], 2);
}

#[test]
fn an_engine_that_ponders_on_after_stop_loses() {
    let engines = [script("bad", "misses"), script("good", "good")];
    let arguments = "--openings start --rounds 1 --each tc=60+1 ponder=on";
    let report = report(engines, arguments);
    assert_eq!(report["end"], "finished");
    for game in report["games"].as_array().unwrap() {
        assert_eq!(game["reason"], "crash", "{game}");
        assert_eq!(game["detail"], "no bestmove behind stop", "{game}");
    }
    assert_eq!(report["engines"][0]["crashes"], 2);
}

#[test]
fn illegal_moves() {
    loses("illegal", "illegal move", "a0a9", "illegal_moves");
    loses("theft", "illegal move", "b9c7", "illegal_moves");
    loses("garbage", "illegal move", "", "illegal_moves");
    loses("nul", "illegal move", "", "illegal_moves");
}

#[test]
fn late_answers() {
    loses_on_time("late", " ms of 100");
}

#[test]
fn giving_up() {
    loses("resign", "resignation", "", "nothing");
    loses("nothing", "resignation", "no move", "nothing");
    loses("none", "resignation", "no move", "nothing");
}

#[test]
fn those_who_only_look_bad_are_played() {
    for mode in ["liar", "noisy", "twice", "eager", "stays", "wordy"] {
        let report = report([script("odd", mode), script("good", "good")], PLAIN);
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
    let report = report([once, script("good", "good")], PLAIN);
    assert_eq!(report["engines"][0]["crashes"], 4);
    assert_eq!(report["games"].as_array().unwrap().len(), 4);
    std::fs::remove_file(file).unwrap();
}

#[test]
fn what_a_killed_engine_has_started_dies_with_it() {
    let file = scratch("children");
    let mut hang = script("bad", &format!("hang '{}'", file.display()));
    // Time enough to start something.
    hang.extend(["movetime=100", "margin=2900"].map(str::to_owned));
    report([hang, script("good", "good")], PLAIN);
    let children = std::fs::read_to_string(&file).unwrap();
    let children: Vec<String> = children.lines().map(str::to_owned).collect();
    // A game that the machine has made void is played again.
    assert!((1..=20).contains(&children.len()), "{children:?}");
    assert_they_leave(&children);
    std::fs::remove_file(file).unwrap();
}

#[test]
fn an_engine_that_hangs_does_not_hold_up_the_others() {
    // It moves once the other two are far in a game between themselves, not before.
    let file = scratch("far");
    let [waits, tells] = ["waits", "tells"].map(|mode| format!("{mode} '{}'", file.display()));
    let engines = [script("bad", &waits), script("good", "good")];
    let mut command = match_of(engines, "--openings start --rounds 1 --concurrency 6");
    command.args(script("other", &tells));
    command.args(["--each", "depth=1"]);
    let text = output(&mut command);
    std::fs::remove_file(file).unwrap();
    assert!(
        text.contains("ends: repetition 6; 8 plies a game"),
        "{text}"
    );
}

#[test]
fn chuhe_beats_a_bad_engine_that_plays() {
    let mut chuhe = chuhe("chuhe");
    chuhe.push("nodes=3000".to_owned());
    let arguments = "--openings start --rounds 1 --each depth=1 --max-plies 300";
    let report = report([chuhe, script("bad", "good")], arguments);
    assert_eq!(report["engines"][0]["wins"], 2, "{report}");
}
