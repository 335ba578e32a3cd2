//! The tournament as it goes: a bar on a terminal, a line a game in a pipe.

use std::io::{self, IsTerminal, Write};

use indicatif::{ProgressBar, ProgressDrawTarget};

use super::table::{running, short_estimate};
use crate::board::ByColor;
use crate::cli::common::bar_style;
use crate::text::printable;
use crate::tournament::stats::Standings;
use crate::tournament::{GameRecord, Tournament, TournamentEvent};

/// What is shown while games are played.
pub(super) struct MatchProgress {
    /// `None` where standard error is no terminal.
    bar: Option<ProgressBar>,
    games: u64,
}

impl MatchProgress {
    /// Before the first game that is to be played now.
    pub(super) fn new(tournament: &Tournament, standings: &Standings) -> Self {
        let games = tournament.schedule().games();
        let watched = io::stdout().is_terminal() && io::stderr().is_terminal();
        let bar = watched.then(|| {
            let (bar, form) = match tournament.rounds {
                Some(_) => (
                    ProgressBar::with_draw_target(Some(games), ProgressDrawTarget::stderr()),
                    "{bar:12} {pos}/{len}  {msg}  {left} left",
                ),
                None => (
                    ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()),
                    "{spinner} {pos} games, {msg}, {elapsed}",
                ),
            };
            let bar = bar.with_style(bar_style(form));
            bar.set_position(standings.games());
            bar.reset_eta();
            bar.enable_steady_tick(std::time::Duration::from_millis(200));
            bar
        });
        Self { bar, games }
    }

    /// Something has happened.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub(super) fn event(
        &self,
        tournament: &Tournament,
        standings: &Standings,
        event: TournamentEvent<'_>,
    ) -> io::Result<()> {
        match event {
            TournamentEvent::Game(record) => self.game(tournament, standings, record),
            TournamentEvent::Void { number, detail } => {
                let line = format!("game {}: void, {detail}; it is played again", number + 1);
                match &self.bar {
                    Some(bar) => {
                        bar.println(line);
                        Ok(())
                    }
                    None => print(&line),
                }
            }
        }
    }

    fn game(
        &self,
        tournament: &Tournament,
        standings: &Standings,
        record: &GameRecord,
    ) -> io::Result<()> {
        let line = line(tournament, record);
        match &self.bar {
            Some(bar) => {
                bar.set_position(standings.games());
                let running = running(tournament, standings);
                bar.set_message(running + &short_estimate(standings));
                // Faults are worth seeing, all the other games are in the sum.
                if record.reason.is_fault() {
                    bar.println(line);
                }
                Ok(())
            }
            None => {
                let games = match tournament.rounds {
                    Some(_) => format!("{}/{}", standings.games(), self.games),
                    None => standings.games().to_string(),
                };
                let running = running(tournament, standings);
                let estimate = short_estimate(standings);
                print(&format!("{games}  {line}  {running}{estimate}"))
            }
        }
    }

    /// After the last game.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn print(line: &str) -> io::Result<()> {
    writeln!(io::stdout(), "{line}").or_else(crate::cli::common::ignore_closed_pipe)
}

/// A game in one line.
fn line(tournament: &Tournament, record: &GameRecord) -> String {
    let ByColor([red, black]) = record
        .players
        .map(|number| &tournament.engines[number].name);
    let GameRecord {
        number,
        result,
        reason,
        detail,
        ..
    } = record;
    let detail = match detail.as_str() {
        "" => String::new(),
        detail => format!(" [{}]", printable(detail)),
    };
    let plies = record.moves.len();
    format!(
        "game {}: {red} - {black}  {result}  {reason}{detail}, {plies} plies",
        number + 1
    )
}
