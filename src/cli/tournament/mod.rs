//! `chuhe match`: tournaments between engines.

mod arguments;
mod files;
mod history;
mod pgn_file;
mod plot;
mod progress;
mod status;
mod table;

use std::cmp::Reverse;
use std::collections::HashSet;
use std::io;
use std::process::ExitCode;

pub(super) use arguments::Arguments;

use super::common::{Failure, INTERRUPTED, interrupts, print, terminal_width};
use crate::text::printable;
use crate::tournament::stats::Standings;
use crate::tournament::{
    EngineFailure, EngineSpec, GameSummary, Greeting, JournalContent, Tournament, TournamentEnd,
    TournamentEvent, TournamentStartError, check_engines, run as play,
};
use files::{Files, require_different};
use progress::MatchProgress;

/// Plays the tournament and prints how it stands. The exit code tells whether it was interrupted.
///
/// # Errors
/// Something that was asked for makes no sense, an engine does not work, or a file cannot be read or
/// written.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let interrupt = interrupts()?;
    require_different(arguments)?;
    let mut tournament = arguments.tournament()?;
    let (mut files, content) = Files::open(arguments, &tournament)?;
    let greetings = match check_engines(&mut tournament, &interrupt) {
        Ok(greetings) => greetings,
        Err(TournamentStartError::Engine {
            fault: EngineFailure::Interrupted,
            ..
        }) => return Ok(ExitCode::from(INTERRUPTED)),
        Err(error) => return Err(Failure::new("match", error)),
    };
    warn(&tournament, &greetings);
    print(&table::heading(&tournament, &greetings))?;
    let (mut standings, mut games) = resume(&tournament, content)?;
    let numbers: HashSet<u64> = games.iter().map(|game| game.number).collect();
    let progress = MatchProgress::new(&tournament, &standings);
    files.write_status(&tournament, &standings, &games, None)?;
    let end = play(
        &tournament,
        &mut standings,
        &numbers,
        &interrupt,
        |standings, event| {
            files.add(&tournament, event)?;
            if let TournamentEvent::Game(record) = event {
                games.push(record.into());
            }
            files
                .write_status(&tournament, standings, &games, None)
                .map_err(|failure| io::Error::other(failure.text))?;
            progress.event(&tournament, standings, event)
        },
    );
    progress.finish();
    let end = end.map_err(|error| Failure::new("match", error));
    let reached = end.as_ref().ok();
    print(&table::report(
        &tournament,
        &standings,
        reached,
        terminal_width(),
    ))?;
    games.sort_by_key(|game| game.number);
    let end = match end {
        Err(failure) if arguments.resume.is_some() => {
            let why = "nothing is lost: the same command goes on from here";
            return Err(Failure::new(failure.text, why));
        }
        end => end?,
    };
    files.write_status(&tournament, &standings, &games, Some(end))?;
    files.report(&tournament, &standings, &games, end)?;
    Ok(match end {
        TournamentEnd::Interrupted => ExitCode::from(INTERRUPTED),
        TournamentEnd::Finished | TournamentEnd::Decided => ExitCode::SUCCESS,
    })
}

/// The standings and games that the journal holds, which is printed.
fn resume(
    tournament: &Tournament,
    content: JournalContent,
) -> Result<(Standings, Vec<GameSummary>), Failure> {
    if content.damaged_lines > 0 {
        let lines = content.damaged_lines;
        print(&match lines {
            1 => "one damaged line of the journal left out\n".to_owned(),
            _ => format!("{lines} damaged lines of the journal left out\n"),
        })?;
    }
    if content.has_torn_line {
        print("the last line of the journal, which has no end, left out\n")?;
    }
    if !content.games.is_empty() {
        let games = content.games.len();
        print(&format!("{games} games were played before\n"))?;
    }
    let mut standings = tournament.standings();
    standings.void_games = content.voids;
    content
        .games
        .iter()
        .for_each(|record| standings.add(record));
    let games = content.games.iter().map(GameSummary::from).collect();
    Ok((standings, games))
}

/// Tells of what is doubtful, but can be played.
fn warn(tournament: &Tournament, greetings: &[Greeting]) {
    for (engine, greeting) in tournament.engines.iter().zip(greetings) {
        for warning in &greeting.option_warnings {
            Failure::new(format_args!("engine {}", engine.name), printable(warning)).report();
        }
        for message in &greeting.messages {
            Failure::new(format_args!("engine {} says", engine.name), message).report();
        }
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut threads: Vec<usize> = tournament.engines.iter().map(EngineSpec::threads).collect();
    threads.sort_by_key(|threads| Reverse(*threads));
    // Those of a game think in turn, but for a pondering one.
    let thinking = 1 + usize::from(tournament.engines.iter().any(|engine| engine.ponder));
    let in_a_game: usize = threads.iter().take(thinking).sum();
    let wanted = in_a_game.saturating_mul(tournament.concurrency);
    if wanted > cores {
        let why =
            format!("{wanted} threads think at a time on {cores} processors: times will suffer");
        Failure::new("--concurrency", why).report();
    }
}
