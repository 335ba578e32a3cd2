//! `chuhe bench` and `chuhe perft`: signature and speed of the search and of the move generator.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use super::common::{
    Context, Failure, GameArguments, NetworkArgument, exit_code, interrupts, note, print,
    print_if_read, print_text,
};
use crate::board::MoveList;
use crate::eval::nnue::simd::SimdLevel;
use crate::movegen::{legal_moves, perft_in_parts};
use crate::search::{BENCH_DEPTH, BenchResult, bench, nodes_per_second};

/// Search fixed positions and show the speed, and a node count as a signature.
///
/// The positions are searched to a fixed depth with one thread. The signature is the same on every machine and
/// changes only with the search or the evaluation.
#[derive(Debug, clap::Args)]
pub struct BenchArguments {
    /// Depth of each search.
    #[arg(long, value_name = "N", default_value_t = BENCH_DEPTH, value_parser = clap::value_parser!(u32).range(1..=64))]
    depth: u32,
    #[command(flatten)]
    network: NetworkArgument,
}

/// Prints the node count of each position, the vector instructions of the evaluation, and the totals.
pub fn run_bench(arguments: &BenchArguments) -> Result<(), Failure> {
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

/// Count the sequences of DEPTH moves, the usual test of a move generator.
///
/// Ctrl-C shows the count so far.
#[derive(Debug, clap::Args)]
pub struct PerftArguments {
    /// Depth in plies.
    #[arg(value_parser = clap::value_parser!(u32).range(0..=100))]
    depth: u32,
    #[command(flatten)]
    game: GameArguments,
    /// Print the count of each first move as soon as it is known.
    #[arg(long)]
    divide: bool,
}

/// Prints the counts; the last line is `nodes N time N ms nps N`.
pub fn run_perft(arguments: &PerftArguments) -> Result<ExitCode, Failure> {
    let position = arguments.game.read()?.position().clone();
    let interrupts = interrupts()?;
    let start = Instant::now();
    // The only sequence of 0 moves is empty.
    let (moves, mut total) = match arguments.depth {
        0 => (MoveList::new(), 1),
        _ => (legal_moves(&position), 0),
    };
    let mut is_interrupted = false;
    for first in moves {
        let mut nodes = 0;
        let mut after = position.after(first);
        let is_complete = perft_in_parts(&mut after, arguments.depth - 1, &mut |part| {
            nodes += part;
            interrupts.try_recv().is_err()
        });
        total += nodes;
        if !is_complete {
            note("interrupted; the count is incomplete");
            is_interrupted = true;
            break;
        }
        if arguments.divide && !print_if_read(&format!("{first} {nodes}\n"))? {
            return Ok(ExitCode::SUCCESS);
        }
    }
    print_text(&format!("{}\n", speed_text(total, start.elapsed())))?;
    Ok(exit_code(is_interrupted))
}

/// `nodes 79666 time 3 ms nps 26555333`.
fn speed_text(nodes: u64, time: Duration) -> String {
    let (millis, speed) = (time.as_millis(), nodes_per_second(nodes, time));
    format!("nodes {nodes} time {millis} ms nps {speed}")
}
