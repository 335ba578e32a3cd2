//! Files of games of the engine against itself.

use std::path::Path;
use std::time::Instant;

use super::meter::ProgressMeter;
use super::{Failure, note};
use crate::training::{Interrupt, SelfPlay, SelfPlayProgress, SelfPlayRun};

/// Hash table of each game, in MB.
pub(in crate::cli) const GAME_HASH: usize = 4;

/// Plays the games that a file does not have yet and shows how far they are; `each` is called after every
/// game.
///
/// # Errors
/// The file cannot be written, holds something else, or games that were made otherwise.
pub(in crate::cli) fn play_games(
    file: &Path,
    plan: SelfPlay,
    interrupt: &Interrupt,
    each: impl Fn() + Sync,
) -> Result<(), Failure> {
    let fault = |error: &dyn std::fmt::Display| Failure::new(file.display(), error);
    let games = plan.games;
    let run = SelfPlayRun::open(file, plan).map_err(|error| fault(&error))?;
    if !run.recovered.is_clean() {
        note(&format!("{}: {}", file.display(), run.recovered));
    }
    if run.present.games > 0 {
        note(&format!("going on after {} games", run.present.games));
    }
    if run.missing() > 0 {
        note(&format!(
            "{} games before the last one are missing and played first",
            run.missing()
        ));
    }
    let (begun, present) = (Instant::now(), run.present);
    let meter = ProgressMeter::new("games");
    meter.begin(u64::from(games), present.games);
    let show = |now: SelfPlayProgress| {
        let seconds = begun.elapsed().as_secs_f64().max(0.001);
        let rate = (now.positions - present.positions) as f64 / seconds;
        let positions = format!(", {} positions, {rate:.0}/s", now.positions);
        meter.show(now.games, &positions);
        each();
    };
    let done = run.play(interrupt, show).map_err(|error| fault(&error))?;
    meter.finish();
    let SelfPlayProgress { games, positions } = done;
    note(&format!("{games} games, {positions} positions"));
    Ok(())
}
