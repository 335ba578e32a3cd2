//! `chuhe selfplay`: games to learn from.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use super::common::meter::ProgressMeter;
use super::common::network::NetworkArgument;
use super::common::{Failure, INTERRUPTED, note};
use crate::training::{Interrupt, SelfPlay, SelfPlayProgress, SelfPlayRun};

/// Play the engine against itself from random openings and write the games, with the score of every
/// move, to a file; a file that has games already is gone on with.
///
/// Ctrl-C finishes the games under way and ends; a second one drops them. Any number of processes may
/// play at the same time, each with a file and a seed of its own.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The file of games (.chg) to make or go on with.
    file: PathBuf,
    /// Games that the file shall have in the end.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    games: u32,
    /// Nodes a move, after which the iteration under way is finished.
    #[arg(long, value_name = "N", default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Games at a time.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Seed of the random openings: game n of a seed is always the same.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    network: NetworkArgument,
}

/// Hash table of each game, in MB.
const HASH: usize = 4;

/// Plays and writes.
///
/// # Errors
/// The file cannot be written, holds something else, or games that were made otherwise.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let fault = |error: &dyn std::fmt::Display| Failure::new(arguments.file.display(), error);
    let plan = SelfPlay {
        games: arguments.games,
        nodes: arguments.nodes,
        threads: usize::from(arguments.threads),
        hash: HASH,
        seed: arguments.seed,
        network: arguments.network.read()?,
    };
    let run = SelfPlayRun::open(&arguments.file, plan.clone()).map_err(|error| fault(&error))?;
    if !run.recovered.is_clean() {
        note(&format!("{}: {}", arguments.file.display(), run.recovered));
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
    let interrupt = Arc::new(Interrupt::default());
    let asked = interrupt.clone();
    ctrlc::set_handler(move || {
        asked.ask();
        note("finishing the games under way; Ctrl-C again drops them");
    })
    .map_err(|error| fault(&error))?;
    let (begun, present) = (Instant::now(), run.present);
    let meter = ProgressMeter::new("games");
    meter.begin(u64::from(plan.games), present.games);
    let show = |now: SelfPlayProgress| {
        let seconds = begun.elapsed().as_secs_f64().max(0.001);
        let rate = (now.positions - present.positions) as f64 / seconds;
        let positions = format!(", {} positions, {rate:.0}/s", now.positions);
        meter.show(now.games, &positions);
    };
    let done = run.play(&interrupt, show).map_err(|error| fault(&error))?;
    meter.finish();
    let SelfPlayProgress { games, positions } = done;
    note(&format!("{games} games, {positions} positions"));
    Ok(match interrupt.is_asked() {
        true => ExitCode::from(INTERRUPTED),
        false => ExitCode::SUCCESS,
    })
}
