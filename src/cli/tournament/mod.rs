//! `chuhe match`: tournaments between engines.

mod arguments;
mod output;
mod pgn_file;
mod plot;
mod report;

use std::process::ExitCode;

pub use arguments::{Arguments, with_programs};

use super::common::{
    Context, Failure, INTERRUPTED, interrupts, print_text, report_damaged_tablebases,
    terminal_width,
};
use crate::search::cores;
use crate::text::{counted, printable};
use crate::tournament::{
    EngineFailure, GameSummary, Handshake, JournalContent, Tournament, TournamentEnd,
    TournamentStartError, check_engines, check_processors, run as play,
};
use output::{MatchOutput, OutputFiles};

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    arguments.check_files()?;
    let (mut tournament, left_out) = arguments.tournament()?;
    check_processors(&tournament).context("match")?;
    let (files, content) = OutputFiles::open(arguments, &tournament)?;
    // Ctrl-C is handled only after all files have been opened, because opening or reading a FIFO can block.
    let interrupt = interrupts()?;
    let handshakes = match check_engines(&mut tournament, &interrupt) {
        Ok(handshakes) => handshakes,
        Err(TournamentStartError::Engine { failure: EngineFailure::Interrupted, .. }) => {
            return Ok(ExitCode::from(INTERRUPTED));
        }
        Err(error) => return Err(Failure::new("match", error)),
    };
    warn(&tournament, &handshakes);
    let uses_stdout = files.uses_stdout();
    let print = |text: &str| {
        if uses_stdout { Ok(()) } else { print_text(text) }
    };
    print(&(report::heading(&tournament, &handshakes) + &resumed(&content)))?;
    let mut standings = tournament.standings();
    standings.void_games = content.voids;
    for record in &content.games {
        standings.add(record);
    }
    let games: Vec<GameSummary> = content.games.iter().map(GameSummary::from).collect();
    let mut output = MatchOutput::new(&tournament, files, games.clone(), &standings)?;
    let played = play(&tournament, &mut standings, &games, &interrupt, |standings, event| {
        output.write(standings, event)
    });
    let end = played.as_ref().copied().unwrap_or(TournamentEnd::Failed);
    standings.winner = tournament.schedule().knockout_winner(output.games());
    let finished = output.finish(&standings, end);
    if let Some(tablebases) = &tournament.rules.tablebases {
        report_damaged_tablebases(tablebases.tables());
    }
    let width = terminal_width();
    let printed = print(&report::report(&tournament, &standings, Some(end), width));
    let played = played.map_err(|error| match arguments.resume {
        Some(_) => Failure::new(
            format_args!("match: {error}"),
            "no game is lost: run the same command again to continue",
        ),
        None => Failure::new("match", error),
    });
    let results = [played.map(drop), printed].into_iter().chain(finished);
    let mut failures: Vec<_> = results.filter_map(Result::err).collect();
    if let Some(last) = failures.pop() {
        failures.iter().for_each(Failure::report);
        return Err(last);
    }
    match end {
        TournamentEnd::Interrupted => Ok(ExitCode::from(INTERRUPTED)),
        _ if left_out > 0 => {
            let why = format!("{} left out, see above", counted(left_out, "opening"));
            Err(Failure::new(&arguments.openings, why))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// The lines about the content of the journal.
fn resumed(content: &JournalContent) -> String {
    let mut text = String::new();
    if content.damaged_lines > 0 {
        let lines = content.damaged_lines;
        text += &format!("skipped damaged lines of the journal: {lines}\n");
    }
    if content.has_incomplete_line {
        text += "dropped the incomplete last line of the journal\n";
    }
    if !content.games.is_empty() {
        let games = counted(content.games.len(), "game");
        text += &format!("resumed after {games}\n");
    }
    text
}

/// Prints warnings about options, the messages of the engines, and warnings if games may repeat or if there are more
/// threads than processors.
fn warn(tournament: &Tournament, handshakes: &[Handshake]) {
    for (engine, handshake) in tournament.engines.iter().zip(handshakes) {
        for warning in &handshake.option_warnings {
            Failure::new(format_args!("engine {}", engine.name), printable(warning)).report();
        }
        for message in &handshake.messages {
            Failure::new(format_args!("engine {} reports", engine.name), message).report();
        }
    }
    if tournament.engines.iter().all(|engine| engine.limit.is_repeatable())
        && tournament.factors.is_none()
        && tournament.spsa.is_none()
        && let Some(repeated) = tournament.first_repeated_round()
        && tournament.rounds.is_none_or(|rounds| rounds > repeated)
    {
        let why = format!(
            "from round {} on the openings repeat, and with nodes= or depth= the games may repeat as well",
            repeated + 1
        );
        Failure::new("--openings", why).report();
    }
    let cores = cores();
    let total = tournament.threads_per_game().saturating_mul(tournament.concurrency);
    if total > cores {
        let why = format!(
            "{total} search threads run at the same time on {cores} processors, which distorts thinking times"
        );
        Failure::new("--concurrency", why).report();
    }
}
