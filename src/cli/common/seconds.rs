//! Times on the command line.

use std::time::Duration;

/// No time is longer, in seconds: thirty years, which a clock can be asked to add.
const LONGEST: f64 = 1e9;

/// Why a text is no time in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(in crate::cli) enum SecondsError {
    /// The text is no number.
    #[error("not a number")]
    NoNumber,
    /// The number is not above zero, or beyond thirty years.
    #[error("not a time to wait")]
    OutOfRange,
}

/// Reads a time in seconds.
///
/// # Errors
/// See [`SecondsError`].
pub(in crate::cli) fn parse_seconds(text: &str) -> Result<Duration, SecondsError> {
    let seconds: f64 = text.parse().map_err(|_| SecondsError::NoNumber)?;
    let time = Some(seconds).filter(|seconds| (0.0..=LONGEST).contains(seconds));
    time.map(Duration::from_secs_f64)
        .filter(|time| !time.is_zero())
        .ok_or(SecondsError::OutOfRange)
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
