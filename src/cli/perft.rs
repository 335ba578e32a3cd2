//! `chuhe perft`: counts the lines of a given length.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use crossbeam_channel::{select, unbounded};

use super::bench::speed_text;
use super::common::{
    Context, Failure, GameArguments, exit_code, interrupts, note, print_if_read, print_text,
};
use crate::board::Move;
use crate::movegen::{legal_moves, perft_in_parts};

/// Count the sequences of DEPTH moves, the usual test of a move generator. Ctrl-C shows the count so far.
#[derive(Debug, clap::Args)]
pub struct Arguments {
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
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let position = arguments.game.read()?.position().clone();
    let interrupts = interrupts()?;
    let start = Instant::now();
    let counted = Arc::new(AtomicU64::new(0));
    let (sender, counts) = unbounded();
    let (shared, depth) = (counted.clone(), arguments.depth);
    // The thread is not waited for: it ends with the program.
    thread::Builder::new()
        .spawn(move || {
            if depth == 0 {
                shared.store(1, Ordering::Relaxed);
                return;
            }
            for first in legal_moves(&position) {
                let mut after = position.clone();
                after.make(first);
                let mut nodes = 0;
                perft_in_parts(&mut after, depth - 1, &mut |lines| {
                    nodes += lines;
                    shared.fetch_add(lines, Ordering::Relaxed);
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
        note("interrupted; the count is not complete");
    }
    let nodes = counted.load(Ordering::Relaxed);
    print_text(&format!("{}\n", speed_text(nodes, start.elapsed())))?;
    Ok(exit_code(is_interrupted))
}
