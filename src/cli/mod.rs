//! The command line: the engine itself, and one file or folder per subcommand, whose arguments are the
//! struct `Arguments` there.

mod analyse;
mod batch;
mod bench;
mod book;
#[cfg(feature = "match")]
mod check;
#[cfg(feature = "cloud")]
mod cloud;
mod common;
mod convert;
#[cfg(feature = "training")]
mod data;
mod egtb;
mod judge;
#[cfg(feature = "match")]
mod openings;
mod perft;
mod play;
#[cfg(feature = "match")]
mod replay;
mod review;
#[cfg(feature = "training")]
mod selfplay;
#[cfg(feature = "cloud")]
mod serve;
mod show;
#[cfg(feature = "match")]
mod tournament;
#[cfg(feature = "training")]
mod train;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::text::{printable, without_credentials};
use common::{Context, Failure, log_panics, start_log};

/// Chuhe (楚河), a xiangqi engine. Without a subcommand it speaks UCCI (or UCI) on standard input
/// and output.
#[derive(Debug, Parser)]
#[command(name = "chuhe", version)]
struct Arguments {
    /// Append a log to FILE: what was asked for, every line of a conversation, the searches.
    #[arg(long, value_name = "FILE", global = true)]
    log: Option<PathBuf>,
    #[command(subcommand)]
    command: Option<CliCommand>,
}

#[derive(Debug, Subcommand)]
enum CliCommand {
    #[command(alias = "analyze")]
    Analyse(analyse::Arguments),
    Batch(batch::Arguments),
    Bench(bench::Arguments),
    Book(book::Arguments),
    #[cfg(feature = "match")]
    Check(check::Arguments),
    #[cfg(feature = "cloud")]
    Cloud(cloud::Arguments),
    Convert(convert::Arguments),
    #[cfg(feature = "training")]
    Data(data::Arguments),
    Egtb(egtb::Arguments),
    Judge(judge::Arguments),
    #[cfg(feature = "match")]
    Match(Box<tournament::Arguments>),
    #[cfg(feature = "match")]
    Openings(openings::Arguments),
    Perft(perft::Arguments),
    Play(play::Arguments),
    #[cfg(feature = "match")]
    Replay(replay::Arguments),
    Review(review::Arguments),
    #[cfg(feature = "training")]
    Selfplay(selfplay::Arguments),
    #[cfg(feature = "cloud")]
    Serve(serve::Arguments),
    Show(show::Arguments),
    #[cfg(feature = "training")]
    Train(train::Arguments),
}

/// What a person at a terminal reads when the engine starts.
const GREETING: &str = "Chuhe (楚河), a xiangqi engine, waits for UCCI, UCI or XBoard commands: \
                        `chuhe play` plays a game here, `chuhe --help` tells what else it can do, \
                        `quit` ends it.";

/// Runs the program with the arguments of its command line, its own name first.
///
/// The exit code is 0 when all went well, 1 when the work failed, 2 when the arguments make no
/// sense, 130 when the work was interrupted.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let words: Vec<OsString> = arguments.into_iter().collect();
    let arguments = match parse(&words) {
        Ok(arguments) => arguments,
        Err(error) => {
            // A closed standard error is no second failure.
            let _ = error.print();
            return u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from);
        }
    };
    match execute(arguments, &words) {
        Ok(code) => code,
        Err(failure) => {
            failure.report();
            ExitCode::from(failure.code)
        }
    }
}

/// Reads the arguments. A negative number is the value of its option, whose reader says what is wrong with
/// it. Of the words that begin with a dash only those that may be moves (WXF: `-C=4`) get the advice to
/// stand behind `--`; an unknown option would be read as a position there.
fn parse(words: &[OsString]) -> Result<Arguments, clap::Error> {
    let command = Arguments::command().mut_subcommands(|sub| sub.allow_negative_numbers(true));
    let matches = command.try_get_matches_from(words);
    let read = matches.and_then(|matches| Arguments::from_arg_matches(&matches));
    read.map_err(|mut error| {
        if error.kind() == ErrorKind::UnknownArgument {
            // Only a command that takes words of any kind has advice to be replaced.
            if error.remove(ContextKind::Suggested).is_some()
                && let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg)
                && !word.starts_with("--")
            {
                let tip = "moves that begin with a dash stand at the end, behind `--`";
                let tip = ContextValue::StyledStrs(vec![tip.into()]);
                error.insert(ContextKind::Suggested, tip);
            }
        }
        error
    })
}

/// What the user has typed, on one line, without passwords in addresses.
fn command_line(words: &[OsString]) -> String {
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    printable(&without_credentials(&words.join(" ")))
}

/// Tells a person who has started the engine by hand what it is waiting for. A client's pipes get
/// nothing of it.
fn print_greeting() {
    if io::stdin().is_terminal() && io::stderr().is_terminal() {
        // A closed standard error is no failure.
        let _ = writeln!(io::stderr(), "{GREETING}");
    }
}

fn execute(arguments: Arguments, words: &[OsString]) -> Result<ExitCode, Failure> {
    if let Some(file) = &arguments.log {
        start_log(file).context(file.display())?;
        log::info!(
            "chuhe {}: {}",
            env!("CARGO_PKG_VERSION"),
            command_line(words)
        );
    }
    let done = match arguments.command {
        None => {
            if arguments.log.is_some() {
                log_panics();
            }
            print_greeting();
            crate::protocol::run().map_err(|error| Failure::new("the engine cannot start", error))
        }
        Some(CliCommand::Analyse(arguments)) => return analyse::run(&arguments),
        Some(CliCommand::Batch(arguments)) => return batch::run(&arguments),
        Some(CliCommand::Bench(arguments)) => bench::run(&arguments),
        Some(CliCommand::Book(arguments)) => return book::run(&arguments),
        #[cfg(feature = "match")]
        Some(CliCommand::Check(arguments)) => return check::run(&arguments),
        #[cfg(feature = "cloud")]
        Some(CliCommand::Cloud(arguments)) => return cloud::run(&arguments),
        Some(CliCommand::Convert(arguments)) => convert::run(&arguments),
        #[cfg(feature = "training")]
        Some(CliCommand::Data(arguments)) => data::run(&arguments),
        Some(CliCommand::Egtb(arguments)) => egtb::run(&arguments),
        Some(CliCommand::Judge(arguments)) => judge::run(&arguments),
        #[cfg(feature = "match")]
        Some(CliCommand::Match(arguments)) => return tournament::run(&arguments),
        #[cfg(feature = "match")]
        Some(CliCommand::Openings(arguments)) => return openings::run(&arguments),
        Some(CliCommand::Perft(arguments)) => perft::run(&arguments),
        Some(CliCommand::Play(arguments)) => return play::run(&arguments),
        #[cfg(feature = "match")]
        Some(CliCommand::Replay(arguments)) => replay::run(&arguments),
        Some(CliCommand::Review(arguments)) => return review::run(&arguments),
        #[cfg(feature = "training")]
        Some(CliCommand::Selfplay(arguments)) => return selfplay::run(&arguments),
        #[cfg(feature = "cloud")]
        Some(CliCommand::Serve(arguments)) => serve::run(&arguments),
        Some(CliCommand::Show(arguments)) => show::run(&arguments),
        #[cfg(feature = "training")]
        Some(CliCommand::Train(arguments)) => return train::run(&arguments),
    };
    done.map(|()| ExitCode::SUCCESS)
}
