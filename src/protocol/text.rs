//! Parsing and formatting small pieces of protocol text.

use std::time::Duration;

use crate::search::Score;
use crate::text::LONGEST_TIME;

/// The part of a client's text that a message quotes, in characters.
const EXCERPT: usize = 80;
/// The longest message, in characters: clients read lines into buffers.
const MESSAGE: usize = 2000;

/// The unit of the times in a `go` line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    Milliseconds,
    /// The unit of UCCI before `usemillisec`.
    Seconds,
}

/// The beginning of a client's text, for messages.
pub fn excerpt(text: &str) -> String {
    shorten(text, EXCERPT)
}

/// A message as one printable line of bounded length.
pub fn one_line(text: &str) -> String {
    shorten(text, MESSAGE)
}

fn shorten(text: &str, limit: usize) -> String {
    let mut characters = text
        .trim()
        .chars()
        .map(|c| if c.is_control() { '?' } else { c });
    let mut short: String = characters.by_ref().take(limit).collect();
    if characters.next().is_some() {
        short.push('…');
    }
    short
}

/// An evaluation in centipawns, with a minor piece worth four pawns.
pub fn centipawns(score: Score) -> i32 {
    score.units() * 400 / Score::MINOR_PIECE
}

/// Parses an integer with an optional sign. Negative numbers become zero, too large ones the maximum.
pub fn number(text: &str) -> Option<u64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some(if negative {
        0
    } else {
        digits.parse().unwrap_or(u64::MAX)
    })
}

/// Parses the time of a clock, with an optional fraction. Unlike a time on the command line it is clamped to zero
/// and [`LONGEST_TIME`].
pub fn clock_time(text: &str, unit: TimeUnit) -> Option<Duration> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let count = number(whole)?;
    if !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let time = match unit {
        _ if whole.starts_with('-') => Duration::ZERO,
        TimeUnit::Milliseconds => Duration::from_millis(count),
        TimeUnit::Seconds => {
            Duration::from_secs(count).saturating_add(Duration::from_millis(thousandths(fraction)))
        }
    };
    Some(time.min(LONGEST_TIME))
}

/// The first three decimal places.
fn thousandths(fraction: &str) -> u64 {
    fraction
        .bytes()
        .chain(*b"000")
        .take(3)
        .fold(0, |sum, digit| {
            10 * sum + u64::from(digit.saturating_sub(b'0'))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_saturate() {
        assert_eq!(number("12"), Some(12));
        assert_eq!(number("+12"), Some(12));
        assert_eq!(number("-12"), Some(0));
        assert_eq!(number(&"9".repeat(500)), Some(u64::MAX));
        assert_eq!(number(&format!("-{}", "9".repeat(500))), Some(0));
        for bad in ["", "-", "+", "--1", "1e3", "0x10", "1.5", "١٢", "12 "] {
            assert_eq!(number(bad), None, "{bad}");
        }
    }

    #[test]
    fn times_are_parsed_and_clamped() {
        use TimeUnit::{Milliseconds, Seconds};
        assert_eq!(
            clock_time("1500", Milliseconds),
            Some(Duration::from_millis(1500))
        );
        assert_eq!(
            clock_time("1500.9", Milliseconds),
            Some(Duration::from_millis(1500))
        );
        assert_eq!(clock_time("90", Seconds), Some(Duration::from_secs(90)));
        assert_eq!(
            clock_time("1.25", Seconds),
            Some(Duration::from_millis(1250))
        );
        assert_eq!(clock_time("1.", Seconds), Some(Duration::from_secs(1)));
        assert_eq!(clock_time("-1.5", Seconds), Some(Duration::ZERO));
        assert_eq!(clock_time(&"9".repeat(99), Seconds), Some(LONGEST_TIME));
        for bad in ["", ".", "a", "1.x", "1.2.3", "inf", "nan"] {
            assert_eq!(clock_time(bad, Seconds), None, "{bad}");
        }
    }

    #[test]
    fn quoted_text_is_one_short_line() {
        assert_eq!(excerpt(" a\tb\u{7}c\r\n"), "a?b?c");
        assert_eq!(excerpt(&"將".repeat(81)), "將".repeat(80) + "…");
        assert_eq!(one_line(&"x".repeat(3000)).chars().count(), MESSAGE + 1);
    }
}
