//! `chuhe bench`: the signature and speed of the search.

use std::io::{self, Write};

use super::common::{Failure, NetworkArgument};
use crate::search::{BENCH_DEPTH, BenchResult, bench, nodes_per_second};

/// Search fixed positions to a fixed depth with one thread; the node count is the same on every
/// machine and changes only when the search does.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Depth of each search.
    #[arg(long, default_value_t = BENCH_DEPTH, value_parser = clap::value_parser!(u32).range(1..=64))]
    depth: u32,
    #[command(flatten)]
    network: NetworkArgument,
}

/// Prints a line a position and the totals.
///
/// # Errors
/// Standard output cannot be written.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let mut written = Ok(());
    let network = arguments.network.read()?;
    let result = bench(arguments.depth, network, |fen, nodes| {
        if written.is_ok() {
            written = writeln!(out, "{nodes:>10}  {fen}");
        }
    })
    .map_err(|error| Failure::new("bench", error))?;
    let BenchResult { nodes, time } = result;
    let (millis, speed) = (time.as_millis(), nodes_per_second(nodes, time));
    written
        .and_then(|()| {
            writeln!(out, "nodes {nodes} time {millis} nps {speed}")?;
            writeln!(out, "signature {nodes}")
        })
        .or_else(super::common::ignore_closed_pipe)
        .map_err(|error| Failure::new("standard output", error))
}
