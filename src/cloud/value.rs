//! What a position is worth to its parents, from the scores of its own moves.

use xxhash_rust::xxh64::xxh64;

use super::classes::Class;
use super::key::Key;
use crate::board::Move;

/// Scores from here on are mates.
pub const MATE: i32 = 10_000;
/// The largest score that is stored. A move with minus this mates.
pub const FINAL: i32 = 30_000;

/// The score of a move from the value that is stored for it: the view is turned to the side that plays
/// the move, and a mate is one ply further away.
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

/// What a position is worth to its side to move: a weighted mean of its good moves, so that a position
/// with several good moves is worth more than one with a single narrow path. `scores` are those of its
/// moves in any order; `None` without any.
///
/// `key` and `m` name the place where the value will be stored, the parent and the move from it: a value
/// between two whole numbers is rounded up with the probability of its fraction, decided by a hash of key, move
/// and best score; values that truncate to 2 or less are rounded to the nearest, halves away from zero.
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
    let good = (scores.iter())
        .take_while(|score| f64::from(**score) >= threshold)
        .count();
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
    let mut place = key.as_bytes().to_vec();
    place.extend_from_slice(m.to_string().as_bytes());
    place.extend_from_slice(first.to_string().as_bytes());
    let hash = xxh64(&place, 0) & (u64::MAX >> 1);
    let chance = hash as f64 / (u64::MAX >> 1) as f64;
    below as i32 + i32::from(chance < fraction)
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
        // The mirror image of the move may be rounded the other way.
        assert_eq!(under(&[-45]), Some(-41));
        assert_eq!(value_under("h2e2", &[-45]), Some(-40));
    }

    #[test]
    fn clear_scores_are_handed_up_as_they_are() {
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
    fn mates_grow_longer_on_their_way_up() {
        assert_eq!(score_of(-FINAL), 29_999);
        assert_eq!(score_of(29_999), -29_998);
        assert_eq!(score_of(-10_001), 10_000);
        for plain in [0, 1, -1, 9_999, -10_000, 10_000] {
            assert_eq!(score_of(plain), -plain);
        }
    }
}
