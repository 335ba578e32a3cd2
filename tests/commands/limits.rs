//! Limits of memory and file size, endless files, very long games, and the engine at a terminal.

use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output, Stdio};

use assert_cmd::assert::OutputAssertExt;
use predicates::prelude::*;
use predicates::str::contains;

use super::TestDir;
use crate::engine_client::{Client, PATIENCE};
use crate::processes::in_shell;
use crate::terminal::Terminal;

/// The signal that ends a process if the memory limit is too small to load the program.
const SEGMENTATION_FAULT: i32 = 11;

/// The program in a directory, with `kilobytes` of address space.
fn limited(kilobytes: u32, dir: &TestDir, arguments: &str) -> Command {
    in_shell(&format!("ulimit -v {kilobytes}"), &dir.process(arguments))
}

/// Runs a command with these lines as its input.
fn run(mut command: Command, input: &str) -> Output {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().unwrap();
    // The command may exit before it has read its input.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// Without `--hash`, an analysis uses a smaller hash table if memory is short.
#[test]
fn an_analysis_runs_or_reports_too_little_memory_for_a_search() {
    let dir = TestDir::new();
    let mut ran = 0;
    for megabytes in (100..700).step_by(31) {
        let command = limited(megabytes << 10, &dir, "analyse startpos --depth 1");
        let output = run(command, "");
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(!errors.contains("--hash"), "{megabytes} MB: {errors}");
        match output.status.code() {
            Some(0) => ran += 1,
            code => {
                assert_eq!(code, Some(1), "{megabytes} MB: {errors}");
                assert!(errors.contains("the search cannot start: "), "{errors}");
            }
        }
    }
    assert!(ran > 0);
}

/// Without `--threads`, fewer positions are searched at the same time if memory is short.
#[test]
fn a_batch_uses_the_threads_that_fit() {
    let dir = TestDir::new();
    let mut with_fewer = 0;
    for megabytes in (300..900).step_by(47) {
        // With this hash table, one thread fits in a range of more than 100 MB in which two do not.
        let arguments = "batch - --depth 1 --hash 100";
        let output = run(limited(megabytes << 10, &dir, arguments), "startpos\nstartpos\n");
        let errors = String::from_utf8(output.stderr).unwrap();
        match output.status.code() {
            Some(0) => with_fewer += usize::from(errors.contains("searching with only 1 thread ")),
            code => {
                assert_eq!(code, Some(1), "{errors}");
                assert!(errors.contains("the search cannot start: "), "{errors}");
            }
        }
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    assert!(with_fewer > 0 || cores == 1);
}

/// At every limit of the address space, the engine either searches and refuses the settings that do not fit, or
/// reports at the start that there is too little memory. With very small limits the program cannot be loaded.
#[test]
fn the_engine_searches_or_reports_an_error_under_every_memory_limit() {
    let dir = TestDir::new();
    let mut ran = 0;
    for megabytes in (20..700).step_by(17) {
        let script = "ucci\nsetoption threads 500\nsetoption hashsize 100000\n\
                      position startpos\ngo depth 4\n";
        let output = run(limited(megabytes << 10, &dir, ""), script);
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
                let last = answers.lines().last().unwrap_or_default();
                assert!(last.starts_with("bestmove "), "{answers}");
                ran += 1;
            }
            Some(1) => {
                assert!(errors.contains("the engine cannot start: "), "{errors}");
                // Each of three threads takes 64 MB of address space for its heap.
                assert!(megabytes < 416, "{megabytes} MB: {errors}");
            }
            // The program itself does not fit.
            Some(127) if megabytes < 60 => {}
            // The operating system kills the process while it loads the program.
            None if megabytes < 30 && errors.is_empty() => {
                assert_eq!(output.status.signal(), Some(SEGMENTATION_FAULT));
                assert_eq!(answers, "");
            }
            // The Rust runtime does not fit.
            None if megabytes < 60 => {
                let is_runtime = errors.contains("failed to allocate an alternative stack");
                assert!(is_runtime, "{errors}");
            }
            code => panic!("{megabytes} MB: {code:?}\n{answers}\n{errors}"),
        }
    }
    assert!(ran >= 16, "{ran}");
}

#[test]
fn a_file_size_limit_leaves_no_unfinished_file() {
    let dir = TestDir::new();
    dir.write("games.pgn", "1. h2e2 h9g7 2. h0g2 1-0\n\n".repeat(1000));
    let command = in_shell("ulimit -f 8", &dir.process("convert games.pgn -o new.pgn"));
    let output = run(command, "").assert().code(1);
    output.stderr(contains("new.pgn: File too large"));
    assert_eq!(dir.names(), ["games.pgn"]);
}

#[test]
fn too_many_games_at_a_time_are_refused() {
    let dir = TestDir::new();
    let command = limited(1_500_000, &dir, "selfplay much.chg --games 200 --threads 200");
    let output = run(command, "");
    let refused = contains("cannot play 200 games at a time, ").and(contains(", only "));
    output.assert().code(1).stderr(refused);
}

/// If there is too little memory for some of the threads, the others relabel the games.
#[test]
fn games_are_relabeled_by_the_threads_that_fit() {
    let dir = TestDir::new();
    dir.write("games.pgn", "1. h2e2 h9g7 2. h0g2 1-0\n\n".repeat(64));
    dir.check("$ data convert games.chg games.pgn");
    let relabel = |kilobytes| {
        let files = "new.chg games.chg --force --log log";
        let arguments = format!("data relabel {files} --nodes 1000 --threads 16");
        run(limited(kilobytes, &dir, &arguments), "").assert()
    };
    relabel(700_000).code(0).stderr(contains("64 games"));
    assert!(dir.read("log").contains("using fewer threads than requested"));
    let error = "too little memory for a search thread";
    relabel(150_000).code(1).stderr(contains(error));
}

#[test]
fn endless_files_are_refused() {
    let dir = TestDir::new();
    let no_record = "/dev/zero: neither text nor a game record in a known format";
    let openings = "match --engine cmd=a --engine cmd=b --each depth=1 --openings /dev/zero";
    for (arguments, error) in [
        ("judge /dev/zero", no_record),
        ("convert /dev/zero", no_record),
        ("replay /dev/zero", no_record),
        ("data stats /dev/zero", "/dev/zero: not a game file"),
        (openings, "/dev/zero: the file is longer than the limit"),
    ] {
        let output = run(limited(2_500_000, &dir, arguments), "");
        output.assert().code(1).stderr(contains(error));
    }
}

/// The moves of two rooks on circuits of 6 and 8 moves: each position repeats every 48 plies.
fn tours(plies: usize) -> String {
    let red = ["a0a1", "a1a2", "a2b2", "b2b1", "b1b0", "b0a0"];
    let black = ["i9i8", "i8i7", "i7h7", "h7g7", "g7g8", "g8g9", "g9h9", "h9i9"];
    let moves = (0..plies).map(|ply| match ply % 2 {
        0 => red[ply / 2 % red.len()],
        _ => black[ply / 2 % black.len()],
    });
    moves.collect::<Vec<_>>().join(" ")
}

/// A node limit and `stop` end a search after a game of 60,000 plies without a capture, in which every position has
/// occurred more than a thousand times.
#[test]
fn very_long_games_are_searched() {
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

/// A user who starts the engine at a terminal gets a greeting; a client does not.
#[test]
fn engine_greets_a_user_at_a_terminal() {
    let (terminal, screen) = Terminal::new();
    let child = crate::chuhe()
        .stdin(terminal.open())
        .stdout(Stdio::piped())
        .stderr(terminal.open())
        .spawn()
        .unwrap();
    let mut keyboard = screen.try_clone().unwrap();
    let parts = Terminal::receive(screen);
    let started = std::time::Instant::now();
    let mut shown = Vec::new();
    let mut read_until = |text: &str| {
        while !String::from_utf8_lossy(&shown).contains(text) {
            let part = parts.recv_timeout(PATIENCE.saturating_sub(started.elapsed()));
            shown.extend(part.unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&shown))));
        }
        String::from_utf8_lossy(&shown).into_owned()
    };
    let greeting = read_until("exits.");
    let is_narrow = greeting.lines().all(|line| line.chars().count() < 80);
    assert!(is_narrow, "{greeting}");
    // Unknown commands are reported to a user, on standard error.
    keyboard.write_all(b"helpme\n").unwrap();
    read_until("Unknown command: helpme");
    keyboard.write_all(b"quit\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert!(!String::from_utf8_lossy(&output.stdout).contains("exits."));
    // With empty input the engine ends at once. Without a terminal it prints nothing.
    let output = crate::chuhe().stdin(Stdio::null()).stderr(terminal.open()).output().unwrap();
    assert!(output.status.success());
    let output = crate::chuhe().stdin(Stdio::null()).output().unwrap();
    assert_eq!((output.stdout, output.stderr), (Vec::new(), Vec::new()));
}

#[test]
fn files_that_should_be_small_have_a_size_limit() {
    let dir = TestDir::new();
    let file = std::fs::File::create(dir.path("zeros")).unwrap();
    file.set_len(200 << 20).unwrap();
    for arguments in [
        "train --recipe zeros --print-recipe",
        "match --engines-file zeros",
        "serve zeros.db --tokens zeros",
        "cloud query startpos --token-file zeros",
    ] {
        let too_long = contains("longer than the limit of");
        run(limited(150_000, &dir, arguments), "").assert().code(1).stderr(too_long);
    }
}
