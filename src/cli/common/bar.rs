//! The looks of the bars that show how far work has come.

use std::fmt::Write;
use std::time::Duration;

use indicatif::{HumanDuration, ProgressState, ProgressStyle};

/// The style of a template, which has `{left}` for the time that is left.
pub(in crate::cli) fn bar_style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template);
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    style.with_key("left", |state: &ProgressState, out: &mut dyn Write| {
        let is_done = state.len().is_some_and(|total| state.pos() >= total);
        // A bar is painted again where this fails.
        let _ = out.write_str(&time_left(state.eta(), is_done));
    })
}

/// The time that is left; before anything is done, which an estimate of 0 means, it is not known.
fn time_left(estimate: Duration, is_done: bool) -> String {
    match estimate.is_zero() && !is_done {
        true => "?".to_owned(),
        false => format!("{:#}", HumanDuration(estimate)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_not_known_before_something_is_done() {
        assert_eq!(time_left(Duration::ZERO, false), "?");
        assert_eq!(time_left(Duration::ZERO, true), "0s");
        assert_eq!(time_left(Duration::from_secs(30), false), "30s");
    }
}
