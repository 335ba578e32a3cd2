//! The command line: the engine itself, and one file per subcommand.

mod analyse;
mod bench;
mod book;
#[cfg(feature = "match")]
mod check;
mod common;
mod convert;
#[cfg(feature = "training")]
mod data;
mod judge;
#[cfg(feature = "match")]
mod openings;
mod perft;
mod play;
#[cfg(feature = "match")]
mod replay;
#[cfg(feature = "training")]
mod selfplay;
mod show;
#[cfg(feature = "match")]
mod tournament;
#[cfg(feature = "training")]
mod train;
#[cfg(feature = "training")]
mod tune;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use common::Failure;
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
    Book(book::Arguments),
    #[cfg(feature = "match")]
    Check(check::Arguments),
    Convert(convert::Arguments),
    #[cfg(feature = "training")]
    Data(data::Arguments),
    Judge(judge::Arguments),
    #[cfg(feature = "match")]
    Match(Box<tournament::Arguments>),
    #[cfg(feature = "match")]
    Openings(openings::Arguments),
    Perft(perft::Arguments),
    Play(play::Arguments),
    #[cfg(feature = "match")]
    Replay(replay::Arguments),
    #[cfg(feature = "training")]
    Selfplay(selfplay::Arguments),
    Show(show::Arguments),
    #[cfg(feature = "training")]
    Train(train::Arguments),
    #[cfg(feature = "training")]
    Tune(tune::Arguments),
}

/// Runs the program with the arguments of its command line, its own name first.
///
/// The exit code is 0 when all went well, 1 when the work failed, 2 when the arguments make no
/// sense, 130 when the work was interrupted.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // A closed standard error is no second failure.
            let _ = error.print();
            return u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from);
        }
    };
    match execute(arguments) {
        Ok(code) => code,
        Err(failure) => {
            failure.tell();
            ExitCode::from(failure.code)
        }
    }
}

fn execute(arguments: Arguments) -> Result<ExitCode, Failure> {
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
        Some(Command::Analyse(arguments)) => return analyse::run(&arguments),
        Some(Command::Bench(arguments)) => bench::run(&arguments),
        Some(Command::Book(arguments)) => return book::run(&arguments),
        #[cfg(feature = "match")]
        Some(Command::Check(arguments)) => return check::run(&arguments),
        Some(Command::Convert(arguments)) => convert::run(&arguments),
        #[cfg(feature = "training")]
        Some(Command::Data(arguments)) => data::run(&arguments),
        Some(Command::Judge(arguments)) => judge::run(&arguments),
        #[cfg(feature = "match")]
        Some(Command::Match(arguments)) => return tournament::run(&arguments),
        #[cfg(feature = "match")]
        Some(Command::Openings(arguments)) => openings::run(&arguments),
        Some(Command::Perft(arguments)) => perft::run(&arguments),
        Some(Command::Play(arguments)) => return play::run(&arguments),
        #[cfg(feature = "match")]
        Some(Command::Replay(arguments)) => replay::run(&arguments),
        #[cfg(feature = "training")]
        Some(Command::Selfplay(arguments)) => return selfplay::run(&arguments),
        Some(Command::Show(arguments)) => show::run(&arguments),
        #[cfg(feature = "training")]
        Some(Command::Train(arguments)) => return train::run(&arguments),
        #[cfg(feature = "training")]
        Some(Command::Tune(arguments)) => return tune::run(&arguments),
    };
    done.map(|()| ExitCode::SUCCESS)
}
