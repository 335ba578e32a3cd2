//! A session with a client: it runs the commands of the client and reports the results of searches.
//!
//! The session waits for input, for events of the search and for the results of other threads (the ruling on the game,
//! perft, the cloud library) at the same time. Commands that need an idle engine are queued during a search and run
//! after its answer. Commands that show the position run at once, unless other commands are queued: then they are
//! queued too. A queued `go` or handshake stops a search that does not end by itself, because old clients send no
//! `stop` before it. When `quit` is queued, the input has ended or the queue is full, no further `stop` can arrive. A
//! search that does not end by itself is then stopped too, and the queued commands run. After a queued command that
//! changes the meaning of lines, such as a handshake, lines are queued as they are and parsed when they run. Only
//! `isready`, `ponderhit`, `stop`, `quit` and the `probe` of UCCI are parsed at once. A `quit` during `go perft` is
//! queued, because scripts send both in one input.
//!
//! In batch mode all lines of a piped file are executed: `quit` is queued as well, and no queued `go` or handshake
//! stops a search. During a search that ends by itself the session reads nothing, and the lines wait in the pipe.

mod adjudication;
#[cfg(feature = "cloud")]
mod cloud;
mod game;
mod handshake;
mod options;
mod search;
mod stage;
mod state;
mod suggestion;
#[cfg(test)]
mod tests;

use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;

use crossbeam_channel::{Receiver, RecvTimeoutError, at, never, select_biased, unbounded};

use super::codec::{Codec as _, Command, PositionText, Protocol, Reply};
use super::options::{Preferences, is_named_pikafish};
use super::stdio::{Input, InputReceiver, Output};
use super::text::Ranks;
use super::ucci::Ucci;
use crate::board::{Color, Move};
use crate::book::BookLibrary;
use crate::notation::fen;
use crate::rules::Game;
use crate::search::{Event, Pool, StartError, static_score};
use crate::text::{Language, excerpt, fill, texts, translated};
use adjudication::{Adjudicator, Ruling, RulingThread};
use game::CurrentGame;
pub use handshake::codec;
use state::{ActiveSearch, CommandQueue, PerftCounts, Session, is_stop_or_hit};

/// Runs a session that reads `input` and writes to `sink`, until `quit`, the end of the input, or the end of the
/// output. It writes in GBK if `in_gbk`, otherwise in UTF-8, until a line of the client shows another encoding. Returns
/// the error if `sink` could not be written, unless the client is gone.
///
/// # Errors
/// The system refuses a thread or memory that the search needs.
pub fn run(
    input: InputReceiver,
    sink: Box<dyn Write>,
    in_gbk: bool,
) -> Result<Option<io::Error>, StartError> {
    let mut session = Session::new(input, sink)?;
    session.output.set_gbk(in_gbk);
    let program = std::env::args_os().next().unwrap_or_default();
    session.preferences.note_ranks_from_zero(is_named_pikafish(&program.to_string_lossy()));
    Ok(session.run())
}

enum Incoming {
    Input(Input),
    Queued(Command),
    Event(Event),
    Ruling(Ruling),
    /// A line of the cloud library to search first; may be empty.
    Line(Vec<Move>),
    Perft(PerftCounts),
    /// The cloud library has answered, or the wait for it has ended.
    #[cfg(feature = "cloud")]
    Cloud(cloud::CloudAnswer),
    /// The search threads have ended unexpectedly.
    SearchLost,
}

/// A channel, or one that never receives a message.
fn or_never<T>(channel: &Option<Receiver<T>>) -> Receiver<T> {
    channel.clone().unwrap_or_else(never)
}

impl Session {
    fn new(input: InputReceiver, sink: Box<dyn Write>) -> Result<Self, StartError> {
        let (sender, events) = unbounded();
        Ok(Self {
            search: None,
            input,
            events,
            // Started before the pool, because the size of the hash table depends on the memory that is left.
            rulings: RulingThread::new(),
            pool: Pool::new(sender)?,
            output: Output::new(sink),
            codec: codec(Protocol::Ucci),
            protocol: Protocol::Ucci,
            last_handshake: None,
            preferences: Preferences::default(),
            network: None,
            books: BookLibrary::default(),
            tables: None,
            #[cfg(feature = "cloud")]
            cloud: None,
            game: CurrentGame::new(),
            last_root_side: None,
            adjudicator: Adjudicator::default(),
            queue: CommandQueue::default(),
            input_ended: false,
        })
    }

    /// Returns the error of a failed write, unless the client is gone.
    fn run(mut self) -> Option<io::Error> {
        while !self.is_over() {
            let incoming = self.wait();
            if self.handle_incoming(incoming).is_break() {
                break;
            }
        }
        self.stop_and_answer();
        let error = self.output.take_error();
        if self.search.is_some() {
            // The search has not stopped in time: do not wait for its threads.
            std::mem::forget(self.pool);
        }
        error
    }

    /// Whether there is nothing left to do, or the output is closed.
    fn is_over(&self) -> bool {
        let is_done = self.input_ended && self.search.is_none() && self.queue.is_empty();
        is_done || self.output.is_closed()
    }

    /// Waits for the next input or event that the state allows. Input goes first, so that a `stop` reaches the
    /// search that it was sent for. After a `stop` the answer goes first.
    fn wait(&mut self) -> Incoming {
        if let Some(command) = self.next_queued() {
            return Incoming::Queued(command);
        }
        let Some(search) = &self.search else {
            // The last queued lines may have contained no command.
            let input = if self.input_ended { Input::End } else { self.input.recv() };
            return Incoming::Input(input);
        };
        if let Some(deadline) = search.answer_due() {
            match self.events.recv_deadline(deadline) {
                Ok(event) => return Incoming::Event(event),
                Err(RecvTimeoutError::Disconnected) => return Incoming::SearchLost,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        let input = if self.input_ended || self.input_waits() {
            never()
        } else {
            self.input.channel().clone()
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
        let (events, too_late) = match search.ruling_due() {
            Some(due) => (never(), at(due)),
            None => (self.events.clone(), never()),
        };
        select_biased! {
            recv(input) -> input => {
                Incoming::Input(self.input.received(input.unwrap_or(Input::End)))
            }
            recv(or_never(&search.awaited_line)) -> line => {
                Incoming::Line(line.unwrap_or_default())
            }
            recv(or_never(&search.awaited_perft)) -> counts => {
                Incoming::Perft(counts.unwrap_or_default())
            }
            recv(or_never(&search.awaited_ruling)) -> ruling => {
                Incoming::Ruling(ruling.unwrap_or_default())
            }
            recv(events) -> event => event.map_or(Incoming::SearchLost, Incoming::Event),
            recv(too_late) -> _ => self.wait(),
        }
    }

    fn handle_incoming(&mut self, incoming: Incoming) -> ControlFlow<()> {
        match incoming {
            Incoming::Input(input) => return self.on_input(input),
            Incoming::Queued(command) => {
                self.handle(command)?;
                self.stop_endless_search();
            }
            Incoming::Event(event) => self.on_event(event),
            Incoming::Ruling(ruling) => self.on_ruling(&ruling),
            Incoming::Line(line) => self.on_line(&line),
            Incoming::Perft(counts) => self.on_perft(counts),
            #[cfg(feature = "cloud")]
            Incoming::Cloud(answer) => self.on_cloud(answer),
            Incoming::SearchLost => self.on_search_lost(),
        }
        ControlFlow::Continue(())
    }

    /// Runs or queues the commands of a line. Breaks after `quit`.
    fn on_input(&mut self, input: Input) -> ControlFlow<()> {
        match &input {
            Input::GbkLine(_) => {
                self.output.set_gbk(true);
                self.choose_language(true);
            }
            // A line in neither encoding says nothing about the encoding of the client.
            Input::Line(line)
                if !line.is_ascii() && !line.contains(char::REPLACEMENT_CHARACTER) =>
            {
                self.output.set_gbk(false);
                self.choose_language(line.chars().any(|c| matches!(c, '\u{4e00}'..='\u{9fff}')));
            }
            Input::Line(_) | Input::Overlong(_) => {}
            Input::End => {
                self.end_input();
                return ControlFlow::Continue(());
            }
        }
        let is_cut = matches!(input, Input::Overlong(_));
        log::debug!("< {}{}", input.text(), if is_cut { "…" } else { "" });
        let bytes = input.text().len();
        let commands = if self.queue.parses_later {
            vec![self.parse_urgent(&input).unwrap_or(Command::Unparsed(input))]
        } else {
            self.parse(&input)
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

    fn parse(&mut self, input: &Input) -> Vec<Command> {
        self.recognize_protocol(input.text());
        let Input::Overlong(head) = input else {
            return self.codec.parse(input.text(), &self.preferences);
        };
        let command = Box::new(self.codec.parse_overlong(head, &self.preferences));
        let head = head.clone();
        vec![Command::TooLong { head, command }]
    }

    /// Parses `isready`, `ponderhit`, `stop`, `quit` and, in UCCI and for workers, a complete `probe`, which need no
    /// idle engine and have the same meaning with all options; `None` for other lines.
    fn parse_urgent(&self, input: &Input) -> Option<Command> {
        let command = Ucci::default().parse(input.text(), &self.preferences).pop()?;
        let is_urgent = match command {
            Command::IsReady | Command::PonderHit { .. } | Command::Stop | Command::Quit => true,
            Command::Probe(_) => {
                let has_probe = matches!(self.protocol, Protocol::Ucci | Protocol::Worker);
                has_probe && !matches!(input, Input::Overlong(_))
            }
            _ => false,
        };
        is_urgent.then_some(command)
    }

    /// Runs a command. One that [needs an idle engine](needs_idle) must not run during a search. Breaks after `quit`.
    fn handle(&mut self, command: Command) -> ControlFlow<()> {
        let works_before_handshake = matches!(
            command,
            Command::Quit
                | Command::Unknown(_)
                | Command::Print(_)
                | Command::PrintError(_)
                | Command::Handshake(_)
                | Command::IsReady
        );
        if self.is_booting() && !works_before_handshake {
            return ControlFlow::Continue(());
        }
        match command {
            Command::Quit => return self.quit(),
            Command::Unknown(line) => self.ignore_unknown(&line),
            Command::Print(text) => self.output.line(&text),
            Command::PrintError(text) => self.output.error_line(&text),
            Command::TooLong { head, command } => self.refuse_overlong(&head, &command),
            Command::Handshake(protocol) => self.answer_handshake(protocol),
            Command::IsReady => {
                if self.search.is_none() {
                    self.prepare();
                }
                self.send(&Reply::Ready);
            }
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Command::CountRanks(ranks) => self.preferences.shown_ranks = Some(ranks),
            Command::Debug(on) => self.preferences.debug = on,
            Command::Position(text) => self.set_position(text),
            Command::BanMoves(moves) => {
                let is_uci = self.protocol == Protocol::Uci;
                let ranks = if is_uci { self.preferences.ranks() } else { Ranks::FromZero };
                if let Err(error) = self.game.ban(&moves, ranks) {
                    self.refuse("banmoves", &error);
                }
            }
            Command::Go(request) => self.on_go(request),
            Command::PonderHit { draw } if self.search.is_some() => self.ponder_hit(draw),
            Command::PonderHit { .. } => self.refuse("ponderhit", texts().no_search),
            Command::Stop if self.search.is_some() => self.stop(),
            Command::Stop => self.send(&Reply::NothingToStop),
            Command::Probe(text) => self.probe(&text),
            Command::ShowBook(text) => self.show_book(&text),
            Command::ShowPosition => self.show_position(),
            Command::ShowEvaluation => self.show_evaluation(),
            Command::NewGame => self.new_game(),
            Command::Hint(line) => self.hint(&line),
            // `next_queued` parses queued lines before they run.
            Command::Unparsed(_) => {}
        }
        ControlFlow::Continue(())
    }

    /// Chooses Chinese messages for a UCCI client that sends Chinese text.
    fn choose_language(&self, is_chinese: bool) {
        if is_chinese && self.protocol == Protocol::Ucci {
            Language::choose_for_thread(Language::Zh);
        }
    }

    /// Sends a reply in the form of the protocol, and queues the commands that the codec adds after it.
    fn send(&mut self, reply: &Reply<'_>) {
        for line in self.codec.format(reply, &self.preferences) {
            self.output.line(&line);
        }
        for command in self.codec.follow_up() {
            self.enqueue(command, 0);
        }
    }

    fn message(&mut self, text: &str) {
        self.send(&Reply::Message(text));
    }

    /// Reports that a command is not executed. Reasons in English are translated if messages are in Chinese.
    fn refuse(&mut self, verb: &str, reasons: &str) {
        let text = fill(texts().refused, &[verb, &translated(reasons)]);
        log::warn!("{text}");
        self.message(&text);
    }

    /// Ignores a line that the protocol does not define; reports it in debug mode, and to a user at a terminal.
    fn ignore_unknown(&mut self, line: &str) {
        if line.is_empty() {
            return;
        }
        if io::stdin().is_terminal() {
            let text = fill(texts().unknown_command, &[&excerpt(line)]);
            self.output.error_line(&text);
        }
        if self.preferences.debug {
            self.message(&fill(texts().unknown_line, &[&excerpt(line)]));
        }
    }

    /// Refuses a line that was not read to its end. Its command is answered as if it had failed.
    fn refuse_overlong(&mut self, head: &str, command: &Command) {
        self.refuse(&excerpt(head), texts().line_too_long);
        match command {
            Command::Position(_) => self.game.clear(),
            Command::Go(request) => {
                self.codec.on_go(request);
                self.send(&Reply::NoBestMove);
            }
            Command::Probe(_) => self.send(&Reply::Hash(None)),
            _ => {}
        }
    }

    /// Answers with the hash table entry of a position; an invalid position has none.
    fn probe(&mut self, text: &PositionText) {
        let game = self.game_or_refuse("probe", text);
        let entry = game.and_then(|game| self.pool.probe(game.position()));
        self.send(&Reply::Hash(entry));
    }

    fn set_position(&mut self, text: PositionText) {
        if self.preferences.debug
            && let Some(note) = text.fen.as_deref().and_then(fen::counters_note)
        {
            self.message(&fill(texts().labeled, &["position", &note]));
        }
        let promotion = self.preferences.promotion;
        let mut result = self.game.set(text, promotion);
        // Fairyground sends back every option, but may count ranks from 1.
        let may_be_from_one = self.protocol == Protocol::Uci
            && self.preferences.has_set_variant
            && self.preferences.shown_ranks.is_none();
        if result != Ok(None)
            && let Some(ranks) = self.game.recognize_ranks(may_be_from_one, promotion)
        {
            self.preferences.shown_ranks = Some(ranks);
            result = Ok(None);
        }
        self.report_position(result);
        // Some clients send no `isready`.
        self.prepare();
    }

    /// Reports the errors of a position. For a valid one, reports its ignored moves and, once for each game, that the
    /// position cannot arise in a game.
    fn report_position(&mut self, result: Result<Option<String>, String>) {
        match result {
            Ok(None) => {}
            Ok(Some(ignored)) => self.message(&fill(texts().labeled, &["position", &ignored])),
            Err(error) => return self.refuse("position", &error),
        }
        if let Some(note) = self.game.irregularity_note() {
            self.message(&note);
        }
    }

    /// The game of a command other than `position`; reports its errors.
    fn game_or_refuse(&mut self, verb: &str, text: &PositionText) -> Option<Game> {
        match game::parse_game(text, self.preferences.promotion) {
            Ok((game, ignored)) => {
                if let Some(ignored) = ignored {
                    self.message(&fill(texts().labeled, &[verb, &ignored]));
                }
                Some(game)
            }
            Err(error) => {
                self.refuse(verb, &error);
                None
            }
        }
    }

    fn show_position(&mut self) {
        match self.game.game().cloned() {
            Some(game) => self.send(&Reply::Position(game.position())),
            None => self.refuse("d", texts().invalid_last_position),
        }
    }

    fn show_evaluation(&mut self) {
        let Some(game) = self.game.game() else {
            return self.refuse("eval", texts().invalid_last_position);
        };
        let position = game.position();
        let score = static_score(position, &self.preferences.settings(), self.network.as_ref());
        let for_red = match position.side_to_move() {
            Color::Red => score,
            Color::Black => -score,
        };
        self.send(&Reply::Evaluation(for_red));
    }

    fn quit(&mut self) -> ControlFlow<()> {
        self.stop_and_answer();
        self.send(&Reply::Bye);
        // A search that has not stopped in time may still report: nothing follows `bye`.
        self.output.close();
        ControlFlow::Break(())
    }

    /// Notes the end of the input. A search that ends by itself is finished, another one is stopped.
    fn end_input(&mut self) {
        log::debug!("end of input");
        self.input_ended = true;
        self.stop_endless_search();
    }

    /// Whether the session reads no input until the search in progress has ended.
    fn input_waits(&self) -> bool {
        self.preferences.batch && self.ends_by_itself() || self.queue.is_full()
    }

    /// Whether a command that arrives during a search is queued: because it waits for the answer, because it belongs to
    /// a queued `go`, or because it shows what queued commands change.
    fn must_wait(&self, command: &Command) -> bool {
        let Some(search) = &self.search else {
            return false;
        };
        // A `stop`, `ponderhit` or `hint` after a queued `go` belongs to the search of that `go`.
        let is_for_queued = (is_stop_or_hit(command) || matches!(command, Command::Hint(_)))
            && self.queue.interruptions > 0
            && (search.is_stopping() || !self.preferences.batch);
        let is_about_queued = shows_state(command) && !self.queue.is_empty();
        is_for_queued || is_about_queued || self.waits_for_answer(command)
    }

    /// Whether a command, arrived or queued, must not run before the answer of the search in progress.
    fn waits_for_answer(&self, command: &Command) -> bool {
        let is_perft = |search: &ActiveSearch| search.awaited_perft.is_some();
        let quit_waits = self.preferences.batch || self.search.as_ref().is_some_and(is_perft);
        needs_idle(command) || *command == Command::Quit && quit_waits
    }

    /// Queues a command from a line of `bytes` bytes. A `stop` also stops the search in progress.
    fn enqueue(&mut self, command: Command, bytes: usize) {
        let is_stop = command == Command::Stop;
        self.queue.parses_later |= self.changes_parsing(&command);
        self.queue.push(command, bytes);
        if is_stop {
            self.stop();
        }
        self.stop_endless_search();
    }

    /// Whether a command changes the meaning of the lines after it.
    fn changes_parsing(&self, command: &Command) -> bool {
        match command {
            Command::Handshake(protocol) => *protocol != self.protocol,
            Command::SetOption { name, value } => {
                // UCI-Cyclone has fixed units and ranks, and XBoard has its own.
                let is_affected =
                    matches!(self.protocol, Protocol::Ucci | Protocol::Uci | Protocol::Worker);
                is_affected && self.option_changes_parsing(name, value.as_deref())
            }
            _ => false,
        }
    }

    /// Parses the unparsed lines at the front of the queue, because the commands before them have run.
    fn parse_front(&mut self) {
        while let Some(input) = self.queue.pop_unparsed() {
            for command in self.parse(&input).into_iter().rev() {
                self.queue.parses_later |= self.changes_parsing(&command);
                self.queue.push_front(command, input.text().len());
            }
        }
    }

    /// The next queued command that can run now. If the oldest one must wait for the answer of the search in progress,
    /// only a `stop` or `ponderhit` for this search can run.
    fn next_queued(&mut self) -> Option<Command> {
        self.parse_front();
        let front = self.queue.front()?;
        match &self.search {
            Some(search) if search.is_stopping() => None,
            Some(_) if self.waits_for_answer(front) => self.queue.pop_stop_or_hit(),
            _ => self.queue.pop(),
        }
    }

    /// Stops a search that does not end by itself, if no further `stop` can arrive or a queued command interrupts it.
    /// A queued `stop` or `ponderhit` for it runs first.
    fn stop_endless_search(&mut self) {
        let is_last = self.input_ended || self.queue.has_quit || self.queue.is_full();
        let is_interrupted = self.queue.interruptions > 0 && !self.preferences.batch;
        if (is_last || is_interrupted) && !self.ends_by_itself() && !self.queue.has_stop_or_hit() {
            self.stop();
        }
    }
}

/// Whether a command shows what earlier lines have set: the position, its evaluation or the book moves in it.
fn shows_state(command: &Command) -> bool {
    matches!(command, Command::ShowBook(_) | Command::ShowPosition | Command::ShowEvaluation)
}

/// Whether a command starts a search or changes what a search uses, so that it must not run during one.
fn needs_idle(command: &Command) -> bool {
    !matches!(
        command,
        Command::IsReady
            | Command::CountRanks(_)
            | Command::Debug(_)
            | Command::PonderHit { .. }
            | Command::Stop
            | Command::Probe(_)
            | Command::ShowBook(_)
            | Command::ShowPosition
            | Command::ShowEvaluation
            | Command::Hint(_)
            | Command::Print(_)
            | Command::PrintError(_)
            | Command::Quit
            | Command::Unknown(_)
    )
}
