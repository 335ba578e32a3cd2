//! The commands of the program, run as from a shell.

mod analyse;
mod batch;
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

#[cfg(unix)]
use rustix::process::Signal;

use crate::TestDir;
use crate::engine_client::START;
#[cfg(unix)]
use crate::processes::send_signal;

/// Black is to move and checkmated.
const BLACK_MATED: &str = "3k5/3R5/3R5/9/9/9/9/9/9/4K4 b";

/// Runs a session in a new directory.
fn check(session: &str) {
    TestDir::new().check(session);
}

/// The standard output of a command that succeeds without messages.
fn quiet_output(line: &str) -> String {
    let assert = TestDir::new().command(line).assert().code(0).stderr("");
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

/// The names of the fields of a JSON object.
fn keys(object: &serde_json::Value) -> Vec<&String> {
    object.as_object().unwrap().keys().collect()
}
