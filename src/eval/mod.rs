//! What a position is worth, in whole numbers, graded by how much is looked at.

pub mod handcrafted;
pub mod nnue;
pub mod win_rate;

pub use handcrafted::{PieceSquareAccumulator, phase};

use crate::board::{Color, Position, named_enum};
use handcrafted::{AttackMap, MaterialTable, Sum, Tapered, WEIGHTS, features};

named_enum! {
    /// How much the evaluation looks at, the option `knowledge`.
    pub enum Knowledge {
        /// Material, and as in every grade the advantage of having the move.
        None = "none",
        /// The handcrafted evaluation reduced to squares, mobility, pawns, and missing defenders against
        /// the attackers left.
        Small = "small",
        /// All of the handcrafted evaluation: king danger, open lines, cannons, threats too.
        Medium = "medium",
        /// A neural network. Where it has no input for a piece, as [`Self::Medium`].
        Large = "large",
    }
}

/// How much a side's attack counts, in 64ths, beside its other terms.
pub const NORMAL_ATTACK: i32 = 64;

/// What having the move is worth.
pub static TEMPO: Tapered = WEIGHTS[features::TEMPO.start];

/// The handcrafted evaluation as it is set.
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
    /// An evaluation that looks at `knowledge` and counts the tactical terms (from grade `medium` on)
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

    /// The value of a position for its side to move; `accumulator` holds the position's sums.
    #[inline]
    pub fn evaluate(&self, position: &Position, accumulator: &PieceSquareAccumulator) -> i32 {
        let mut value = match self.knowledge {
            Knowledge::None => accumulator.material,
            _ => accumulator.full,
        };
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
        let mut positional = material.defenders;
        let mut tactical = Tapered::ZERO;
        if self.knowledge >= Knowledge::Medium {
            tactical = material.pairs + accumulator.around_kings();
        }
        for color in Color::ALL {
            let (mut a, mut b) = (Sum::default(), Sum::default());
            handcrafted::positional(position, color, &map, &mut a);
            if self.knowledge >= Knowledge::Medium {
                handcrafted::tactical(position, color, &map, &mut b);
            }
            positional += a.0 * color.sign();
            tactical += b.0 * color.sign();
        }
        if self.attack == NORMAL_ATTACK {
            return positional + tactical;
        }
        let scale = |value: i32| value * self.attack / NORMAL_ATTACK;
        positional + Tapered::new(scale(tactical.middlegame()), scale(tactical.endgame()))
    }
}

/// A scale factor that leaves the value as it is.
const FULL_SCALE: i32 = 64;

/// The value of a position for its side to move, with the scale factor applied.
#[inline]
pub fn scaled(position: &Position, value: i32) -> i32 {
    let side = position.side_to_move();
    let better = if value > 0 { side } else { !side };
    value * scale_factor(position, better) / FULL_SCALE
}

/// The scale factor of an advantage, in 64ths: a side without a piece that can cross the river cannot
/// win, so little is left of it.
#[inline]
fn scale_factor(position: &Position, better: Color) -> i32 {
    if position.has_attackers(better) || position.has_promotion() {
        FULL_SCALE
    } else {
        4
    }
}
