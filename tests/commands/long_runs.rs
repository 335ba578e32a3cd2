//! Long runs that are interrupted, killed or started twice: `chuhe openings`, `chuhe tune` and `chuhe batch`.

use std::fs;
use std::path::Path;

use predicates::str::contains;

use super::training::{chuhe, directory};

/// Sends the signal of Ctrl-C.
fn interrupt(child: &std::process::Child) {
    let process = child.id().to_string();
    let status = std::process::Command::new("kill")
        .args(["-INT", &process])
        .status();
    assert!(status.unwrap().success());
}

/// Starts the program and interrupts it once a file has so many lines.
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
