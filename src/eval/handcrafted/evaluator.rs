//! The handcrafted evaluation of a position.

use super::{
    AttackMap, MaterialTable, PieceSquareAccumulator, Tapered, TermSum, WEIGHTS, features,
    positional, tactical,
};
use crate::board::{Color, Position};
use crate::eval::{FULL_SCALE, Knowledge, scale_factor};

/// Normal weight of the tactical terms, in 64ths.
pub const NORMAL_ATTACK: i32 = 64;

/// The value of having the move.
pub static TEMPO: Tapered = WEIGHTS[features::TEMPO.start];

/// The handcrafted evaluation with its settings.
#[derive(Clone, Debug)]
pub struct Evaluator {
    knowledge: Knowledge,
    attack: i32,
    material: MaterialTable,
}

impl Default for Evaluator {
    fn default() -> Self {
        Self::new(Knowledge::Medium, NORMAL_ATTACK)
    }
}

impl Evaluator {
    /// An evaluation of this level, with the tactical terms (from level `medium`) scaled by `attack` / 64.
    pub fn new(knowledge: Knowledge, attack: i32) -> Self {
        Self {
            knowledge,
            attack,
            material: MaterialTable::default(),
        }
    }

    /// Changes the settings. The material cache is valid for all of them.
    pub fn set(&mut self, knowledge: Knowledge, attack: i32) {
        self.knowledge = knowledge;
        self.attack = attack;
    }

    /// Evaluates a position for its side to move; `accumulator` must be that of the position.
    #[inline]
    pub fn evaluate(&self, position: &Position, accumulator: &PieceSquareAccumulator) -> i32 {
        let mut value = accumulator.full;
        if self.knowledge >= Knowledge::Small {
            value += self.terms(position, accumulator);
        }
        let sign = position.side_to_move().sign();
        value += TEMPO * sign;
        let better = if value.endgame() > 0 {
            Color::Red
        } else {
            Color::Black
        };
        sign * (value.at_phase(accumulator.phase) * scale_factor(position, better) / FULL_SCALE)
    }

    #[inline]
    fn terms(&self, position: &Position, accumulator: &PieceSquareAccumulator) -> Tapered {
        let map = AttackMap::new(position);
        let material = self.material.value(position, accumulator.counts);
        let mut quiet = material.defenders;
        let mut attack = Tapered::ZERO;
        if self.knowledge >= Knowledge::Medium {
            attack = material.pairs + accumulator.around_kings();
        }
        for color in Color::ALL {
            let (mut a, mut b) = (TermSum::default(), TermSum::default());
            positional(position, color, &map, &mut a);
            if self.knowledge >= Knowledge::Medium {
                tactical(position, color, &map, &mut b);
            }
            quiet += a.0 * color.sign();
            attack += b.0 * color.sign();
        }
        if self.attack == NORMAL_ATTACK {
            return quiet + attack;
        }
        let scale = |value: i32| value * self.attack / NORMAL_ATTACK;
        quiet + Tapered::new(scale(attack.middlegame()), scale(attack.endgame()))
    }
}
