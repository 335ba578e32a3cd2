//! `chuhe bench`: the signature and speed of the search.

use std::time::Duration;

use super::common::{Context, Failure, NetworkArgument, print, print_text};
use crate::eval::nnue::simd::SimdLevel;
use crate::search::{BENCH_DEPTH, BenchResult, bench, nodes_per_second};

/// Search fixed positions to a fixed depth with one thread. The node count is the same on every machine and
/// changes only with the search or the evaluation.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Depth of each search.
    #[arg(long, value_name = "N", default_value_t = BENCH_DEPTH, value_parser = clap::value_parser!(u32).range(1..=64))]
    depth: u32,
    #[command(flatten)]
    network: NetworkArgument,
}

/// Prints the node count of each position, the vector instructions of the evaluation, and the totals.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut printed = Ok(());
    let network = arguments.network.read()?;
    let result = bench(arguments.depth, network, |fen, nodes| {
        if printed.is_ok() {
            printed = print(&format!("{nodes:>10}  {fen}\n"));
        }
    });
    let BenchResult { nodes, time } = result.context("bench")?;
    printed?;
    let (vectors, speed) = (SimdLevel::widest().name(), speed_text(nodes, time));
    print_text(&format!("vectors {vectors}\n{speed}\nsignature {nodes}\n"))
}

/// `nodes 79666 time 3 ms nps 26555333`.
pub fn speed_text(nodes: u64, time: Duration) -> String {
    let (millis, speed) = (time.as_millis(), nodes_per_second(nodes, time));
    format!("nodes {nodes} time {millis} ms nps {speed}")
}
