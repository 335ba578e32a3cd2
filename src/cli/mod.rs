//! The command line: the engine itself, and one file per subcommand.

mod analyse;
mod bench;
mod common;
mod judge;
mod openings;
mod perft;
mod replay;
mod selfplay;
mod tournament;
mod tune;

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use common::logging;

/// Chuhe (楚河), a xiangqi engine. Without a subcommand it speaks UCCI (or UCI) on standard input
/// and output.
#[derive(Debug, Parser)]
#[command(name = "chuhe", version)]
struct Arguments {
    /// Append a log to FILE: what was asked for, every line of a conversation, the searches.
    #[arg(long, value_name = "FILE", global = true)]
    log: Option<PathBuf>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[command(alias = "analyze")]
    Analyse(analyse::Arguments),
    Bench(bench::Arguments),
    Judge(judge::Arguments),
    Match(Box<tournament::Arguments>),
    Openings(openings::Arguments),
    Perft(perft::Arguments),
    Replay(replay::Arguments),
    Selfplay(selfplay::Arguments),
    Tune(tune::Arguments),
}

/// Why a command failed, for a person to read.
#[derive(Debug)]
struct Failure {
    text: String,
    code: u8,
}

/// The exit code when the work has failed.
const FAILED: u8 = 1;
/// The exit code when the arguments make no sense, that of clap.
const MISUSED: u8 = 2;
/// The exit code when Ctrl-C or SIGTERM has ended the work: 128 and SIGINT, as shells have it.
const INTERRUPTED: u8 = 130;

impl Failure {
    /// `what` failed because of `why`.
    fn new(what: impl fmt::Display, why: impl fmt::Display) -> Self {
        let text = format!("{what}: {why}");
        Self { text, code: FAILED }
    }

    /// The argument `what` makes no sense because of `why`.
    fn usage(what: impl fmt::Display, why: impl fmt::Display) -> Self {
        Self {
            code: MISUSED,
            ..Self::new(what, why)
        }
    }

    /// Says so on standard error.
    fn tell(&self) {
        // Where this cannot be printed there is nobody to tell.
        let _ = writeln!(io::stderr(), "chuhe: {}", self.text);
    }
}

/// Runs the program with the arguments of its command line, its own name first.
///
/// The exit code is 0 when all went well, 1 when the work failed, 2 when the arguments make no
/// sense, 130 when a tournament was interrupted.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Where this cannot be printed there is nobody to tell.
            let _ = error.print();
            return u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from);
        }
    };
    match obey(arguments) {
        Ok(code) => code,
        Err(failure) => {
            failure.tell();
            ExitCode::from(failure.code)
        }
    }
}

fn obey(arguments: Arguments) -> Result<ExitCode, Failure> {
    if let Some(file) = &arguments.log {
        logging::start(file).map_err(|error| Failure::new(file.display(), error))?;
        log::info!(
            "chuhe {}: {:?}",
            env!("CARGO_PKG_VERSION"),
            arguments.command
        );
    }
    let done = match arguments.command {
        None => {
            logging::catch_panics();
            crate::protocol::run().map_err(|error| Failure::new("standard input", error))
        }
        Some(Command::Analyse(arguments)) => analyse::run(&arguments),
        Some(Command::Bench(arguments)) => bench::run(&arguments),
        Some(Command::Judge(arguments)) => judge::run(&arguments),
        Some(Command::Match(arguments)) => return tournament::run(&arguments),
        Some(Command::Openings(arguments)) => openings::run(&arguments),
        Some(Command::Perft(arguments)) => perft::run(&arguments),
        Some(Command::Replay(arguments)) => replay::run(&arguments),
        Some(Command::Selfplay(arguments)) => return selfplay::run(&arguments),
        Some(Command::Tune(arguments)) => tune::run(&arguments),
    };
    done.map(|()| ExitCode::SUCCESS)
}

/// A reader that has gone away is no fault: `chuhe bench | head` ends quietly.
fn ignore_closed_pipe(error: io::Error) -> io::Result<()> {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Ok(()),
        _ => Err(error),
    }
}
