//! Maps whose entries expire, and the work done in the last minute.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};

/// Scored moves, and the nodes searched for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkCount {
    pub scores: u64,
    /// As reported by the clients and workers.
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

    /// Work done in the last full minute before `now`.
    pub fn last_minute(&self, now: Instant) -> WorkCount {
        self.at(now).previous
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

/// A map that forgets an entry some time after it was inserted.
#[derive(Debug)]
pub struct RecentMap<K, V> {
    entries: HashMap<K, (Instant, V)>,
    time: Duration,
    /// Maximum number of entries.
    capacity: usize,
}

impl<K: Eq + Hash, V> RecentMap<K, V> {
    pub fn new(time: Duration, capacity: usize) -> Self {
        Self { entries: HashMap::new(), time, capacity }
    }

    /// Inserts or replaces an entry. Before a new entry is inserted into a full map, expired entries are removed, and
    /// if more than half of the capacity is still in use, all entries.
    pub fn insert(&mut self, key: K, value: V) {
        if self.entries.len() >= self.capacity
            && !self.entries.contains_key(&key)
            && self.count() > self.capacity / 2
        {
            self.entries.clear();
        }
        self.entries.insert(key, (Instant::now(), value));
    }

    pub fn get(&self, key: &K) -> Option<&V> {
        let (inserted, value) = self.entries.get(key)?;
        (inserted.elapsed() < self.time).then_some(value)
    }

    pub fn remove(&mut self, key: &K) -> Option<V> {
        let (inserted, value) = self.entries.remove(key)?;
        (inserted.elapsed() < self.time).then_some(value)
    }

    /// Removes expired entries and returns the number of the others.
    pub fn count(&mut self) -> usize {
        self.entries.retain(|_, (inserted, _)| inserted.elapsed() < self.time);
        self.entries.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_forgotten_with_time_or_if_there_are_too_many() {
        let mut old = RecentMap::new(Duration::ZERO, 4);
        let mut recent = RecentMap::new(Duration::from_secs(3_600), 4);
        for (n, word) in ["one", "two", "three", "one", "four"].into_iter().enumerate() {
            old.insert(word, n);
            recent.insert(word, n);
        }
        assert_eq!((old.get(&"one"), recent.get(&"one")), (None, Some(&3)));
        assert_eq!((old.remove(&"four"), recent.remove(&"four")), (None, Some(4)));
        assert_eq!((old.count(), recent.count(), recent.get(&"four")), (0, 3, None));
        for word in ["five", "six"] {
            recent.insert(word, 0);
        }
        assert_eq!((recent.count(), recent.get(&"one")), (1, None));
    }

    #[test]
    fn the_last_full_minute_is_counted() {
        let throughput = Throughput::default();
        let done = |scores| WorkCount { scores, nodes: 10 * scores };
        throughput.add(done(3));
        throughput.add(done(4));
        let begin = Instant::now();
        let last_minute = |seconds| throughput.last_minute(begin + Duration::from_secs(seconds));
        assert_eq!(last_minute(1), WorkCount::default());
        assert_eq!(last_minute(61), done(7));
        assert_eq!(last_minute(100), done(7));
        assert_eq!(last_minute(130), WorkCount::default());
        throughput.add(WorkCount { scores: u64::MAX, nodes: u64::MAX });
        assert_eq!(last_minute(500), WorkCount::default());
    }
}
