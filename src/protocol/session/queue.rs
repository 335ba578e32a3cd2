//! Commands that wait for the end of a search.
//!
//! In batch mode every command for an idle engine waits, so that a file piped in runs whole; while a
//! search that ends by itself is under way the session does not even read, and the lines wait in the
//! pipe. Without batch mode only the commands behind a `stop` wait, until the search that was stopped
//! has answered, however long that takes.
//!
//! When `quit` is queued, when the input ends or when too much is queued, no `stop` can arrive any
//! more for the search under way. An endless one is then stopped, and the queued commands run.

use std::collections::VecDeque;
use std::io::Write;

use super::Session;
use crate::protocol::command::Command;

/// Most bytes of queued lines.
const MAX_QUEUED: usize = 16 << 20;

/// The queued commands, oldest first.
#[derive(Debug, Default)]
pub(super) struct CommandQueue {
    commands: VecDeque<(Command, usize)>,
    bytes: usize,
    /// Whether `quit` is among them.
    has_quit: bool,
}

impl CommandQueue {
    /// Adds a command that came in a line of so many bytes.
    fn push(&mut self, command: Command, bytes: usize) {
        self.has_quit |= command == Command::Quit;
        self.bytes = self.bytes.saturating_add(bytes);
        self.commands.push_back((command, bytes));
    }

    fn pop(&mut self) -> Option<Command> {
        let (command, bytes) = self.commands.pop_front()?;
        self.bytes = self.bytes.saturating_sub(bytes);
        Some(command)
    }

    fn front(&self) -> Option<&Command> {
        self.commands.front().map(|(command, _)| command)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// Whether the limit of bytes is reached.
    pub(super) fn is_full(&self) -> bool {
        self.bytes >= MAX_QUEUED
    }
}

/// Whether a command is for an idle engine.
fn needs_idle(command: &Command) -> bool {
    !matches!(
        command,
        Command::IsReady
            | Command::Debug(_)
            | Command::PonderHit { .. }
            | Command::Stop
            | Command::Probe(_)
            | Command::Hint(_)
            | Command::Print(_)
            | Command::PrintError(_)
            | Command::Register
            | Command::Quit
            | Command::Unknown(_)
    )
}

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
