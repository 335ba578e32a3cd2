//! The order in which moves are tried, and the histories that it follows.

mod history;
mod picker;
mod quiet_bonus;

pub use history::{Histories, PieceTo};
pub use picker::{MovePicker, PickerMode};
