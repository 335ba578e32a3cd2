//! `chuhe bench` and `chuhe perft`: signature and speed of the search and of the move generator.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{select, unbounded};

use super::common::{
    Context, Failure, GameArguments, NetworkArgument, exit_code, interrupts, note, print,
    print_if_read, print_text,
};
use crate::board::Move;
use crate::eval::nnue::simd::SimdLevel;
use crate::movegen::{legal_moves, perft_in_parts};
use crate::search::{BENCH_DEPTH, BenchResult, bench, nodes_per_second};

/// Search fixed positions: the speed, and a node count as a signature.
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
    let counted = Arc::new(AtomicU64::new(0));
    let (sender, counts) = unbounded();
    let (shared, depth) = (counted.clone(), arguments.depth);
    let counting = thread::Builder::new()
        .spawn(move || {
            if depth == 0 {
                shared.store(1, Ordering::Relaxed);
                return;
            }
            for first in legal_moves(&position) {
                let mut after = position.after(first);
                let mut nodes = 0;
                perft_in_parts(&mut after, depth - 1, &mut |part| {
                    nodes += part;
                    shared.fetch_add(part, Ordering::Relaxed);
                    true
                });
                if sender.send((first, nodes)).is_err() {
                    return;
                }
            }
        })
        .context("the thread that counts cannot start")?;
    let is_interrupted = loop {
        let received: Result<(Move, u64), _> = select! {
            recv(counts) -> count => count,
            recv(interrupts) -> _ => break true,
        };
        let Ok((first, nodes)) = received else {
            break false;
        };
        if arguments.divide && !print_if_read(&format!("{first} {nodes}\n"))? {
            return Ok(ExitCode::SUCCESS);
        }
    };
    if is_interrupted {
        // The thread ends with the program.
        note("interrupted; the count is incomplete");
    } else {
        let failed = |_| Failure::message("the count has failed");
        counting.join().map_err(failed)?;
    }
    let nodes = counted.load(Ordering::Relaxed);
    print_text(&format!("{}\n", speed_text(nodes, start.elapsed())))?;
    Ok(exit_code(is_interrupted))
}

/// `nodes 79666 time 3 ms nps 26555333`.
fn speed_text(nodes: u64, time: Duration) -> String {
    let (millis, speed) = (time.as_millis(), nodes_per_second(nodes, time));
    format!("nodes {nodes} time {millis} ms nps {speed}")
}
