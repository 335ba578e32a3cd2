//! How fast workers get on.

use std::collections::HashMap;
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

/// How long a worker counts after it has asked for work.
const PRESENCE: Duration = Duration::from_secs(300);
/// Workers that are told apart.
const MOST_WORKERS: usize = 1_024;

/// Who has asked for work lately, and when.
#[derive(Debug, Default)]
pub(super) struct Attendance(Mutex<HashMap<String, Instant>>);

impl Attendance {
    /// Notes that a worker asks for work.
    pub(super) fn note(&self, worker: String) {
        self.at(Instant::now(), |workers, now| {
            if workers.len() < MOST_WORKERS || workers.contains_key(&worker) {
                workers.insert(worker, now);
            }
        });
    }

    /// How many workers have asked in the last five minutes.
    pub(super) fn count(&self) -> usize {
        self.at(Instant::now(), |workers, _| workers.len())
    }

    fn at<T>(
        &self,
        now: Instant,
        look: impl FnOnce(&mut HashMap<String, Instant>, Instant) -> T,
    ) -> T {
        let mut workers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        workers.retain(|_, asked| now.saturating_duration_since(*asked) < PRESENCE);
        look(&mut workers, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_count_for_five_minutes() {
        let workers = Attendance::default();
        for worker in ["one", "two", "one"] {
            workers.note(worker.to_owned());
        }
        assert_eq!(workers.count(), 2);
        let later = |seconds| Instant::now() + Duration::from_secs(seconds);
        assert_eq!(workers.at(later(290), |workers, _| workers.len()), 2);
        assert_eq!(workers.at(later(301), |workers, _| workers.len()), 0);
        for worker in 0..2_000 {
            workers.note(worker.to_string());
        }
        assert_eq!(workers.count(), MOST_WORKERS);
    }

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
