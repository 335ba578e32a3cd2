//! Random play: each root move gets a random bonus, so that moves of nearly the same score are played alike often.
//!
//! The bonus of a move stays the same during a search. Unlike a choice among several lines this costs no time.

use crate::board::Move;
use crate::search::score::Score;

/// The bonuses of the root moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RootNoise {
    seed: u64,
    /// The largest bonus, in units of the evaluation; 0 for none.
    largest: i32,
}

impl RootNoise {
    /// New random bonuses up to `hundredths` of a minor piece.
    pub fn new(hundredths: u16) -> Self {
        Self {
            seed: rand::random(),
            largest: i32::from(hundredths) * Score::MINOR_PIECE / 100,
        }
    }

    pub fn is_none(self) -> bool {
        self.largest == 0
    }

    /// The bonus of a move, in units of the evaluation.
    fn bonus(self, played: Move) -> i32 {
        if self.is_none() {
            return 0;
        }
        // A multiplicative hash (Knuth, "The Art of Computer Programming", volume 3, section 6.4).
        let hash = (self.seed ^ u64::from(played.bits())).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let range = u64::from(self.largest.unsigned_abs()) + 1;
        (((hash >> 32) * range) >> 32) as i32
    }

    /// A score with the bonus of a move. Proven scores have none.
    pub fn add(self, played: Move, score: Score) -> Score {
        if score.is_proven() {
            score
        } else {
            Score::evaluation(score.units() + self.bonus(played))
        }
    }

    /// A score, or a bound of the window, without the bonus of a move: the inverse of [`Self::add`].
    pub fn remove(self, played: Move, score: Score) -> Score {
        if score.is_proven() {
            score
        } else {
            Score::evaluation(score.units() - self.bonus(played))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bonuses_differ_and_stay_in_range() {
        let noise = RootNoise::new(10);
        let moves: Vec<Move> = (0..9)
            .map(|rank| format!("a0b{rank}").parse().unwrap())
            .collect();
        let bonuses: Vec<i32> = moves.iter().map(|m| noise.bonus(*m)).collect();
        assert!(
            bonuses.iter().all(|bonus| (0..=45).contains(bonus)),
            "{bonuses:?}"
        );
        assert!(
            bonuses.iter().any(|bonus| *bonus != bonuses[0]),
            "{bonuses:?}"
        );
        for m in moves {
            assert_eq!(noise.bonus(m), noise.bonus(m));
            assert_eq!(RootNoise::default().bonus(m), 0);
            assert_eq!(noise.remove(m, noise.add(m, Score::ZERO)), Score::ZERO);
            let mate = Score::mate_in(3);
            assert_eq!((noise.add(m, mate), noise.remove(m, mate)), (mate, mate));
        }
    }
}
