//! Samples as the tuner sees them: which terms of the evaluation a position has.

use super::plan::Tuning;
use crate::board::{Color, Position};
use crate::eval::PieceSquareAccumulator;
use crate::eval::handcrafted::features::{COUNT, MATERIAL, TEMPO, by_king, piece_square};
use crate::eval::handcrafted::{self, AttackMap, FULL_PHASE, Terms};
use crate::training::Sample;

/// A sample as the tuner sees it: which terms it has, red's less black's.
pub(super) struct FeatureRow {
    pub(super) terms: Vec<(u16, i8)>,
    pub(super) phase: f32,
    pub(super) target: f32,
}

/// A list of one side's terms.
struct List<'a> {
    counts: &'a mut [i32],
    sign: i32,
}

impl Terms for List<'_> {
    fn add(&mut self, feature: usize, count: i32) {
        self.counts[feature] += self.sign * count;
    }
}

/// The terms of a sample, and the result that the evaluation shall expect of it.
pub(super) fn row(sample: &Sample, plan: &Tuning) -> FeatureRow {
    let position = &sample.position;
    let counts = term_counts(position);
    let terms = counts
        .iter()
        .enumerate()
        .filter(|(_, count)| **count != 0)
        .map(|(index, count)| (index as u16, *count as i8))
        .collect();
    let expected = sigmoid(f64::from(sample.score) / plan.scale);
    let target = plan.result_share * sample.result + (1.0 - plan.result_share) * expected;
    let phase = PieceSquareAccumulator::new(position).phase;
    FeatureRow {
        terms,
        phase: phase as f32 / FULL_PHASE as f32,
        target: target as f32,
    }
}

/// The expected result of a score in units of the scale.
pub(super) fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// How often each term occurs in a position, red's less black's: the sum over weights is the
/// evaluation for red at full knowledge.
fn term_counts(position: &Position) -> Vec<i32> {
    let mut counts = vec![0; COUNT];
    for square in position.occupied() {
        if let Some(piece) = position.piece_on(square) {
            let sign = piece.color().sign();
            counts[MATERIAL.at(piece.kind().index())] += sign;
            counts[piece_square(piece.kind(), piece.color(), square)] += sign;
            for side in Color::ALL {
                if let Some(feature) = by_king(position.king(side), side, piece, square) {
                    counts[feature] += sign;
                }
            }
        }
    }
    let map = AttackMap::new(position);
    for color in Color::ALL {
        let sign = color.sign();
        let mut list = List {
            counts: &mut counts,
            sign,
        };
        handcrafted::defenders(position, color, &mut list);
        handcrafted::pairs(position, color, &mut list);
        handcrafted::positional(position, color, &map, &mut list);
        handcrafted::tactical(position, color, &map, &mut list);
    }
    counts[TEMPO.start] += position.side_to_move().sign();
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Evaluator;
    use crate::eval::handcrafted::{Tapered, WEIGHTS};
    use crate::training::test_positions::positions;

    #[test]
    fn weighted_counts_are_the_evaluation() {
        let evaluator = Evaluator::default();
        let mut compared = 0;
        for position in positions(150, 160) {
            // Where a side has nothing to attack with, the evaluation is scaled.
            if !Color::ALL.into_iter().all(|c| position.has_attackers(c)) {
                continue;
            }
            let mut value = Tapered::ZERO;
            for (weight, count) in WEIGHTS.iter().zip(term_counts(&position)) {
                assert!(i8::try_from(count).is_ok());
                value += *weight * count;
            }
            let sums = PieceSquareAccumulator::new(&position);
            let value = value.at_phase(sums.phase) * position.side_to_move().sign();
            let fen = crate::notation::fen::write_position(&position);
            assert_eq!(evaluator.evaluate(&position, &sums), value, "{fen}");
            compared += 1;
        }
        assert!(compared > 5000, "{compared}");
    }
}
