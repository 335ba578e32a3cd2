//! When a search was last polled, and when it is next.

use std::time::Instant;

/// When a search was last polled and what it has reported.
#[derive(Debug)]
pub(super) struct PollSchedule {
    /// Nodes that [`SharedState::nodes`](super::shared::SharedState::nodes) holds.
    pub(super) counted_nodes: u64,
    /// The node count of the next poll.
    pub(super) next: u64,
    /// The end of the last rest.
    pub(super) busy_since: Instant,
    /// Seconds at the last report of progress.
    pub(super) reported_seconds: u64,
}

impl PollSchedule {
    pub(super) fn new() -> Self {
        Self {
            counted_nodes: 0,
            next: 0,
            busy_since: Instant::now(),
            reported_seconds: 0,
        }
    }

    /// Has the next node poll, when there are so many.
    pub(super) fn hurry(&mut self, nodes: u64) {
        self.next = self.next.min(nodes);
    }
}
