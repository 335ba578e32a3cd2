//! Good and best moves: how far from the best score a move may be.

/// A choice among the known moves of a position, by the score of the best one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Moves that may be played: close to the best one, the closer the better the position.
    Good,
    /// Moves that are as good as the best one.
    Best,
    /// Moves that are worth a look when games are played to learn from.
    Learn,
}

impl Class {
    /// The least score in the class where the best move scores `best`.
    pub fn threshold(self, best: i32) -> f64 {
        let m = f64::from(best);
        match self {
            Self::Good => good(m),
            Self::Best if !(-30..50).contains(&best) => m,
            Self::Best => {
                let threshold = m - 5.0 / (1.0 + (-m.abs() / 20.0).exp());
                if best > 0 {
                    threshold.max(1.0)
                } else {
                    threshold
                }
            }
            Self::Learn if best >= 50 => m,
            Self::Learn if best >= -30 => m - 40.0 / (1.0 + (-m.abs() / 10.0).exp()),
            Self::Learn => -75.0,
        }
    }

    /// Whether a score is in the class where the best move scores `best`.
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
        match m > 50.0 {
            true => threshold + (m - 50.0) / 25.0 * (m - threshold),
            false => threshold,
        }
    } else if m > -50.0 {
        -50.0 + (m + 50.0) / 20.0 * (near(-30.0) + 50.0)
    } else {
        -50.0
    }
}

/// The rank of a move: 2 for the best ones, 1 for good ones, 0 for all others.
pub fn rank(score: i32, best: i32) -> u8 {
    match Class::Good.contains(score, best) {
        true => 1 + u8::from(Class::Best.contains(score, best)),
        false => 0,
    }
}

/// The share of won games that a score stands for, in per cent.
pub fn win_rate(score: i32) -> f64 {
    100.0 / (1.0 + (-f64::from(score) / 330.0).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_those_of_the_public_library() {
        let good = [
            (0, -5.0),
            (20, 11.192_029),
            (60, 54.014_836),
            (-30, -39.525_741),
            (-40, -44.762_870),
            (23, 13.9112),
            (-22, -31.0025),
            (75, 75.0),
            (200, 200.0),
            (-50, -50.0),
            (-51, -50.0),
        ];
        for (best, expected) in good {
            let found = Class::Good.threshold(best);
            assert!((found - expected).abs() < 1e-4, "{best}: {found}");
        }
        let best = [
            (0, -2.5),
            (1, 1.0),
            (20, 16.344_707),
            (23, 19.2024),
            (-30, -34.087_872),
            (-31, -31.0),
            (50, 50.0),
        ];
        for (best, expected) in best {
            let found = Class::Best.threshold(best);
            assert!((found - expected).abs() < 1e-4, "{best}: {found}");
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
        // Where the best move loses a lot no move has a rank.
        assert_eq!(ranks(-60, [-60, -60, -61, -70]), [0, 0, 0, 0]);
    }

    #[test]
    fn win_rates_are_written_with_two_decimals() {
        for (score, text) in [
            (0, "50.00"),
            (23, "51.74"),
            (16, "51.21"),
            (-180, "36.69"),
            (1, "50.08"),
        ] {
            assert_eq!(format!("{:.2}", win_rate(score)), text);
        }
    }
}
