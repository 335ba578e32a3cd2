//! The state of a session, and the queue of its commands.

use std::collections::VecDeque;
use std::sync::Arc;

use crossbeam_channel::Receiver;

use super::active_search::ActiveSearch;
use super::adjudication::{DrawResign, RulingThread};
#[cfg(feature = "cloud")]
use super::cloud::Cloud;
use super::game::CurrentGame;
use crate::book::BookLibrary;
use crate::eval::nnue::Network;
use crate::protocol::codec::Codec;
use crate::protocol::command::{Command, Protocol};
use crate::protocol::input::InputReceiver;
use crate::protocol::options::Preferences;
use crate::protocol::output::Output;
use crate::search::{Event, Pool};
use crate::tablebase::Tables;

/// A conversation with one client.
#[derive(Debug)]
pub struct Session<W> {
    /// The search in progress. Declared before the pool, whose drop waits for the search threads.
    pub(super) search: Option<ActiveSearch>,
    pub(super) input: InputReceiver,
    pub(super) events: Receiver<Event>,
    pub(super) pool: Pool,
    pub(super) referee: RulingThread,
    pub(super) output: Output<W>,
    pub(super) codec: Box<dyn Codec>,
    pub(super) protocol: Protocol,
    /// Whether there was a handshake; before it the session is booting.
    pub(super) greeted: bool,
    pub(super) preferences: Preferences,
    /// The network that evaluates positions; `None` for the embedded one.
    pub(super) network: Option<Arc<Network>>,
    pub(super) books: BookLibrary,
    /// The endgame tables, opened when they are first needed.
    pub(super) tables: Option<Arc<Tables>>,
    #[cfg(feature = "cloud")]
    pub(super) cloud: Option<Cloud>,
    pub(super) game: CurrentGame,
    pub(super) draw_resign: DrawResign,
    pub(super) queue: CommandQueue,
    /// Whether the input has ended.
    pub(super) ended: bool,
}

/// The largest size of queued lines and commands, in bytes.
const MAX_QUEUED: usize = 16 << 20;

/// The commands that wait for the end of a search, oldest first.
#[derive(Debug, Default)]
pub struct CommandQueue {
    commands: VecDeque<(Command, usize)>,
    bytes: usize,
    /// Whether `quit` is queued.
    pub has_quit: bool,
    /// The number of queued commands that stop a search without limits: `go` and handshakes.
    pub interruptions: usize,
}

impl CommandQueue {
    /// Adds a command from a line of `bytes` bytes.
    pub fn push(&mut self, command: Command, bytes: usize) {
        self.has_quit |= command == Command::Quit;
        self.interruptions += usize::from(interrupts(&command));
        let bytes = bytes.saturating_add(size_of::<(Command, usize)>());
        self.bytes = self.bytes.saturating_add(bytes);
        self.commands.push_back((command, bytes));
    }

    pub fn pop(&mut self) -> Option<Command> {
        let (command, bytes) = self.commands.pop_front()?;
        self.bytes = self.bytes.saturating_sub(bytes);
        self.interruptions -= usize::from(interrupts(&command));
        Some(command)
    }

    pub fn front(&self) -> Option<&Command> {
        self.commands.front().map(|(command, _)| command)
    }

    pub fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    pub fn is_full(&self) -> bool {
        self.bytes >= MAX_QUEUED
    }
}

/// Whether a queued command stops a search without limits.
fn interrupts(command: &Command) -> bool {
    matches!(command, Command::Go(_) | Command::Handshake(_))
}
