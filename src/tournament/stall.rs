//! Detects periods in which this process did not run because it was stopped or the machine was overloaded.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{RecvTimeoutError, Sender, bounded};
use parking_lot::Mutex;

/// Interval between ticks.
const TICK: Duration = Duration::from_millis(10);
/// A longer time between two ticks is a stall.
const LATE: Duration = Duration::from_millis(30);
/// Maximum number of stalls that are kept, many more than occur during a move.
const MAX_STALLS: usize = 4096;

#[derive(Debug)]
struct TickRecord {
    /// Time of the last tick.
    last: Instant,
    /// Start and end of each stall, in order of time.
    stalls: VecDeque<(Instant, Instant)>,
}

impl TickRecord {
    /// The stall in progress, if the next tick is overdue.
    fn current(&self, now: Instant) -> Option<(Instant, Instant)> {
        (now.saturating_duration_since(self.last) > LATE).then(|| (self.last + TICK, now))
    }

    fn tick(&mut self, now: Instant) {
        if let Some(stall) = self.current(now) {
            if self.stalls.len() == MAX_STALLS {
                self.stalls.pop_front();
            }
            self.stalls.push_back(stall);
        }
        self.last = now;
    }
}

/// A thread that wakes up at every tick and records when it was late.
#[derive(Clone, Debug)]
pub struct StallWatch {
    record: Arc<Mutex<TickRecord>>,
    /// The thread ends when all clones of this are dropped.
    _running: Sender<()>,
}

impl StallWatch {
    pub fn start() -> io::Result<Self> {
        let record =
            Arc::new(Mutex::new(TickRecord { last: Instant::now(), stalls: VecDeque::new() }));
        let (running, ended) = bounded::<()>(0);
        let ticking = Arc::clone(&record);
        thread::Builder::new().name("stall watch".to_owned()).spawn(move || {
            while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                ticking.lock().tick(Instant::now());
            }
        })?;
        Ok(Self { record, _running: running })
    }

    /// Total length of the stalls between two times.
    pub fn between(&self, from: Instant, to: Instant) -> Duration {
        let record = self.record.lock();
        let current = record.current(Instant::now());
        stalled(record.stalls.iter().chain(&current), from, to)
    }

    /// If there were stalls since `from`, and the rest of the time since then is at most `allowed`, returns a
    /// description of the stalls.
    pub fn excuse(&self, from: Instant, allowed: Duration) -> Option<String> {
        let now = Instant::now();
        excuse(self.between(from, now), now - from, allowed)
    }
}

fn excuse(stalled: Duration, waited: Duration, allowed: Duration) -> Option<String> {
    let is_excused = !stalled.is_zero() && waited.saturating_sub(stalled) <= allowed;
    is_excused.then(|| stall_text(stalled, waited))
}

pub fn stall_text(stalled: Duration, waited: Duration) -> String {
    format!("the machine stalled for {} of {} ms", stalled.as_millis(), waited.as_millis())
}

fn stalled<'a>(
    stalls: impl Iterator<Item = &'a (Instant, Instant)>,
    from: Instant,
    to: Instant,
) -> Duration {
    stalls.map(|(begin, end)| (*end).min(to).saturating_duration_since((*begin).max(from))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_ticks_are_stalls() {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let mut record = TickRecord { last: start, stalls: VecDeque::new() };
        for ms in [10, 22, 500, 510] {
            record.tick(at(ms));
        }
        assert_eq!(record.stalls, [(at(32), at(500))]);
        assert_eq!(record.current(at(530)), None);
        assert_eq!(record.current(at(600)), Some((at(520), at(600))));
    }

    #[test]
    fn engines_are_excused_only_by_stalls() {
        let ms = Duration::from_millis;
        for (stalled, waited, allowed, is_excused) in
            [(0, 1000, 60_000, false), (300, 1200, 1000, true), (100, 1200, 1000, false)]
        {
            let text = excuse(ms(stalled), ms(waited), ms(allowed));
            assert_eq!(text.is_some(), is_excused, "{stalled} {waited} {allowed}");
        }
    }

    #[test]
    fn only_stalls_within_the_interval_count() {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let stalls = [(at(10), at(60)), (at(100), at(300)), (at(900), at(1000))];
        for (from, to, expected) in
            [(0, 1000, 350), (0, 5, 0), (20, 50, 30), (50, 150, 60), (300, 900, 0), (950, 2000, 50)]
        {
            let sum = stalled(stalls.iter(), at(from), at(to));
            assert_eq!(sum, Duration::from_millis(expected), "{from} {to}");
        }
    }
}
