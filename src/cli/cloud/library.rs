//! `chuhe cloud undo`, `redo`, `log`, `backup` and `check`: commands on a library file or database.

use std::path::Path;

use crate::cli::common::{
    Context, FILE_EXISTS, Failure, ForceArgument, columns, heads, print, print_text,
    terminal_width, translated,
};
use crate::cloud::store::{self, Inconsistency, Location, Store, StoreError, UndoResult};
use crate::text::{Replacement, printable};

/// The first line of a dump.
pub const DUMP_HEADER: &str = "# chuhe cloud library 2";
/// The first line of dumps of earlier versions, which have neither notes nor private positions.
pub const OLD_DUMP_HEADER: &str = "# chuhe cloud library 1";

/// Opens an existing library for reading.
pub fn open(library: &Location) -> Result<Store, Failure> {
    Store::open_read_only(library).context(library)
}

/// Opens an existing library for writing.
fn open_writable(library: &Location) -> Result<Store, Failure> {
    Store::open_existing(library).context(library)
}

/// Copies a library to a new file, in one step at the end.
pub fn backup(
    library: &Location,
    out: &Path,
    ForceArgument { force }: ForceArgument,
) -> Result<(), Failure> {
    if out.as_os_str() == "-" {
        let why = "a backup is a database and cannot be written to standard output";
        return Err(Failure::usage("OUT", why));
    }
    if out.symlink_metadata().is_ok() && !force {
        return Err(Failure::new(out.display(), FILE_EXISTS));
    }
    let copy = Replacement::beside(out).context(out.display())?;
    store::back_up(library, copy.path()).context(library)?;
    let committed = if force {
        copy.commit()
    } else {
        copy.commit_new()
    };
    committed.context(out.display())
}

pub fn check(library: &Location) -> Result<(), Failure> {
    let store = open(library)?;
    let found =
        store.read(|snapshot| Ok::<_, StoreError>((snapshot.positions()?, snapshot.check()?)));
    let (positions, problems) = found.context(library)?;
    let is_value = |found: &&Inconsistency| matches!(found, Inconsistency::Value { .. });
    let inconsistent = problems.iter().filter(is_value).count();
    print_text(&format!(
        "{positions} positions, {inconsistent} inconsistent values\n"
    ))?;
    match problems.iter().find(|found| !is_value(found)) {
        None => Ok(()),
        Some(first) => Err(Failure::new(library, first)),
    }
}

pub fn log(library: &Location, writer: Option<&str>, limit: u32) -> Result<(), Failure> {
    let store = open(library)?;
    let writes = store
        .read(|snapshot| snapshot.log(writer, limit))
        .context(library)?;
    let head = [
        "time", "writer", "move", "before", "after", "depth", "undone", "position",
    ];
    let mut rows = vec![heads(head)];
    for write in writes {
        let (board, played) = write.played().unwrap_or_default();
        rows.push([
            show_time(write.time),
            printable(&write.writer),
            played.to_string(),
            write
                .old_score()
                .map_or_else(|| "-".to_owned(), |s| s.to_string()),
            match &write.note {
                Some(note) => printable(&note.summary()),
                None => write.score().to_string(),
            },
            write.depth.to_string(),
            write.undone.map_or_else(
                || "-".to_owned(),
                |undone| format!("{}, {}", undone.undo, printable(&undone.by)),
            ),
            board,
        ]);
    }
    print(&columns(&rows, terminal_width()))
}

/// Prints the undos.
pub fn undos(library: &Location) -> Result<(), Failure> {
    let undos = open(library)?.read(|snapshot| snapshot.undos());
    let undos = undos.context(library)?;
    let head = [
        "undo",
        "time",
        "by",
        "writer",
        "since",
        "redone",
        "redone by",
    ];
    let mut rows = vec![heads(head)];
    let none = || "-".to_owned();
    for undo in undos {
        rows.push([
            undo.undo.to_string(),
            show_time(undo.time),
            printable(&undo.by),
            printable(&undo.writer),
            if undo.since == 0 {
                translated("the beginning").into_owned()
            } else {
                show_time(undo.since)
            },
            undo.redone.map_or_else(none, show_time),
            undo.redone_by.map_or_else(none, |by| printable(&by)),
        ]);
    }
    print(&columns(&rows, terminal_width()))
}

/// A time in UTC.
fn show_time(seconds: i64) -> String {
    jiff::Timestamp::from_second(seconds).map_or_else(
        |_| seconds.to_string(),
        |time| time.strftime("%Y-%m-%d %H:%M:%S").to_string(),
    )
}

/// Name of the administrator in the audit log for commands.
const BY: &str = "command";

pub fn undo(library: &Location, writer: &str, minutes: Option<u32>) -> Result<(), Failure> {
    let result = open_writable(library)?.undo(writer, minutes, BY);
    let result = result.context(library)?;
    print_text(&match result.undo {
        Some(undo) => format!("{} undone (undo {undo})\n", changes(result)),
        None => "no writes to undo\n".to_owned(),
    })
}

pub fn redo(library: &Location, undo: i64) -> Result<(), Failure> {
    let result = open_writable(library)?.redo(undo, BY);
    let result = result.context(library)?.context(library)?;
    print_text(&format!("{} restored\n", changes(result)))
}

/// The numbers of changed values and notes as text.
fn changes(UndoResult { values, notes, .. }: UndoResult) -> String {
    match notes {
        0 => format!("{values} values"),
        _ => format!("{values} values and {notes} notes"),
    }
}
