//! Static evaluation, in integers: a neural network, and a handcrafted evaluation with several levels.
//!
//! Values are in *units of the evaluation*. In scores and options, 450 of them are one minor piece (knight or cannon).

pub mod handcrafted;
pub mod nnue;
pub mod win_rate;

use crate::board::{Color, Position, named_enum};
pub use handcrafted::{HandcraftedEvaluator, NORMAL_ATTACK, TEMPO, phase};

named_enum! {
    /// Level of the evaluation, the option `knowledge`.
    pub enum Knowledge {
        /// Material, combinations of pieces, piece-square values, values relative to the kings, and the advantage of
        /// having the move.
        None = "none",
        /// Also mobility and pawn structure.
        Small = "small",
        /// The whole handcrafted evaluation: also king danger, open lines, cannons and threats.
        Medium = "medium",
        /// The neural network; like [`Self::Medium`] in the promotion variant.
        Large = "large",
    }
}

/// The neutral scale factor.
const FULL_SCALE: i32 = 64;

/// The scale factor for the advantage of a side that cannot win: small, but enough to prefer better positions.
const UNWINNABLE_SCALE: i32 = 4;

/// Multiplies the value of a position, from the point of view of the side to move, by its scale factor.
#[inline]
pub fn scale_down_unwinnable(position: &Position, value: i32) -> i32 {
    let side = position.side_to_move();
    let better = if value > 0 { side } else { !side };
    value * scale_factor(position, better) / FULL_SCALE
}

/// The scale factor of an advantage of `better`, in 64ths: small for a side without a piece that can cross the
/// river, except in the promotion variant, where advisors and bishops can become pawns.
#[inline]
fn scale_factor(position: &Position, better: Color) -> i32 {
    if position.has_attackers(better) || position.has_promotion() {
        FULL_SCALE
    } else {
        UNWINNABLE_SCALE
    }
}
