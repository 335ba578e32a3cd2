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
mod play;
mod records;
mod replay;
mod review;
mod solve;
mod training;

use crate::TestDir;

/// The FEN of the starting position without counters.
const START: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w";

/// Runs a session in a new directory.
fn check(session: &str) {
    TestDir::new().check(session);
}

/// Sends a signal such as `-INT` to a process.
#[cfg(unix)]
fn send_signal(child: &std::process::Child, signal: &str) {
    let id = child.id().to_string();
    let mut kill = std::process::Command::new("kill");
    assert!(kill.args([signal, &id]).status().unwrap().success());
}
