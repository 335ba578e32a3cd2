//! The engine's state machine: boot, idle, searching.
//!
//! The session waits for input, for events of the search and for the threads beside it (the ruling on the game, the
//! cloud library) at the same time. Commands that need an idle engine are refused during a search, with two
//! exceptions. In batch mode they wait, so that a file piped in runs whole; during a search that ends by itself the
//! session does not even read, and the lines wait in the pipe. After a `stop` they wait for the answer of the
//! search, however long that takes.
//!
//! After `quit` is queued, the input ends or the queue is full, no `stop` can arrive any more. A search that does
//! not end by itself is then stopped, and the queued commands run.

mod adjudication;
mod book;
#[cfg(feature = "cloud")]
mod cloud;
mod game;
mod options;
mod search;
mod suggestion;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;
use std::sync::Arc;

use crossbeam_channel::{Receiver, RecvTimeoutError, at, never, select_biased, unbounded};

use super::codec::{Codec, codec};
use super::command::{Command, PositionText, Protocol};
use super::input::{Input, InputReceiver};
use super::options::Preferences;
use super::output::Output;
use super::reply::Reply;
use super::text::excerpt;
use crate::board::Move;
use crate::book::BookLibrary;
use crate::eval::nnue::Network;
use crate::search::{Event, Pool, StartError};
use crate::tablebase::Tables;
use crate::text::without_credentials;
use adjudication::{DrawResign, Ruling, RulingThread};
use game::CurrentGame;
use search::ActiveSearch;

/// A conversation with one client.
#[derive(Debug)]
pub struct Session<W> {
    /// The search in progress. Declared before the pool, whose drop waits for the search threads.
    search: Option<ActiveSearch>,
    input: InputReceiver,
    events: Receiver<Event>,
    pool: Pool,
    referee: RulingThread,
    output: Output<W>,
    codec: Box<dyn Codec>,
    protocol: Protocol,
    /// Whether there was a handshake; before it the session is booting.
    greeted: bool,
    preferences: Preferences,
    /// The network that evaluates positions; `None` for the embedded one.
    network: Option<Arc<Network>>,
    books: BookLibrary,
    /// The endgame tables, opened when they are first needed.
    tables: Option<Arc<Tables>>,
    #[cfg(feature = "cloud")]
    cloud: Option<cloud::Cloud>,
    game: CurrentGame,
    draw_resign: DrawResign,
    queue: CommandQueue,
    /// Whether the input has ended.
    ended: bool,
}

/// The largest size of queued lines and commands, in bytes.
const MAX_QUEUED: usize = 16 << 20;

/// The commands that wait for the end of a search, oldest first.
#[derive(Debug, Default)]
struct CommandQueue {
    commands: VecDeque<(Command, usize)>,
    bytes: usize,
    /// Whether `quit` is queued.
    has_quit: bool,
}

impl CommandQueue {
    /// Adds a command from a line of `bytes` bytes.
    fn push(&mut self, command: Command, bytes: usize) {
        self.has_quit |= command == Command::Quit;
        let bytes = bytes.saturating_add(size_of::<(Command, usize)>());
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

    fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    fn is_full(&self) -> bool {
        self.bytes >= MAX_QUEUED
    }
}

/// The events that the session waits for.
enum Incoming {
    Input(Input),
    Queued(Command),
    Event(Event),
    Ruling(Ruling),
    /// A line to search first; may be empty.
    Line(Vec<Move>),
    /// The cloud library has answered, or the wait for it has ended.
    #[cfg(feature = "cloud")]
    Cloud(cloud::CloudAnswer),
    /// The search threads have ended.
    SearchLost,
}

impl<W: Write> Session<W> {
    /// A session that reads `input` and writes to `sink`.
    pub fn new(input: InputReceiver, sink: W) -> Result<Self, StartError> {
        let (sender, events) = unbounded();
        Ok(Self {
            search: None,
            input,
            events,
            // Before the pool, whose table takes the memory that the other threads leave.
            referee: RulingThread::new(),
            pool: Pool::new(sender)?,
            output: Output::new(sink),
            codec: codec(Protocol::Ucci),
            protocol: Protocol::Ucci,
            greeted: false,
            preferences: Preferences::default(),
            network: None,
            books: BookLibrary::default(),
            tables: None,
            #[cfg(feature = "cloud")]
            cloud: None,
            game: CurrentGame::new(),
            draw_resign: DrawResign::default(),
            queue: CommandQueue::default(),
            ended: false,
        })
    }

    /// Runs until `quit`, the end of the input, or the end of the output.
    pub fn run(mut self) {
        while !self.is_over() {
            let incoming = self.wait();
            if self.handle_incoming(incoming).is_break() {
                break;
            }
        }
        self.stop_and_answer();
        if self.search.is_some() {
            // The search has not stopped in time: do not wait for its threads.
            std::mem::forget(self.pool);
        }
    }

    /// Whether there is nothing left to do, or no reader left.
    fn is_over(&self) -> bool {
        let is_done = self.ended && self.search.is_none() && self.queue.is_empty();
        is_done || self.output.is_closed()
    }

    /// Waits for the next input or event that the state allows. Input goes first, so that a `stop` reaches the
    /// search that it was sent for. After a `stop` the answer goes first.
    fn wait(&mut self) -> Incoming {
        if let Some(command) = self.next_queued() {
            return Incoming::Queued(command);
        }
        let Some(search) = &self.search else {
            return Incoming::Input(self.input.recv());
        };
        if let Some(deadline) = search.answer_due() {
            match self.events.recv_deadline(deadline) {
                Ok(event) => return Incoming::Event(event),
                Err(RecvTimeoutError::Disconnected) => return Incoming::SearchLost,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        let (no_input, no_line, no_ruling, no_events) = (never(), never(), never(), never());
        let input = if self.ended || self.input_waits() {
            &no_input
        } else {
            self.input.channel()
        };
        #[cfg(feature = "cloud")]
        if let Some(awaited) = &search.awaited_move {
            return select_biased! {
                recv(input) -> input => {
                    Incoming::Input(self.input.received(input.unwrap_or(Input::End)))
                }
                recv(awaited.answers) -> answer => Incoming::Cloud(answer.unwrap_or_default()),
                recv(at(awaited.until)) -> _ => Incoming::Cloud(cloud::CloudAnswer::default()),
            };
        }
        // The ruling on the game comes before all reports of the search, unless it takes long.
        let ruling = search.awaited_ruling.as_ref().unwrap_or(&no_ruling);
        let ruling_due = search.ruling_due();
        let events = if ruling_due.is_some() {
            &no_events
        } else {
            &self.events
        };
        let too_late = ruling_due.map_or_else(never, at);
        select_biased! {
            recv(input) -> input => {
                Incoming::Input(self.input.received(input.unwrap_or(Input::End)))
            }
            recv(search.awaited_line.as_ref().unwrap_or(&no_line)) -> line => {
                Incoming::Line(line.unwrap_or_default())
            }
            recv(ruling) -> ruling => Incoming::Ruling(ruling.unwrap_or_default()),
            recv(events) -> event => event.map_or(Incoming::SearchLost, Incoming::Event),
            recv(too_late) -> _ => self.wait(),
        }
    }

    fn handle_incoming(&mut self, incoming: Incoming) -> ControlFlow<()> {
        match incoming {
            Incoming::Input(input) => return self.on_input(input),
            Incoming::Queued(command) => return self.handle(command),
            Incoming::Event(event) => self.on_event(event),
            Incoming::Ruling(ruling) => self.on_ruling(&ruling),
            Incoming::Line(line) => self.on_line(&line),
            #[cfg(feature = "cloud")]
            Incoming::Cloud(answer) => self.on_cloud(answer),
            Incoming::SearchLost => self.on_search_lost(),
        }
        ControlFlow::Continue(())
    }

    /// Parses a line and runs or queues its commands. Breaks after `quit`.
    fn on_input(&mut self, input: Input) -> ControlFlow<()> {
        let (bytes, commands) = match input {
            Input::Line(line) => {
                log::debug!("< {}", without_credentials(&line));
                (line.len(), self.codec.parse(&line, &self.preferences))
            }
            Input::Overlong(head) => {
                log::debug!("< {}…", without_credentials(&head));
                let command = Box::new(self.codec.parse_overlong(&head, &self.preferences));
                (head.len(), vec![Command::TooLong { head, command }])
            }
            Input::End => {
                self.end_input();
                return ControlFlow::Continue(());
            }
        };
        for command in commands {
            if self.must_wait(&command) {
                self.enqueue(command, bytes);
            } else {
                self.handle(command)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn handle(&mut self, command: Command) -> ControlFlow<()> {
        match command {
            Command::Quit => return self.quit(),
            Command::Unknown(line) => self.ignore_unknown(&line),
            Command::Print(text) => self.output.line(&text),
            Command::PrintError(text) => self.output.error_line(&text),
            Command::TooLong { .. } if !self.greeted => {}
            Command::TooLong { head, command } => self.refuse_overlong(&head, &command),
            _ if self.search.is_some() => self.handle_searching(command),
            Command::Handshake(protocol) => self.handshake(protocol),
            _ if self.greeted => self.handle_idle(command),
            // Before the handshake all other commands are ignored.
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn handle_idle(&mut self, command: Command) {
        match command {
            Command::IsReady => self.send(&Reply::Ready),
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Command::Debug(on) => self.preferences.debug = on,
            Command::Position(text) => {
                if let Err(error) = self.game.set(text, self.preferences.promotion) {
                    self.refuse("position", &error.to_string());
                } else if let Some(note) = self.game.irregularity_note() {
                    self.send(&Reply::Message(&note));
                }
            }
            Command::BanMoves(moves) => {
                if let Err(error) = self.game.ban(&moves) {
                    self.refuse("banmoves", &error.to_string());
                }
            }
            Command::Go(request) => self.on_go(request),
            Command::PonderHit { .. } => self.refuse("ponderhit", "no search is in progress"),
            Command::Stop => self.send(&Reply::NothingToStop),
            Command::Probe(text) => self.probe(&text),
            Command::ShowBook(text) => self.show_book(&text),
            Command::NewGame => self.new_game(),
            Command::Register => self.send(&Reply::Registered),
            Command::Handshake(_)
            | Command::Print(_)
            | Command::PrintError(_)
            | Command::Hint(_)
            | Command::Quit
            | Command::Unknown(_)
            | Command::TooLong { .. } => {}
        }
    }

    fn handle_searching(&mut self, command: Command) {
        let verb = match command {
            Command::IsReady => return self.send(&Reply::Ready),
            Command::Debug(on) => return self.preferences.debug = on,
            Command::PonderHit { draw } => return self.ponder_hit(draw),
            Command::Stop => return self.stop(),
            Command::Probe(text) => return self.probe(&text),
            Command::ShowBook(text) => return self.show_book(&text),
            Command::Register => return self.send(&Reply::Registered),
            Command::Hint(line) => return self.hint(&line),
            Command::Quit
            | Command::Print(_)
            | Command::PrintError(_)
            | Command::Unknown(_)
            | Command::TooLong { .. } => return,
            Command::Handshake(Protocol::Ucci) => "ucci",
            Command::Handshake(Protocol::Uci) => "uci",
            Command::Handshake(Protocol::XBoard) => "xboard",
            Command::Handshake(Protocol::CxBoard) => "cxboard",
            Command::Handshake(Protocol::Worker) => "isok",
            Command::SetOption { .. } => "setoption",
            Command::Position(_) => "position",
            Command::BanMoves(_) => "banmoves",
            Command::Go(_) => "go",
            Command::NewGame => "newgame",
        };
        self.refuse(verb, "not during a search");
    }

    /// Switches to a protocol and answers its handshake.
    fn handshake(&mut self, protocol: Protocol) {
        self.codec = codec(protocol);
        self.protocol = protocol;
        self.greeted = true;
        if self.preferences.books.is_none() {
            self.open_books();
        }
        for line in self.codec.handshake() {
            self.output.line(&line);
        }
    }

    /// Sends a reply in the form of the protocol.
    fn send(&mut self, reply: &Reply<'_>) {
        for line in self.codec.format(reply, &self.preferences) {
            self.output.line(&line);
        }
        for command in self.codec.follow_up() {
            self.enqueue(command, 0);
        }
    }

    /// Reports that a command is not executed.
    fn refuse(&mut self, verb: &str, reasons: &str) {
        let text = format!("{verb} refused: {reasons}");
        log::warn!("{text}");
        self.send(&Reply::Message(&text));
    }

    /// Ignores a line that the protocol does not define; reports it in debug mode, and to a person at a terminal.
    fn ignore_unknown(&mut self, line: &str) {
        if !line.is_empty() && io::stdin().is_terminal() {
            let text = excerpt(line);
            // Nothing can be done about a closed standard error.
            let _ = writeln!(
                io::stderr(),
                "Unknown command: {text}. Start with `ucci`, `uci` or `xboard`; `chuhe --help` lists other uses."
            );
        }
        if self.preferences.debug && self.greeted && !line.is_empty() {
            let text = format!("unknown line: {}", excerpt(line));
            self.send(&Reply::Message(&text));
        }
    }

    /// Refuses a line that was not read to its end. Its command is answered as if it had failed.
    fn refuse_overlong(&mut self, head: &str, command: &Command) {
        self.refuse(&excerpt(head), "the line is too long");
        let idle = self.search.is_none();
        match command {
            Command::Position(_) if idle => self.game.clear(),
            Command::Go(request) if idle => {
                self.codec.on_go(request);
                self.send(&Reply::NoBestMove);
            }
            Command::Probe(_) => self.send(&Reply::Hash(None)),
            _ => {}
        }
    }

    /// Answers with the hash table entry of a position; an invalid position has none.
    fn probe(&mut self, text: &PositionText) {
        let entry = match game::read_game(text, self.preferences.promotion) {
            Ok(game) => self.pool.probe(game.position()),
            Err(error) => {
                self.refuse("probe", &error.to_string());
                None
            }
        };
        self.send(&Reply::Hash(entry));
    }

    fn quit(&mut self) -> ControlFlow<()> {
        self.stop_and_answer();
        self.send(&Reply::Bye);
        // A search that has not stopped in time may still report: nothing follows `bye`.
        self.output.close();
        ControlFlow::Break(())
    }

    /// Handles the end of the input. A search that ends by itself is finished first.
    fn end_input(&mut self) {
        log::debug!("end of input");
        self.ended = true;
        self.stop_if_nothing_else_can();
    }

    /// Whether the session reads no input until the search in progress has ended.
    fn input_waits(&self) -> bool {
        self.preferences.batch && self.ends_by_itself() || self.queue.is_full()
    }

    /// Whether a command must be queued.
    fn must_wait(&self, command: &Command) -> bool {
        let Some(search) = &self.search else {
            return false;
        };
        if search.is_stopping() {
            // A `stop` or `ponderhit` after a queued `go` is for that one.
            let is_for_queued = matches!(command, Command::Stop | Command::PonderHit { .. });
            return needs_idle(command) || is_for_queued && !self.queue.is_empty();
        }
        self.waits_in_batch(command)
    }

    fn waits_in_batch(&self, command: &Command) -> bool {
        self.preferences.batch && (needs_idle(command) || *command == Command::Quit)
    }

    /// Queues a command from a line of `bytes` bytes.
    fn enqueue(&mut self, command: Command, bytes: usize) {
        self.queue.push(command, bytes);
        self.stop_if_nothing_else_can();
    }

    /// The oldest queued command, if it can run now.
    fn next_queued(&mut self) -> Option<Command> {
        let front = self.queue.front()?;
        let waits = self
            .search
            .as_ref()
            .is_some_and(|search| search.is_stopping() || self.waits_in_batch(front));
        if waits { None } else { self.queue.pop() }
    }

    /// Stops a search that no command can stop any more, unless it ends by itself.
    fn stop_if_nothing_else_can(&mut self) {
        let is_last = self.ended || self.queue.has_quit || self.queue.is_full();
        if is_last && !self.ends_by_itself() {
            self.stop();
        }
    }
}

/// Whether a command needs an idle engine.
fn needs_idle(command: &Command) -> bool {
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
