//! `chuhe match` and `chuhe check` with Chuhe and with a script that behaves well or badly.

mod bad;
mod check;
mod factors;
mod files;
mod games;
mod interrupted;
mod machine;
mod refused;
mod reports;
mod spsa;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use chuhe::notation::pgn;
use chuhe::notation::tree::GameTree;
use serde_json::Value;

use crate::TestDir;

/// The script of the test engine.
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tournament/engine.sh");

/// Two games from the starting position, without a clock.
const TWO_GAMES: &str = "--openings start --rounds 1 --each depth=1";

/// Four games from the starting position, without a clock; the time limit of a move is two minutes.
const FOUR_GAMES: &str = "--openings start --rounds 2 --each depth=1";

/// The arguments that add the script as an engine. `mode` selects its behavior; some modes have a file, see
/// [`mode_with`].
fn script(name: &str, mode: &str) -> Vec<String> {
    // These settings turn off the detection, so that the engine misbehaves only in games. After the line `known`, the
    // script passes the verification of `ranks=`.
    script_with(name, mode, "proto=ucci ranks=0 init=known")
}

/// The script with these settings. The protocol and the ranks are detected if they are not set.
fn script_with(name: &str, mode: &str, settings: &str) -> Vec<String> {
    let words = ["--engine", &format!("name={name}"), "cmd=sh", &format!("args='{SCRIPT}' {mode}")];
    with(words.map(str::to_owned).to_vec(), settings)
}

/// A mode of the script with its file.
fn mode_with(mode: &str, file: &Path) -> String {
    format!("{mode} '{}'", file.display())
}

/// Two engines that only move back and forth.
fn good() -> [Vec<String>; 2] {
    [script("one", "good"), script("two", "good")]
}

/// An engine with more settings, separated by spaces.
fn with(mut engine: Vec<String>, settings: &str) -> Vec<String> {
    engine.extend(settings.split_whitespace().map(str::to_owned));
    engine
}

/// Chuhe itself, as an engine.
fn chuhe(name: &str) -> Vec<String> {
    chuhe_with(name, "option.hashsize=1")
}

fn chuhe_with(name: &str, settings: &str) -> Vec<String> {
    let program = format!("cmd={}", env!("CARGO_BIN_EXE_chuhe"));
    let words = ["--engine", &format!("name={name}"), &program];
    with(words.map(str::to_owned).to_vec(), settings)
}

fn match_of(engines: [Vec<String>; 2], arguments: &str) -> Command {
    let mut command = crate::chuhe();
    command.arg("match").args(engines.concat()).args(arguments.split_whitespace());
    command
}

/// Runs a command that must succeed and returns its standard output.
fn output(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}\n{errors}");
    text
}

/// Runs a command that must fail and returns its standard error.
fn error_output(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let code = output.status.code();
    assert!(matches!(code, Some(1 | 2)), "{code:?} {text}\n{errors}");
    assert!(!errors.contains("panicked"), "{errors}");
    errors
}

/// Plays a match and returns its JSON report.
fn report(engines: [Vec<String>; 2], arguments: &str) -> Value {
    let dir = TestDir::new();
    let mut command = match_of(engines, arguments);
    output(command.arg("--json").arg(dir.path("report.json")));
    dir.json("report.json")
}

/// The games of a PGN file, which must be valid.
fn pgn_games(pgn: &Path) -> Vec<GameTree> {
    let games = pgn::read(&fs::read_to_string(pgn).unwrap());
    games.into_iter().collect::<Result<_, _>>().unwrap()
}

fn is_alive(process: &str) -> bool {
    // A zombie has no command line.
    fs::read(format!("/proc/{process}/cmdline")).is_ok_and(|line| !line.is_empty())
}

/// Waits until the processes have ended.
fn assert_processes_end(processes: &[String]) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while processes.iter().any(|process| is_alive(process)) {
        assert!(Instant::now() < deadline, "{processes:?} are still running");
        sleep(Duration::from_millis(20));
    }
}
