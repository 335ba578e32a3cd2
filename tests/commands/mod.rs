//! The commands of the program, run as from a shell.

mod analyse;
mod batch;
#[cfg(feature = "cloud")]
mod board;
mod book;
mod cli;
mod convert;
mod egtb;
mod judge;
#[cfg(target_os = "linux")]
mod limits;
#[cfg(unix)]
mod long_runs;
#[cfg(target_os = "linux")]
mod narrow_terminal;
mod outputs;
mod play;
mod records;
mod replay;
mod review;
mod solve;
mod train;
mod training;

use assert_cmd::Command;
use serde_json::Value;

fn chuhe(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chuhe"));
    command.args(arguments).env_remove("RUST_LOG");
    command
}

/// Reads one JSON object per line.
fn objects(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Sends a signal such as `-INT` to a process.
#[cfg(unix)]
fn send_signal(child: &std::process::Child, signal: &str) {
    let id = child.id().to_string();
    let mut kill = std::process::Command::new("kill");
    assert!(kill.args([signal, &id]).status().unwrap().success());
}
