//! Scores of searches as the library has them.

use super::value::{FINAL, MATE};
use crate::search::{Meaning, Score};

/// What a score is to the library: hundredths of a minor piece, a mate in N plies is 30,000 − N.
pub fn library_score(score: Score) -> i32 {
    let plies = |plies: u32| i32::try_from(plies).unwrap_or(0);
    match score.meaning() {
        Meaning::Evaluation(value) => value.clamp(1 - MATE, MATE - 1),
        Meaning::Mates(n) => FINAL - plies(n),
        Meaning::Mated(n) => plies(n) - FINAL,
    }
}

/// The value that is stored for a move whose score is so much: a mate is one ply nearer after it.
pub fn value_after(score: i32) -> i32 {
    match score {
        score if score > MATE => -score - 1,
        score if score < -MATE => 1 - score,
        score => -score,
    }
}
