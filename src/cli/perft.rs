//! `chuhe perft`: counting the positions that can be reached.

use std::io::{self, Write};
use std::time::Instant;

use super::common::{Failure, GameArguments};
use crate::movegen;
use crate::search::nodes_per_second;

/// Count the lines of DEPTH plies, the proof of a move generator.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// How many plies deep.
    #[arg(value_parser = clap::value_parser!(u32).range(0..=100))]
    depth: u32,
    #[command(flatten)]
    game: GameArguments,
    /// Count each first move for itself.
    #[arg(long)]
    divide: bool,
}

/// Prints the count; the last line is `nodes N time MS nps N`.
///
/// # Errors
/// The FEN is no position, or a move cannot be played.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let game = arguments.game.read()?;
    let mut position = game.position().clone();
    let mut out = io::stdout().lock();
    let start = Instant::now();
    let mut nodes = 0;
    let mut written = Ok(());
    if arguments.divide && arguments.depth > 0 {
        for (first, count) in movegen::divide(&position, arguments.depth) {
            nodes += count;
            written = written.and_then(|()| writeln!(out, "{first} {count}"));
        }
    } else {
        nodes = movegen::perft(&mut position, arguments.depth);
    }
    let time = start.elapsed();
    let (millis, speed) = (time.as_millis(), nodes_per_second(nodes, time));
    written = written.and_then(|()| writeln!(out, "nodes {nodes} time {millis} nps {speed}"));
    written
        .or_else(super::common::ignore_closed_pipe)
        .map_err(|error| Failure::new("standard output", error))
}
