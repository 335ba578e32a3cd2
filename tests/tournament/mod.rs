//! `chuhe match` with good and bad engines.

mod bad;
mod check;
mod engine_files;
mod factors;
mod files;
mod games;
mod interrupted;
mod machine;
mod refused;
mod reports;

use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::engine_client::scratch;
use serde_json::Value;

/// The script of the test engine.
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tournament/engine.sh");

/// The settings of the script as an engine; `mode` may be followed by a file.
fn script(name: &str, mode: &str) -> Vec<String> {
    vec![
        "--engine".to_owned(),
        format!("name={name}"),
        "cmd=sh".to_owned(),
        format!("args='{SCRIPT}' {mode}"),
        // Without detection, so that the engine misbehaves only in games.
        "proto=ucci".to_owned(),
        "ranks=0".to_owned(),
    ]
}

/// [`script`] without protocol and ranks.
fn unknown_script(name: &str, mode: &str) -> Vec<String> {
    let mut words = script(name, mode);
    words.truncate(4);
    words
}

/// Chuhe itself, as an engine.
fn chuhe(name: &str) -> Vec<String> {
    let command = env!("CARGO_BIN_EXE_chuhe");
    let words = [
        "--engine",
        &format!("name={name}"),
        &format!("cmd={command}"),
    ];
    let mut words = words.map(str::to_owned).to_vec();
    words.push("option.hashsize=1".to_owned());
    words
}

/// `chuhe match` with two engines.
fn match_of(engines: [Vec<String>; 2], arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chuhe"));
    command
        .arg("match")
        .args(engines.concat())
        .args(arguments.split_whitespace())
        .env_remove("RUST_LOG");
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
    let path = scratch("report.json");
    let mut command = match_of(engines, arguments);
    output(command.arg("--json").arg(&path));
    let report = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(path).unwrap();
    serde_json::from_str(&report).unwrap()
}

/// Whether a process runs.
fn is_alive(process: &str) -> bool {
    // A zombie has no command line.
    std::fs::read(format!("/proc/{process}/cmdline")).is_ok_and(|line| !line.is_empty())
}

/// Waits until the processes have ended.
fn assert_processes_end(processes: &[String]) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while processes.iter().any(|process| is_alive(process)) {
        assert!(Instant::now() < deadline, "{processes:?} are still running");
        sleep(Duration::from_millis(20));
    }
}
