//! Statistics of the workers.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkCount {
    pub scores: u64,
    /// As reported by the workers.
    pub nodes: u64,
}

#[derive(Debug, Default)]
pub struct Throughput(Mutex<Minutes>);

#[derive(Debug, Default)]
struct Minutes {
    /// Beginning of the current minute: the first call after the end of the previous one; `None` before the first call.
    started: Option<Instant>,
    current: WorkCount,
    previous: WorkCount,
}

const MINUTE: Duration = Duration::from_secs(60);

impl Throughput {
    pub fn add(&self, done: WorkCount) {
        let current = &mut self.at(Instant::now()).current;
        current.scores = current.scores.saturating_add(done.scores);
        current.nodes = current.nodes.saturating_add(done.nodes);
    }

    /// Work done in the last full minute.
    pub fn last_minute(&self) -> WorkCount {
        self.at(Instant::now()).previous
    }

    fn at(&self, now: Instant) -> MutexGuard<'_, Minutes> {
        let mut minutes = self.0.lock();
        let started = *minutes.started.get_or_insert(now);
        let passed = now.saturating_duration_since(started);
        if passed >= MINUTE {
            let current = std::mem::take(&mut minutes.current);
            // If no call came in the minute after the current one, there was no work in the last full minute.
            minutes.previous = if passed >= 2 * MINUTE { WorkCount::default() } else { current };
            minutes.started = Some(now);
        }
        minutes
    }
}

/// How long a worker counts as active after a request.
const ACTIVE_TIME: Duration = Duration::from_secs(300);
const MAX_WORKERS: usize = 1_024;

/// The time of the last request of each worker.
#[derive(Debug, Default)]
pub struct ActiveWorkers(Mutex<HashMap<String, Instant>>);

impl ActiveWorkers {
    /// Records a request of a worker, unless [`MAX_WORKERS`] other workers are active.
    pub fn record(&self, worker: String) {
        let now = Instant::now();
        let mut workers = self.at(now);
        if workers.len() < MAX_WORKERS || workers.contains_key(&worker) {
            workers.insert(worker, now);
        }
    }

    /// Number of workers with a request in the last five minutes.
    pub fn count(&self) -> usize {
        self.at(Instant::now()).len()
    }

    fn at(&self, now: Instant) -> MutexGuard<'_, HashMap<String, Instant>> {
        let mut workers = self.0.lock();
        workers.retain(|_, requested| now.saturating_duration_since(*requested) < ACTIVE_TIME);
        workers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_count_for_five_minutes() {
        let workers = ActiveWorkers::default();
        for worker in ["one", "two", "one"] {
            workers.record(worker.to_owned());
        }
        assert_eq!(workers.count(), 2);
        let later = |seconds| Instant::now() + Duration::from_secs(seconds);
        assert_eq!(workers.at(later(290)).len(), 2);
        assert_eq!(workers.at(later(301)).len(), 0);
        for worker in 0..2_000 {
            workers.record(worker.to_string());
        }
        assert_eq!(workers.count(), MAX_WORKERS);
    }

    #[test]
    fn the_last_full_minute_is_counted() {
        let throughput = Throughput::default();
        let done = |scores| WorkCount { scores, nodes: 10 * scores };
        throughput.add(done(3));
        throughput.add(done(4));
        let begin = Instant::now();
        let last_minute = |seconds| throughput.at(begin + Duration::from_secs(seconds)).previous;
        assert_eq!(last_minute(1), WorkCount::default());
        assert_eq!(last_minute(61), done(7));
        assert_eq!(last_minute(100), done(7));
        assert_eq!(last_minute(130), WorkCount::default());
        throughput.add(WorkCount { scores: u64::MAX, nodes: u64::MAX });
        assert_eq!(last_minute(500), WorkCount::default());
    }
}
