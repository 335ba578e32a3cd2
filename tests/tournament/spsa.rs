//! `chuhe match --spsa`.

use std::fs;

use super::{chuhe, error_output, match_of, output, script};
use crate::TestDir;

/// Tunes the number of lines: one engine plays with 1 line, the other with 3. With more lines there are fewer nodes for
/// the best one.
const FILE: &str = "pairs = 8\nrate = 0.1\n[[parameter]]\nname = \"multipv\"\nvalue = 2\nmin = 1\nmax = 9\nstep = 1\n";

#[test]
fn tuned_values_are_reported_and_resumed() {
    let dir = TestDir::new();
    let [parameters, journal, pgn, json] =
        ["lines.toml", "lines.jsonl", "lines.pgn", "lines.json"].map(|name| dir.path(name));
    fs::write(&parameters, FILE).unwrap();
    let tune = |more: &str| {
        let arguments = format!("--each nodes=300 --max-plies 80 {more}");
        let mut command = match_of([chuhe("one"), chuhe("two")], &arguments);
        command.arg("--spsa").arg(&parameters).arg("--pgn").arg(&pgn);
        command.arg("--resume").arg(&journal).arg("--json").arg(&json);
        command
    };
    let value = || -> f64 {
        let report = dir.json("lines.json");
        assert_eq!(report["spsa"][0]["start"], 2);
        report["spsa"][0]["value"].as_f64().unwrap()
    };
    let text = output(&mut tune("--rounds 3"));
    assert!(text.contains("\ntuned parameters: 1\n"), "{text}");
    assert!(text.contains("\nmultipv "), "{text}");
    let text = output(&mut tune("--concurrency 2"));
    assert!(text.contains("resumed after 6 games"), "{text}");
    let tuned = value();
    assert!((1.0..=9.0).contains(&tuned), "{tuned}");
    // The values follow from the games of the journal. Only the rounding depends on the order of the games.
    let text = output(&mut tune(""));
    assert!(text.contains("resumed after 16 games"), "{text}");
    assert!((value() - tuned).abs() < 1e-9, "{tuned}");

    let games = fs::read_to_string(&pgn).unwrap();
    let engines = |color: &str| -> Vec<&str> {
        let tag = format!("[{color}Engine ");
        games.lines().filter(|line| line.starts_with(&tag)).collect()
    };
    let (red, black) = (engines("Red"), engines("Black"));
    assert_eq!((red.len(), black.len()), (16, 16));
    for (red, black) in red.iter().zip(black) {
        assert!(red.contains("multipv=") && black.contains("multipv="));
        assert_ne!(red.replace("Red", "Black"), black);
    }

    fs::write(&parameters, FILE.replace("step = 1", "step = 2")).unwrap();
    let error = error_output(&mut tune(""));
    assert!(error.contains("the tuned parameters differ"), "{error}");
    let error = error_output(&mut tune("--format knockout"));
    assert!(error.contains("cannot be used with --spsa"), "{error}");
    fs::write(&parameters, FILE.replace("max = 9", "max = 1")).unwrap();
    let error = error_output(&mut tune(""));
    assert!(error.contains("parameter multipv: `value` must be"), "{error}");
}

#[test]
fn the_values_of_a_game_follow_from_all_earlier_games() {
    let dir = TestDir::new();
    let [parameters, pgn] = ["speed.toml", "speed.pgn"].map(|name| dir.path(name));
    let file = "pairs = 2\nrate = 1.0\n[[parameter]]\nname = \"speed\"\nvalue = 500\nmin = 1\nmax = 1000\nstep = 100\n";
    fs::write(&parameters, file).unwrap();
    let engines = [script("one", "resign"), script("two", "resign")];
    let mut command = match_of(engines, "--openings start --each depth=1");
    let command = command.arg("--spsa").arg(&parameters);
    output(command.arg("--pgn").arg(&pgn));
    let text = fs::read_to_string(&pgn).unwrap();
    let values = text.split(" speed=").skip(1);
    let values = values.map(|rest| rest.split('"').next().unwrap().parse().unwrap());
    let values: Vec<f64> = values.collect();
    let moved = values.chunks(2).map(|two| ((two[0] + two[1]) / 2.0 - 500.0).abs());
    let moved: Vec<f64> = moved.collect();
    // Red loses each game, so the second game of a pair reverses the change of the first. A game moves the value by
    // a / c, as in `tournament::stats::spsa`: by 134.3 in the first pair, and by 100 in the second.
    let expected = [0.0, 134.3, 0.0, 100.0];
    assert_eq!(moved.len(), expected.len(), "{text}");
    let mut both = moved.iter().zip(expected);
    assert!(both.all(|(moved, expected)| (moved - expected).abs() <= 1.0), "{moved:?}");
}

#[test]
fn options_and_ranges_that_the_engine_does_not_offer_are_refused() {
    let dir = TestDir::new();
    let parameters = dir.path("lines.toml");
    for (old, new, why) in [
        ("max = 9", "max = 1000", "option multipv: \"1000\" is not between 1 and "),
        ("min = 1", "min = 0", "option multipv: \"0\" is not between 1 and "),
        ("multipv", "no_option", "the engine does not offer the option no_option"),
    ] {
        fs::write(&parameters, FILE.replace(old, new)).unwrap();
        let mut command = match_of([chuhe("one"), chuhe("two")], "--each nodes=100");
        let error = error_output(command.arg("--spsa").arg(&parameters));
        let why = format!("engine one: --spsa: {why}");
        assert!(error.contains(&why), "{error}");
    }
}
