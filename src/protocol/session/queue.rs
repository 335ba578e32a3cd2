//! Commands that wait for the end of a search.

use std::collections::VecDeque;

use crate::protocol::command::Command;

/// Most bytes of queued lines and commands.
const MAX_QUEUED: usize = 16 << 20;

/// The queued commands, oldest first.
#[derive(Debug, Default)]
pub(super) struct CommandQueue {
    commands: VecDeque<(Command, usize)>,
    bytes: usize,
    /// Whether `quit` is among them.
    pub(super) has_quit: bool,
}

impl CommandQueue {
    /// Adds a command that came in a line of so many bytes.
    pub(super) fn push(&mut self, command: Command, bytes: usize) {
        self.has_quit |= command == Command::Quit;
        let bytes = bytes.saturating_add(size_of::<(Command, usize)>());
        self.bytes = self.bytes.saturating_add(bytes);
        self.commands.push_back((command, bytes));
    }

    pub(super) fn pop(&mut self) -> Option<Command> {
        let (command, bytes) = self.commands.pop_front()?;
        self.bytes = self.bytes.saturating_sub(bytes);
        Some(command)
    }

    pub(super) fn front(&self) -> Option<&Command> {
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
pub(super) fn needs_idle(command: &Command) -> bool {
    !matches!(
        command,
        Command::IsReady
            | Command::Debug(_)
            | Command::PonderHit { .. }
            | Command::Stop
            | Command::Probe(_)
            | Command::ShowBook(_)
            | Command::Hint(_)
            | Command::Print(_)
            | Command::PrintError(_)
            | Command::Register
            | Command::Quit
            | Command::Unknown(_)
    )
}
