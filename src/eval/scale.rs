//! Scaling of advantages that cannot be converted.

use crate::board::{Color, Position};

/// The neutral scale factor.
pub(in crate::eval) const FULL_SCALE: i32 = 64;

/// The scale factor of a side that cannot win: small, but enough to prefer better positions.
const UNWINNABLE_SCALE: i32 = 4;

/// Applies the scale factor to the value of a position for its side to move.
#[inline]
pub fn scaled(position: &Position, value: i32) -> i32 {
    let side = position.side_to_move();
    let better = if value > 0 { side } else { !side };
    value * scale_factor(position, better) / FULL_SCALE
}

/// The scale factor of an advantage of `better`, in 64ths: small for a side without a piece that can cross the
/// river.
#[inline]
pub(in crate::eval) fn scale_factor(position: &Position, better: Color) -> i32 {
    if position.has_attackers(better) || position.has_promotion() {
        FULL_SCALE
    } else {
        UNWINNABLE_SCALE
    }
}
