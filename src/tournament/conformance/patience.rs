//! How long an engine is waited for in a check.

use std::time::Duration;

/// How long an engine that is checked is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckPatience {
    /// When it starts and when it is asked whether it is ready.
    pub ready: Duration,
    /// For what it does at once, such as the answer to `stop`. A quarter of this is forgiven beyond the
    /// time for a move.
    pub at_once: Duration,
}

impl CheckPatience {
    /// What is forgiven beyond the time for a move.
    pub(super) fn margin(self) -> Duration {
        self.at_once / 4
    }
}

impl Default for CheckPatience {
    fn default() -> Self {
        Self {
            ready: Duration::from_secs(15),
            at_once: Duration::from_secs(2),
        }
    }
}
