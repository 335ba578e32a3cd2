//! `chuhe selfplay`: games to learn from.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use super::common::network::NetworkArgument;
use super::common::self_play::{GAME_HASH, play_games};
use super::common::{Failure, INTERRUPTED, note};
use crate::training::{Interrupt, Opening, SelfPlay};

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
    .map_err(|error| Failure::new("Ctrl-C", error))?;
    play_games(&arguments.file, plan, &interrupt, || ())?;
    Ok(match interrupt.is_asked() {
        true => ExitCode::from(INTERRUPTED),
        false => ExitCode::SUCCESS,
    })
}
