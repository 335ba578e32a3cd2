//! The handcrafted evaluation: a sum of terms, each with a tuned weight.
//!
//! `features` numbers the terms and contains their weights. Material, piece-square and king-relative values are added
//! up in `material`, which also caches the material terms. The other terms are computed in `pieces`.

mod features;
mod material;
mod pieces;
mod tapered;

pub use material::phase;
pub use tapered::{FULL_PHASE, Tapered};

use super::{FULL_SCALE, Knowledge, scale_factor};
use crate::board::{Color, Position};
use features::{TermSum, WEIGHTS};
use material::{MaterialTable, PieceSums};
use pieces::{AttackMap, SideAttacks};

/// The normal weight of the attack terms, in 64ths.
pub const NORMAL_ATTACK: i32 = 64;

/// The value of having the move.
pub static TEMPO: Tapered = WEIGHTS[features::TEMPO.start];

/// The handcrafted evaluation with its settings.
#[derive(Clone, Debug)]
pub struct HandcraftedEvaluator {
    /// The level.
    pub knowledge: Knowledge,
    /// The weight in 64ths of the attack terms: piece pairs, king-relative values and, from level `medium`, the terms
    /// that this level adds.
    pub attack: i32,
    /// The cache of material terms, which do not depend on the level or the weight.
    material: MaterialTable,
}

impl HandcraftedEvaluator {
    /// An evaluation of this level, with this weight of the attack terms.
    pub fn new(knowledge: Knowledge, attack: i32) -> Self {
        Self { knowledge, attack, material: MaterialTable::default() }
    }

    /// The evaluation for the side to move, in units of the evaluation.
    #[inline]
    pub fn evaluate(&self, position: &Position) -> i32 {
        let sums = PieceSums::new(position);
        let mut value = sums.piece_squares + self.terms(position, &sums);
        let side = position.side_to_move();
        let sign = side.sign();
        value += TEMPO * sign;
        // With an endgame value of 0 the side that is not to move counts as better, whatever its color.
        let better = if sign * value.endgame() > 0 { side } else { !side };
        sign * (value.at_phase(phase(position)) * scale_factor(position, better) / FULL_SCALE)
    }

    #[inline]
    fn terms(&self, position: &Position, sums: &PieceSums) -> Tapered {
        // Every level needs these terms for the values of the pieces: without them a pawn would be worth more than a
        // knight in the endgame.
        let material = self.material.value(position, sums.counts);
        let mut other = material.defenders;
        let mut attack = material.pairs + sums.king_relative;
        if self.knowledge > Knowledge::None {
            let map = AttackMap::from_fn(|us| SideAttacks::new(position, us));
            for color in Color::ALL {
                let (mut other_terms, mut attack_terms) = (TermSum::default(), TermSum::default());
                pieces::mobility(position, color, &map, &mut other_terms);
                pieces::pawn_structure(position, color, &mut other_terms);
                if self.knowledge >= Knowledge::Medium {
                    pieces::placement(position, color, &mut attack_terms);
                    pieces::king_danger(position, color, &map, &mut attack_terms);
                    pieces::threats(position, color, &map, &mut attack_terms);
                }
                other += other_terms.0 * color.sign();
                attack += attack_terms.0 * color.sign();
            }
        }
        if self.attack == NORMAL_ATTACK {
            return other + attack;
        }
        let scale = |value: i32| value * self.attack / NORMAL_ATTACK;
        other + Tapered::new(scale(attack.middlegame()), scale(attack.endgame()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_knight_is_worth_more_than_270_units_at_all_levels() {
        for knowledge in [Knowledge::None, Knowledge::Small, Knowledge::Medium] {
            let value = |row: &str| {
                let fen = format!("2ba5/4k4/4b4/p7p/9/9/P7P/{row}/4A4/3K1A3 w");
                let position: Position = fen.parse().unwrap();
                HandcraftedEvaluator::new(knowledge, NORMAL_ATTACK).evaluate(&position)
            };
            let (with, without) = (value("2N6"), value("9"));
            assert!(with - without > 270, "{knowledge:?}: {with}, {without}");
        }
    }
}
