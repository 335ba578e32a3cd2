//! How far long work has come.

use std::io::{self, IsTerminal};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::ProgressBar;

use super::bar::bar_style;
use super::note;

/// Time between two lines where no bar can be shown.
const LINE_INTERVAL: Duration = Duration::from_secs(60);

/// A bar on a terminal, a line a minute elsewhere.
pub(in crate::cli) struct ProgressMeter {
    bar: ProgressBar,
    unit: &'static str,
    last_line: Mutex<Instant>,
}

impl ProgressMeter {
    /// A meter of things of this name, of which none is done and the number is not known.
    pub(in crate::cli) fn new(unit: &'static str) -> Self {
        let template = format!("{{bar:30}} {{pos}}/{{len}} {unit}{{msg}}, {{left}} left");
        Self {
            bar: ProgressBar::no_length().with_style(bar_style(&template)),
            unit,
            last_line: Mutex::new(Instant::now()),
        }
    }

    /// Begins to measure, with some of the things done already.
    pub(in crate::cli) fn begin(&self, total: u64, done: u64) {
        self.bar.set_length(total);
        self.bar.set_position(done);
        self.bar.reset_eta();
    }

    /// Shows how many are done, and what more there is to tell.
    pub(in crate::cli) fn show(&self, done: u64, more: &str) {
        self.bar.set_position(done);
        if io::stderr().is_terminal() {
            self.bar.set_message(more.to_owned());
            return;
        }
        let mut last = self
            .last_line
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if last.elapsed() >= LINE_INTERVAL {
            *last = Instant::now();
            let total = self.bar.length().unwrap_or(0);
            note(&format!("{done}/{total} {}{more}", self.unit));
        }
    }

    /// Leaves the bar as it stands.
    pub(in crate::cli) fn finish(&self) {
        self.bar.abandon();
    }
}
