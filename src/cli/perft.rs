//! `chuhe perft`: counting the positions that can be reached.

use std::io::{self, Write};
use std::time::Instant;

use super::Failure;
use crate::movegen;
use crate::notation::fen;

/// Count the lines of DEPTH plies, the proof of a move generator.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// How many plies deep.
    #[arg(value_parser = clap::value_parser!(u32).range(0..=100))]
    depth: u32,
    /// Where to start.
    #[arg(long, default_value = "startpos")]
    fen: String,
    /// Count each first move for itself.
    #[arg(long)]
    divide: bool,
}

/// Prints the count; the last line is `nodes N time MS nps N`.
///
/// # Errors
/// The FEN is no position.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let text = match arguments.fen.trim() {
        "startpos" => fen::START,
        text => text,
    };
    let mut position =
        fen::parse_position(text).map_err(|error| Failure::new("--fen is no position", error))?;
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
    let speed = u128::from(nodes) * 1_000_000 / time.as_micros().max(1);
    let millis = time.as_millis();
    written = written.and_then(|()| writeln!(out, "nodes {nodes} time {millis} nps {speed}"));
    written
        .or_else(super::ignore_closed_pipe)
        .map_err(|error| Failure::new("standard output", error))
}
