//! `chuhe cloud`: cloud libraries as files, and asking one that is served.

mod common;
mod export;
mod import;
mod remote;

use std::process::ExitCode;

use clap::Subcommand;

use super::common::{Failure, columns, terminal_width};
use crate::cloud::store::{Location, SnapshotFault, StoreError};
use crate::text::printable;
use common::{open, print};
pub(super) use remote::{RemoteWork, work_for};

/// Ask a cloud library (云库), work for it, and fill, check and copy its file.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: CloudCommand,
}

#[derive(Debug, Subcommand)]
enum CloudCommand {
    Query(remote::QueryArguments),
    Queue(remote::QueueArguments),
    Walk(remote::WalkArguments),
    Worker(remote::WorkerArguments),
    Import(import::Arguments),
    Export(export::ExportArguments),
    Dump(export::DumpArguments),
    /// Take back what one writer has written to a library.
    Undo {
        /// The file or the database of the library.
        library: Location,
        /// The name of the writer: that of its token, `worker` for those in the server, `import`.
        #[arg(long, value_name = "NAME")]
        writer: String,
        /// Only what was written in the last N minutes.
        #[arg(long, value_name = "N")]
        minutes: Option<u32>,
    },
    /// Show the latest writes to a library, the last one first: time (UTC), writer, position, move, and the
    /// scores before and after with the depth of the search.
    Log {
        /// The file or the database of the library.
        library: Location,
        /// Only those of this writer.
        #[arg(long, value_name = "NAME")]
        writer: Option<String>,
        /// How many.
        #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
        limit: u32,
    },
    /// Count the values of a library that do not follow from the moves behind them, which is so where moves
    /// lead round in a circle. Fails where a move is not legal.
    Check {
        /// The file or the database of the library.
        library: Location,
    },
}

/// Does what is asked for.
///
/// # Errors
/// A file cannot be read or written, or the library does not answer.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    match &arguments.command {
        CloudCommand::Query(arguments) => remote::query(arguments),
        CloudCommand::Queue(arguments) => remote::queue(arguments),
        CloudCommand::Walk(arguments) => remote::walk(arguments),
        CloudCommand::Worker(arguments) => remote::work(arguments),
        CloudCommand::Import(arguments) => import::run(arguments),
        CloudCommand::Export(arguments) => export::export(arguments),
        CloudCommand::Dump(arguments) => export::dump(arguments),
        CloudCommand::Undo {
            library,
            writer,
            minutes,
        } => undo(library, writer, *minutes),
        CloudCommand::Log {
            library,
            writer,
            limit,
        } => log(library, writer.as_deref(), *limit),
        CloudCommand::Check { library } => check(library),
    }
    .map(|()| ExitCode::SUCCESS)
}

fn check(library: &Location) -> Result<(), Failure> {
    let fault = |error: &dyn std::fmt::Display| Failure::new(library, error);
    let store = open(library)?;
    let found =
        store.read(|snapshot| Ok::<_, StoreError>((snapshot.positions()?, snapshot.check()?)));
    let (positions, faults) = found.map_err(|error| fault(&error))?;
    let is_value = |found: &&SnapshotFault| matches!(found, SnapshotFault::Value { .. });
    let disagreeing = faults.iter().filter(is_value).count();
    print(&format!(
        "{positions} positions, {disagreeing} values that do not follow from the moves behind them\n"
    ))?;
    match faults.iter().find(|found| !is_value(found)) {
        None => Ok(()),
        Some(first) => Err(fault(first)),
    }
}

fn log(library: &Location, writer: Option<&str>, limit: u32) -> Result<(), Failure> {
    let store = open(library)?;
    let writes = store
        .read(|snapshot| snapshot.log(writer, limit))
        .map_err(|error| Failure::new(library, error))?;
    let head = [
        "time", "writer", "move", "before", "after", "depth", "position",
    ];
    let mut rows = vec![head.map(str::to_owned)];
    for write in writes {
        let time = jiff::Timestamp::from_second(write.time);
        let time = time.map_or_else(
            |_| write.time.to_string(),
            |time| time.strftime("%Y-%m-%d %H:%M:%S").to_string(),
        );
        let (board, played) = write.played().unwrap_or_default();
        rows.push([
            time,
            printable(&write.writer),
            played.to_string(),
            write
                .old_score()
                .map_or_else(|| "-".to_owned(), |s| s.to_string()),
            write.score().to_string(),
            write.depth.to_string(),
            board,
        ]);
    }
    print(&columns(&rows, terminal_width()))
}

fn undo(library: &Location, writer: &str, minutes: Option<u32>) -> Result<(), Failure> {
    let store = open(library)?;
    let count = store
        .undo(writer, minutes)
        .map_err(|error| Failure::new(library, error))?;
    print(&format!("{count} values taken back\n"))
}
