//! Win, draw and loss probabilities from scores.
//!
//! The model is that of Stockfish and fishtest. The probability of a win with score `v` is
//! `1 / (1 + exp((a - v) / b))`. That of a loss is the probability of a win with score `-v`. The rest are draws.
//! `a`, the score that wins half of the games, and `b`, the width of the curve, are cubic polynomials in the material
//! on the board. `chuhe data win-rate` fits the coefficients to games of self-play and writes them as source text. The
//! present ones are fitted to games of generations 14 and 15 of the network (1,500 nodes a move), so they hold for
//! equal players at that speed.

mod model;

use crate::board::{PieceKind, Position};
use model::{A, B};

/// Material of the starting position, both sides together, as [`material`] counts it.
pub const FULL_MATERIAL: i32 = 86;
/// The minimum of `b`, in units of the evaluation: the polynomial is not valid outside the range of the data.
pub const MIN_SPREAD: f64 = 20.0;

/// The probabilities of the results for one side, in thousandths. Their sum is 1000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WinRate {
    /// The side wins.
    pub win: u16,
    /// The game is drawn.
    pub draw: u16,
    /// The side loses.
    pub loss: u16,
}

impl WinRate {
    /// The probabilities for the side to move, from its search score in units of the evaluation and the
    /// [`material`] on the board.
    pub fn new(score: i32, material: i32) -> Self {
        let (a, b) = (offset(&A, material), spread(&B, material));
        let score = f64::from(score);
        let chance = |score: f64| 1000.0 / (1.0 + ((a - score) / b).exp());
        let win = chance(score).round() as u16;
        let loss = (chance(-score).round() as u16).min(1000 - win);
        Self { win, draw: 1000 - win - loss, loss }
    }

    /// [`Self::new`] with the material of a position.
    pub fn of(score: i32, position: &Position) -> Self {
        Self::new(score, material(position))
    }
}

/// The score that wins half of the games with this material, in units of the evaluation; at least 0.
pub(crate) fn offset(coefficients: &[f64; 4], material: i32) -> f64 {
    cubic(coefficients, material).max(0.0)
}

/// The width of the curve with this material, in units of the evaluation.
pub(crate) fn spread(coefficients: &[f64; 4], material: i32) -> f64 {
    cubic(coefficients, material).max(MIN_SPREAD)
}

fn cubic(coefficients: &[f64; 4], material: i32) -> f64 {
    let share = f64::from(material.clamp(0, FULL_MATERIAL)) / f64::from(FULL_MATERIAL);
    let [c0, c1, c2, c3] = coefficients;
    c0 + share * (c1 + share * (c2 + share * c3))
}

/// The material of both sides: a rook counts 9, knights and cannons 4, all others but kings 1.
pub fn material(position: &Position) -> i32 {
    let value = |kind: &PieceKind| match kind {
        PieceKind::King => 0,
        PieceKind::Rook => 9,
        PieceKind::Knight | PieceKind::Cannon => 4,
        PieceKind::Advisor | PieceKind::Bishop | PieceKind::Pawn => 1,
    };
    let kinds = PieceKind::ALL.iter();
    kinds.map(|kind| value(kind) * position.kind(*kind).len() as i32).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_have_sum_1000_and_follow_the_score() {
        assert_eq!(material(&Position::startpos()), FULL_MATERIAL);
        for material in 0..=FULL_MATERIAL {
            let mut last = WinRate { win: 0, draw: 0, loss: 1000 };
            for score in (-30_000..=30_000).step_by(50) {
                let rate = WinRate::new(score, material);
                assert_eq!(rate.win + rate.draw + rate.loss, 1000);
                assert!(rate.win >= last.win && rate.loss <= last.loss, "{score} {material}");
                let other = WinRate::new(-score, material);
                assert_eq!((other.win, other.loss), (rate.loss, rate.win));
                last = rate;
            }
            assert_eq!(last.win, 1000, "a mate wins");
            assert_eq!(WinRate::new(i32::MIN, material).loss, 1000);
            let even = WinRate::new(0, material);
            assert!(even.draw > 200 && even.win == even.loss, "{material}: {even:?}");
        }
    }

    #[test]
    fn a_large_advantage_wins_most_games() {
        let full = WinRate::new(1000, FULL_MATERIAL);
        assert!(full.win > 800 && full.loss < 50, "{full:?}");
        // The same score has other probabilities with little material.
        assert_ne!(WinRate::new(300, 20), WinRate::new(300, 80));
    }
}
