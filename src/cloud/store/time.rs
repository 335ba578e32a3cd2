//! The time of day, as it is stored.

use std::time::{SystemTime, UNIX_EPOCH};

/// Seconds since 1970.
pub(super) fn now() -> i64 {
    milliseconds() / 1000
}

/// Milliseconds since 1970.
pub(super) fn milliseconds() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |time| {
        i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
    })
}

/// Minutes since 1970.
pub(super) fn minutes() -> u32 {
    u32::try_from(now() / 60).unwrap_or(u32::MAX)
}
