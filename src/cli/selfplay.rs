//! `chuhe selfplay`: positions to tune the evaluation with.

use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressStyle};

use super::Failure;
use crate::training::{SelfPlay, play_games};

/// Play the engine against itself and write the quiet positions of the games, a sample a line:
/// `FEN | score for red | result for red`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The file to write; it must not exist.
    out: PathBuf,
    /// Games to play.
    #[arg(long, default_value_t = 1000)]
    games: u64,
    /// Nodes a move.
    #[arg(long, default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Games at a time.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Seed of the random openings: the same seed gives the same games.
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

/// Hash table of each game, in MB.
const HASH: usize = 8;

/// Plays and writes.
///
/// # Errors
/// The file exists or cannot be written.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let fault = |error: &dyn std::fmt::Display| Failure::new(arguments.out.display(), error);
    let file = File::create_new(&arguments.out).map_err(|error| fault(&error))?;
    let plan = SelfPlay {
        games: arguments.games,
        nodes: arguments.nodes,
        threads: usize::from(arguments.threads),
        hash: HASH,
        seed: arguments.seed,
    };
    let style =
        ProgressStyle::with_template("{bar:30} {pos}/{len} games, {msg} samples, {eta} left");
    let bar = ProgressBar::new(plan.games)
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let progress = |games, samples: u64| {
        bar.set_position(games);
        bar.set_message(samples.to_string());
    };
    play_games(&plan, &mut BufWriter::new(file), progress).map_err(|error| fault(&error))?;
    bar.finish();
    Ok(())
}
