//! `chuhe selfplay`: games to learn from.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::common::network::NetworkArgument;
use super::common::{Failure, INTERRUPTED};
use crate::cli::common::note;
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
/// Time between two lines of progress where no bar can be shown.
const LINE_INTERVAL: Duration = Duration::from_secs(60);

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
    let interrupt = Arc::new(Interrupt::default());
    let asked = interrupt.clone();
    ctrlc::set_handler(move || {
        asked.ask();
        note("finishing the games under way; Ctrl-C again drops them");
    })
    .map_err(|error| fault(&error))?;
    let meter = PositionMeter::new(&plan, run.present);
    let done = run
        .play(&interrupt, |progress| meter.show(progress))
        .map_err(|error| fault(&error))?;
    meter.bar.abandon();
    let SelfPlayProgress { games, positions } = done;
    note(&format!("{games} games, {positions} positions"));
    Ok(match interrupt.is_asked() {
        true => ExitCode::from(INTERRUPTED),
        false => ExitCode::SUCCESS,
    })
}

/// Shows how far the work has come: a bar on a terminal, a line a minute elsewhere.
struct PositionMeter {
    bar: ProgressBar,
    begun: Instant,
    first: SelfPlayProgress,
    games: u32,
    last_line: Mutex<Instant>,
}

impl PositionMeter {
    fn new(plan: &SelfPlay, first: SelfPlayProgress) -> Self {
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} games, {msg}, {eta} left");
        let bar = ProgressBar::new(u64::from(plan.games))
            .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
            .with_message("0 positions");
        bar.set_position(first.games);
        bar.reset_eta();
        Self {
            bar,
            begun: Instant::now(),
            first,
            games: plan.games,
            last_line: Mutex::new(Instant::now()),
        }
    }

    fn show(&self, now: SelfPlayProgress) {
        let seconds = self.begun.elapsed().as_secs_f64().max(0.001);
        let rate = (now.positions - self.first.positions) as f64 / seconds;
        let text = format!("{} positions, {rate:.0}/s", now.positions);
        self.bar.set_position(now.games);
        if io::stderr().is_terminal() {
            self.bar.set_message(text);
            return;
        }
        let mut last = self
            .last_line
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if last.elapsed() >= LINE_INTERVAL {
            *last = Instant::now();
            note(&format!("{}/{} games, {text}", now.games, self.games));
        }
    }
}
