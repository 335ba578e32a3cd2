//! The commands `chuhe selfplay`, `chuhe tune`, `chuhe train` and `chuhe openings`.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use chuhe::tournament::Openings;
use chuhe::training::data::{Filter, GameReader};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;

use crate::engine_client::scratch;

fn chuhe(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chuhe"));
    command.args(arguments).env_remove("RUST_LOG");
    command
}

/// A directory of its own, empty.
fn directory(name: &str) -> PathBuf {
    let path = scratch(name);
    fs::create_dir(&path).unwrap();
    path
}

#[test]
fn games_are_played_and_weights_tuned() {
    let place = directory("tuning");
    let file = |name: &str| place.join(name).to_str().unwrap().to_owned();
    let (samples, out) = (file("games.chg"), file("weights.rs"));
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

    let output = chuhe(&["tune", &samples, "--out", &out, "--epochs", "2"])
        .assert()
        .code(0)
        .stdout(contains(format!("{count} samples\npass    1  training")));
    let told = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    let error = told.trim_end().rsplit(' ').next().unwrap();
    assert!(error.parse::<f64>().unwrap() > 0.0, "{told}");
    let weights = fs::read_to_string(&out).unwrap();
    let ours = include_str!("../../src/eval/handcrafted/weights.rs");
    let head = "pub static WEIGHTS: [Tapered; COUNT] = [\n";
    let (before, after) = weights.split_once(head).unwrap();
    assert!(ours.starts_with(before));
    let cells = |text: &str| text.matches("w(").count();
    assert_eq!(cells(after), cells(ours.split_once(head).unwrap().1));
    fs::remove_dir_all(place).unwrap();
}

#[test]
fn files_of_games_are_looked_into_merged_and_converted() {
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
        .stderr(contains("File exists"));
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
        .stderr(contains("left out a torn last line"));
    data(&["view", &converted, "--games", "9", "--all", "--samples"])
        .code(0)
        .stdout(text);
    let relabelled = file("relabelled.chg");
    data(&["relabel", &relabelled, &one, "--nodes", "0"])
        .code(0)
        .stdout("2 games\n");
    // A torn file is read as far as it goes; one of something else is reported.
    let bytes = fs::read(&one).unwrap();
    fs::write(&one, &bytes[..bytes.len() - 1]).unwrap();
    data(&["stats", &one])
        .code(0)
        .stderr(contains("torn last block"));
    data(&["stats", &samples])
        .code(1)
        .stderr(contains("not a file of games"));
    chuhe(&["selfplay", &samples])
        .assert()
        .code(1)
        .stderr(contains("not a file of games"));
    fs::remove_dir_all(place).unwrap();
}

#[test]
fn a_place_for_the_weights_is_looked_for_before_the_work() {
    let place = directory("weights");
    let file = |name: &str| place.join(name).to_str().unwrap().to_owned();
    let (samples, out) = (file("samples.txt"), file("weights.rs"));
    fs::write(&samples, "no sample\n").unwrap();
    let nowhere = file("no-such-directory/weights.rs");
    chuhe(&["tune", &samples, "--out", &nowhere])
        .assert()
        .code(1)
        .stderr(contains("weights.rs: No such file"));
    let same = file("./samples.txt");
    chuhe(&["tune", &samples, "--out", &same])
        .assert()
        .code(2)
        .stderr(contains("--out: it is one of the files that are read"));
    assert_eq!(fs::read_to_string(&samples).unwrap(), "no sample\n");
    // Work that fails leaves no file behind and no file changed.
    let tune = || chuhe(&["tune", &samples, "--out", &out]);
    tune().assert().code(1).stderr(contains("line 1"));
    assert!(!Path::new(&out).exists());
    fs::write(&out, "weights").unwrap();
    tune().assert().code(1);
    assert_eq!(fs::read_to_string(&out).unwrap(), "weights");
    fs::remove_dir_all(place).unwrap();
}

#[test]
fn no_file_that_is_read_is_written_over() {
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
            .stderr(contains("--out: it is one of the files that are read"));
    }
    assert_eq!(fs::read_to_string(&games).unwrap(), "no games");
    assert_eq!(fs::read_dir(&place).unwrap().count(), 2);
    fs::remove_dir_all(place).unwrap();
}

#[test]
fn a_finished_run_writes_its_network_again() {
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
        .stdout(contains("all passes were made before"))
        .stdout(contains("pass   1").not());
    let written = fs::read(&network).unwrap();
    assert!(String::from_utf8_lossy(&written).contains("named later"));
    fs::remove_dir_all(place).unwrap();
}

#[test]
fn the_recipe_is_printed_without_samples() {
    chuhe(&["train", "--print-recipe", "--set", "width=64"])
        .assert()
        .code(0)
        .stdout(contains("width = 64\n"));
    chuhe(&["train", "x.chg"])
        .assert()
        .code(2)
        .stderr(contains("--out"));
}

#[test]
fn samples_whose_first_position_begins_with_a_digit_are_no_pgn() {
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
        .stderr(contains("exists already: --go-on goes on with it"));
    fs::remove_dir_all(place).unwrap();
}

#[test]
fn openings_that_are_not_there_are_not_looked_for_for_ever() {
    let place = directory("few-openings");
    let out = place.join("openings.txt").to_str().unwrap().to_owned();
    let plan = ["--count", "2000", "--shortest", "2", "--longest", "2"];
    chuhe(&[&["openings", &out, "--depth", "1"][..], &plan].concat())
        .assert()
        .code(1)
        .stderr(contains("of 2000 openings found: 50000 lines in a row"));
    let read = Openings::read(&fs::read_to_string(&out).unwrap()).unwrap();
    assert!((10..2000).contains(&read.lines().len()));
    let shortest = ["--shortest", "8", "--longest", "4"];
    chuhe(&[&["openings", "x"][..], &shortest].concat())
        .assert()
        .code(2)
        .stderr(contains("--shortest: longer than the longest"));
    fs::remove_dir_all(place).unwrap();
}

/// Sends the signal of Ctrl-C.
#[cfg(unix)]
fn interrupt(child: &std::process::Child) {
    let process = child.id().to_string();
    let status = std::process::Command::new("kill")
        .args(["-INT", &process])
        .status();
    assert!(status.unwrap().success());
}

/// Starts the program and interrupts it once a file has so many lines.
#[cfg(unix)]
fn interrupted_after(lines: usize, file: &Path, arguments: &[&str]) -> std::process::Output {
    use std::time::{Duration, Instant};

    let child = std::process::Command::new(env!("CARGO_BIN_EXE_chuhe"))
        .args(arguments)
        .stdout(std::fs::File::create(file.with_extension("told")).unwrap())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let count = || fs::read_to_string(file).map_or(0, |text| text.lines().count());
    let deadline = Instant::now() + Duration::from_secs(60);
    while count() < lines {
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(1));
    }
    interrupt(&child);
    child.wait_with_output().unwrap()
}

#[cfg(unix)]
#[test]
fn openings_go_on_after_an_interruption() {
    let place = directory("interrupted-openings");
    let [whole, parts] = ["whole.txt", "parts.txt"].map(|name| place.join(name));
    let [whole_name, parts_name] = [&whole, &parts].map(|path| path.to_str().unwrap());
    let find = |out: &str, more: &[&str]| {
        let plan = ["openings", out, "--depth", "4", "--seed", "9"];
        chuhe(&[&plan[..], more].concat()).assert()
    };
    let many = [
        "openings", parts_name, "--depth", "4", "--seed", "9", "--count", "100000",
    ];
    // A buffer would hold some eighty of them back.
    let output = interrupted_after(4, &parts, &many);
    assert_eq!(output.status.code(), Some(130));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--go-on looks for the others"));
    let found = fs::read_to_string(&parts).unwrap();
    // A torn last line is found again.
    fs::write(&parts, found.clone() + "h2e2 h9").unwrap();
    let count = (found.lines().count() + 3).to_string();
    find(parts_name, &["--count", &count, "--go-on"]).code(0);
    find(whole_name, &["--count", &count]).code(0);
    let read = |path: &Path| fs::read_to_string(path).unwrap();
    assert_eq!(read(&parts), read(&whole), "as if never interrupted");
    find(parts_name, &["--count", &count, "--go-on"]).code(0);
    assert_eq!(read(&parts), read(&whole), "nothing is left to do");
    find(parts_name, &["--count", "900", "--go-on", "--within", "5"])
        .code(1)
        .stderr(contains(
            "it was made with other settings: 4 to 8 plies, score within 20 at depth 4, seed 9; these are \
             4 to 8 plies, score within 5 at depth 4, seed 9",
        ));
    assert_eq!(read(&parts), read(&whole), "a refusal changes nothing");
    fs::remove_dir_all(place).unwrap();
}

/// Starts a command, which says nothing.
#[cfg(unix)]
fn start(arguments: &[&str]) -> std::process::Child {
    std::process::Command::new(env!("CARGO_BIN_EXE_chuhe"))
        .args(arguments)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap()
}

/// Starts a long run that writes `file`, and a second one once `begun` has something in it. Then the first
/// is killed, and a third goes on.
#[cfg(unix)]
fn second_run_is_refused(file: &str, begun: &str, arguments: &[&str]) {
    let pause = || std::thread::sleep(std::time::Duration::from_millis(1));
    let going_on = [arguments, &["--go-on"]].concat();
    let mut first = start(arguments);
    while fs::read_to_string(begun).map_or(0, |text| text.len()) == 0 {
        assert!(first.try_wait().unwrap().is_none());
        pause();
    }
    let refusal = format!("{file}: process {} writes it at the moment", first.id());
    chuhe(&going_on).assert().code(1).stderr(contains(refusal));
    first.kill().unwrap();
    first.wait().unwrap();
    // What a run has done that was killed is not thrown away.
    if arguments[0] == "tune" {
        let hint = contains("--go-on makes its other passes");
        chuhe(arguments).assert().code(1).stderr(hint);
    }
    let mut third = start(&going_on);
    let lock = format!("{file}.lock");
    while fs::read_to_string(&lock).unwrap_or_default() != third.id().to_string() {
        assert!(third.try_wait().unwrap().is_none());
        pause();
    }
    interrupt(&third);
    assert_eq!(third.wait().unwrap().code(), Some(130));
    assert!(!Path::new(&lock).exists());
}

/// Two runs that write one file would destroy it.
#[cfg(unix)]
#[test]
fn one_run_at_a_time_writes_a_file() {
    let place = directory("locked");
    let [openings, weights, samples, answers, positions] = [
        "openings.txt",
        "weights.rs",
        "samples.txt",
        "answers.json",
        "positions.fen",
    ]
    .map(|name| place.join(name).to_str().unwrap().to_owned());
    write_samples(Path::new(&samples));
    fs::write(&positions, chuhe::notation::fen::START).unwrap();
    let openings_run = ["openings", &openings, "--depth", "6", "--count", "100000"];
    second_run_is_refused(&openings, &openings, &openings_run);
    let state = format!("{weights}.state");
    let tune = ["tune", &samples, "--epochs", "1000000", "--out", &weights];
    second_run_is_refused(&weights, &state, &tune);
    let lock = format!("{answers}.lock");
    let batch = ["batch", &positions, "--time", "600", "--out", &answers];
    second_run_is_refused(&answers, &lock, &batch);
    fs::remove_dir_all(place).unwrap();
}

/// Writes a few thousand samples.
#[cfg(unix)]
fn write_samples(path: &Path) {
    use chuhe::board::Position;
    use chuhe::random;
    use chuhe::training::Sample;
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    let mut text = String::new();
    for seed in 0..60 {
        let game = random::game(&mut StdRng::seed_from_u64(seed), Position::startpos(), 60);
        let mut position = game.position().clone();
        for ply in game.plies().iter().rev() {
            let sample = Sample {
                position: position.clone(),
                score: (position.key() % 200) as i32 - 100,
                result: (seed % 3) as f64 / 2.0,
            };
            text += &format!("{sample}\n");
            position.unmake(ply.played, ply.undo);
        }
    }
    fs::write(path, text).unwrap();
}

#[cfg(unix)]
#[test]
fn tuning_goes_on_after_an_interruption() {
    let place = directory("interrupted-tuning");
    let [samples, whole, parts] =
        ["samples.txt", "whole.rs", "parts.rs"].map(|name| place.join(name));
    write_samples(&samples);
    let [samples, whole_name, parts_name] =
        [&samples, &whole, &parts].map(|path| path.to_str().unwrap());
    let told = parts.with_extension("told");
    let arguments = ["tune", samples, "--epochs", "60", "--out"];
    let tune = |out: &str, more: &[&str]| chuhe(&[&arguments[..], &[out], more].concat()).assert();
    tune(whole_name, &["--go-on"])
        .code(1)
        .stderr(contains("whole.rs.state"));
    // The number of samples, and the first pass.
    let child = std::process::Command::new(env!("CARGO_BIN_EXE_chuhe"))
        .args(arguments)
        .arg(parts_name)
        .stdout(std::fs::File::create(&told).unwrap())
        .spawn();
    let mut child = child.unwrap();
    while fs::read_to_string(&told).unwrap().lines().count() < 2 {
        assert!(child.try_wait().unwrap().is_none());
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let state = place.join("parts.rs.state");
    assert!(parts.exists() && state.exists());
    tune(parts_name, &[])
        .code(1)
        .stderr(contains("--go-on makes its other passes"));
    tune(parts_name, &["--go-on", "--spread", "7"])
        .code(1)
        .stderr(contains("it belongs to other samples or settings"));
    tune(parts_name, &["--go-on"]).code(0);
    tune(whole_name, &[]).code(0);
    assert_eq!(
        fs::read(&parts).unwrap(),
        fs::read(&whole).unwrap(),
        "as if never interrupted"
    );
    assert!(!state.exists());
    fs::remove_dir_all(place).unwrap();
}
