//! Long runs that are interrupted, killed or started twice: `chuhe openings` and `chuhe batch`.

use std::fs;
use std::path::Path;

use predicates::str::contains;

use super::training::directory;
use super::{chuhe, send_signal};

/// Starts the program and interrupts it once a file has `lines` lines.
fn interrupted_after(lines: usize, file: &Path, arguments: &[&str]) -> std::process::Output {
    use std::time::{Duration, Instant};

    let child = std::process::Command::new(env!("CARGO_BIN_EXE_chuhe"))
        .args(arguments)
        .stdout(std::fs::File::create(file.with_extension("out")).unwrap())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let count = || fs::read_to_string(file).map_or(0, |text| text.lines().count());
    let deadline = Instant::now() + Duration::from_secs(60);
    while count() < lines {
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(1));
    }
    send_signal(&child, "-INT");
    child.wait_with_output().unwrap()
}

#[test]
fn interrupted_openings_are_continued() {
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
    // Interrupted early, to show that lines are written at once and not buffered.
    let output = interrupted_after(4, &parts, &many);
    assert_eq!(output.status.code(), Some(130));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--go-on resumes the search"));
    let found = fs::read_to_string(&parts).unwrap();
    // An incomplete last line is found again.
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
            "the file was made with other settings: 4 to 8 plies, score within 20 at depth 4, seed 9; the current ones are \
             4 to 8 plies, score within 5 at depth 4, seed 9",
        ));
    assert_eq!(read(&parts), read(&whole), "a refusal changes nothing");
    fs::remove_dir_all(place).unwrap();
}

/// Starts a command without output.
fn start(arguments: &[&str]) -> std::process::Child {
    std::process::Command::new(env!("CARGO_BIN_EXE_chuhe"))
        .args(arguments)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap()
}

/// Starts a long run that writes `file`, and a second one once `begun` is not empty, which is refused. Then kills
/// the first run and starts a third one, which continues the file.
fn second_run_is_refused(file: &str, begun: &str, arguments: &[&str]) {
    let pause = || std::thread::sleep(std::time::Duration::from_millis(1));
    let continued = [arguments, &["--go-on"]].concat();
    let mut first = start(arguments);
    while fs::read_to_string(begun).map_or(0, |text| text.len()) == 0 {
        assert!(first.try_wait().unwrap().is_none());
        pause();
    }
    let refusal = format!("{file}: process {} is writing this file", first.id());
    chuhe(&continued).assert().code(1).stderr(contains(refusal));
    first.kill().unwrap();
    first.wait().unwrap();
    let mut third = start(&continued);
    let lock = format!("{file}.lock");
    while fs::read_to_string(&lock).unwrap_or_default() != third.id().to_string() {
        assert!(third.try_wait().unwrap().is_none());
        pause();
    }
    send_signal(&third, "-INT");
    assert_eq!(third.wait().unwrap().code(), Some(130));
    assert!(!Path::new(&lock).exists());
}

/// Two runs that write one file would destroy it.
#[test]
fn second_run_on_the_same_file_is_refused() {
    let place = directory("locked");
    let [openings, answers, positions] = ["openings.txt", "answers.json", "positions.fen"]
        .map(|name| place.join(name).to_str().unwrap().to_owned());
    fs::write(&positions, chuhe::notation::fen::START).unwrap();
    let openings_run = ["openings", &openings, "--depth", "6", "--count", "100000"];
    second_run_is_refused(&openings, &openings, &openings_run);
    let lock = format!("{answers}.lock");
    let batch = ["batch", &positions, "--time", "600", "--out", &answers];
    second_run_is_refused(&answers, &lock, &batch);
    fs::remove_dir_all(place).unwrap();
}

#[test]
fn commands_that_wait_for_a_pipe_end_on_signals() {
    use std::time::{Duration, Instant};

    let place = directory("pipes");
    let fifo = place.join("fifo");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.unwrap().success());
    let fifo = fifo.to_str().unwrap();
    let engines = "--engine cmd=a depth=1 --engine cmd=b depth=1";
    for command in [
        "convert FIFO".to_owned(),
        "show FIFO".to_owned(),
        "book build BOOK FIFO".to_owned(),
        "selfplay FIFO".to_owned(),
        "openings FIFO --go-on".to_owned(),
        "match --engines-file FIFO".to_owned(),
        format!("match --openings FIFO {engines}"),
        "train --recipe FIFO --print-recipe".to_owned(),
    ] {
        for signal in ["-INT", "-TERM"] {
            let words = command.split(' ').map(|word| match word {
                "FIFO" => fifo.to_owned(),
                "BOOK" => place.join("book.dat").display().to_string(),
                word => word.to_owned(),
            });
            let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_chuhe"))
                .args(words)
                .stderr(std::process::Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(Duration::from_millis(300));
            assert!(
                child.try_wait().unwrap().is_none(),
                "{command} does not wait"
            );
            send_signal(&child, signal);
            let deadline = Instant::now() + Duration::from_secs(20);
            while child.try_wait().unwrap().is_none() {
                if Instant::now() > deadline {
                    child.kill().unwrap();
                    panic!("{command} does not end on {signal}");
                }
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    }
}
