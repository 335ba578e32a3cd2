//! The numbers of the search: one table of [`values`], and the [`formulas`] that they are used in.

pub mod formulas;
mod pruning;
pub mod values;

pub use pruning::Pruning;
