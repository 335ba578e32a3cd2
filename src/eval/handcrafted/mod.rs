//! The handcrafted evaluation: a sum of terms, each with a tuned weight.
//!
//! [`features`] numbers the terms and [`WEIGHTS`] holds their weights. Material and piece-square values are
//! updated while moves are played ([`PieceSquareAccumulator`]), material terms are cached by [`MaterialTable`],
//! and the others are computed for each position.

mod accumulator;
mod attack_map;
mod evaluator;
pub mod features;
mod king;
mod material;
mod pieces;
mod tapered;
mod weights;

pub use accumulator::{MaterialKey, PieceSquareAccumulator, phase};
pub use attack_map::AttackMap;
pub use evaluator::{Evaluator, NORMAL_ATTACK, TEMPO};
pub use material::{MaterialTable, MaterialValue, defenders, pairs};
pub use tapered::{FULL_PHASE, Tapered};
pub use weights::{TermSum, WEIGHTS};

use crate::board::{Color, Position};

/// The terms of level `small` of one side, without material.
#[inline]
pub fn positional(position: &Position, us: Color, map: &AttackMap, terms: &mut TermSum) {
    pieces::mobility(position, us, map, terms);
    pieces::pawn_structure(position, us, terms);
}

/// The terms that level `medium` adds, without material.
#[inline]
pub fn tactical(position: &Position, us: Color, map: &AttackMap, terms: &mut TermSum) {
    pieces::placement(position, us, terms);
    king::danger(position, us, map, terms);
    pieces::threats(position, us, map, terms);
}
