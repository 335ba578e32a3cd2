//! Move ordering: the staged move picker and the histories that it uses.

mod history;
mod picker;

pub use history::{Histories, PieceTo};
pub use picker::{MovePicker, PickerMode};
