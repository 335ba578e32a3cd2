//! Times on the command line.

use std::time::Duration;

use crate::text::{SecondsError, read_seconds};

/// Reads a time above zero in seconds.
///
/// # Errors
/// See [`SecondsError`].
pub(in crate::cli) fn parse_seconds(text: &str) -> Result<Duration, SecondsError> {
    let time = read_seconds(text)?;
    (!time.is_zero())
        .then_some(time)
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
