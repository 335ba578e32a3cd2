//! Chances to win, draw and lose from a score.

use crate::search::{Meaning, Score};

/// The score at which a game is won every other time, in units of the evaluation, and the slope there.
/// Fitted by maximum likelihood to 20,000 positions of self-play at 1500 nodes a move.
const HALF: f64 = 285.0;
const SLOPE: f64 = 180.0;

/// The chances to win, to draw and to lose for the side to move, in thousandths.
pub(super) fn chances(score: Score) -> [u32; 3] {
    let units = match score.meaning() {
        Meaning::Mates(_) => return [1000, 0, 0],
        Meaning::Mated(_) => return [0, 0, 1000],
        Meaning::Evaluation(_) => f64::from(score.units()),
    };
    let wins = |units: f64| (1000.0 / (1.0 + ((HALF - units) / SLOPE).exp())).round() as u32;
    let (win, loss) = (wins(units), wins(-units));
    [win, 1000 - win - loss, loss]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_a_thousand_and_mirrored() {
        for units in (-3000..=3000).step_by(7) {
            let score = Score::from_units(units);
            let [win, draw, loss] = chances(score);
            assert_eq!(win + draw + loss, 1000);
            assert_eq!(chances(-score), [loss, draw, win]);
            assert!(win <= chances(Score::from_units(units + 7))[0]);
        }
        assert_eq!(chances(Score::ZERO)[0], chances(Score::ZERO)[2]);
        assert_eq!(chances(Score::mate_in(3)), [1000, 0, 0]);
        assert_eq!(chances(Score::mated_in(4)), [0, 0, 1000]);
    }
}
