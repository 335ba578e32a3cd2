//! `chuhe cloud export` and `chuhe cloud dump`.

use std::io;
use std::path::PathBuf;

use super::library::{DUMP_HEADER, open};
use crate::board::Position;
use crate::book::{BookMove, BookTable};
use crate::cli::book::file::Output;
use crate::cli::common::{Failure, ForceArgument, OutputFile};
use crate::cloud::key::View;
use crate::cloud::score::Class;
use crate::cloud::store::{Location, Snapshot, StoreError};
use crate::cloud::{Row, fen};

/// Write the good moves of a library to an opening book (.xqb, or BOOK.DAT format).
///
/// The best move has weight 100; each hundredth of a minor piece below the best score reduces the weight by 1.
#[derive(Debug, clap::Args)]
pub struct ExportArguments {
    /// Library file or database.
    library: Location,
    /// New book.
    out: PathBuf,
    #[command(flatten)]
    force: ForceArgument,
}

/// Write a library as text, one move per line: board, side, move, value after the move, depth. `chuhe cloud import`
/// merges it into another library.
#[derive(Debug, clap::Args)]
pub struct DumpArguments {
    /// Library file or database.
    library: Location,
    /// New file; standard output by default, or for `-`.
    #[arg(default_value = "-", hide_default_value = true)]
    out: PathBuf,
    #[command(flatten)]
    force: ForceArgument,
}

pub fn export(arguments: &ExportArguments) -> Result<(), Failure> {
    let out = Output::new(&arguments.out, arguments.force)?;
    let store = open(&arguments.library)?;
    let mut table = BookTable::default();
    let add_all = |snapshot: &Snapshot<'_>| {
        snapshot.for_each(|key, row| {
            if let Some(position) = key.position() {
                add_moves(&mut table, &position, &row);
            }
            Ok::<_, StoreError>(())
        })
    };
    store
        .read(add_all)
        .map_err(|error| Failure::new(&arguments.library, error))?;
    out.write(&table)
}

/// Adds the good moves of a position, and of the position with colors swapped.
fn add_moves(table: &mut BookTable, position: &Position, row: &Row) {
    let best = row.scores().into_iter().max().unwrap_or(0);
    let positions = [position.clone(), position.with_colors_exchanged()];
    for position in &positions {
        let view = View::of(position);
        for entry in row
            .moves
            .iter()
            .filter(|entry| Class::Good.contains(entry.score(), best))
        {
            let weight = u32::try_from(100 - (best - entry.score())).unwrap_or(1);
            table.add(position, BookMove::new(view.played(entry.m), weight.max(1)));
        }
    }
}

pub fn dump(arguments: &DumpArguments) -> Result<(), Failure> {
    let store = open(&arguments.library)?;
    let mut out = OutputFile::create(&arguments.out, arguments.force)?;
    let mut text = format!("{DUMP_HEADER}\n");
    let written = store.read(|snapshot| {
        snapshot.for_each(|key, row| {
            let Some(board) = key.position().map(|position| fen::write(&position)) else {
                return Ok(());
            };
            for entry in &row.moves {
                text += &format!("{board} {} {} {}\n", entry.m, entry.value, entry.depth);
            }
            if text.len() > BLOCK {
                out.append(text.as_bytes())?;
                text.clear();
            }
            Ok::<_, DumpError>(())
        })
    });
    match written.and_then(|()| Ok(out.append(text.as_bytes())?)) {
        Ok(()) => out.finish(),
        Err(DumpError::Store(error)) => Err(Failure::new(&arguments.library, error)),
        Err(DumpError::Write(error)) => Err(Failure::new(arguments.out.display(), error)),
    }
}

/// The number of bytes that are written at once.
const BLOCK: usize = 1 << 16;

enum DumpError {
    Store(StoreError),
    Write(io::Error),
}

impl From<StoreError> for DumpError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<io::Error> for DumpError {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}
