//! The log: off unless a file is named.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use env_logger::{Builder, Target};
use log::LevelFilter;

/// Appends the log to `file` from now on. `RUST_LOG` may choose what goes in; by default everything
/// down to debug messages does.
///
/// # Errors
/// The file cannot be written.
pub(super) fn start(file: &Path) -> io::Result<()> {
    let file = File::options().append(true).create(true).open(file)?;
    Builder::new()
        .filter_level(LevelFilter::Debug)
        .parse_default_env()
        .target(Target::Pipe(Box::new(file)))
        .format(|out, record| {
            let now = SystemTime::now().duration_since(UNIX_EPOCH);
            let now = timestamp(now.map_or(0, |since| since.as_millis()));
            let process = std::process::id();
            let (level, text) = (record.level(), record.args());
            writeln!(out, "{now} {process} {level:5} {text}")
        })
        .try_init()
        .map_err(io::Error::other)
}

/// Sends the words of a panic to the log instead of standard error, which clients mix with standard
/// output.
pub(super) fn catch_panics() {
    std::panic::set_hook(Box::new(|panic| log::error!("{panic}")));
}

/// A time since 1970 in milliseconds as `2006-01-02T15:04:05.678Z`.
fn timestamp(millis: u128) -> String {
    let (days, rest) = (millis / 86_400_000, millis % 86_400_000);
    let (hours, minutes) = (rest / 3_600_000, rest / 60_000 % 60);
    let (seconds, millis) = (rest / 1000 % 60, rest % 1000);
    let (year, month, day) = date(days);
    format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}.{millis:03}Z")
}

/// The date of a day counted from 1 January 1970 as day 0.
///
/// Years are taken to begin in March, so that a leap day is the last of its year; an era is the 400
/// years after which the calendar repeats.
fn date(days: u128) -> (u128, u128, u128) {
    const ERA: u128 = 146_097;
    const YEARS: u128 = 400;
    let days = days + 719_468;
    let (era, day) = (days / ERA, days % ERA);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    (era * YEARS + year + later, month, day)
}

#[cfg(test)]
mod tests {
    use super::timestamp;

    #[test]
    fn timestamps_are_dates() {
        assert_eq!(timestamp(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(timestamp(951_782_400_000), "2000-02-29T00:00:00.000Z");
        assert_eq!(timestamp(1_136_214_245_678), "2006-01-02T15:04:05.678Z");
        assert_eq!(timestamp(4_107_542_399_999), "2100-02-28T23:59:59.999Z");
        assert_eq!(timestamp(4_107_542_400_000), "2100-03-01T00:00:00.000Z");
    }
}
