//! Search parameters ([`values`]) and the [`formulas`] that use them.

pub mod formulas;
mod pruning;
pub mod values;

pub use pruning::Pruning;
