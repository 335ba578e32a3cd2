//! Commands that wait for the end of a search.
//!
//! In batch mode every command for an idle engine waits, so that a file piped in runs whole; while a
//! search that ends by itself is under way the session does not even read, and the lines wait in the
//! pipe. Without batch mode only the commands behind a `stop` wait, until the search that was stopped
//! has answered, however long that takes.
//!
//! When `quit` is queued, when the input ends or when too much is queued, no `stop` can arrive any
//! more for the search under way. An endless one is then stopped, and the queued commands run.

use std::io::Write;

use super::Session;
use super::queue::needs_idle;
use crate::protocol::command::Command;

impl<W: Write> Session<W> {
    /// Whether the session reads no input until the search under way is over.
    pub(super) fn input_waits(&self) -> bool {
        self.preferences.batch && self.ends_by_itself() || self.queue.is_full()
    }

    /// Whether a command must be queued.
    pub(super) fn must_wait(&self, command: &Command) -> bool {
        let Some(search) = &self.search else {
            return false;
        };
        if search.is_stopping() {
            // A `stop` or `ponderhit` behind a queued `go` is for that one.
            let is_for_queued = matches!(command, Command::Stop | Command::PonderHit { .. });
            return needs_idle(command) || is_for_queued && !self.queue.is_empty();
        }
        self.waits_in_batch(command)
    }

    fn waits_in_batch(&self, command: &Command) -> bool {
        self.preferences.batch && (needs_idle(command) || *command == Command::Quit)
    }

    /// Queues a command that came in a line of so many bytes.
    pub(super) fn enqueue(&mut self, command: Command, bytes: usize) {
        self.queue.push(command, bytes);
        self.stop_if_nothing_else_will();
    }

    /// The oldest queued command, if it can run now.
    pub(super) fn next_queued(&mut self) -> Option<Command> {
        let front = self.queue.front()?;
        let waits = self
            .search
            .as_ref()
            .is_some_and(|search| search.is_stopping() || self.waits_in_batch(front));
        if waits { None } else { self.queue.pop() }
    }

    /// Stops an endless search that no command can stop any more.
    pub(super) fn stop_if_nothing_else_will(&mut self) {
        let is_last = self.ended || self.queue.has_quit || self.queue.is_full();
        if is_last && !self.ends_by_itself() {
            self.stop();
        }
    }
}
