//! The line that each thread is at, for reports.

use std::sync::{Mutex, PoisonError};

use crate::board::Move;

/// One line a thread; none at all where they are not reported.
#[derive(Debug, Default)]
pub(in crate::search) struct CurrentLines(Vec<Mutex<Vec<Move>>>);

impl CurrentLines {
    /// A place for each of so many threads.
    pub(in crate::search) fn new(threads: usize) -> Self {
        Self((0..threads).map(|_| Mutex::default()).collect())
    }

    /// Notes the line that a thread is at.
    #[inline]
    pub(super) fn update(&self, thread: usize, line: impl FnOnce() -> Vec<Move>) {
        if let Some(place) = self.0.get(thread) {
            *place.lock().unwrap_or_else(PoisonError::into_inner) = line();
        }
    }

    /// The lines of the threads that are not at the root.
    pub(super) fn all(&self) -> Vec<Vec<Move>> {
        let line =
            |place: &Mutex<Vec<Move>>| place.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let lines = self.0.iter().map(line);
        lines.filter(|line| !line.is_empty()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thread_has_a_place() {
        let lines = CurrentLines::new(2);
        let line: Vec<Move> = vec!["h2e2".parse().unwrap()];
        assert!(lines.all().is_empty());
        lines.update(1, || line.clone());
        assert_eq!(lines.all(), std::slice::from_ref(&line));
        lines.update(0, || line.clone());
        lines.update(7, || panic!("there is no such thread"));
        assert_eq!(lines.all(), [line.clone(), line]);
        CurrentLines::default().update(0, || panic!("nothing is reported"));
    }
}
