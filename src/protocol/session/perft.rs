//! `go perft`: counts lines in a thread of its own, so that the session can read `stop`.

use std::sync::Arc;

use crossbeam_channel::{Receiver, bounded};

use crate::board::{Move, Position};
use crate::movegen::{legal_moves, perft};
use crate::search::{Control, USUAL_STACK, start_thread};

/// The number of lines after each legal move; `None` if the count was stopped.
pub type PerftCounts = Option<Vec<(Move, u64)>>;

/// Lines of up to this number of plies are counted without checking for `stop`.
const UNINTERRUPTED: u32 = 3;

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
        let count = count(&mut position, depth.saturating_sub(1), control);
        position.unmake(played, undo);
        Some((played, count?))
    });
    counts.collect()
}

fn count(position: &mut Position, depth: u32, control: &Control) -> Option<u64> {
    if control.is_stopped() {
        return None;
    }
    if depth <= UNINTERRUPTED {
        return Some(perft(position, depth));
    }
    let mut total = 0;
    for played in legal_moves(position) {
        let undo = position.make(played);
        let rest = count(position, depth - 1, control);
        position.unmake(played, undo);
        total += rest?;
    }
    Some(total)
}
