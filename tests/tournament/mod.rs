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

use std::path::Path;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::TestDir;

/// The script of the test engine.
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tournament/engine.sh");

/// The arguments that add the script as an engine. `mode` selects its behavior; some modes have a file, see
/// [`mode_with`].
fn script(name: &str, mode: &str) -> Vec<String> {
    vec![
        "--engine".to_owned(),
        format!("name={name}"),
        "cmd=sh".to_owned(),
        format!("args='{SCRIPT}' {mode}"),
        // These settings turn the detection off, so that the engine misbehaves only in games. The script answers the
        // verification of `ranks=` well after the line `known`.
        "proto=ucci".to_owned(),
        "ranks=0".to_owned(),
        "init=known".to_owned(),
    ]
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

/// [`script`] without its protocol and ranks, which are detected.
fn unknown_script(name: &str, mode: &str) -> Vec<String> {
    let mut words = script(name, mode);
    words.truncate(4);
    words
}

/// Chuhe itself, as an engine.
fn chuhe(name: &str) -> Vec<String> {
    vec![
        "--engine".to_owned(),
        format!("name={name}"),
        format!("cmd={}", env!("CARGO_BIN_EXE_chuhe")),
        "option.hashsize=1".to_owned(),
    ]
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
    serde_json::from_str(&dir.read("report.json")).unwrap()
}

fn is_alive(process: &str) -> bool {
    // A zombie has no command line.
    std::fs::read(format!("/proc/{process}/cmdline")).is_ok_and(|line| !line.is_empty())
}

/// Waits until the condition holds; the child process must not end before.
fn wait_for(child: &mut Child, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !condition() {
        assert!(Instant::now() < deadline && child.try_wait().unwrap().is_none());
        sleep(Duration::from_millis(5));
    }
}

/// Waits until the processes have ended.
fn assert_processes_end(processes: &[String]) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while processes.iter().any(|process| is_alive(process)) {
        assert!(Instant::now() < deadline, "{processes:?} are still running");
        sleep(Duration::from_millis(20));
    }
}
