//! The choice of the move among the results of several threads.

use crate::search::parameters::values;
use crate::search::request::Settings;
use crate::search::score::Score;
use crate::search::tree::{Iteration, RootMove};

/// The move to play. Several threads vote, unless there are several lines. `None` without results.
pub fn choose<'a>(results: &'a [Iteration], settings: &Settings) -> Option<&'a RootMove> {
    let first = results.first()?;
    let result = if settings.multipv == 1 {
        vote(first, results)
    } else {
        first
    };
    result.moves.first()
}

/// Each thread votes for its move, with a weight that grows with its depth and score (Chessprogramming wiki, "Lazy
/// SMP": thread voting). If the first thread has a proven score, its move is played.
fn vote<'a>(first: &'a Iteration, results: &'a [Iteration]) -> &'a Iteration {
    if first.moves[0].score.is_proven() {
        return first;
    }
    let worst = results
        .iter()
        .map(|r| r.moves[0].score)
        .min()
        .unwrap_or(Score::ZERO);
    let weight = |r: &Iteration| {
        i64::from(r.moves[0].score - worst + values::vote_offset()) * i64::from(r.depth)
    };
    let votes = |r: &Iteration| -> i64 {
        let played = r.moves[0].played;
        results
            .iter()
            .filter(|other| other.moves[0].played == played)
            .map(weight)
            .sum()
    };
    let mut chosen = first;
    for result in results.iter().filter(|r| r.depth >= first.depth) {
        if votes(result) > votes(chosen) {
            chosen = result;
        }
    }
    chosen
}
