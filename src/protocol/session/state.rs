//! The state of a session: the search in progress, and the queue of commands.

use std::collections::{BTreeMap, VecDeque};
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use crossbeam_channel::Receiver;

use super::adjudication::{Adjudicator, Offers, Ruling, RulingThread};
#[cfg(feature = "cloud")]
use super::cloud::Cloud;
use super::game::CurrentGame;
use super::stage::Stage;
use crate::board::{Color, Move};
use crate::book::{BookLibrary, BookMove};
use crate::eval::nnue::Network;
use crate::eval::win_rate::WinRate;
use crate::protocol::codec::{Codec, Command, Protocol, protocol_of_handshake};
use crate::protocol::go::GoRequest;
use crate::protocol::options::Preferences;
use crate::protocol::stdio::{Input, InputReceiver, Output};
use crate::protocol::text::split_word;
use crate::search::{Event, Info, Outcome, Pool, SearchRequest};
use crate::tablebase::Tables;

pub struct Session {
    /// The search in progress. Declared before the pool, whose drop waits for the search threads.
    pub(super) search: Option<ActiveSearch>,
    pub(super) input: InputReceiver,
    pub(super) events: Receiver<Event>,
    pub(super) pool: Pool,
    pub(super) rulings: RulingThread,
    pub(super) output: Output<Box<dyn Write>>,
    pub(super) codec: Box<dyn Codec>,
    pub(super) protocol: Protocol,
    /// The protocol of the last handshake, other than XBoard and CXBoard.
    pub(super) last_handshake: Option<Protocol>,
    pub(super) preferences: Preferences,
    /// The network that evaluates positions; `None` for the embedded one.
    pub(super) network: Option<Arc<Network>>,
    pub(super) books: BookLibrary,
    /// The endgame tablebases, opened when they are first needed.
    pub(super) tables: Option<Arc<Tables>>,
    #[cfg(feature = "cloud")]
    pub(super) cloud: Option<Cloud>,
    pub(super) game: CurrentGame,
    /// The side to move at the root of the last search.
    pub(super) last_root_side: Option<Color>,
    pub(super) adjudicator: Adjudicator,
    pub(super) queue: CommandQueue,
    pub(super) input_ended: bool,
}

/// The size of the queued lines and commands, in bytes, at which the queue is full.
const MAX_QUEUED: usize = 16 << 20;

/// The commands that wait for the end of a search, oldest first.
#[derive(Debug, Default)]
pub struct CommandQueue {
    commands: VecDeque<(Command, usize)>,
    bytes: usize,
    pub has_quit: bool,
    /// The number of queued `go` and handshakes, which stop a search without limits, except in batch mode.
    pub interruptions: usize,
    /// The number of queued `stop` and `ponderhit`. If it is 0, the queue, which may be long, is not scanned for one.
    stops_and_hits: usize,
    /// Whether a queued command changes the meaning of the lines after it, which are then parsed when they run.
    pub parses_later: bool,
}

impl CommandQueue {
    /// Adds a command from a line of `bytes` bytes.
    pub fn push(&mut self, command: Command, bytes: usize) {
        let bytes = self.count(&command, bytes);
        self.commands.push_back((command, bytes));
    }

    pub fn push_front(&mut self, command: Command, bytes: usize) {
        let bytes = self.count(&command, bytes);
        self.commands.push_front((command, bytes));
    }

    /// Updates the counters for a command added from a line of `bytes` bytes. Returns its size in the queue, in bytes.
    fn count(&mut self, command: &Command, bytes: usize) -> usize {
        self.has_quit |= *command == Command::Quit;
        self.interruptions += usize::from(interrupts(command));
        self.stops_and_hits += usize::from(is_stop_or_hit(command));
        let bytes = bytes.saturating_add(size_of::<(Command, usize)>());
        self.bytes = self.bytes.saturating_add(bytes);
        bytes
    }

    pub fn pop(&mut self) -> Option<Command> {
        self.remove(0)
    }

    fn remove(&mut self, index: usize) -> Option<Command> {
        let (command, bytes) = self.commands.remove(index)?;
        self.bytes = self.bytes.saturating_sub(bytes);
        self.interruptions -= usize::from(interrupts(&command));
        self.stops_and_hits -= usize::from(is_stop_or_hit(&command));
        self.parses_later &= !self.commands.is_empty();
        Some(command)
    }

    /// Removes the oldest command if it is an unparsed line.
    pub fn pop_unparsed(&mut self) -> Option<Input> {
        let front = self.commands.front();
        front.filter(|(command, _)| matches!(command, Command::Unparsed(_)))?;
        match self.pop() {
            Some(Command::Unparsed(input)) => Some(input),
            _ => None,
        }
    }

    pub fn front(&self) -> Option<&Command> {
        self.commands.front().map(|(command, _)| command)
    }

    /// The index of the first `stop` or `ponderhit` for the search in progress: it comes before any `go`, handshake or
    /// `quit`.
    fn index_of_stop_or_hit(&self) -> Option<usize> {
        if self.stops_and_hits == 0 {
            return None;
        }
        let commands = self.commands.iter().map(|(command, _)| command);
        let mut own = commands.take_while(|c| !interrupts(c) && **c != Command::Quit);
        own.position(is_stop_or_hit)
    }

    pub fn has_stop_or_hit(&self) -> bool {
        self.index_of_stop_or_hit().is_some()
    }

    pub fn pop_stop_or_hit(&mut self) -> Option<Command> {
        let index = self.index_of_stop_or_hit()?;
        self.remove(index)
    }

    pub fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    pub fn is_full(&self) -> bool {
        self.bytes >= MAX_QUEUED
    }
}

/// Whether a command is `stop` or `ponderhit`.
pub fn is_stop_or_hit(command: &Command) -> bool {
    matches!(command, Command::Stop | Command::PonderHit { .. })
}

/// Whether a queued command stops a search without limits, except in batch mode.
fn interrupts(command: &Command) -> bool {
    match command {
        Command::Go(_) | Command::Handshake(_) => true,
        Command::Unparsed(input) => {
            let verb = split_word(input.text()).0.to_ascii_lowercase();
            // `sel` is the `go` of workers.
            matches!(verb.as_str(), "go" | "sel") || protocol_of_handshake(&verb).is_some()
        }
        _ => false,
    }
}

/// The longest wait for the answer of a stopped search before more input is read. Clients wait a second for `bye`.
pub const STOP_PATIENCE: Duration = Duration::from_millis(500);
/// The longest wait of the reports of a search for the ruling on the game. Only games of thousands of moves take longer
/// to judge.
const RULING_PATIENCE: Duration = Duration::from_millis(100);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookAnswer {
    /// The moves that may be played, highest weight first.
    pub moves: Vec<BookMove>,
    pub best: Move,
    /// The reply with the highest weight.
    pub ponder: Option<Move>,
}

impl BookAnswer {
    /// The book move as the outcome of a search without a score.
    pub fn outcome(&self) -> Outcome {
        Outcome { best: Some(self.best), ponder: self.ponder, ..Outcome::default() }
    }
}

/// The number of leaf nodes below each legal move; `None` if the count was stopped.
pub type PerftCounts = Option<Vec<(Move, u64)>>;

/// The search in progress. Dropping it stops the search.
#[derive(Debug)]
pub struct ActiveSearch {
    /// The search that `go` asked for, with the control of the running stage.
    pub request: SearchRequest,
    pub stage: Stage,
    /// Whether the search is answered when it ends, or at the ponder hit if it ends before that. Otherwise it is
    /// answered after `stop`, with the exceptions of `Session::on_search_done`.
    pub is_bounded: bool,
    /// When the `go` arrived.
    pub started: Instant,
    /// The processor time that the program had used when the `go` arrived, if known.
    pub cpu_before: Option<ProcessTime>,
    pub offers: Offers,
    /// When the session stopped the search.
    pub stopped: Option<Instant>,
    /// The last report of each line, by its number, with its win rate if that was reported.
    pub lines: BTreeMap<usize, (Info, Option<WinRate>)>,
    /// The outcome of a search that ended before it may be answered.
    pub outcome: Option<Outcome>,
    /// The book move to play after a ponder hit.
    pub book: Option<BookAnswer>,
    /// An answer from the books that replaces that of the search.
    pub book_outcome: Option<Outcome>,
    /// The answer of the cloud library, after which the search begins.
    #[cfg(feature = "cloud")]
    pub awaited_move: Option<super::cloud::AwaitedMove>,
    /// The counts of `go perft`, which runs instead of a search.
    pub awaited_perft: Option<Receiver<PerftCounts>>,
    /// A line to search first, which may arrive during the search.
    pub awaited_line: Option<Receiver<Vec<Move>>>,
    /// The ruling on the game, until it has arrived.
    pub awaited_ruling: Option<Receiver<Ruling>>,
}

impl ActiveSearch {
    pub fn new(go: &GoRequest, request: SearchRequest, stage: Stage, started: Instant) -> Self {
        Self {
            is_bounded: go.is_bounded(&request.limits),
            request,
            stage,
            started,
            cpu_before: ProcessTime::try_now().ok(),
            offers: Offers::default(),
            stopped: None,
            lines: BTreeMap::new(),
            outcome: None,
            book: None,
            book_outcome: None,
            #[cfg(feature = "cloud")]
            awaited_move: None,
            awaited_perft: None,
            awaited_line: None,
            awaited_ruling: None,
        }
    }

    /// The processor time that the program has used since the `go`, in thousandths of the elapsed time multiplied by
    /// the number of search threads, at most 1000; `None` if it is unknown.
    pub fn cpu_permille(&self, threads: usize) -> Option<u32> {
        let used = self.cpu_before?.try_elapsed().ok()?;
        let share = used.as_secs_f64() / self.started.elapsed().as_secs_f64().max(1e-3);
        Some((1000.0 * share / threads.max(1) as f64).min(1000.0) as u32)
    }

    /// The time until which the session waits for the answer of a stopped search.
    pub fn answer_due(&self) -> Option<Instant> {
        Some(self.stopped? + STOP_PATIENCE)
    }

    pub fn is_stopping(&self) -> bool {
        self.stopped.is_some()
    }

    /// The time until which reports wait for the ruling; `None` if they do not wait.
    pub fn ruling_due(&self) -> Option<Instant> {
        self.awaited_ruling.as_ref()?;
        let due = self.started + RULING_PATIENCE;
        (Instant::now() < due).then_some(due)
    }

    /// Whether the search ends without another command.
    pub fn ends_by_itself(&self) -> bool {
        let control = &self.request.control;
        control.is_stopped() || self.is_bounded && !control.is_pondering()
    }
}

impl Drop for ActiveSearch {
    fn drop(&mut self) {
        self.request.control.stop();
    }
}
