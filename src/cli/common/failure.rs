//! Errors of the subcommands, their exit codes, and Ctrl-C.

use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use crossbeam_channel::{Receiver, bounded};

use crate::text::translated;

/// An error of a command, as text for the user.
#[derive(Debug)]
pub struct Failure {
    /// The whole message.
    pub text: String,
    /// The exit code of the program.
    pub code: u8,
}

/// The exit code of a command that failed.
const FAILED: u8 = 1;
/// The exit code for invalid arguments, the same as clap's.
const MISUSED: u8 = 2;
/// The exit code after Ctrl-C or SIGTERM: 128 plus SIGINT, as in shells.
pub const INTERRUPTED: u8 = 130;

impl Failure {
    /// The file, option or activity `what` failed because of `why`.
    pub fn new(what: impl Display, why: impl Display) -> Self {
        let text = format!("{what}: {why}");
        Self { text, code: FAILED }
    }

    /// An error whose text is complete by itself.
    pub fn message(text: impl Display) -> Self {
        let text = text.to_string();
        Self { text, code: FAILED }
    }

    /// The argument or option `what` is invalid because of `why`.
    pub fn usage(what: impl Display, why: impl Display) -> Self {
        Self {
            code: MISUSED,
            ..Self::new(what, why)
        }
    }

    /// A command was interrupted; running the same command again continues its work.
    #[cfg(feature = "cloud")]
    pub fn interrupted() -> Self {
        Self {
            text: "interrupted; run the same command again to continue".to_owned(),
            code: INTERRUPTED,
        }
    }

    /// Prints the message to standard error.
    pub fn report(&self) {
        // Nothing can be done about a closed standard error.
        let _ = writeln!(io::stderr(), "chuhe: {}", translated(&self.text));
    }
}

/// Converts errors to failures of a command.
pub trait Context<T> {
    /// Names the file, option or activity that the error is about.
    fn context(self, what: impl Display) -> Result<T, Failure>;
}

impl<T, E: Display> Context<T> for Result<T, E> {
    fn context(self, what: impl Display) -> Result<T, Failure> {
        self.map_err(|error| Failure::new(what, error))
    }
}

/// Ignores a closed pipe, so that `chuhe bench | head` ends without an error.
pub fn ignore_closed_pipe(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::BrokenPipe {
        Ok(())
    } else {
        Err(error)
    }
}

/// The exit code of a command that succeeded or was interrupted.
pub fn exit_code(is_interrupted: bool) -> ExitCode {
    if is_interrupted {
        ExitCode::from(INTERRUPTED)
    } else {
        ExitCode::SUCCESS
    }
}

/// Returns a channel that receives a message for Ctrl-C, SIGTERM or SIGHUP, which no longer end the program.
/// A second signal does end it if the first message has not been received yet. May be called once.
pub fn interrupts() -> Result<Receiver<()>, Failure> {
    let (sender, interrupts) = bounded(1);
    ctrlc::set_handler(move || {
        if sender.try_send(()).is_err() {
            std::process::exit(i32::from(INTERRUPTED));
        }
    })
    .context("Ctrl-C")?;
    Ok(interrupts)
}
