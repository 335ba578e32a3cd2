//! `chuhe match`: tournaments between engines.

mod arguments;
mod files;
mod pgn_file;
mod plot;
mod progress;
mod table;

use std::collections::HashSet;
use std::io::{self, Write};
use std::process::ExitCode;

pub(super) use arguments::Arguments;

use super::Failure;
use super::common::interrupt::interrupts;
use crate::tournament::{End, GameSummary, check_engines, run as play};
use files::{Files, require_different};
use progress::Progress;

/// Plays the tournament and prints how it stands. The exit code tells whether it was interrupted.
///
/// # Errors
/// Something that was asked for makes no sense, an engine does not work, or a file cannot be read or
/// written.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    require_different(arguments)?;
    let tournament = arguments.tournament()?;
    let (mut files, content) = Files::open(arguments, &tournament)?;
    let greetings = check_engines(&tournament).map_err(|e| Failure::new("match", e))?;
    for (engine, greeting) in tournament.engines.iter().zip(&greetings) {
        for doubt in &greeting.option_warnings {
            Failure::new(format_args!("engine {}", engine.name), doubt).tell();
        }
    }
    let interrupt = interrupts()?;
    print(&table::heading(&tournament, &greetings))?;
    let done = content.games;
    if content.damaged_lines > 0 {
        let lines = content.damaged_lines;
        print(&format!("{lines} damaged lines of the journal left out\n"))?;
    }
    let mut standings = tournament.standings();
    standings.void_games = content.voids;
    done.iter().for_each(|record| standings.add(record));
    if !done.is_empty() {
        print(&format!("{} games were played before\n", done.len()))?;
    }
    let numbers: HashSet<u64> = done.iter().map(|record| record.number).collect();
    let mut games: Vec<GameSummary> = done.iter().map(GameSummary::from).collect();
    drop(done);
    let progress = Progress::new(&tournament, &standings);
    let end = play(
        &tournament,
        &mut standings,
        &numbers,
        &interrupt,
        |standings, record| {
            files.add(&tournament, record)?;
            games.push(record.into());
            progress.game(&tournament, standings, record)
        },
    );
    progress.finish();
    let end = end.map_err(|error| Failure::new("match", error));
    print(&table::report(&tournament, &standings, end.as_ref().ok()))?;
    games.sort_by_key(|game| game.number);
    let end = end?;
    files.report(&tournament, &standings, &games, end)?;
    Ok(match end {
        End::Interrupted => ExitCode::from(super::INTERRUPTED),
        End::Finished | End::Decided => ExitCode::SUCCESS,
    })
}

fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .or_else(super::ignore_closed_pipe)
        .map_err(|error| Failure::new("standard output", error))
}
