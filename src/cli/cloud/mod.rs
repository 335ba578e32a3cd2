//! `chuhe cloud`: cloud libraries as files, and asking one that is served.

mod common;
mod export;
mod import;
mod remote;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Subcommand;

use super::common::Failure;
use common::{open, print};

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
    /// Tell whether every value of a library follows from the moves behind it. Fails where one does not.
    Check {
        /// The file of the library.
        library: PathBuf,
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
        CloudCommand::Check { library } => check(library),
    }
    .map(|()| ExitCode::SUCCESS)
}

fn check(path: &Path) -> Result<(), Failure> {
    let fault = |error: &dyn std::fmt::Display| Failure::new(path.display(), error);
    let store = open(path)?;
    let (positions, faults) = store
        .read(|snapshot| {
            Ok::<_, crate::cloud::store::StoreError>((snapshot.positions()?, snapshot.check()?))
        })
        .map_err(|error| fault(&error))?;
    print(&format!("{positions} positions\n"))?;
    match faults.first() {
        None => Ok(()),
        Some(first) => Err(fault(&format_args!(
            "{} values are wrong, the first: {first}",
            faults.len()
        ))),
    }
}
