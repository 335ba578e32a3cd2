//! Times on the command line.

use std::time::Duration;

/// No time is longer, in seconds: thirty years, which a clock can be asked to add.
const LONGEST: f64 = 1e9;

/// Reads a time in seconds.
///
/// # Errors
/// It is no number, not above zero, or beyond all sense.
pub(in crate::cli) fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    let time = Some(seconds).filter(|seconds| (0.0..=LONGEST).contains(seconds));
    time.map(Duration::from_secs_f64)
        .filter(|time| !time.is_zero())
        .ok_or_else(|| "not a time to wait".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_positive_seconds() {
        assert_eq!(parse_seconds("0.5"), Ok(Duration::from_millis(500)));
        for text in ["", "x", "0", "-1", "1e-20", "NaN", "inf", "1e99"] {
            assert!(parse_seconds(text).is_err(), "{text}");
        }
    }
}
