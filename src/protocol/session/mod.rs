//! The engine's state machine: boot, idle, thinking.

mod batch;
mod board;
mod offers;
mod setting;
#[cfg(test)]
mod tests;
mod thinking;

use std::collections::VecDeque;
use std::io::Write;
use std::ops::ControlFlow;

use crossbeam_channel::{Receiver, RecvTimeoutError, never, select_biased, unbounded};

use super::codec::{Protocol, Reply};
use super::command::{Command, PositionText};
use super::input::Input;
use super::options::Preferences;
use super::output::Output;
use super::text::{TimeUnit, excerpt};
use crate::search::{Event, Pool};
use board::Board;
use offers::Offers;
use thinking::Thinking;

/// A conversation with one client.
#[derive(Debug)]
pub(super) struct Session<W> {
    /// The search under way: thinking. Dropped before the pool, which waits for its threads.
    thinking: Option<Thinking>,
    input: Receiver<Input>,
    events: Receiver<Event>,
    pool: Pool,
    output: Output<W>,
    /// `None` before the first handshake: boot.
    protocol: Option<Protocol>,
    preferences: Preferences,
    board: Board,
    offers: Offers,
    /// Lines of a batch put aside until an endless search is ended.
    waiting: VecDeque<Input>,
    /// `quit` is among them.
    quit_waits: bool,
    /// Nothing more will come in.
    ended: bool,
}

/// What the session waits for.
enum Next {
    Input(Input),
    Event(Event),
    /// The search threads are gone.
    NoSearch,
}

impl<W: Write> Session<W> {
    /// A session that reads `input` and writes `sink`.
    pub(super) fn new(input: Receiver<Input>, sink: W) -> Self {
        let (sender, events) = unbounded();
        Self {
            thinking: None,
            input,
            events,
            pool: Pool::new(sender),
            output: Output::new(sink),
            protocol: None,
            preferences: Preferences::default(),
            board: Board::new(),
            offers: Offers::default(),
            waiting: VecDeque::new(),
            quit_waits: false,
            ended: false,
        }
    }

    /// Talks until `quit`, the end of input, or a client that listens no more.
    pub(super) fn run(mut self) {
        while !self.is_over() {
            let flow = match self.wait() {
                Next::Input(input) => self.take(input),
                Next::Event(event) => {
                    self.hear(event);
                    ControlFlow::Continue(())
                }
                Next::NoSearch => {
                    self.lose_search();
                    ControlFlow::Continue(())
                }
            };
            if flow.is_break() {
                break;
            }
        }
        self.settle();
        if self.thinking.is_some() {
            // The search did not end when it was told to: do not wait for its thread.
            std::mem::forget(self.pool);
        }
    }

    /// Whether there is nothing left to do, or nobody to do it for.
    fn is_over(&self) -> bool {
        let is_done = self.ended && self.thinking.is_none() && self.waiting.is_empty();
        is_done || self.output.is_closed()
    }

    /// Waits for what this state listens to. Input goes first, so that a `stop` meets the search
    /// that it was meant for; but what follows a `stop` waits for the answer to it.
    fn wait(&mut self) -> Next {
        let Some(thinking) = &self.thinking else {
            let input = self.waiting.pop_front();
            return Next::Input(input.unwrap_or_else(|| self.input.recv().unwrap_or(Input::End)));
        };
        if let Some(deadline) = thinking.answer_due() {
            match self.events.recv_deadline(deadline) {
                Ok(event) => return Next::Event(event),
                Err(RecvTimeoutError::Disconnected) => return Next::NoSearch,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        let deaf = self.ended || self.input_waits();
        let silent = never();
        let input = if deaf { &silent } else { &self.input };
        select_biased! {
            recv(input) -> input => Next::Input(input.unwrap_or(Input::End)),
            recv(self.events) -> event => event.map_or(Next::NoSearch, Next::Event),
        }
    }

    /// Obeys an input, or lets it wait. Breaks at the end of the program.
    fn take(&mut self, input: Input) -> ControlFlow<()> {
        let (text, is_whole) = match &input {
            Input::Line(line) => (line.clone(), true),
            Input::Overlong(head) => (head.clone(), false),
            Input::End => {
                self.end_input();
                return ControlFlow::Continue(());
            }
        };
        log::debug!("< {text}");
        let command = self.parse(&text);
        if self.must_wait(&command) {
            self.put_aside(input, &command);
        } else if is_whole {
            if command == Command::Unknown {
                self.pass_over(&text);
            }
            return self.obey(command);
        } else if self.protocol.is_some() {
            self.refuse_overlong(&text, &command);
        }
        ControlFlow::Continue(())
    }

    fn parse(&self, line: &str) -> Command {
        let unit = if self.preferences.milliseconds {
            TimeUnit::Milliseconds
        } else {
            TimeUnit::Seconds
        };
        self.protocol().codec().parse(line, unit)
    }

    /// The protocol spoken; what little is said in boot is said in UCCI.
    fn protocol(&self) -> Protocol {
        self.protocol.unwrap_or(Protocol::Ucci)
    }

    fn obey(&mut self, command: Command) -> ControlFlow<()> {
        match command {
            Command::Quit => return self.quit(),
            _ if self.thinking.is_some() => self.obey_thinking(command),
            Command::Handshake(protocol) => self.introduce(protocol),
            _ if self.protocol.is_some() => self.obey_idle(command),
            // In boot all else is ignored.
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn obey_idle(&mut self, command: Command) {
        match command {
            Command::IsReady => self.say(&Reply::Ready),
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Command::Debug(on) => self.preferences.debug = on,
            Command::Position(text) => {
                if let Err(reasons) = self.board.set(text, self.preferences.promotion) {
                    self.refuse("position", &reasons);
                }
            }
            Command::BanMoves(moves) => {
                if let Err(reasons) = self.board.ban(&moves) {
                    self.refuse("banmoves", &reasons);
                }
            }
            Command::Go(Ok(request)) => self.go(request),
            Command::Go(Err(reasons)) => {
                self.refuse("go", &reasons);
                self.say(&Reply::NoBestMove);
            }
            Command::PonderHit { .. } => self.refuse("ponderhit", "nothing is being thought about"),
            Command::Stop => self.say(&Reply::NothingToStop),
            Command::Probe(text) => self.probe(&text),
            Command::NewGame => self.new_game(),
            Command::Handshake(_) | Command::Quit | Command::Unknown => {}
        }
    }

    fn obey_thinking(&mut self, command: Command) {
        let verb = match command {
            Command::IsReady => return self.say(&Reply::Ready),
            Command::Debug(on) => return self.preferences.debug = on,
            Command::PonderHit { draw } => return self.ponder_hit(draw),
            Command::Stop => return self.stop(),
            Command::Probe(text) => return self.probe(&text),
            Command::Unknown | Command::Quit => return,
            Command::Handshake(Protocol::Ucci) => "ucci",
            Command::Handshake(Protocol::Uci) => "uci",
            Command::SetOption { .. } => "setoption",
            Command::Position(_) => "position",
            Command::BanMoves(_) => "banmoves",
            Command::Go(_) => "go",
            Command::NewGame => "newgame",
        };
        self.refuse(verb, "not while thinking");
    }

    /// Takes up a protocol.
    fn introduce(&mut self, protocol: Protocol) {
        self.protocol = Some(protocol);
        for line in protocol.codec().introduction() {
            self.output.line(&line);
        }
    }

    /// Says something, in the words of the protocol.
    fn say(&mut self, reply: &Reply<'_>) {
        let codec = self.protocol().codec();
        if let Some(line) = codec.spell(reply, self.preferences.debug) {
            self.output.line(&line);
        }
    }

    /// Reports a line that is not obeyed.
    fn refuse(&mut self, verb: &str, reasons: &str) {
        let text = format!("{verb} refused: {reasons}");
        log::warn!("{text}");
        self.say(&Reply::Message(&text));
    }

    /// Passes over a line that means nothing; clients say all kinds of things.
    fn pass_over(&mut self, line: &str) {
        if self.preferences.debug && self.protocol.is_some() && !line.is_empty() {
            let text = format!("unknown line: {}", excerpt(line));
            self.say(&Reply::Message(&text));
        }
    }

    /// Refuses a line whose end was not even read, the way its command is refused.
    fn refuse_overlong(&mut self, head: &str, command: &Command) {
        self.refuse(&excerpt(head), "the line is too long");
        let idle = self.thinking.is_none();
        match command {
            Command::Position(_) if idle => self.board.refuse(),
            Command::Go(_) if idle => self.say(&Reply::NoBestMove),
            Command::Probe(_) => self.say(&Reply::Hash(None)),
            _ => {}
        }
    }

    /// Answers what the hash table knows; nothing, of a position that cannot be.
    fn probe(&mut self, text: &PositionText) {
        let known = match board::read_game(text, self.preferences.promotion) {
            Ok(game) => self.pool.probe(game.position()),
            Err(reasons) => {
                self.refuse("probe", &reasons.join(", "));
                None
            }
        };
        self.say(&Reply::Hash(known));
    }

    fn quit(&mut self) -> ControlFlow<()> {
        self.settle();
        self.say(&Reply::Bye);
        ControlFlow::Break(())
    }

    /// Nothing will come any more. A search that ends by itself may.
    fn end_input(&mut self) {
        log::debug!("end of input");
        self.ended = true;
        self.cut_short_if_last();
    }
}
