//! `chuhe match --factors`.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{chuhe, error_output, match_of, output, pgn_games};
use crate::TestDir;

/// Writes a file with two factors, the second of which has these hash sizes.
fn write_factors(path: &Path, hash: &str) {
    let text = format!(
        "[[factor]]\nname = \"evaluation\"\noptions = {{ knowledge = [\"none\", \"large\"] }}\n\
         [[factor]]\nname = \"hash\"\noptions = {{ hashsize = {hash} }}\n"
    );
    fs::write(path, text).unwrap();
}

/// A match of Chuhe against itself with the factors of a file.
fn screening(factors: &Path, arguments: &str) -> Command {
    let arguments =
        format!("--each nodes=300 --max-plies 80 --factors {} {arguments}", factors.display());
    match_of([chuhe("one"), chuhe("two")], &arguments)
}

#[test]
fn the_effects_of_factors_are_reported() {
    let dir = TestDir::new();
    let [factors, report] = ["effects.toml", "effects.json"].map(|name| dir.path(name));
    write_factors(&factors, "[1, 2]");
    let text = output(screening(&factors, "--rounds 12").arg("--json").arg(&report));
    assert!(text.contains("\nfactors: 2\n"), "{text}");
    assert!(text.contains("\nevaluation") && text.contains("\nhash "), "{text}");
    let effects = dir.json("effects.json");
    let effect = &effects["factors"][0];
    assert_eq!(effect["name"], "evaluation");
    assert!(effect["elo"]["low"].as_f64().unwrap() > 0.0, "{effect}");
    let text = output(&mut screening(&factors, "--rounds 1"));
    assert!(text.contains("too few games"), "{text}");
}

/// The engines of red and black in each game of a PGN file, with their options.
fn players(pgn: &Path) -> Vec<[String; 2]> {
    let games = pgn_games(pgn).into_iter();
    let players =
        games.map(|game| ["RedEngine", "BlackEngine"].map(|tag| game.tag(tag).unwrap().to_owned()));
    players.collect()
}

#[test]
fn factors_vary_between_pairs_of_games() {
    let dir = TestDir::new();
    let [factors, pgn, journal] =
        ["factors.toml", "factors.pgn", "factors.jsonl"].map(|name| dir.path(name));
    let command = |arguments: &str| {
        let mut command = screening(&factors, arguments);
        command.arg("--pgn").arg(&pgn).arg("--resume").arg(&journal);
        command
    };
    write_factors(&factors, "[1, 2]");
    output(&mut command("--rounds 2"));
    let text = output(&mut command("--rounds 12"));
    assert!(text.contains("resumed after 4 games"), "{text}");
    let players = players(&pgn);
    assert_eq!(players.len(), 24);
    for [first, second] in [["knowledge=none", "knowledge=large"], ["hashsize=1", "hashsize=2"]] {
        for [red, black] in &players {
            let values =
                [red, black].map(|engine| [engine.contains(first), engine.contains(second)]);
            assert!(
                values == [[true, false], [false, true]]
                    || values == [[false, true], [true, false]]
            );
        }
        let red: Vec<bool> = players.iter().map(|[red, _]| red.contains(first)).collect();
        assert!(red.chunks(2).all(|pair| pair[0] != pair[1]), "both colors");
        assert!(red.iter().step_by(2).any(|red| *red));
        assert!(red.iter().step_by(2).any(|red| !*red));
    }
    write_factors(&factors, "[1, 4]");
    let error = error_output(&mut command("--rounds 12"));
    assert!(error.contains("the factors differ"), "{error}");
    write_factors(&factors, "[1]");
    let error = error_output(&mut command("--rounds 12"));
    let text = "factors.toml: option hashsize needs two different values";
    assert!(error.contains(text), "{error}");
}

#[test]
fn options_and_values_that_an_engine_does_not_offer_are_refused() {
    let dir = TestDir::new();
    let factors = dir.path("factors.toml");
    for (old, new, why) in [
        ("hashsize", "no_option", "the engine does not offer the option no_option"),
        ("\"large\"", "\"huge\"", "option knowledge: \"huge\" is not one of "),
    ] {
        write_factors(&factors, "[1, 2]");
        let text = fs::read_to_string(&factors).unwrap();
        fs::write(&factors, text.replace(old, new)).unwrap();
        let error = error_output(&mut screening(&factors, "--rounds 1"));
        let why = format!("engine one: --factors: {why}");
        assert!(error.contains(&why), "{error}");
    }
}
