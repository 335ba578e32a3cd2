//! In which order moves are tried, and the histories it is learned from.

mod history;
mod picker;

pub use history::{Histories, PieceTo};
pub use picker::{MovePicker, PickerMode};
