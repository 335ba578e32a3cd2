//! A conversation with an engine that is being checked.

use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, TryRecvError};

use super::outcome::Objection;
use super::patience::CheckPatience;
use crate::board::{Move, Position};
use crate::movegen::is_legal;
use crate::text::printable;
pub(super) use crate::tournament::engine::is_outcome;
use crate::tournament::engine::{EngineDialect, EngineFailure, OfferedOption, Output, Process};
use crate::tournament::protocol::EngineProtocol;
use crate::tournament::spec::EngineSpec;

/// Lines of a transcript that are kept at its end.
const TRANSCRIPT: usize = 30;
/// Characters of a line that are kept.
const LINE: usize = 160;
/// How often the interrupt is looked for.
const POLL: Duration = Duration::from_millis(20);

/// The engine breaks the document.
pub(super) fn broken<T>(detail: impl Into<String>) -> Result<T, Objection> {
    Err(Objection::Broken(detail.into()))
}

/// The document leaves it open, but clients may fail.
pub(super) fn doubtful<T>(detail: impl Into<String>) -> Result<T, Objection> {
    Err(Objection::Doubtful(detail.into()))
}

/// A conversation.
pub(super) struct Dialogue<'a> {
    spec: &'a EngineSpec,
    process: Process,
    dialect: EngineDialect,
    interrupt: &'a Receiver<()>,
    is_interrupted: bool,
    pub(super) patience: CheckPatience,
    transcript: Vec<String>,
}

impl<'a> Dialogue<'a> {
    /// Starts an engine of which the protocol is known.
    pub(super) fn start(
        spec: &'a EngineSpec,
        patience: CheckPatience,
        interrupt: &'a Receiver<()>,
    ) -> Result<Self, EngineFailure> {
        let process =
            Process::start_raw(spec).map_err(|error| EngineFailure::Start(error.to_string()))?;
        let protocol = spec.protocol.unwrap_or_default();
        Ok(Self {
            spec,
            process,
            dialect: EngineDialect {
                protocol,
                first_rank: spec.first_rank.unwrap_or(0),
                milliseconds: protocol == EngineProtocol::Uci,
            },
            interrupt,
            is_interrupted: false,
            patience,
            transcript: Vec::new(),
        })
    }

    pub(super) fn protocol(&self) -> EngineProtocol {
        self.dialect.protocol
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.is_interrupted
    }

    /// The conversation, of a long one its end and how much came before.
    pub(super) fn into_transcript(self) -> Vec<String> {
        let skipped = self.transcript.len().saturating_sub(TRANSCRIPT);
        let told = (skipped > 0).then(|| format!("… {skipped} lines before"));
        let shown = self.transcript.into_iter().skip(skipped);
        told.into_iter().chain(shown).collect()
    }

    fn note(&mut self, mark: char, line: &str) {
        let beginning: String = line.chars().take(LINE).collect();
        let more = if line.chars().count() > LINE {
            "…"
        } else {
            ""
        };
        let line = format!("{mark} {}{more}", printable(&beginning));
        self.transcript.push(line);
    }

    pub(super) fn send(&mut self, line: &str) {
        self.note('>', line);
        self.process.reset();
        self.process.send(line);
    }

    /// Ends the engine's input.
    pub(super) fn close(&mut self) {
        self.note('>', "(end of input)");
        self.process.close_input();
    }

    /// Waits until the engine has ended.
    pub(super) fn ends_within(&mut self, timeout: Duration) -> bool {
        let deadline = Instant::now() + timeout;
        // What it says may keep it from ending.
        while Instant::now() < deadline {
            if self.process.has_ended(POLL) {
                while let Ok(Output::Line { text, .. }) = self.process.output.try_recv() {
                    self.note('<', &text);
                }
                self.note('<', "(ended)");
                return true;
            }
            while let Ok(Output::Line { text, .. }) = self.process.output.try_recv() {
                self.note('<', &text);
            }
            if self.interrupt.try_recv() != Err(TryRecvError::Empty) {
                self.is_interrupted = true;
                return false;
            }
        }
        false
    }

    /// Whether something that the engine has started is left, where the system can tell.
    pub(super) fn leaves_processes(&self) -> bool {
        self.process.has_group()
    }

    /// The next line, if one comes before a time.
    ///
    /// # Errors
    /// The engine has ended or floods.
    pub(super) fn line_before(&mut self, deadline: Instant) -> Result<Option<String>, Objection> {
        loop {
            let wait = deadline.saturating_duration_since(Instant::now());
            match self.process.output.recv_timeout(wait.min(POLL)) {
                Ok(Output::Line { text, .. }) => {
                    self.note('<', &text);
                    return Ok(Some(text));
                }
                Ok(Output::Flood) => return broken("it floods its output"),
                Err(RecvTimeoutError::Disconnected) => {
                    let end = self.process.end(Duration::from_millis(200));
                    self.note('<', &format!("({end})"));
                    return broken(end);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.interrupt.try_recv() != Err(TryRecvError::Empty) {
                self.is_interrupted = true;
                return broken("interrupted");
            }
            if Instant::now() >= deadline {
                return Ok(None);
            }
        }
    }

    /// All lines up to the first that is wanted.
    ///
    /// # Errors
    /// It does not come in time; `what` names it.
    pub(super) fn until(
        &mut self,
        what: &str,
        timeout: Duration,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<String>, Objection> {
        let deadline = Instant::now() + timeout;
        let mut lines = Vec::new();
        while let Some(line) = self.line_before(deadline)? {
            let is_last = wanted(&line);
            lines.push(line);
            if is_last {
                return Ok(lines);
            }
        }
        broken(format!("no {what} within {} s", timeout.as_secs_f64()))
    }

    /// Lines that come within a time.
    pub(super) fn lines_within(&mut self, time: Duration) -> Result<Vec<String>, Objection> {
        let deadline = Instant::now() + time;
        let mut lines = Vec::new();
        while let Some(line) = self.line_before(deadline)? {
            lines.push(line);
        }
        Ok(lines)
    }

    /// Greets the engine, and returns its answer.
    pub(super) fn greet(&mut self) -> Result<Vec<String>, Objection> {
        let protocol = self.protocol();
        self.send(protocol.greeting());
        let welcome = protocol.welcome();
        self.until(welcome, self.patience.ready, |line| line == welcome)
    }

    /// Waits until the engine is ready, and returns what it says before.
    pub(super) fn sync(&mut self) -> Result<Vec<String>, Objection> {
        self.send("isready");
        self.until("readyok", self.patience.ready, |line| line == "readyok")
    }

    /// Greets the engine and sets its options, and returns what it says. Its books are switched off: what
    /// is checked is the search.
    pub(super) fn boot(&mut self) -> Result<Vec<String>, Objection> {
        let mut lines = self.greet()?;
        let offers = |name: &str| {
            let mut offered = lines.iter().filter_map(|line| OfferedOption::read(line));
            offered.any(|option| option.name.eq_ignore_ascii_case(name))
        };
        let protocol = self.protocol();
        let mut options = Vec::new();
        self.dialect.milliseconds = protocol == EngineProtocol::Uci;
        if protocol == EngineProtocol::Ucci && offers("usemillisec") {
            self.dialect.milliseconds = true;
            options.push(("usemillisec".to_owned(), "true".to_owned()));
        }
        if offers("UCI_Variant") {
            options.push(("UCI_Variant".to_owned(), "xiangqi".to_owned()));
        }
        let book = match protocol {
            EngineProtocol::Ucci => "usebook",
            EngineProtocol::Uci => "OwnBook",
        };
        if offers(book) {
            options.push((book.to_owned(), "false".to_owned()));
        }
        options.extend(self.spec.options.clone());
        for (name, value) in options {
            self.send(&protocol.set_option(&name, &value));
        }
        for line in &self.spec.init {
            self.send(line);
        }
        lines.extend(self.sync()?);
        Ok(lines)
    }

    /// Sends a position with moves in the engine's own coordinates.
    pub(super) fn position(&mut self, fen: &str, moves: &[Move]) {
        let mut line = format!("position fen {fen}");
        if !moves.is_empty() {
            line += " moves";
            for m in moves {
                line.push(' ');
                line += &self.dialect.write_move(*m);
            }
        }
        self.send(&line);
    }

    /// Whether the times of the engine are milliseconds, which its greeting tells.
    pub(super) fn has_milliseconds(&self) -> bool {
        self.dialect.milliseconds
    }

    /// The limits of a `go` with so much time on both clocks.
    pub(super) fn clock(&self, time: Duration) -> String {
        let time = self.dialect.time(time);
        match self.protocol() {
            EngineProtocol::Ucci => {
                format!("time {time} increment 0 opptime {time} oppincrement 0")
            }
            EngineProtocol::Uci => format!("wtime {time} btime {time} winc 0 binc 0"),
        }
    }

    /// A move in the engine's own coordinates.
    pub(super) fn write_move(&self, m: Move) -> String {
        self.dialect.write_move(m)
    }

    /// The answer to a `go` that ends by itself, and what was said before it.
    pub(super) fn outcome(&mut self, timeout: Duration) -> Result<Vec<String>, Objection> {
        self.until("bestmove", timeout, is_outcome)
    }

    /// The move of an answer, which has to be legal.
    pub(super) fn legal_move(
        &mut self,
        position: &Position,
        lines: &[String],
    ) -> Result<Move, Objection> {
        let answer = lines.last().map_or("", String::as_str);
        let text = answer.split_ascii_whitespace().nth(1).unwrap_or_default();
        let is_known = |m: &Move| is_legal(position, *m);
        match self.dialect.read_move(text).filter(is_known) {
            Some(m) if answer.starts_with("bestmove ") => Ok(m),
            _ => broken(format!("{:?} is no legal move here", printable(answer))),
        }
    }

    /// Sends a `go` that ends by itself, and returns its legal move and what was said. No second
    /// answer may follow.
    pub(super) fn plays(
        &mut self,
        go: &str,
        position: &Position,
        timeout: Duration,
    ) -> Result<(Move, Vec<String>), Objection> {
        self.send(go);
        let lines = self.outcome(timeout)?;
        let played = self.legal_move(position, &lines)?;
        if self.sync()?.iter().any(|line| is_outcome(line)) {
            return broken("it answers twice");
        }
        Ok((played, lines))
    }
}
