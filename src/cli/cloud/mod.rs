//! `chuhe cloud`: library files, and requests to a server.

mod export;
mod import;
mod library;
mod remote;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;

use super::common::{Failure, ForceArgument};
use crate::cloud::store::Location;

/// Query a cloud library (云库), run workers for it, and import, export and check its data.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: CloudCommand,
}

#[derive(Debug, Subcommand)]
enum CloudCommand {
    /// Show the known moves of a position.
    Query(remote::PositionArguments),
    /// Request a search of a position.
    ///
    /// Fails for positions without a legal move or with so few pieces that the library does not search them.
    Queue(remote::PositionArguments),
    Walk(remote::WalkArguments),
    Worker(remote::WorkerArguments),
    Import(import::Arguments),
    Copy(remote::CopyArguments),
    Fill(library::FillArguments),
    /// Copy a library file, even while a server is using it. The copy is complete and consistent.
    Backup {
        /// Library file.
        library: Location,
        /// New file.
        out: PathBuf,
        #[command(flatten)]
        force: ForceArgument,
    },
    Export(export::ExportArguments),
    Dump(export::DumpArguments),
    /// Undo the writes of one writer. They stay in the audit log and can be restored with `redo`.
    Undo {
        /// Library file or database.
        library: Location,
        /// Name of the writer: the name of its token, `worker` for the server's own workers and `fill`, or `import`
        /// for `import` and `copy`.
        #[arg(long, value_name = "NAME")]
        writer: String,
        /// Undo only the writes of the last N minutes.
        #[arg(long, value_name = "N")]
        minutes: Option<u32>,
    },
    /// Restore the writes of an undo.
    Redo {
        /// Library file or database.
        library: Location,
        /// Number of the undo, which `undo` and `log` show.
        undo: i64,
    },
    /// Show the last writes, latest first.
    ///
    /// The columns are time (UTC), writer, move, scores before and after or the note, search depth, number and
    /// administrator of the undo, and position.
    Log {
        /// Library file or database.
        library: Location,
        /// Show only the writes of this writer.
        #[arg(long, value_name = "NAME")]
        writer: Option<String>,
        /// Show the undos instead: number, time (UTC), administrator, writer, start of the undone period, and time and
        /// administrator of the redo.
        #[arg(long, conflicts_with_all = ["writer", "limit"])]
        undos: bool,
        /// Number of writes.
        #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
        limit: u32,
    },
    /// Check a library: count inconsistent values of moves, which do not follow from the values of the replies.
    ///
    /// Such values are possible along cycles of moves, and while a large change is still being propagated. Fails if a
    /// move is illegal or the file is damaged.
    Check {
        /// Library file or database.
        library: Location,
    },
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    match &arguments.command {
        CloudCommand::Query(arguments) => remote::query(arguments),
        CloudCommand::Queue(arguments) => remote::queue(arguments),
        CloudCommand::Walk(arguments) => remote::walk(arguments),
        CloudCommand::Worker(arguments) => remote::work(arguments),
        CloudCommand::Import(arguments) => import::run(arguments),
        CloudCommand::Copy(arguments) => remote::copy(arguments),
        CloudCommand::Fill(arguments) => library::fill(arguments),
        CloudCommand::Backup { library, out, force } => library::backup(library, out, *force),
        CloudCommand::Export(arguments) => export::export(arguments),
        CloudCommand::Dump(arguments) => export::dump(arguments),
        CloudCommand::Undo { library, writer, minutes } => library::undo(library, writer, *minutes),
        CloudCommand::Redo { library, undo } => library::redo(library, *undo),
        CloudCommand::Log { library, undos: true, .. } => library::undos(library),
        CloudCommand::Log { library, writer, limit, .. } => {
            library::log(library, writer.as_deref(), *limit)
        }
        CloudCommand::Check { library } => library::check(library),
    }
    .map(|()| ExitCode::SUCCESS)
}
