//! Failures of subcommands and the exit codes that tell of them.

use std::fmt;
use std::io::{self, Write};

/// Why a command failed, as text for the user.
#[derive(Debug)]
pub(in crate::cli) struct Failure {
    /// The whole message.
    pub text: String,
    /// The exit code of the program.
    pub code: u8,
}

/// The exit code when the work has failed.
const FAILED: u8 = 1;
/// The exit code when the arguments make no sense, that of clap.
const MISUSED: u8 = 2;
/// The exit code when Ctrl-C or SIGTERM has ended the work: 128 and SIGINT, as shells have it.
pub(in crate::cli) const INTERRUPTED: u8 = 130;

impl Failure {
    /// `what` failed because of `why`.
    pub(in crate::cli) fn new(what: impl fmt::Display, why: impl fmt::Display) -> Self {
        let text = format!("{what}: {why}");
        Self { text, code: FAILED }
    }

    /// The argument `what` makes no sense because of `why`.
    pub(in crate::cli) fn usage(what: impl fmt::Display, why: impl fmt::Display) -> Self {
        Self {
            code: MISUSED,
            ..Self::new(what, why)
        }
    }

    /// Prints the message to standard error.
    pub(in crate::cli) fn report(&self) {
        // A closed standard error is no second failure.
        let _ = writeln!(io::stderr(), "chuhe: {}", self.text);
    }
}

/// Takes a reader that has gone for no error: `chuhe bench | head` ends quietly.
pub(in crate::cli) fn ignore_closed_pipe(error: io::Error) -> io::Result<()> {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Ok(()),
        _ => Err(error),
    }
}
