//! Messages, progress bars and the log.

use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use env_logger::{Builder, Target};
use indicatif::{HumanDuration, ProgressState, ProgressStyle};
use log::LevelFilter;

use super::{Context, Failure, ignore_closed_pipe};
use crate::text::{fill, texts, translated};

/// Prints to standard output and flushes it; returns `false` when the reader has closed it.
pub fn print_if_read(text: &str) -> Result<bool, Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) => ignore_closed_pipe(error)
            .map(|()| false)
            .context("standard output"),
    }
}

/// Prints to standard output and ignores a closed one.
pub fn print(text: &str) -> Result<(), Failure> {
    print_if_read(text).map(|_| ())
}

/// Prints messages in the chosen language.
pub fn print_text(text: &str) -> Result<(), Failure> {
    print(&translated(text))
}

/// Writes a message in the chosen language as a line to standard output. Ignores all errors, where the work continues
/// in any case.
pub fn print_line(text: &str) {
    let _ = writeln!(io::stdout(), "{}", translated(text));
}

/// Writes a message in the chosen language as a line to standard error, and ignores all errors.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{}", translated(text));
}

/// A bar style from a template in English, in which `{left}` is the remaining time. The bar is in the chosen language.
pub fn bar_style(template: &str) -> ProgressStyle {
    let mut local = template.replace("{left} left", &fill(texts().time_left, &["{left}"]));
    for unit in ["positions", "openings", "games"] {
        local = local.replace(unit, &translated(unit));
    }
    let style = ProgressStyle::with_template(&local);
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    style.with_key("left", |state: &ProgressState, out: &mut dyn fmt::Write| {
        let is_done = state.len().is_some_and(|total| state.pos() >= total);
        // The bar is redrawn later in any case.
        let _ = out.write_str(&time_left(state.eta(), is_done));
    })
}

/// The remaining time. An estimate of 0 before the end means that there is no estimate yet.
fn time_left(estimate: Duration, is_done: bool) -> String {
    if estimate.is_zero() && !is_done {
        "?".to_owned()
    } else {
        format!("{:#}", HumanDuration(estimate))
    }
}

/// A progress bar on a terminal, one line a minute elsewhere.
#[cfg(feature = "training")]
pub struct ProgressMeter {
    bar: indicatif::ProgressBar,
    unit: &'static str,
    last_line: parking_lot::Mutex<std::time::Instant>,
}

#[cfg(feature = "training")]
impl ProgressMeter {
    /// Time between two lines if standard error is not a terminal.
    const LINE_INTERVAL: Duration = Duration::from_secs(60);

    /// A meter that counts `unit`s, whose total is not known yet.
    pub fn new(unit: &'static str) -> Self {
        let template = format!("{{bar:30}} {{pos}}/{{len}} {unit}{{msg}}, {{left}} left");
        Self {
            bar: indicatif::ProgressBar::no_length().with_style(bar_style(&template)),
            unit,
            last_line: parking_lot::Mutex::new(std::time::Instant::now()),
        }
    }

    /// Sets the total, and starts to measure the speed after `done` units.
    pub fn begin(&self, total: u64, done: u64) {
        self.bar.set_length(total);
        self.bar.set_position(done);
        self.bar.reset_eta();
    }

    /// Shows that `done` units are finished, followed by the text `more`.
    pub fn show(&self, done: u64, more: &str) {
        self.bar.set_position(done);
        if std::io::IsTerminal::is_terminal(&io::stderr()) {
            self.bar.set_message(more.to_owned());
            return;
        }
        let mut last = self.last_line.lock();
        if last.elapsed() >= Self::LINE_INTERVAL {
            *last = std::time::Instant::now();
            let total = self.bar.length().unwrap_or(0);
            note(&format!("{done}/{total} {}{more}", translated(self.unit)));
        }
    }

    /// Stops drawing and leaves the bar on the screen.
    pub fn finish(&self) {
        self.bar.abandon();
    }
}

/// Starts appending the log to `file`: debug messages of this crate, and the messages of other crates that
/// `RUST_LOG` selects.
pub fn start_log(file: &Path) -> io::Result<()> {
    let file = File::options().append(true).create(true).open(file)?;
    Builder::new()
        .parse_default_env()
        .filter_module("chuhe", LevelFilter::Debug)
        .target(Target::Pipe(Box::new(file)))
        .format(|out, record| {
            let now = out.timestamp_millis();
            let process = std::process::id();
            let (level, text) = (record.level(), record.args());
            writeln!(out, "{now} {process} {level:5} {text}")
        })
        .try_init()
        .map_err(io::Error::other)
}

/// Writes panic messages to the log instead of standard error, which some clients mix with standard output.
/// Must only be called after [`start_log`].
pub fn log_panics() {
    std::panic::set_hook(Box::new(|panic| log::error!("{panic}")));
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
