//! Processing of game files between self-play and training: statistics, merging, conversion, new scores.

mod convert;
mod merge;
mod relabel;
mod stats;
#[cfg(test)]
mod tests;

pub use convert::{ConvertError, Converted, convert_records, convert_text};
pub use merge::{Merged, merge};
pub use relabel::{RelabelError, Relabeling, relabel};
pub use stats::Statistics;
