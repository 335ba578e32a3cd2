//! The log: off unless a file is named.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use env_logger::{Builder, Target};
use log::LevelFilter;

/// Appends the log to `file` from now on: everything of ours down to debug messages, and of the
/// libraries what `RUST_LOG` says.
///
/// # Errors
/// The file cannot be written.
pub(in crate::cli) fn start(file: &Path) -> io::Result<()> {
    let file = File::options().append(true).create(true).open(file)?;
    Builder::new()
        .parse_default_env()
        .filter_module("chuhe", LevelFilter::Debug)
        .target(Target::Pipe(Box::new(file)))
        .format(|out, record| {
            let now = out.timestamp_millis();
            let process = std::process::id();
            let (level, text) = (record.level(), record.args());
            writeln!(out, "{now} {process} {level:5} {text}")
        })
        .try_init()
        .map_err(io::Error::other)
}

/// Sends the text of a panic to the log instead of standard error, which some clients read as standard
/// output. Without a log it would be lost.
pub(in crate::cli) fn catch_panics() {
    std::panic::set_hook(Box::new(|panic| log::error!("{panic}")));
}
