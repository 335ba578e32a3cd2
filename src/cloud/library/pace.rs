//! How fast workers get on.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What was done in a minute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Moves that were scored.
    pub scores: u64,
    /// Nodes that were searched, as far as workers tell.
    pub nodes: u64,
}

/// What was done in this minute and in the one before.
#[derive(Debug)]
pub(super) struct Pace(Mutex<Minutes>);

#[derive(Debug)]
struct Minutes {
    begun: Instant,
    current: Done,
    before: Done,
}

const MINUTE: Duration = Duration::from_secs(60);

impl Default for Pace {
    fn default() -> Self {
        let (current, before) = (Done::default(), Done::default());
        Self(Mutex::new(Minutes {
            begun: Instant::now(),
            current,
            before,
        }))
    }
}

impl Pace {
    pub(super) fn note(&self, done: Done) {
        self.at(Instant::now(), |minutes| {
            minutes.current.scores = minutes.current.scores.saturating_add(done.scores);
            minutes.current.nodes = minutes.current.nodes.saturating_add(done.nodes);
        });
    }

    /// What was done in the last full minute.
    pub(super) fn last_minute(&self) -> Done {
        self.at(Instant::now(), |minutes| minutes.before)
    }

    fn at<T>(&self, now: Instant, look: impl FnOnce(&mut Minutes) -> T) -> T {
        let mut minutes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let passed = now.saturating_duration_since(minutes.begun);
        if passed >= MINUTE {
            let is_over = passed >= 2 * MINUTE;
            let current = std::mem::take(&mut minutes.current);
            minutes.before = if is_over { Done::default() } else { current };
            minutes.begun = now;
        }
        look(&mut minutes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_full_minute_is_told() {
        let pace = Pace::default();
        let done = |scores| Done {
            scores,
            nodes: 10 * scores,
        };
        pace.note(done(3));
        pace.note(done(4));
        let begin = Instant::now();
        let told = |seconds| {
            pace.at(begin + Duration::from_secs(seconds), |minutes| {
                minutes.before
            })
        };
        assert_eq!(told(1), Done::default());
        assert_eq!(told(61), done(7));
        assert_eq!(told(100), done(7));
        assert_eq!(told(130), Done::default());
        pace.note(Done {
            scores: u64::MAX,
            nodes: u64::MAX,
        });
        assert_eq!(told(500), Done::default());
    }
}
