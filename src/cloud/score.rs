//! Scores of moves and values of positions. A score is for the side that plays the move. A value is for the side to
//! move in the position; the value of the position after a move is stored with the move.

use xxhash_rust::xxh64::xxh64;

use super::key::Key;
use crate::board::Move;
use crate::search::Score;

/// Scores of at least this magnitude are mates.
pub const MATE: i32 = 10_000;
/// The largest magnitude of a value. A move with the value -`FINAL` mates or stalemates; its score is 29,999.
pub const FINAL: i32 = 30_000;

/// Whether a score or value is within ±[`FINAL`].
pub fn is_in_range(score: i32) -> bool {
    (-FINAL..=FINAL).contains(&score)
}

/// Converts a stored value to the score for the side that plays the move: the sign changes, and a mate is one ply
/// further away.
pub const fn score_of(value: i32) -> i32 {
    let score = -value;
    if score > MATE {
        score - 1
    } else if score < -MATE {
        score + 1
    } else {
        score
    }
}

/// The value of a position for its side to move; `None` without moves. Sorts `scores`, the scores of its moves, best
/// first.
///
/// With several good moves it is 3/5 of the best score plus 2/5 of the mean of the good moves. In this mean, the last
/// one has the weight 1, and each move before it one more.
///
/// If only one of several moves is good and its score is 1 to 74, the threshold of [`Class::Good`] takes the place of a
/// second good move; if the score is below 50, both have the same weight in the mean. If only one move is known and its
/// score is 21 to 99 or -21 to -99, the value is up to 10% closer to 0. In all other cases without several good moves,
/// and for mates, the value is the best score.
///
/// `key` and `m` identify the parent and the move to this position, where the value is stored. A value is rounded up
/// with a probability equal to its fractional part, decided by a hash of key, move and best score. Values between
/// -3 and 3 are rounded to the nearest integer, halves away from zero.
pub fn value(scores: &mut [i32], key: &Key, m: Move) -> Option<i32> {
    scores.sort_unstable_by(|a, b| b.cmp(a));
    let first = *scores.first()?;
    let best = f64::from(first);
    let round = |exact: f64| rounded(exact, first, key, m);
    if first.abs() >= MATE {
        return Some(first);
    }
    if scores.len() == 1 {
        let excess = (f64::from(first.abs()) - 50.0).max(0.0) / 50.0;
        return Some(match first.abs() {
            21..100 => round(0.9 * best) + round(0.1 * best * excess),
            _ => first,
        });
    }
    let threshold = Class::Good.threshold(first);
    let good = (scores.iter()).take_while(|score| f64::from(**score) >= threshold).count();
    Some(match (good, first) {
        (2.., _) => {
            let weights = (1..=good).rev().map(|weight| weight as f64);
            let sum: f64 = (scores.iter().zip(weights))
                .map(|(score, weight)| weight * f64::from(*score))
                .sum();
            let count = (good * (good + 1) / 2) as f64;
            round((3.0 * best + 2.0 * sum / count) / 5.0)
        }
        (1, 1..50) => round((4.0 * best + threshold) / 5.0),
        (1, 50..75) => round((13.0 * best + 2.0 * threshold) / 15.0),
        _ => first,
    })
}

fn rounded(exact: f64, first: i32, key: &Key, m: Move) -> i32 {
    let below = exact.floor();
    let fraction = exact - below;
    if fraction == 0.0 {
        return below as i32;
    }
    if exact.trunc().abs() <= 2.0 {
        return exact.round() as i32;
    }
    let mut input = key.as_bytes().to_vec();
    input.extend_from_slice(m.to_string().as_bytes());
    input.extend_from_slice(first.to_string().as_bytes());
    let hash = xxh64(&input, 0) & (u64::MAX >> 1);
    let chance = hash as f64 / (u64::MAX >> 1) as f64;
    below as i32 + i32::from(chance < fraction)
}

/// Converts a search score to units of the library: hundredths of a minor piece, at most ±9,999, or ±(30,000 − N) for a
/// mate in N plies.
pub fn library_score(score: Score) -> i32 {
    match score.number() {
        mate if score.is_mate() => mate,
        evaluation => evaluation.clamp(1 - MATE, MATE - 1),
    }
}

/// The value stored for a move with this score, the inverse of [`score_of`].
pub fn value_after(score: i32) -> i32 {
    match score {
        score if score > MATE => -score - 1,
        score if score < -MATE => 1 - score,
        score => -score,
    }
}

/// A class of moves, by their distance from the best score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Moves that may be played: 10 or less below the best one, depending on its score. Only moves equal to the best
    /// one if it scores at least 75, and no moves if it scores less than -50.
    Good,
    /// Moves about as good as the best one: 5 or less below it, depending on its score. Only moves equal to the best
    /// one if it scores at least 50 or less than -30.
    Best,
    /// Moves that `querylearn` may return: 40 or less below the best one, depending on its score. Only moves equal to
    /// the best one if it scores at least 50, and all moves of at least -75 if it scores less than -30.
    Learn,
}

impl Class {
    /// The lowest score in the class when the best move scores `best`.
    pub fn threshold(self, best: i32) -> f64 {
        let m = f64::from(best);
        match self {
            Self::Good => good(m),
            Self::Best if !(-30..50).contains(&best) => m,
            Self::Best => {
                let threshold = m - 5.0 / (1.0 + (-m.abs() / 20.0).exp());
                if best > 0 { threshold.max(1.0) } else { threshold }
            }
            Self::Learn if best >= 50 => m,
            Self::Learn if best >= -30 => m - 40.0 / (1.0 + (-m.abs() / 10.0).exp()),
            Self::Learn => -75.0,
        }
    }

    pub fn contains(self, score: i32, best: i32) -> bool {
        f64::from(score) >= self.threshold(best)
    }
}

fn good(m: f64) -> f64 {
    let near = |m: f64| m - 10.0 / (1.0 + (-m.abs() / 10.0).exp());
    if m >= 75.0 {
        m
    } else if m >= -30.0 {
        let threshold = near(m);
        if m > 50.0 { threshold + (m - 50.0) / 25.0 * (m - threshold) } else { threshold }
    } else if m > -50.0 {
        -50.0 + (m + 50.0) / 20.0 * (near(-30.0) + 50.0)
    } else {
        -50.0
    }
}

/// Rank of the best moves in lists.
pub const BEST_RANK: u8 = 2;

/// Rank of a move: 0 outside of the class `Good`, 1 inside, [`BEST_RANK`] if it is also in the class `Best`.
pub fn rank(score: i32, best: i32) -> u8 {
    match Class::Good.contains(score, best) {
        true if Class::Best.contains(score, best) => BEST_RANK,
        is_good => u8::from(is_good),
    }
}

/// Expected win rate of a score, in percent.
pub fn win_rate(score: i32) -> f64 {
    100.0 / (1.0 + (-f64::from(score) / 330.0).exp())
}

#[cfg(test)]
mod tests {
    use super::super::key::View;
    use super::*;
    use crate::board::Position;

    fn value_under(played: &str, scores: &[i32]) -> Option<i32> {
        let key = View::of(&Position::startpos()).key;
        value(&mut scores.to_vec(), &key, played.parse().unwrap())
    }

    #[test]
    fn values_are_those_of_the_public_library() {
        let under = |scores: &[i32]| value_under("b2e2", scores);
        assert_eq!(under(&[12, 9, 5]), Some(11));
        assert_eq!(under(&[2, 25, 18, 20]), Some(24));
        assert_eq!(under(&[40, 10]), Some(38));
        assert_eq!(under(&[60, 30]), Some(59));
        assert_eq!(under(&[-22, -25, -30]), Some(-23));
        // The mirrored move may be rounded differently.
        assert_eq!(under(&[-45]), Some(-41));
        assert_eq!(value_under("h2e2", &[-45]), Some(-40));
    }

    #[test]
    fn a_value_without_averaging_is_the_best_score() {
        let under = |scores: &[i32]| value_under("b2e2", scores);
        assert_eq!(under(&[]), None);
        for score in [0, 20, -20, 100, -100, 500, 29_999, -29_998] {
            assert_eq!(under(&[score]), Some(score));
        }
        assert_eq!(under(&[200, -300]), Some(200));
        assert_eq!(under(&[-100, -200]), Some(-100));
        assert_eq!(under(&[0, -300]), Some(0));
        assert_eq!(under(&[29_990, 29_990]), Some(29_990));
    }

    #[test]
    fn a_mate_is_one_ply_longer_for_the_parent() {
        assert_eq!(score_of(-FINAL), 29_999);
        assert_eq!(score_of(29_999), -29_998);
        assert_eq!(score_of(-10_001), 10_000);
        for plain in [0, 1, -1, 9_999, -10_000, 10_000] {
            assert_eq!(score_of(plain), -plain);
        }
    }

    #[test]
    fn thresholds_are_those_of_the_public_library() {
        use Class::{Best, Good};

        for (class, best, expected) in [
            (Good, 0, -5.0),
            (Good, 20, 11.192_029),
            (Good, 60, 54.014_836),
            (Good, -30, -39.525_741),
            (Good, -40, -44.762_870),
            (Good, 23, 13.9112),
            (Good, -22, -31.0025),
            (Good, 75, 75.0),
            (Good, 200, 200.0),
            (Good, -50, -50.0),
            (Good, -51, -50.0),
            (Best, 0, -2.5),
            (Best, 1, 1.0),
            (Best, 20, 16.344_707),
            (Best, 23, 19.2024),
            (Best, -30, -34.087_872),
            (Best, -31, -31.0),
            (Best, 50, 50.0),
        ] {
            let found = class.threshold(best);
            assert!((found - expected).abs() < 1e-4, "{class:?} {best}: {found}");
        }
        let learn = [(0, -20.0), (50, 50.0), (-31, -75.0), (-500, -75.0)];
        for (best, expected) in learn {
            assert!((Class::Learn.threshold(best) - expected).abs() < 1e-9);
        }
    }

    #[test]
    fn ranks_follow_the_thresholds() {
        let ranks = |best, scores: [i32; 4]| scores.map(|score| rank(score, best));
        assert_eq!(ranks(23, [23, 20, 14, 13]), [2, 2, 1, 0]);
        assert_eq!(ranks(100, [100, 99, 0, -5]), [2, 0, 0, 0]);
        // If the best move loses badly, every move has rank 0.
        assert_eq!(ranks(-60, [-60, -60, -61, -70]), [0, 0, 0, 0]);
    }

    #[test]
    fn win_rates_follow_the_logistic_curve() {
        for (score, percent) in
            [(0, "50.00"), (23, "51.74"), (16, "51.21"), (-180, "36.69"), (1, "50.08")]
        {
            assert_eq!(format!("{:.2}", win_rate(score)), percent);
        }
    }
}
