//! `chuhe cloud undo`, `redo`, `log`, `backup`, `check` and `fill`: commands on a library file or database.

use std::collections::HashSet;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError};

use crate::board::Position;
use crate::cli::common::{
    Context, FILE_EXISTS, Failure, FileLock, ForceArgument, columns, heads, interrupts, note,
    print, print_text, remove_unfinished_at_interrupt, require_not_input, require_not_log,
    require_not_stdout, terminal_width, translated,
};
use crate::cloud::Edge;
use crate::cloud::key::{Key, View};
use crate::cloud::library::{Library, LibraryOptions};
use crate::cloud::store::{
    self, Inconsistency, Location, Priority, QueueResult, Store, StoreError, Task, UndoResult,
};
use crate::cloud::worker::Workers;
use crate::movegen::legal_moves;
use crate::tablebase::Tables;
use crate::text::{Replacement, counted, printable};

pub const DUMP_HEADER: &str = "# chuhe cloud library 2";
/// Dumps of earlier versions have neither notes nor private positions.
pub const OLD_DUMP_HEADER: &str = "# chuhe cloud library 1";

/// Reports positions that were left out because a library cannot store them or workers do not search them.
pub fn note_left_out(positions: usize) {
    if positions > 0 {
        note(&format!("skipped positions that a library does not store or search: {positions}"));
    }
}

/// Opens an existing library for reading.
pub fn open(library: &Location) -> Result<Store, Failure> {
    Store::open_read_only(library).context(library)
}

/// Copies a library file to a new file, which appears under its name only when it is complete. A PostgreSQL database
/// cannot be copied.
pub fn backup(
    library: &Location,
    out: &Path,
    ForceArgument { force }: ForceArgument,
) -> Result<(), Failure> {
    require_not_stdout("OUT", out)?;
    require_not_input("OUT", out, library.file())?;
    require_not_log(out)?;
    if out.is_dir() {
        return Err(Failure::new(out.display(), io::Error::from(io::ErrorKind::IsADirectory)));
    }
    let exists = out.symlink_metadata().is_ok();
    if exists && !force {
        return Err(Failure::new(out.display(), FILE_EXISTS));
    }
    remove_unfinished_at_interrupt();
    let copy = Replacement::beside(out).context(out.display())?;
    let _lock = FileLock::acquire(out)?;
    store::back_up(library, copy.file.path()).map_err(|error| {
        // A failed write is an error of the copy: the library is only read.
        if error.is_failed_write() {
            Failure::new(out.display(), error)
        } else {
            Failure::new(library, error)
        }
    })?;
    if exists {
        // SQLite would apply the write-ahead log of the old file to the new one.
        store::merge_log(out).context(out.display())?;
    }
    copy.commit(force).context(out.display())
}

/// Prints the numbers of positions and of inconsistent values. Inconsistent values are not errors, because along a
/// cycle of moves there may be no consistent ones.
///
/// # Errors
/// The library cannot be read, or has another inconsistency.
pub fn check(library: &Location) -> Result<(), Failure> {
    let store = open(library)?;
    let found =
        store.read(|snapshot| Ok::<_, StoreError>((snapshot.positions()?, snapshot.check()?)));
    let (positions, problems) = found.context(library)?;
    let is_value = |found: &&Inconsistency| matches!(found, Inconsistency::Value { .. });
    let inconsistent = problems.iter().filter(is_value).count();
    print_text(&format!(
        "{}, inconsistent values: {inconsistent}\n",
        counted(positions, "position")
    ))?;
    match problems.iter().find(|found| !is_value(found)) {
        None => Ok(()),
        Some(first) => Err(Failure::new(library, first)),
    }
}

pub fn log(library: &Location, writer: Option<&str>, limit: u32) -> Result<(), Failure> {
    let store = open(library)?;
    let writes = store.read(|snapshot| snapshot.log(writer, limit));
    let head = ["time", "writer", "move", "before", "after", "depth", "undone", "position"];
    let none = || "-".to_owned();
    let score = |score: Option<i32>| score.map_or_else(none, |s| s.to_string());
    let mut rows = vec![heads(head)];
    for write in writes.context(library)? {
        rows.push([
            show_time(write.time),
            printable(&write.writer),
            write.played.to_string(),
            score(write.old),
            match &write.note {
                Some(note) => printable(&note.summary()),
                None => score(write.new),
            },
            write.depth.to_string(),
            write
                .undone
                .map_or_else(none, |undone| format!("{}, {}", undone.undo, printable(&undone.by))),
            write.board,
        ]);
    }
    print(&columns(&rows, terminal_width()))
}

pub fn undos(library: &Location) -> Result<(), Failure> {
    let undos = open(library)?.read(|snapshot| snapshot.undos());
    let undos = undos.context(library)?;
    let head = ["undo", "time", "by", "writer", "since", "redone", "redone by"];
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

/// A Unix time as text, in UTC.
fn show_time(seconds: i64) -> String {
    jiff::Timestamp::from_second(seconds)
        .map_or_else(|_| seconds.to_string(), |time| time.strftime("%Y-%m-%d %H:%M:%S").to_string())
}

/// The name under which the audit log lists undos and redos of these commands.
const ADMINISTRATOR: &str = "command";

pub fn undo(library: &Location, writer: &str, minutes: Option<u32>) -> Result<(), Failure> {
    let store = Store::open_existing(library).context(library)?;
    let result = store.undo(writer, minutes, ADMINISTRATOR);
    let result = result.context(library)?;
    print_text(&match result.undo {
        Some(undo) => format!("{} undone (undo {undo})\n", changes(result)),
        None => "no writes to undo\n".to_owned(),
    })
}

pub fn redo(library: &Location, undo: i64) -> Result<(), Failure> {
    let store = Store::open_existing(library).context(library)?;
    let result = store.redo(undo, ADMINISTRATOR).context(library)?;
    let result = result.context(library)?;
    print_text(&format!("{} restored\n", changes(result)))
}

/// The numbers of changed values and notes as text.
fn changes(UndoResult { values, notes, .. }: UndoResult) -> String {
    let values = counted(values, "value");
    match notes {
        0 => values,
        _ => format!("{values} and {}", counted(notes, "note")),
    }
}

/// Fill a library with the positions nearest to the starting position, by searches of this program.
///
/// Level by level, each position gets up to five moves with scores; its good moves lead to the next level. The same
/// command continues after an interruption. The result can be shared with `chuhe cloud dump`.
#[derive(Debug, clap::Args)]
pub struct FillArguments {
    /// Library file or database; created if missing.
    library: Location,
    /// Stop when the library has at least N positions.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..))]
    positions: u32,
    /// Nodes to score a move. A search that finds the moves of a position has four times as many.
    #[arg(long, value_name = "N", default_value_t = 50_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Number of search threads, at low priority.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=64))]
    threads: u8,
}

/// The interval at which idle workers look for tasks and this command checks whether all tasks are done.
const PAUSE: Duration = Duration::from_millis(100);

pub fn fill(arguments: &FillArguments) -> Result<(), Failure> {
    let name = &arguments.library;
    let store = Store::open_at(name).context(name)?;
    let limit = i64::from(arguments.positions);
    let known = store.read(|snapshot| snapshot.positions()).context(name)?;
    if known >= limit {
        return print_text(&format!("{}\n", counted(known, "position")));
    }
    let interrupts = interrupts()?;
    let tablebases = Tables::embedded();
    let library = Arc::new(Library::new(store, tablebases.clone(), LibraryOptions::default()));
    let (threads, nodes) = (arguments.threads, arguments.nodes);
    let workers = Workers::start(threads, library.clone(), &tablebases, nodes, PAUSE);
    let workers = workers.context("--threads")?;
    let mut level = vec![View::of(&Position::startpos()).key];
    let mut seen: HashSet<Key> = level.iter().cloned().collect();
    let mut plies = 0;
    let positions = || {
        let positions = library.store.read(|snapshot| snapshot.positions());
        positions.context(name)
    };
    while !level.is_empty() && positions()? < limit {
        let mut waiting = positions_without_moves(&library, &level).context(name)?;
        loop {
            waiting = request_moves(&library, waiting).context(name)?;
            wait_for_tasks(&library, limit, &workers, &interrupts, name)?;
            if waiting.is_empty() || positions()? >= limit {
                break;
            }
        }
        plies += 1;
        note(&format!("ply {plies}: {}", counted(positions()?, "position")));
        level = next_level(&library, &level, &mut seen).context(name)?;
    }
    drop(workers);
    print_text(&format!("{}\n", counted(positions()?, "position")))
}

/// The positions with at most one known move, except those whose only legal move is known.
fn positions_without_moves(library: &Library, level: &[Key]) -> Result<Vec<Key>, StoreError> {
    library.store.read(|snapshot| {
        let mut missing = Vec::new();
        for key in level {
            let moves = snapshot.get(key)?.map_or(0, |row| row.moves.len());
            let has_more = || key.position().is_some_and(|here| legal_moves(&here).len() > moves);
            if moves <= 1 && has_more() {
                missing.push(key.clone());
            }
        }
        Ok(missing)
    })
}

/// Requests moves of positions, and returns those for which the queue had no room.
fn request_moves(library: &Library, positions: Vec<Key>) -> Result<Vec<Key>, StoreError> {
    library.store.write(move |batch| {
        let mut positions = positions.into_iter();
        while let Some(key) = positions.next() {
            let task = Task::expansion(key.clone(), Priority::Requested);
            if batch.add_task(&task)? == QueueResult::Full {
                return Ok(std::iter::once(key).chain(positions).collect());
            }
        }
        Ok(Vec::new())
    })
}

/// Waits until all tasks are done or the library has enough positions.
///
/// # Errors
/// Ctrl-C, or an error of the library or of a worker.
fn wait_for_tasks(
    library: &Library,
    limit: i64,
    workers: &Workers,
    interrupts: &Receiver<()>,
    name: &Location,
) -> Result<(), Failure> {
    loop {
        let is_done = library.store.read(|snapshot| {
            Ok::<_, StoreError>(snapshot.unfinished()? == 0 || snapshot.positions()? >= limit)
        });
        if is_done.context(name)? {
            return Ok(());
        }
        if let Some(error) = workers.error() {
            return Err(Failure::new(name, error));
        }
        if interrupts.recv_timeout(PAUSE) != Err(RecvTimeoutError::Timeout) {
            return Err(Failure::interrupted());
        }
    }
}

/// The new positions after the good moves of the positions of a level.
fn next_level(
    library: &Library,
    level: &[Key],
    seen: &mut HashSet<Key>,
) -> Result<Vec<Key>, StoreError> {
    library.store.read(|snapshot| {
        let mut next = Vec::new();
        for key in level {
            let Some(row) = snapshot.get(key)? else {
                continue;
            };
            let good = row.good_moves().map(|entry| entry.m);
            for edge in Edge::of_stored(key, good) {
                if !edge.ends_game && seen.insert(edge.child.clone()) {
                    next.push(edge.child);
                }
            }
        }
        Ok(next)
    })
}
