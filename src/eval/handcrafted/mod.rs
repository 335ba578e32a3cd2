//! The handcrafted evaluation: every term a feature with a tuned weight.
//!
//! [`features`] numbers the terms, [`WEIGHTS`] holds what each is worth. Material and piece squares
//! are summed while moves are played ([`PieceSquareAccumulator`]); material terms are remembered by
//! [`MaterialTable`]; the others are found in each position and reported to a [`Terms`], which adds
//! up their weights (playing) or counts them (tuning).

mod accumulator;
mod attack_map;
mod evaluator;
pub mod features;
mod king;
mod material;
mod pawns;
mod pieces;
mod tapered;
mod terms;
mod threats;
mod weights;

pub use accumulator::{MaterialKey, PieceSquareAccumulator, phase};
pub use attack_map::AttackMap;
pub use evaluator::{Evaluator, NORMAL_ATTACK, TEMPO};
pub use material::{MaterialTable, MaterialValue, defenders, pairs};
pub use tapered::{FULL_PHASE, Tapered};
pub use terms::{Sum, Terms};
pub use weights::WEIGHTS;

use crate::board::{Color, Position};

/// The terms of grade `small` of one side, material aside.
#[inline]
pub fn positional(position: &Position, us: Color, map: &AttackMap, terms: &mut impl Terms) {
    pieces::mobility(position, us, map, terms);
    pawns::structure(position, us, terms);
}

/// The terms that grade `medium` adds, material aside.
#[inline]
pub fn tactical(position: &Position, us: Color, map: &AttackMap, terms: &mut impl Terms) {
    pieces::placement(position, us, terms);
    king::danger(position, us, map, terms);
    threats::threats(position, us, map, terms);
}
