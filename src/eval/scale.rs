//! How much of an advantage counts.

use crate::board::{Color, Position};

/// A scale factor that leaves the value as it is.
pub(in crate::eval) const FULL_SCALE: i32 = 64;

/// The scale factor of a side that cannot win: enough to prefer what is better on the board.
const UNWINNABLE_SCALE: i32 = 4;

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
pub(in crate::eval) fn scale_factor(position: &Position, better: Color) -> i32 {
    if position.has_attackers(better) || position.has_promotion() {
        FULL_SCALE
    } else {
        UNWINNABLE_SCALE
    }
}
