//! What a position is worth, in whole numbers, graded by how much is looked at.

pub mod features;
pub mod handcrafted;
mod psq;
mod tapered;
mod weights;

pub use psq::{MaterialKey, PieceSquareSum};
pub use tapered::{FULL_PHASE, Tapered};
pub use weights::WEIGHTS;

use crate::board::{Color, Position, named_enum};
use handcrafted::{AttackMap, MaterialTable, Sum};

named_enum! {
    /// How much the evaluation looks at, the option `knowledge`.
    pub enum Knowledge {
        /// Material, and as in every grade the advantage of having the move.
        None = "none",
        /// And where the pieces stand, tapered from middlegame to endgame.
        Small = "small",
        /// And mobility, pawns, missing defenders against the attackers left.
        Medium = "medium",
        /// Everything: king danger, open lines, cannons, threats.
        Large = "large",
    }
}

/// How much a side's attack counts, in 64ths, beside its other terms.
pub const NORMAL_ATTACK: i32 = 64;

/// The evaluation as it is set.
#[derive(Clone, Debug)]
pub struct Evaluator {
    knowledge: Knowledge,
    attack: i32,
    material: MaterialTable,
}

impl Default for Evaluator {
    fn default() -> Self {
        Self::new(Knowledge::Large, NORMAL_ATTACK)
    }
}

impl Evaluator {
    /// An evaluation that looks at `knowledge` and counts the tactical terms (grade `large`)
    /// `attack` 64ths.
    pub fn new(knowledge: Knowledge, attack: i32) -> Self {
        Self {
            knowledge,
            attack,
            material: MaterialTable::default(),
        }
    }

    /// Looks at `knowledge` and counts the tactical terms `attack` 64ths from now on. What is
    /// remembered of material holds for every setting.
    pub fn set(&mut self, knowledge: Knowledge, attack: i32) {
        self.knowledge = knowledge;
        self.attack = attack;
    }

    /// The value of a position for its side to move; `sum` are the position's sums.
    #[inline]
    pub fn evaluate(&self, position: &Position, sum: &PieceSquareSum) -> i32 {
        let mut value = match self.knowledge {
            Knowledge::None => sum.material,
            _ => sum.full,
        };
        if self.knowledge >= Knowledge::Medium {
            value += self.terms(position, sum);
        }
        let tempo = WEIGHTS[features::TEMPO.start];
        value += match position.side_to_move() {
            Color::Red => tempo,
            Color::Black => -tempo,
        };
        let value = value.at_phase(sum.phase) * drawishness(position, value) / 64;
        match position.side_to_move() {
            Color::Red => value,
            Color::Black => -value,
        }
    }

    #[inline]
    fn terms(&self, position: &Position, sum: &PieceSquareSum) -> Tapered {
        let map = AttackMap::new(position);
        let material = self.material.value(position, sum.counts);
        let mut positional = material.defenders;
        let mut tactical = Tapered::ZERO;
        if self.knowledge == Knowledge::Large {
            tactical = material.pairs + sum.around_kings();
        }
        for color in Color::ALL {
            let (mut a, mut b) = (Sum::default(), Sum::default());
            handcrafted::positional(position, color, &map, &mut a);
            if self.knowledge == Knowledge::Large {
                handcrafted::tactical(position, color, &map, &mut b);
            }
            let sign = if color == Color::Red { 1 } else { -1 };
            positional += a.0 * sign;
            tactical += b.0 * sign;
        }
        if self.attack == NORMAL_ATTACK {
            return positional + tactical;
        }
        let scale = |value: i32| value * self.attack / NORMAL_ATTACK;
        positional + Tapered::new(scale(tactical.middlegame()), scale(tactical.endgame()))
    }
}

/// What is left of an advantage, in 64ths: a side that has nothing left to attack with cannot win.
#[inline]
fn drawishness(position: &Position, value: Tapered) -> i32 {
    let better = if value.endgame() > 0 {
        Color::Red
    } else {
        Color::Black
    };
    if position.has_attackers(better) || position.has_promotion() {
        64
    } else {
        4
    }
}
