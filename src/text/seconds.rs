//! Times as text.

use std::time::Duration;

/// The longest time that is read: thirty years, which sums of some do not overflow.
pub const LONGEST_TIME: Duration = Duration::from_secs(1_000_000_000);

/// Why a text is no time in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SecondsError {
    /// The text is no number.
    #[error("not a number")]
    NoNumber,
    /// The number is below zero, beyond [`LONGEST_TIME`], or zero where something is to be waited for.
    #[error("not a time to wait")]
    OutOfRange,
}

/// Reads a number of seconds, 0 to [`LONGEST_TIME`], with decimals.
///
/// # Errors
/// See [`SecondsError`].
pub fn read_seconds(text: &str) -> Result<Duration, SecondsError> {
    let seconds: f64 = text.parse().map_err(|_| SecondsError::NoNumber)?;
    let is_fit = (0.0..=LONGEST_TIME.as_secs_f64()).contains(&seconds);
    match is_fit {
        true => Ok(Duration::from_secs_f64(seconds)),
        false => Err(SecondsError::OutOfRange),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_that_a_clock_can_hold_are_times() {
        assert_eq!(read_seconds("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(read_seconds("0"), Ok(Duration::ZERO));
        assert_eq!(read_seconds("1e9"), Ok(LONGEST_TIME));
        for text in ["", "x", "1:30"] {
            assert_eq!(read_seconds(text), Err(SecondsError::NoNumber), "{text}");
        }
        for text in ["-1", "NaN", "inf", "1e99"] {
            assert_eq!(read_seconds(text), Err(SecondsError::OutOfRange), "{text}");
        }
    }
}
