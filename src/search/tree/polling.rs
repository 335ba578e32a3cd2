//! What a search does now and then: count nodes, report progress, rest, look whether it must end.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::search::Search;
use crate::board::Move;
use crate::search::event::{Event, Report};
use crate::search::request::Degree;

/// Nodes between two polls.
const POLL_INTERVAL: u64 = 1024;
/// Work between two rests, for the option `idle`.
const SHORTEST_WORK: Duration = Duration::from_millis(2);
/// The longest rest; a `stop` waits no longer than this.
const LONGEST_REST: Duration = Duration::from_millis(15);

impl Search<'_> {
    /// Looks now and then whether the search must end.
    #[inline]
    pub(super) fn poll(&mut self) {
        if self.nodes >= self.polling.next {
            self.poll_now();
        }
    }

    #[cold]
    fn poll_now(&mut self) {
        let total = self.count_nodes();
        self.polling.next = self.nodes + POLL_INTERVAL;
        self.rest();
        self.shared
            .current_lines
            .update(self.id, || self.line_here());
        self.report_progress(total);
        let shared = self.shared;
        let control = &shared.control;
        let out_of_nodes = shared.limits.nodes.is_some_and(|limit| {
            // The last stretch before the limit is walked in single steps.
            let left = limit.saturating_sub(total).max(1);
            self.polling.next = self.nodes + POLL_INTERVAL.min(left);
            total >= limit
        });
        self.must_end = control.is_stopped()
            || shared.finished.load(Ordering::Relaxed)
            || self.is_overtaken()
            || out_of_nodes && !control.is_pondering()
            || self.is_past_hard_limit();
        // One ply is always looked at, so that even in no time the answer is not the first move at
        // hand.
        self.stopped |= self.must_end && self.root_depth > 1;
    }

    /// Whether the move would be late if the search went on.
    pub(super) fn is_past_hard_limit(&self) -> bool {
        let control = &self.shared.control;
        let time = self.shared.time.as_ref();
        !control.is_pondering()
            && time.is_some_and(|t| control.clock_elapsed() >= t.hard_after(control.pondered()))
    }

    /// Adds the last nodes to those of all threads; returns the sum.
    pub(super) fn count_nodes(&mut self) -> u64 {
        let fresh = self.uncounted_nodes();
        self.polling.counted_nodes = self.nodes;
        let hits = std::mem::take(&mut self.table_hits);
        self.shared.table_hits.fetch_add(hits, Ordering::Relaxed);
        self.shared.nodes.fetch_add(fresh, Ordering::Relaxed) + fresh
    }

    /// The moves from the root to the node that is searched, up to the first null move.
    fn line_here(&self) -> Vec<Move> {
        let path = self.path.iter().skip(self.shared.game.plies().len());
        let moves = path.map(|ply| ply.played);
        moves.take_while(|m| m.is_some()).collect()
    }

    fn uncounted_nodes(&self) -> u64 {
        self.nodes - self.polling.counted_nodes
    }

    /// Nodes of all threads, as far as they are known.
    pub(super) fn total_nodes(&self) -> u64 {
        self.shared.nodes.load(Ordering::Relaxed) + self.uncounted_nodes()
    }

    /// Whether this thread reports and someone reads the reports.
    pub(super) fn reports(&self) -> bool {
        self.id == 0 && self.shared.events.is_some()
    }

    /// Sends a report if this thread reports.
    pub(super) fn send_report(&self, report: Report) {
        if let Some(events) = self.shared.events.as_ref().filter(|_| self.id == 0) {
            // The receiver may be gone while the process ends.
            let _ = events.send(Event::Report(report));
        }
    }

    /// Reports once a second how far the search is.
    fn report_progress(&mut self, nodes: u64) {
        if !self.reports() {
            return;
        }
        let time = self.shared.control.elapsed();
        if time.as_secs() > self.polling.reported_seconds {
            self.polling.reported_seconds = time.as_secs();
            self.send_report(Report::Progress { nodes, time });
            let lines = self.shared.current_lines.all();
            if !lines.is_empty() {
                self.send_report(Report::CurrentLines(lines));
            }
        }
    }

    /// Leaves the processor to others for the share that the option `idle` names.
    fn rest(&mut self) {
        let rest_per_work = match self.shared.settings.idle {
            Degree::None => return,
            Degree::Small => 1.0 / 3.0,
            Degree::Medium => 1.0,
            Degree::Large => 3.0,
        };
        let worked = self.polling.busy_since.elapsed();
        if worked >= SHORTEST_WORK {
            let rest = worked.mul_f64(rest_per_work).min(LONGEST_REST);
            let control = &self.shared.control;
            let left = self.shared.time.map_or(rest, |time| {
                time.hard_after(control.pondered())
                    .saturating_sub(control.clock_elapsed())
            });
            std::thread::sleep(rest.min(left));
            self.polling.busy_since = Instant::now();
        }
    }
}
