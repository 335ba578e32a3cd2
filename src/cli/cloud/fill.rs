//! `chuhe cloud fill`: searches the positions nearest to the starting position.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError};

use crate::board::Position;
use crate::cli::common::{Context, Failure, interrupts, note, print_text};
use crate::cloud::Edge;
use crate::cloud::key::{Key, View};
use crate::cloud::library::{Library, LibraryOptions};
use crate::cloud::store::{Location, Priority, Store, StoreError, Task, TaskKind};
use crate::cloud::worker::{LocalLibrary, Workers};
use crate::tablebase::Tables;

/// Fill a library with the positions nearest to the starting position, by searches of this program.
///
/// Level by level, each position gets up to five moves with scores; its good moves lead to the next level. The same
/// command continues after an interruption. The result can be shared with `chuhe cloud dump`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Library file or database; created if missing.
    library: Location,
    /// Number of positions.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..))]
    positions: u32,
    /// Nodes per score; finding moves takes four times as many.
    #[arg(long, value_name = "N", default_value_t = 50_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Number of search threads, at low priority.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=64))]
    threads: u8,
}

/// How often idle workers and this command look for tasks.
const PAUSE: Duration = Duration::from_millis(100);

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let name = &arguments.library;
    let store = Store::open_at(name).context(name)?;
    let limit = i64::from(arguments.positions);
    let known = store.read(|snapshot| snapshot.positions()).context(name)?;
    if known >= limit {
        return print_text(&format!("{known} positions\n"));
    }
    let interrupts = interrupts()?;
    let tables = Tables::embedded();
    let library = Arc::new(Library::new(
        store,
        tables.clone(),
        LibraryOptions::default(),
    ));
    let source = LocalLibrary(library.clone());
    let workers = Workers::start(arguments.threads, source, &tables, arguments.nodes, PAUSE)
        .context("--threads")?;
    let mut level = vec![View::of(&Position::startpos()).key];
    let mut seen: HashSet<Key> = level.iter().cloned().collect();
    let mut plies = 0;
    while !level.is_empty() && count(&library).context(name)? < limit {
        request(&library, &level).context(name)?;
        if !wait(&library, limit, &interrupts).context(name)? {
            drop(workers);
            return Err(Failure::interrupted());
        }
        plies += 1;
        note(&format!(
            "ply {plies}: {} positions",
            count(&library).context(name)?
        ));
        level = next_level(&library, &level, &mut seen).context(name)?;
    }
    drop(workers);
    print_text(&format!("{} positions\n", count(&library).context(name)?))
}

fn count(library: &Library) -> Result<i64, StoreError> {
    library.store.read(|snapshot| snapshot.positions())
}

/// Requests moves of the positions with at most one known move.
fn request(library: &Library, level: &[Key]) -> Result<(), StoreError> {
    let missing = library.store.read(|snapshot| {
        let mut missing = Vec::new();
        for key in level {
            let moves = snapshot.get(key)?.map_or(0, |row| row.moves.len());
            if moves <= 1 {
                missing.push(key.clone());
            }
        }
        Ok::<_, StoreError>(missing)
    })?;
    library.store.write(move |batch| {
        for key in missing {
            batch.add_task(&Task {
                kind: TaskKind::Expansion,
                key,
                moves: Vec::new(),
                priority: Priority::Requested,
            })?;
        }
        Ok(())
    })
}

/// Waits until all tasks are done or the library has enough positions. Returns `false` after Ctrl-C.
fn wait(library: &Library, limit: i64, interrupts: &Receiver<()>) -> Result<bool, StoreError> {
    loop {
        let is_done = library.store.read(|snapshot| {
            Ok::<_, StoreError>(snapshot.unfinished()? == 0 || snapshot.positions()? >= limit)
        })?;
        if is_done {
            return Ok(true);
        }
        if interrupts.recv_timeout(PAUSE) != Err(RecvTimeoutError::Timeout) {
            return Ok(false);
        }
    }
}

/// The new positions after the good moves of a level.
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
