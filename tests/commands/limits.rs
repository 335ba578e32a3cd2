//! What the program does where memory is short, a file endless, a game far too long, a person at the
//! terminal.

use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output, Stdio};

use assert_cmd::assert::OutputAssertExt;
use predicates::prelude::*;
use predicates::str::contains;

use crate::engine_client::{Client, PATIENCE, scratch};
use crate::terminal::Terminal;

/// The signal of a process that is ended while it is loaded into too little memory.
const SEGMENTATION_FAULT: i32 = 11;

/// The program with at most so many KB of address space.
fn limited(kilobytes: u32, arguments: &str) -> Command {
    let mut command = Command::new("sh");
    let chuhe = env!("CARGO_BIN_EXE_chuhe");
    command
        .arg("-c")
        .arg(format!("ulimit -v {kilobytes}; exec '{chuhe}' {arguments}"))
        .env_remove("RUST_LOG");
    command
}

/// Runs a command with these lines as its input.
fn run(mut command: Command, input: &str) -> Output {
    let piped = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = piped.spawn().unwrap();
    // It may leave before it has read.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// Under every limit of the address space the engine either searches, refusing the settings that do not fit,
/// or reports at the start that memory is missing.
#[test]
fn every_memory_limit_is_survived() {
    let mut ran = 0;
    for megabytes in (20..700).step_by(17) {
        let script = "ucci\nsetoption threads 500\nsetoption hashsize 100000\n\
                      position startpos\ngo depth 4\n";
        let output = run(limited(megabytes << 10, ""), script);
        let answers = String::from_utf8(output.stdout).unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        match output.status.code() {
            Some(0) => {
                for message in [
                    "cannot start 500 threads, keeping 1",
                    "no memory for a hash table of 100000 MB",
                ] {
                    assert!(answers.contains(message), "{answers}");
                }
                let last = answers.lines().last();
                assert!(
                    last.is_some_and(|l| l.starts_with("bestmove ")),
                    "{answers}"
                );
                ran += 1;
            }
            Some(1) => {
                assert!(errors.contains("the engine cannot start: "), "{errors}");
                // Each of four threads takes 64 MB of address space for its heap.
                assert!(megabytes < 480, "{megabytes} MB: {errors}");
            }
            // The program itself does not fit.
            Some(127) if megabytes < 60 => {}
            // Nor then, and the system ends it while it is loaded.
            None if megabytes < 30 && errors.is_empty() => {
                assert_eq!(output.status.signal(), Some(SEGMENTATION_FAULT));
                assert_eq!(answers, "");
            }
            // The language's runtime does not, before the first line of the program.
            None if megabytes < 60 => {
                assert!(
                    errors.contains("failed to allocate an alternative stack"),
                    "{errors}"
                );
            }
            code => panic!("{megabytes} MB: {code:?}\n{answers}\n{errors}"),
        }
    }
    assert!(ran >= 13, "{ran}");
}

#[test]
fn too_many_games_at_a_time_are_refused() {
    let file = scratch("much.chg");
    let arguments = format!("selfplay '{}' --games 200 --threads 200", file.display());
    let output = run(limited(1_500_000, &arguments), "");
    let refused = contains("cannot play 200 games at a time, ").and(contains(", only "));
    output.assert().code(1).stderr(refused);
}

#[test]
fn endless_files_are_given_up() {
    for (arguments, why) in [
        (
            "judge --file /dev/zero",
            "/dev/zero: a line is longer than 16 MB",
        ),
        (
            "convert /dev/zero",
            "/dev/zero: this is neither text nor a game record of a known format",
        ),
        ("replay /dev/zero", "/dev/zero: a line is longer than 16 MB"),
        ("data stats /dev/zero", "/dev/zero: not a file of games"),
        (
            "match --engine cmd=a --engine cmd=b --each depth=1 --openings /dev/zero",
            "/dev/zero: it is longer",
        ),
    ] {
        let output = run(limited(2_500_000, arguments), "");
        output.assert().code(1).stderr(contains(why));
    }
}

/// The moves of two rooks on tours of coprime lengths: a game in which no position comes again for a long
/// time, and then all do.
fn tours(plies: usize) -> String {
    let red = ["a0a1", "a1a2", "a2b2", "b2b1", "b1b0", "b0a0"];
    let black = [
        "i9i8", "i8i7", "i7h7", "h7g7", "g7g8", "g8g9", "g9h9", "h9i9",
    ];
    let moves = (0..plies).map(|ply| match ply % 2 {
        0 => red[ply / 2 % red.len()],
        _ => black[ply / 2 % black.len()],
    });
    moves.collect::<Vec<_>>().join(" ")
}

/// A game of sixty thousand moves without a capture, in which every position of the tree has occurred
/// before: the search goes as far as in any other, and a `stop` is heard.
#[test]
fn very_long_games_are_searched_like_others() {
    let fen = "3k4r/9/9/9/9/9/9/9/9/R3K4 w - - 0 1";
    for rules in ["asian", "chinese", "computer"] {
        let mut client = Client::ucci();
        client.silent(&format!("setoption repetition {rules}"));
        client.silent(&format!("position fen {fen} moves {}", tours(60_000)));
        client.send("go nodes 150000");
        assert!(client.outcome().starts_with("bestmove"));
        client.send("go infinite\nstop");
        assert!(client.outcome().starts_with("bestmove"));
        client.quit();
    }
}

/// A person who starts the engine by hand learns what it is; a client's pipes get nothing of it.
#[test]
fn a_person_at_a_terminal_is_told_what_this_is() {
    let (terminal, mut screen) = Terminal::new();
    let chuhe = || Command::new(env!("CARGO_BIN_EXE_chuhe"));
    let child = chuhe()
        .stdin(terminal.open())
        .stdout(Stdio::piped())
        .stderr(terminal.open())
        .spawn()
        .unwrap();
    let mut shown = Vec::new();
    let started = std::time::Instant::now();
    while !String::from_utf8_lossy(&shown).contains("--help") {
        assert!(started.elapsed() < PATIENCE, "{shown:?}");
        let mut part = [0; 1000];
        let length = screen.read(&mut part).unwrap();
        shown.extend_from_slice(&part[..length]);
    }
    screen.write_all(b"quit\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert!(!String::from_utf8_lossy(&output.stdout).contains("--help"));
    // One of the two is a pipe: nothing.
    let output = chuhe()
        .stdin(Stdio::null())
        .stderr(terminal.open())
        .output()
        .unwrap();
    assert!(output.status.success());
    let output = chuhe().stdin(Stdio::null()).output().unwrap();
    assert_eq!((output.stdout, output.stderr), (Vec::new(), Vec::new()));
}
