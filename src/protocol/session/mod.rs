//! The engine's state machine: boot, idle, thinking.

mod active_search;
mod book;
mod book_answer;
#[cfg(feature = "cloud")]
mod cloud;
#[cfg(feature = "cloud")]
mod cloud_library;
mod current_game;
mod draw_resign;
#[cfg(test)]
mod draw_resign_tests;
#[cfg(test)]
mod fuzz_tests;
mod plan;
mod queue;
mod ruling;
mod set_options;
mod suggestion;
#[cfg(test)]
mod tests;
mod thinking;
mod waiting;

use std::io::Write;
use std::ops::ControlFlow;
use std::sync::Arc;

use crossbeam_channel::{Receiver, RecvTimeoutError, at, never, select_biased, unbounded};

use super::codec::Codec;
use super::codecs::codec;
use super::command::{Command, PositionText, Protocol};
use super::input::{Input, InputReceiver};
use super::options::{Preferences, default_books, plays_from_books};
use super::output::Output;
use super::reply::Reply;
use super::text::excerpt;
use crate::board::Move;
use crate::book::BookLibrary;
use crate::eval::nnue::Network;
use crate::search::{Event, Pool, StartError};
use crate::tablebase::Tables;
use crate::text::without_credentials;
use active_search::ActiveSearch;
use current_game::CurrentGame;
use draw_resign::DrawResign;
use queue::CommandQueue;
use ruling::{Ruling, RulingThread};

/// A conversation with one client.
#[derive(Debug)]
pub(super) struct Session<W> {
    /// The search under way. Declared before the pool, whose drop waits for the search threads.
    search: Option<ActiveSearch>,
    input: InputReceiver,
    events: Receiver<Event>,
    pool: Pool,
    referee: RulingThread,
    output: Output<W>,
    codec: Box<dyn Codec>,
    /// Whether there has been a handshake; before that the session boots.
    greeted: bool,
    preferences: Preferences,
    /// The network that evaluates with all knowledge, if one is loaded.
    network: Option<Arc<Network>>,
    books: BookLibrary,
    /// Whether the client has named the books; else they are those of the protocol.
    has_named_books: bool,
    /// Whether the client has said if the engine plays from its books; else that depends on the protocol.
    has_switched_books: bool,
    /// The endgame tables, once they were asked for.
    tables: Option<Arc<Tables>>,
    /// The cloud library that is asked, if one is.
    #[cfg(feature = "cloud")]
    cloud: Option<cloud_library::Cloud>,
    game: CurrentGame,
    draw_resign: DrawResign,
    queue: CommandQueue,
    /// Whether the input has ended.
    ended: bool,
}

/// What the session waits for.
enum Incoming {
    Input(Input),
    Queued(Command),
    Event(Event),
    Ruling(Ruling),
    /// A line to look at first; an empty one where none will come.
    Line(Vec<Move>),
    /// A cloud library has answered, or is waited for no longer.
    #[cfg(feature = "cloud")]
    Cloud(cloud_library::CloudAnswer),
    /// The search threads have ended.
    SearchLost,
}

impl<W: Write> Session<W> {
    /// A session that reads `input` and writes to `sink`.
    ///
    /// # Errors
    /// There can be no search.
    pub(super) fn new(input: InputReceiver, sink: W) -> Result<Self, StartError> {
        let (sender, events) = unbounded();
        Ok(Self {
            search: None,
            input,
            events,
            // Before the pool, whose table takes the memory that the other threads leave.
            referee: RulingThread::new(),
            pool: Pool::new(sender)?,
            output: Output::new(sink),
            // The little that is said before the handshake is said in UCCI.
            codec: codec(Protocol::Ucci),
            greeted: false,
            preferences: Preferences::default(),
            network: None,
            books: BookLibrary::default(),
            has_named_books: false,
            has_switched_books: false,
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
    pub(super) fn run(mut self) {
        while !self.is_over() {
            let incoming = self.wait();
            if self.handle_incoming(incoming).is_break() {
                break;
            }
        }
        self.stop_and_answer();
        if self.search.is_some() {
            // The search did not end when it was told to: do not wait for its thread.
            std::mem::forget(self.pool);
        }
    }

    /// Whether there is nothing left to do, or no reader left.
    fn is_over(&self) -> bool {
        let is_done = self.ended && self.search.is_none() && self.queue.is_empty();
        is_done || self.output.is_closed()
    }

    /// Waits for the next input or event that the state allows. Input goes first, so that a `stop` meets
    /// the search that it was meant for; but what follows a `stop` waits for the answer to it.
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
        let input = match self.ended || self.input_waits() {
            true => &no_input,
            false => self.input.channel(),
        };
        #[cfg(feature = "cloud")]
        if let Some(awaited) = &search.awaited_move {
            return select_biased! {
                recv(input) -> input => {
                    Incoming::Input(self.input.received(input.unwrap_or(Input::End)))
                }
                recv(awaited.answers) -> answer => Incoming::Cloud(answer.unwrap_or_default()),
                recv(at(awaited.until)) -> _ => Incoming::Cloud(cloud_library::CloudAnswer::default()),
            };
        }
        // The ruling on the game is reported before anything that the search reports, unless it takes long.
        let ruling = search.ruling().unwrap_or(&no_ruling);
        let ruling_due = search.ruling_due();
        let events = match ruling_due {
            Some(_) => &no_events,
            None => &self.events,
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
            Incoming::Ruling(ruling) => self.on_ruling(ruling),
            Incoming::Line(line) => self.on_line(&line),
            #[cfg(feature = "cloud")]
            Incoming::Cloud(answer) => self.on_cloud(answer),
            Incoming::SearchLost => self.on_search_lost(),
        }
        ControlFlow::Continue(())
    }

    /// Parses a line and runs or queues its commands. Breaks at the end of the program.
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
            _ if self.search.is_some() => self.handle_thinking(command),
            Command::Handshake(protocol) => self.handshake(protocol),
            _ if self.greeted => self.handle_idle(command),
            // Before the handshake everything else is ignored.
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
                }
            }
            Command::BanMoves(moves) => {
                if let Err(error) = self.game.ban(&moves) {
                    self.refuse("banmoves", &error.to_string());
                }
            }
            Command::Go(request) => self.on_go(request),
            Command::PonderHit { .. } => self.refuse("ponderhit", "no search is under way"),
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

    fn handle_thinking(&mut self, command: Command) {
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
        self.refuse(verb, "not while thinking");
    }

    /// Switches to a protocol.
    fn handshake(&mut self, protocol: Protocol) {
        self.codec = codec(protocol);
        self.greeted = true;
        if !self.has_named_books {
            self.set_books(default_books(protocol));
        }
        if !self.has_switched_books {
            self.preferences.use_book = plays_from_books(protocol);
        }
        for line in self.codec.handshake() {
            self.output.line(&line);
        }
    }

    /// Sends a reply in the words of the protocol.
    fn send(&mut self, reply: &Reply<'_>) {
        for line in self.codec.format(reply, &self.preferences) {
            self.output.line(&line);
        }
        for command in self.codec.follow_up() {
            self.enqueue(command, 0);
        }
    }

    /// Reports a command that is not executed.
    fn refuse(&mut self, verb: &str, reasons: &str) {
        let text = format!("{verb} refused: {reasons}");
        log::warn!("{text}");
        self.send(&Reply::Message(&text));
    }

    /// Ignores a line that the protocol does not define; reports it when debugging.
    fn ignore_unknown(&mut self, line: &str) {
        if self.preferences.debug && self.greeted && !line.is_empty() {
            let text = format!("unknown line: {}", excerpt(line));
            self.send(&Reply::Message(&text));
        }
    }

    /// Refuses a line that was not read to its end, as its command would be refused.
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

    /// Answers with the hash table entry of a position; with none where the position is refused.
    fn probe(&mut self, text: &PositionText) {
        let known = match current_game::read_game(text, self.preferences.promotion) {
            Ok(game) => self.pool.probe(game.position()),
            Err(error) => {
                self.refuse("probe", &error.to_string());
                None
            }
        };
        self.send(&Reply::Hash(known));
    }

    fn quit(&mut self) -> ControlFlow<()> {
        self.stop_and_answer();
        self.send(&Reply::Bye);
        // A search that did not end in time may still report: nothing follows the farewell.
        self.output.close();
        ControlFlow::Break(())
    }

    /// The input has ended. A search that ends by itself is finished first.
    fn end_input(&mut self) {
        log::debug!("end of input");
        self.ended = true;
        self.stop_if_nothing_else_will();
    }
}
