//! The handcrafted evaluation: every term a feature with a tuned weight.
//!
//! Terms are announced to a [`Terms`], which adds their weights up (playing) or lists them (tuning).

mod attack_map;
mod king;
mod material;
mod pawns;
mod pieces;
mod threats;

pub use attack_map::AttackMap;
pub use material::{MaterialTable, MaterialValue, defenders, pairs};

use super::tapered::Tapered;
use super::weights::WEIGHTS;
use crate::board::{Color, Position};

/// Who is told of the terms that one side has on the board.
pub trait Terms {
    /// The side has the term with this index `count` times.
    fn add(&mut self, feature: usize, count: i32);
}

/// The sum of the weights.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sum(pub Tapered);

impl Terms for Sum {
    #[inline]
    fn add(&mut self, feature: usize, count: i32) {
        self.0 += WEIGHTS[feature] * count;
    }
}

/// The terms of grade `medium` of one side, material aside.
#[inline]
pub fn positional(position: &Position, us: Color, map: &AttackMap, terms: &mut impl Terms) {
    pieces::mobility(position, us, map, terms);
    pawns::structure(position, us, terms);
}

/// The terms that grade `large` adds, material aside.
#[inline]
pub fn tactical(position: &Position, us: Color, map: &AttackMap, terms: &mut impl Terms) {
    pieces::placement(position, us, terms);
    king::danger(position, us, map, terms);
    threats::threats(position, us, map, terms);
}
