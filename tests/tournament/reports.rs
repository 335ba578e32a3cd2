//! What is reported of a tournament: status, end positions, details, ratings.

use std::fs;

use serde_json::Value;

use crate::{match_of, output, scratch, script};

const PLAIN: &str = "--openings start --rounds 1 --each depth=1";

#[test]
fn the_status_is_told_after_each_game() {
    let [json, html] = ["status.json", "status.html"].map(scratch);
    let engines = [script("<one>", "good"), script("two", "resign")];
    let arguments = format!("{PLAIN} --sprt elo0=0,elo1=5");
    let mut command = match_of(engines, &arguments);
    command
        .arg("--status")
        .arg(&json)
        .arg("--status")
        .arg(&html);
    output(&mut command);
    let status: Value = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    assert_eq!(
        (&status["version"], &status["end"]),
        (&1.into(), &"finished".into())
    );
    assert_eq!(status["engines"][0]["wins"], 2);
    assert!(status["sprt"]["llr"].is_number());
    let page = fs::read_to_string(&html).unwrap();
    for part in [
        "<!DOCTYPE html>",
        "&lt;one&gt;",
        "2 of 2 games",
        "LLR",
        "resignation",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("<one>"));
    for path in [json, html] {
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn end_positions_and_details_are_kept() {
    let [epd, pgn] = ["ends.epd", "details.pgn"].map(scratch);
    let engines = [script("one", "detailed"), script("two", "mated")];
    let arguments = "--openings start --rounds 1 --each tc=100+1 --pgn-details";
    let mut command = match_of(engines, arguments);
    output(command.arg("--epd").arg(&epd).arg("--pgn").arg(&pgn));
    let ends = fs::read_to_string(&epd).unwrap();
    let lines: Vec<&str> = ends.lines().collect();
    assert_eq!(lines.len(), 2);
    let board = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - -";
    assert_eq!(
        lines[0],
        format!("{board} id \"game 1: one - two\"; c0 \"1/2-1/2 repetition\";")
    );
    assert!(chuhe::tournament::Openings::read(&ends).is_ok());
    let text = fs::read_to_string(&pgn).unwrap();
    let games = chuhe::notation::pgn::read(&text);
    let comments = &games[0].as_ref().unwrap().comments;
    for part in [", n=5000, nps=", ", tl=", "s, pv=\"a0a1 a9a8\""] {
        assert!(comments[0].contains(part), "{comments:?}");
    }
    // A mate of UCCI is written as one of UCI.
    assert!(comments[1].starts_with("+M4/8 "), "{comments:?}");
    for path in [epd, pgn] {
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn ratings_stand_beside_the_cross_table() {
    let engines = [script("one", "good"), script("two", "crash")];
    let mut command = match_of(engines, PLAIN);
    let text = output(command.args(script("three", "good")));
    let row = |name: &str| {
        let line = text
            .lines()
            .find(|line| line.get(2..).is_some_and(|l| l.starts_with(name)));
        let (_, rating) = line.unwrap().split_once("] ").unwrap();
        let value = rating.split_whitespace().next().unwrap();
        value.parse::<f64>().unwrap()
    };
    assert_eq!(row("one"), row("three"), "{text}");
    assert!(row("one") > 100.0 && row("two") < -200.0, "{text}");
    // The line of each game tells the share, by which they are ordered.
    assert!(text.contains("one 3/4 (75 %)"), "{text}");
}

#[test]
fn the_plot_shows_how_a_test_came_about() {
    let plot = scratch("test.svg");
    let engines = [script("one", "good"), script("two", "good")];
    let arguments = "--openings start --sprt elo0=0,elo1=5 --rounds 4 --each depth=1";
    output(match_of(engines, arguments).arg("--plot").arg(&plot));
    let svg = fs::read_to_string(&plot).unwrap();
    for part in [
        "Elo of one with 95 % bounds",
        "log-likelihood ratio",
        "polyline",
    ] {
        assert!(svg.contains(part), "{part}: {svg}");
    }
    fs::remove_file(plot).unwrap();
}
