//! `chuhe selfplay`: games to learn from.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use super::common::{Context, Failure, NetworkArgument, ProgressMeter, exit_code, note};
use crate::training::{Interrupt, Opening, SelfPlay, SelfPlayProgress, SelfPlayRun};

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

/// Plays and writes.
///
/// # Errors
/// The file cannot be written, holds something else, or games that were made otherwise.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let plan = SelfPlay {
        games: arguments.games,
        nodes: arguments.nodes,
        threads: usize::from(arguments.threads),
        hash: GAME_HASH,
        seed: arguments.seed,
        opening: Opening::Random,
        network: arguments.network.read()?,
    };
    let interrupt = Arc::new(Interrupt::default());
    let asked = interrupt.clone();
    ctrlc::set_handler(move || {
        asked.ask();
        note("finishing the games under way; Ctrl-C again drops them");
    })
    .context("Ctrl-C")?;
    play_games(&arguments.file, plan, &interrupt, || ())?;
    Ok(exit_code(interrupt.is_asked()))
}

/// Hash table of each game, in MB.
pub const GAME_HASH: usize = 2;

/// Plays the games that a file does not have yet and shows how far they are; `each` is called after every
/// game.
///
/// # Errors
/// The file cannot be written, holds something else, or games that were made otherwise.
pub fn play_games(
    file: &Path,
    plan: SelfPlay,
    interrupt: &Interrupt,
    each: impl Fn() + Sync,
) -> Result<(), Failure> {
    let games = plan.games;
    let run = SelfPlayRun::open(file, plan).context(file.display())?;
    if !run.recovered.is_clean() {
        note(&format!("{}: {}", file.display(), run.recovered));
    }
    if run.present.games > 0 {
        note(&format!("continuing after {} games", run.present.games));
    }
    if run.missing() > 0 {
        note(&format!(
            "playing {} missing games before the last one first",
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
    let done = run.play(interrupt, show).context(file.display())?;
    meter.finish();
    let SelfPlayProgress { games, positions } = done;
    note(&format!("{games} games, {positions} positions"));
    Ok(())
}
