//! The commands `chuhe selfplay`, `chuhe data`, `chuhe train` and `chuhe openings`.

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use chuhe::tournament::Openings;
use chuhe::training::data::{Filter, GameReader};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;

use super::chuhe;
use crate::engine_client::scratch;

/// A new directory.
pub(super) fn directory(name: &str) -> PathBuf {
    let path = scratch(name);
    fs::create_dir(&path).unwrap();
    path
}

#[test]
fn selfplay_writes_games_with_quiet_positions() {
    let place = directory("selfplay-samples");
    let file = |name: &str| place.join(name).to_str().unwrap().to_owned();
    let samples = file("games.chg");
    let games = ["--games", "60", "--nodes", "50", "--threads", "2"];
    let selfplay = || chuhe(&[&["selfplay", &samples][..], &games].concat());
    selfplay().assert().code(0);
    let bytes = fs::read(&samples).unwrap();
    let mut reader = GameReader::new(&bytes[..]).unwrap();
    let mut count = 0;
    while let Some(record) = reader.next_record().unwrap() {
        record.visit(&Filter::QUIET, |_| count += 1).unwrap();
    }
    assert!(count >= 1000, "{count} samples");
    fs::remove_dir_all(place).unwrap();
}

#[test]
fn files_of_games_are_shown_merged_and_converted() {
    let place = directory("data");
    let file = |name: &str| place.join(name).to_str().unwrap().to_owned();
    let (one, two) = (file("one.chg"), file("two.chg"));
    for (path, seed) in [(&one, "1"), (&two, "2")] {
        let plan = ["--games", "2", "--nodes", "20", "--seed", seed];
        chuhe(&[&["selfplay", path][..], &plan].concat())
            .assert()
            .code(0)
            .stderr(contains("2 games, "));
    }
    let data = |arguments: &[&str]| chuhe(&[&["data"][..], arguments].concat()).assert();
    let merged = file("merged.chg");
    data(&["merge", &merged, &one, &two, &one])
        .code(0)
        .stdout("4 games, 2 duplicates left out\n");
    data(&["merge", &merged, &one])
        .code(1)
        .stderr(contains("the file already exists; --force overwrites it"));
    data(&["merge", &merged, &one, &two, "--force"]).code(0);
    data(&["stats", &merged])
        .code(0)
        .stdout(contains("games                4\n"));
    data(&["view", &one, "--skip", "1"])
        .code(0)
        .stdout(contains("game 2: seed 1 number 1, "));
    data(&["view", &one, "--plan"])
        .code(0)
        .stdout(contains("\"seed\":1"));
    let output = data(&["view", &merged, "--games", "9", "--samples", "--all"]).code(0);
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    let samples = file("samples.txt");
    fs::write(&samples, format!("{text}rnbakab")).unwrap();
    let converted = file("converted.chg");
    data(&["convert", &converted, &samples])
        .code(0)
        .stdout(contains(format!("{} positions", text.lines().count())))
        .stderr(contains("left out an incomplete last line"));
    data(&["view", &converted, "--games", "9", "--all", "--samples"])
        .code(0)
        .stdout(text);
    let relabelled = file("relabelled.chg");
    data(&["relabel", &relabelled, &one, "--nodes", "0"])
        .code(0)
        .stdout("2 games\n");
    // An incomplete file is read up to its last complete block; other files are refused.
    let bytes = fs::read(&one).unwrap();
    fs::write(&one, &bytes[..bytes.len() - 1]).unwrap();
    data(&["stats", &one])
        .code(0)
        .stderr(contains("incomplete last block"));
    data(&["stats", &samples])
        .code(1)
        .stderr(contains("not a game file"));
    chuhe(&["selfplay", &samples])
        .assert()
        .code(1)
        .stderr(contains("not a game file"));
    fs::remove_dir_all(place).unwrap();
}

#[test]
fn input_files_are_not_overwritten() {
    let place = directory("inputs");
    let file = |name: &str| place.join(name).to_str().unwrap().to_owned();
    let (games, svg) = (file("games.chg"), file("x.svg"));
    for path in [&games, &svg] {
        fs::write(path, "no games").unwrap();
    }
    let (again, network) = (file("./games.chg"), file("x.nnue"));
    for arguments in [
        &["train", &games, "--out", &again][..],
        &["train", &svg, "--out", &network],
        &["train", &games, "--from", &svg, "--out", &svg],
        &["data", "win-rate", &games, "--out", &again],
    ] {
        chuhe(arguments)
            .assert()
            .code(2)
            .stderr(contains("--out: this is one of the input files"));
    }
    assert_eq!(fs::read_to_string(&games).unwrap(), "no games");
    assert_eq!(fs::read_dir(&place).unwrap().count(), 2);
    fs::remove_dir_all(place).unwrap();
}

#[test]
fn finished_run_writes_its_network_again() {
    let place = directory("finished");
    let file = |name: &str| place.join(name).to_str().unwrap().to_owned();
    let (games, network) = (file("games.chg"), file("x.nnue"));
    let selfplay = ["selfplay", &games, "--games", "4", "--nodes", "50"];
    chuhe(&selfplay).assert().code(0);
    let train = |more: &[&str]| {
        let sizes = "--set passes=1 --set width=32 --set hold_out=2".split(' ');
        let mut arguments = vec!["train", &games, "--out", &network];
        arguments.extend(sizes.chain(more.iter().copied()));
        chuhe(&arguments).assert().code(0)
    };
    train(&[]).stdout(contains("pass   1"));
    fs::remove_file(&network).unwrap();
    train(&["--description", "named later"])
        .stdout(contains("all passes are already done"))
        .stdout(contains("pass   1").not());
    let written = fs::read(&network).unwrap();
    assert!(String::from_utf8_lossy(&written).contains("named later"));
    // Without its checkpoint a network is overwritten only with --force.
    fs::remove_file(file("x.checkpoint")).unwrap();
    chuhe(&["train", &games, "--out", &network])
        .assert()
        .code(1)
        .stderr(contains("--force overwrites it"));
    train(&["--force"]).stdout(contains("pass   1"));
    fs::remove_file(file("x.checkpoint")).unwrap();
    assert_no_english(train(&["--force", "--lang", "zh"]).get_output());
    for arguments in [
        &["data", "stats", &games][..],
        &["data", "merge", &file("merged.chg"), &games],
        &["perft", "2"],
    ] {
        let chinese = [arguments, &["--lang", "zh"]].concat();
        assert_no_english(chuhe(&chinese).assert().code(0).get_output());
    }
    fs::remove_dir_all(place).unwrap();
}

/// Checks that standard output has no Latin letters but single ones (of numbers such as 1e-3).
fn assert_no_english(output: &Output) {
    let text = str::from_utf8(&output.stdout).unwrap();
    let mut words = text.split(|c: char| !c.is_ascii_alphabetic());
    assert!(
        !text.is_empty() && words.all(|word| word.len() < 2),
        "{text}"
    );
}

#[test]
fn recipe_is_printed_without_samples() {
    chuhe(&["train", "--print-recipe", "--set", "width=64"])
        .assert()
        .code(0)
        .stdout(contains("width = 64\n"));
    let place = directory("recipes");
    let recipe = place.join("bad.toml");
    fs::write(&recipe, "width = \n").unwrap();
    let print = || {
        chuhe(&[
            "train",
            "--print-recipe",
            "--recipe",
            recipe.to_str().unwrap(),
        ])
    };
    print().assert().code(2).stderr(contains("bad.toml"));
    fs::write(&recipe, vec![b' '; 2 << 20]).unwrap();
    print()
        .assert()
        .code(1)
        .stderr(contains("bad.toml").and(contains("1 MB")));
    fs::remove_dir_all(place).unwrap();
    chuhe(&["train", "x.chg"])
        .assert()
        .code(2)
        .stderr(contains("--out"));
}

#[test]
fn samples_that_begin_with_a_digit_are_not_read_as_pgn() {
    let place = directory("digits");
    let file = |name: &str| place.join(name).to_str().unwrap().to_owned();
    let sample =
        "1nbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1 | 5 | 0.5\n";
    let moves = "1. h2e2 {+0.10/8 0.1s} h9g7 1-0\n";
    for (name, text, mark) in [
        ("plain", sample, ""),
        ("marked", sample, "\u{feff}"),
        ("game", moves, ""),
        ("marked game", moves, "\u{feff}"),
    ] {
        let source = file(&format!("{name}.txt"));
        fs::write(&source, format!("{mark}{text}")).unwrap();
        chuhe(&["data", "convert", &file(&format!("{name}.chg")), &source])
            .assert()
            .code(0)
            .stdout("1 games, 1 positions\n");
    }
    fs::remove_dir_all(place).unwrap();
}

#[test]
fn openings_are_found() {
    let place = directory("openings");
    let out = place.join("openings.txt").to_str().unwrap().to_owned();
    let plan = ["--count", "5", "--shortest", "3", "--longest", "5"];
    let openings = || {
        let arguments = [&["openings", &out, "--depth", "2"][..], &plan].concat();
        chuhe(&arguments)
    };
    openings().assert().code(0);
    let read = Openings::read(&fs::read_to_string(&out).unwrap()).unwrap();
    assert_eq!(read.lines().len(), 5);
    let plies = |plies: usize| (3..=5).contains(&plies);
    assert!(read.lines().iter().all(|line| plies(line.moves.len())));
    openings()
        .assert()
        .code(1)
        .stderr(contains("already exists; --go-on resumes its search"));
    fs::remove_dir_all(place).unwrap();
}

#[test]
fn search_for_openings_ends_if_there_are_too_few() {
    let place = directory("few-openings");
    let out = place.join("openings.txt").to_str().unwrap().to_owned();
    let plan = ["--count", "2000", "--shortest", "2", "--longest", "2"];
    chuhe(&[&["openings", &out, "--depth", "1"][..], &plan].concat())
        .assert()
        .code(1)
        .stderr(contains(
            "of 2000 openings found: 50000 random lines in a row",
        ));
    let read = Openings::read(&fs::read_to_string(&out).unwrap()).unwrap();
    assert!((10..2000).contains(&read.lines().len()));
    let shortest = ["--shortest", "8", "--longest", "4"];
    chuhe(&[&["openings", "x"][..], &shortest].concat())
        .assert()
        .code(2)
        .stderr(contains("--shortest: must not be greater than --longest"));
    fs::remove_dir_all(place).unwrap();
}
