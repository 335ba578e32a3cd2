//! What is done with files of games between self-play and training: numbers about them, merging,
//! conversion, new scores.

mod convert;
mod merge;
mod relabel;
mod stats;
#[cfg(test)]
mod tests;

pub use convert::{ConvertError, Converted, convert_pgn, convert_text};
pub use merge::{Merged, merge};
pub use relabel::{RelabelError, Relabeling, relabel};
pub use stats::Statistics;
