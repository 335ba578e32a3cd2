//! `chuhe cloud undo`, `log` and `check`: commands on a library file or database.

use crate::cli::common::{Failure, columns, print, terminal_width};
use crate::cloud::store::{Inconsistency, Location, Store, StoreError};
use crate::text::printable;

/// The first line of a dump.
pub const DUMP_HEADER: &str = "# chuhe cloud library 1";

/// Opens an existing library.
pub fn open(library: &Location) -> Result<Store, Failure> {
    Store::open_existing(library).map_err(|error| Failure::new(library, error))
}

pub fn check(library: &Location) -> Result<(), Failure> {
    let fail = |error: &dyn std::fmt::Display| Failure::new(library, error);
    let store = open(library)?;
    let found =
        store.read(|snapshot| Ok::<_, StoreError>((snapshot.positions()?, snapshot.check()?)));
    let (positions, problems) = found.map_err(|error| fail(&error))?;
    let is_value = |found: &&Inconsistency| matches!(found, Inconsistency::Value { .. });
    let inconsistent = problems.iter().filter(is_value).count();
    print(&format!(
        "{positions} positions, {inconsistent} inconsistent values\n"
    ))?;
    match problems.iter().find(|found| !is_value(found)) {
        None => Ok(()),
        Some(first) => Err(fail(first)),
    }
}

pub fn log(library: &Location, writer: Option<&str>, limit: u32) -> Result<(), Failure> {
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

pub fn undo(library: &Location, writer: &str, minutes: Option<u32>) -> Result<(), Failure> {
    let store = open(library)?;
    let count = store
        .undo(writer, minutes)
        .map_err(|error| Failure::new(library, error))?;
    print(&format!("{count} values undone\n"))
}
