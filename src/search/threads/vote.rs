//! The choice of the move: among threads, and among good moves with the option `randomness`.

use rand::seq::IndexedRandom;

use crate::search::parameters::values;
use crate::search::request::{Randomness, Settings};
use crate::search::score::Score;
use crate::search::tree::{Iteration, RootMove};

/// The move to play. Several threads vote for it. With `randomness` it is drawn from the moves whose scores are close
/// to the best. `None` if there are no results.
pub fn choose<'a>(results: &'a [Iteration], settings: &Settings) -> Option<&'a RootMove> {
    let first = results.first()?;
    let result = if settings.multipv == 1 && settings.randomness == Randomness::None {
        vote(first, results)
    } else {
        first
    };
    let moves = &result.moves;
    let best = moves.first()?;
    let margin = margin(settings.randomness);
    if margin == 0 || best.score.is_proven() {
        return Some(best);
    }
    let near: Vec<_> = moves
        .iter()
        .filter(|m| !m.score.is_proven() && best.score - m.score <= margin)
        .collect();
    // Better moves are more likely.
    let weight = |m: &&RootMove| margin + 1 - (best.score - m.score);
    let drawn = near.choose_weighted(&mut rand::rng(), weight);
    Some(drawn.copied().unwrap_or(best))
}

/// Maximum loss against the best move, in units of the evaluation.
fn margin(randomness: Randomness) -> i32 {
    let hundredths = match randomness {
        Randomness::None => 0,
        Randomness::Tiny => 8,
        Randomness::Small => 16,
        Randomness::Medium => 32,
        Randomness::Large => 60,
        Randomness::Huge => 100,
    };
    hundredths * Score::MINOR_PIECE / 100
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
