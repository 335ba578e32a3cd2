//! Progress bars, and the messages on standard error that are printed above them.

use std::fmt;
#[cfg(feature = "training")]
use std::io::IsTerminal;
use std::io::{self, Write};
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle, WeakProgressBar};
use parking_lot::Mutex;

use crate::text::translated;

/// Prints a line in the chosen language to standard error. Ignores all errors.
pub fn note(text: &str) {
    print_to_stderr(&translated(text));
}

/// Prints a line to standard error, above the progress bar if one is on the terminal. Ignores all errors.
pub fn print_to_stderr(line: &str) {
    let print = || {
        let _ = writeln!(io::stderr(), "{line}");
    };
    let bar = BAR.lock().as_ref().and_then(WeakProgressBar::upgrade);
    match bar.filter(|bar| !bar.is_finished()) {
        Some(bar) => bar.suspend(print),
        None => print(),
    }
}

/// The last progress bar of [`register_bar`].
static BAR: Mutex<Option<WeakProgressBar>> = Mutex::new(None);

/// Sets the style of a progress bar in the chosen language, from an English template with `{left}` for the remaining
/// time. Until the bar is finished, notes and errors are printed above it. They must not be printed within
/// [`ProgressBar::suspend`], which locks the bar.
pub fn register_bar(bar: ProgressBar, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(&translated(template));
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    let style = style.with_key("left", |state: &ProgressState, out: &mut dyn fmt::Write| {
        let is_done = state.len().is_some_and(|total| state.pos() >= total);
        // A failed write is harmless: the bar is redrawn later.
        let _ = out.write_str(&time_left(state.eta(), is_done));
    });
    let bar = bar.with_style(style);
    *BAR.lock() = Some(bar.downgrade());
    bar
}

/// The remaining time as text; `?` before the first step, when the estimate is 0.
fn time_left(estimate: Duration, is_done: bool) -> String {
    if estimate.is_zero() && !is_done {
        "?".to_owned()
    } else {
        format!("{:#}", HumanDuration(estimate))
    }
}

/// A progress bar on a terminal, at most one line per minute elsewhere.
#[cfg(feature = "training")]
pub struct ProgressMeter {
    bar: ProgressBar,
    unit: &'static str,
    last_line: Mutex<std::time::Instant>,
}

#[cfg(feature = "training")]
impl ProgressMeter {
    const LINE_INTERVAL: Duration = Duration::from_secs(60);

    /// A meter that counts `unit`s, whose total is not known yet.
    pub fn new(unit: &'static str) -> Self {
        let template = format!("{{bar:30}} {{pos}}/{{len}} {unit}{{msg}}, {{left}} left");
        Self {
            bar: register_bar(ProgressBar::no_length(), &template),
            unit,
            last_line: Mutex::new(std::time::Instant::now()),
        }
    }

    /// Sets the total, and starts to measure the speed after `done` units.
    pub fn begin(&self, total: u64, done: u64) {
        self.bar.set_length(total);
        self.bar.set_position(done);
        self.bar.reset_eta();
    }

    /// Shows the number of finished units and the English text `more`.
    pub fn show(&self, done: u64, more: &str) {
        self.bar.set_position(done);
        if io::stderr().is_terminal() {
            self.bar.set_message(translated(more).into_owned());
            return;
        }
        let mut last = self.last_line.lock();
        if last.elapsed() >= Self::LINE_INTERVAL {
            *last = std::time::Instant::now();
            let total = self.bar.length().unwrap_or(0);
            note(&format!("{done}/{total} {}{more}", self.unit));
        }
    }

    /// Stops drawing and leaves the bar on the screen.
    pub fn finish(&self) {
        self.bar.abandon();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remaining_time_is_unknown_before_the_first_step() {
        assert_eq!(time_left(Duration::ZERO, false), "?");
        assert_eq!(time_left(Duration::ZERO, true), "0s");
        assert_eq!(time_left(Duration::from_secs(30), false), "30s");
    }
}
