//! `go perft`: counts lines in a thread of its own, so that the session can read `stop`.

use std::sync::Arc;

use crossbeam_channel::{Receiver, bounded};

use crate::board::{Move, Position};
use crate::movegen::{legal_moves, perft_in_parts};
use crate::search::{Control, USUAL_STACK, start_thread};

/// The number of lines after each legal move; `None` if the count was stopped.
pub type PerftCounts = Option<Vec<(Move, u64)>>;

/// Starts to count the lines of `depth` plies. The channel is closed without a result if no thread can be started.
pub fn start_perft(position: Position, depth: u32, control: Arc<Control>) -> Receiver<PerftCounts> {
    let (sender, counts) = bounded(1);
    let count = move || {
        // The receiver is gone if the count was stopped.
        let _ = sender.send(divide(position, depth, &control));
    };
    if let Err(error) = start_thread("perft", USUAL_STACK, count) {
        log::error!("cannot start the perft thread: {error}");
    }
    counts
}

fn divide(mut position: Position, depth: u32, control: &Control) -> PerftCounts {
    let moves = legal_moves(&position).into_iter();
    let counts = moves.map(|played| {
        let undo = position.make(played);
        let mut count = 0;
        let mut add = |lines| {
            count += lines;
            !control.is_stopped()
        };
        let is_complete = perft_in_parts(&mut position, depth.saturating_sub(1), &mut add);
        position.unmake(played, undo);
        is_complete.then_some((played, count))
    });
    counts.collect()
}
