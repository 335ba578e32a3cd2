//! The dialogue of a check with an engine, its time limits and its result.

use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, TryRecvError};
use serde::Serialize;

use crate::board::{Move, Position, named_enum};
use crate::movegen::is_legal;
use crate::notation::fen::START;
use crate::text::{encode_gbk, printable};

pub use crate::tournament::engine::is_outcome;
use crate::tournament::engine::{
    EngineDialect, EngineFailure, Output, Process, find_offer, has_milliseconds, is_no_move,
    offered_options, option_command,
};
use crate::tournament::spec::{EngineProtocol, EngineSpec};

/// Number of transcript lines that a report shows, from the end.
const MAX_TRANSCRIPT: usize = 30;
/// Number of characters of a transcript line that are kept.
const MAX_LINE: usize = 160;
/// Interval at which interrupts are polled.
const POLL: Duration = Duration::from_millis(20);

/// Time limit of a search to a small depth or with few nodes.
pub const SHORT_SEARCH: Duration = Duration::from_secs(20);

pub type CheckResult = Result<(), CheckFailure>;

pub fn violated<T>(detail: impl Into<String>) -> Result<T, CheckFailure> {
    Err(CheckFailure::Violated(detail.into()))
}

pub fn unclear<T>(detail: impl Into<String>) -> Result<T, CheckFailure> {
    Err(CheckFailure::Unclear(detail.into()))
}

/// A violation with this description unless `is_met`.
pub fn violated_unless(is_met: bool, detail: impl Into<String>) -> CheckResult {
    if is_met { Ok(()) } else { violated(detail) }
}

/// An unclear result with this description unless `is_met`.
pub fn unclear_unless(is_met: bool, detail: impl Into<String>) -> CheckResult {
    if is_met { Ok(()) } else { unclear(detail) }
}

/// Turns violations into unclear results.
pub fn tolerated(result: CheckResult, why: &str) -> CheckResult {
    match result {
        Err(CheckFailure::Violated(detail)) => unclear(format!("{detail}; {why}")),
        other => other,
    }
}

pub struct Dialogue<'a> {
    spec: &'a EngineSpec,
    pub process: Process,
    pub dialect: EngineDialect,
    interrupt: &'a Receiver<()>,
    pub is_interrupted: bool,
    pub timeouts: CheckTimeouts,
    /// The first response with white space other than single spaces between words.
    pub misspaced: Option<String>,
    transcript: Vec<String>,
}

impl<'a> Dialogue<'a> {
    /// Starts an engine. `spec.protocol` must be known.
    pub fn start(
        spec: &'a EngineSpec,
        timeouts: CheckTimeouts,
        interrupt: &'a Receiver<()>,
    ) -> Result<Self, EngineFailure> {
        let process = Process::start(spec, spec.cpus.as_deref(), true)
            .map_err(|error| EngineFailure::Start(error.to_string()))?;
        Ok(Self {
            spec,
            process,
            dialect: EngineDialect::of(spec),
            interrupt,
            is_interrupted: false,
            timeouts,
            misspaced: None,
            transcript: Vec::new(),
        })
    }

    pub fn protocol(&self) -> EngineProtocol {
        self.dialect.protocol
    }

    /// The last lines of the dialogue, after a line with the number of omitted lines if there are any.
    pub fn into_transcript(self) -> Vec<String> {
        let skipped = self.transcript.len().saturating_sub(MAX_TRANSCRIPT);
        let note = (skipped > 0).then(|| format!("… earlier lines: {skipped}"));
        let shown = self.transcript.into_iter().skip(skipped);
        note.into_iter().chain(shown).collect()
    }

    fn note(&mut self, direction: char, line: &str) {
        let beginning: String = line.chars().take(MAX_LINE).collect();
        let ellipsis = if line.chars().count() > MAX_LINE { "…" } else { "" };
        let line = format!("{direction} {}{ellipsis}", printable(&beginning));
        self.transcript.push(line);
    }

    pub fn send(&mut self, line: &str) {
        self.note('>', line);
        self.process.reset();
        self.process.send(line);
    }

    /// Sends a line in GBK, as programs on Chinese Windows do.
    pub fn send_gbk(&mut self, line: &str) {
        self.note('>', line);
        self.process.reset();
        let line = format!("{line}\n");
        self.process.send_bytes(encode_gbk(&line).into_owned());
    }

    pub fn close(&mut self) {
        self.note('>', "(end of input)");
        self.process.close_input();
    }

    /// Whether the engine exits within `timeout`. An interrupt ends the wait and sets [`Self::is_interrupted`].
    pub fn ends_within(&mut self, timeout: Duration) -> bool {
        let deadline = Instant::now() + timeout;
        // The output must be read, because a full pipe can block the engine.
        while Instant::now() < deadline {
            let has_ended = self.process.has_ended(POLL);
            while let Ok(Output::Line { text, .. }) = self.process.output.try_recv() {
                self.note('<', &text);
            }
            if has_ended {
                self.note('<', "(exited)");
                return true;
            }
            if self.interrupt.try_recv() != Err(TryRecvError::Empty) {
                self.is_interrupted = true;
                return false;
            }
        }
        false
    }

    /// The next line before `deadline`, if there is one, with single spaces between its words. Fails if the engine
    /// exits or writes too much, or if the checks are interrupted.
    pub fn line_before(&mut self, deadline: Instant) -> Result<Option<String>, CheckFailure> {
        match self.process.next_line(deadline, self.interrupt) {
            Ok(None) => Ok(None),
            Ok(Some((_, text))) => {
                self.note('<', &text);
                if self.misspaced.is_none() && is_misspaced(&text) {
                    self.misspaced = Some(text.clone());
                }
                // Several spaces and tabs between words have a check of their own.
                let words: Vec<&str> = text.split_ascii_whitespace().collect();
                Ok(Some(words.join(" ")))
            }
            Err(EngineFailure::Flood) => violated("it writes too much output"),
            Err(EngineFailure::Ended(how)) => {
                self.note('<', &format!("({how})"));
                violated(how)
            }
            Err(_) => {
                self.is_interrupted = true;
                violated("interrupted")
            }
        }
    }

    /// All lines up to and including the first that is `wanted`. `name` describes that line in the error.
    pub fn until(
        &mut self,
        name: &str,
        timeout: Duration,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<String>, CheckFailure> {
        let deadline = Instant::now() + timeout;
        let mut lines = Vec::new();
        while let Some(line) = self.line_before(deadline)? {
            let is_last = wanted(&line);
            lines.push(line);
            if is_last {
                return Ok(lines);
            }
        }
        violated(format!("no {name} within {} s", timeout.as_secs_f64()))
    }

    pub fn lines_within(&mut self, time: Duration) -> Result<Vec<String>, CheckFailure> {
        let deadline = Instant::now() + time;
        let mut lines = Vec::new();
        while let Some(line) = self.line_before(deadline)? {
            lines.push(line);
        }
        Ok(lines)
    }

    /// Performs the handshake and returns the response of the engine.
    pub fn handshake(&mut self) -> Result<Vec<String>, CheckFailure> {
        let protocol = self.protocol();
        self.send(protocol.name());
        let last = protocol.handshake_end();
        self.until(last, self.timeouts.ready, |line| line == last)
    }

    /// Sends `isready` and returns the lines up to `readyok`.
    pub fn sync(&mut self) -> Result<Vec<String>, CheckFailure> {
        self.send("isready");
        self.until("readyok", self.timeouts.ready, |line| line == "readyok")
    }

    /// Performs the handshake, sets the options and returns the output of the engine. The opening book is off unless
    /// the options of the engine turn it on, because the checks are about the search.
    pub fn initialize(&mut self) -> Result<Vec<String>, CheckFailure> {
        let mut lines = self.handshake()?;
        let offered = offered_options(&lines);
        let offers = |name: &str| find_offer(&offered, name).is_some();
        let protocol = self.protocol();
        let mut options = Vec::new();
        if self.dialect.is_ucci() {
            self.dialect.milliseconds = has_milliseconds(&self.spec.options, &offered);
            if self.dialect.milliseconds && offers("usemillisec") {
                options.push(("usemillisec".to_owned(), "true".to_owned()));
            }
        }
        if offers("UCI_Variant") {
            options.push(("UCI_Variant".to_owned(), "xiangqi".to_owned()));
        }
        let book = if self.dialect.is_ucci() { "usebook" } else { "OwnBook" };
        if offers(book) {
            options.push((book.to_owned(), "false".to_owned()));
        }
        options.extend(self.spec.options.clone());
        for (name, value) in options {
            if let Some(command) = option_command(protocol, &offered, &name, &value) {
                self.send(&command);
            }
        }
        for line in &self.spec.init {
            self.send(line);
        }
        lines.extend(self.sync()?);
        Ok(lines)
    }

    /// Sends `position` with moves in the engine's coordinates.
    pub fn position(&mut self, fen: &str, moves: &[Move]) {
        let moves = self.dialect.write_moves(moves.iter().copied());
        self.send(&format!("position fen {fen}{moves}"));
    }

    /// The parameters of a `go` with this time on both clocks.
    pub fn clock(&self, time: Duration) -> String {
        let time = self.dialect.time(time);
        if self.dialect.is_ucci() {
            format!("time {time} increment 0 opptime {time} oppincrement 0")
        } else {
            format!("wtime {time} btime {time} winc 0 binc 0")
        }
    }

    /// A move in the engine's coordinates that is illegal in the starting position: a rook captures its own pawn.
    pub fn illegal_move(&self) -> String {
        self.dialect.write_move("a0a3".parse().unwrap_or(Move::NONE))
    }

    /// The lines up to and including the answer to `go`.
    pub fn outcome(&mut self, timeout: Duration) -> Result<Vec<String>, CheckFailure> {
        self.until("bestmove", timeout, is_outcome)
    }

    /// The move in the last line, which is the answer to `go`. A move that is not legal in `position` is a violation.
    pub fn legal_move(&self, position: &Position, lines: &[String]) -> Result<Move, CheckFailure> {
        let answer = lines.last().map_or("", String::as_str);
        let text = answer.split_ascii_whitespace().nth(1).unwrap_or_default();
        match self.dialect.read_move(text).filter(|m| is_legal(position, *m)) {
            Some(m) if answer.starts_with("bestmove ") => {
                self.check_spelling(m, text)?;
                Ok(m)
            }
            _ => violated(format!("{answer:?} is not a legal move here")),
        }
    }

    /// Checks that a move is written as the protocol demands. Many clients do not read forms such as `h3-e3` and
    /// `H3E3`.
    fn check_spelling(&self, m: Move, text: &str) -> CheckResult {
        let expected = self.dialect.write_move(m);
        if text == expected {
            return Ok(());
        }
        violated(format!("a move is written {text:?} instead of {expected:?}"))
    }

    /// Checks that the move to ponder on in the last line, if there is one, is legal after `played`.
    pub fn check_ponder_move(
        &self,
        position: &Position,
        played: Move,
        lines: &[String],
    ) -> CheckResult {
        let answer = lines.last().map_or("", String::as_str);
        let mut words = answer.split_ascii_whitespace().skip_while(|word| *word != "ponder");
        if words.next().is_none() {
            return Ok(());
        }
        let after = position.after_all([played]);
        match words.next() {
            Some(text) if is_no_move(text) => Ok(()),
            Some(text) => match self.dialect.read_move(text).filter(|m| is_legal(&after, *m)) {
                Some(m) => self.check_spelling(m, text),
                None => violated(format!("the move to ponder on is illegal: {answer:?}")),
            },
            None => violated(format!("there is no move after \"ponder\": {answer:?}")),
        }
    }

    /// The error of a principal variation: a move that is illegal or not written as the protocol demands. From the
    /// second word on, a word that is not a move ends the variation.
    pub fn pv_error<'b>(
        &self,
        position: &Position,
        pv: impl Iterator<Item = &'b str>,
    ) -> Option<String> {
        let mut position = position.clone();
        for (index, word) in pv.enumerate() {
            match self.dialect.read_move(word) {
                Some(m) if is_legal(&position, m) => {
                    let expected = self.dialect.write_move(m);
                    if word != expected {
                        return Some(format!(
                            "a move of pv is written {word:?} instead of {expected:?}"
                        ));
                    }
                    position.make(m);
                }
                None if index > 0 => return None,
                _ => return Some(format!("the move {word} of pv is illegal")),
            }
        }
        None
    }

    /// Waits until the engine is ready. Another answer to `go` is a violation.
    pub fn answers_once(&mut self) -> CheckResult {
        let has_second = self.sync()?.iter().any(|line| is_outcome(line));
        violated_unless(!has_second, "it answers twice")
    }

    /// Sends a `go` for a short search. Returns the legal move and all lines. A second answer is a violation.
    pub fn plays(
        &mut self,
        go: &str,
        position: &Position,
    ) -> Result<(Move, Vec<String>), CheckFailure> {
        self.send(go);
        let lines = self.outcome(SHORT_SEARCH)?;
        let played = self.legal_move(position, &lines)?;
        self.answers_once()?;
        Ok((played, lines))
    }
}

/// Whether a line is a response with white space other than single spaces between words. Some clients compare responses
/// as a whole or split them at single spaces.
fn is_misspaced(line: &str) -> bool {
    let word = line.split_ascii_whitespace().next().unwrap_or_default();
    let is_response = matches!(word, "ucciok" | "uciok" | "readyok" | "bestmove" | "nobestmove");
    is_response && line.split(' ').any(|word| word.is_empty() || word.contains('\t'))
}

/// Initializes an engine and sends the starting position.
pub fn set_startpos(engine: &mut Dialogue<'_>) -> Result<Position, CheckFailure> {
    engine.initialize()?;
    engine.position(START, &[]);
    Ok(Position::startpos())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckTimeouts {
    /// For the handshake and for the response to `isready`.
    pub ready: Duration,
    /// For immediate responses, such as to `stop`. A quarter of this is the tolerance for the time of a move.
    pub response: Duration,
}

impl CheckTimeouts {
    pub fn margin(self) -> Duration {
        self.response / 4
    }
}

named_enum! {
    pub enum CheckOutcome {
        /// The engine conforms to the protocol.
        Ok = "ok",
        /// The protocol does not specify the behavior, but some clients may fail.
        Unclear = "unclear",
        Violated = "violated",
    }
}

/// The result of a check. The serialized names are the keys of `chuhe check --json`.
#[derive(Clone, Debug, Serialize)]
pub struct CheckReport {
    #[serde(rename = "check")]
    pub name: &'static str,
    pub outcome: CheckOutcome,
    /// The rule of the protocol, or the habit of clients, that is checked.
    pub rule: &'static str,
    /// Description of the problem; empty if the check succeeded.
    pub detail: String,
    /// The last lines sent (`> `) and received (`< `).
    pub transcript: Vec<String>,
}

/// The reason why a check did not pass.
#[derive(Clone, Debug)]
pub enum CheckFailure {
    Unclear(String),
    Violated(String),
    /// The check does not apply to this engine.
    NotApplicable,
}
