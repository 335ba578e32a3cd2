//! An engine in a tournament: handshake, moves, pondering and failures.

mod answer;
mod dialect;
mod handshake;
mod platform;
mod probe;
mod process;
mod xboard;

use std::io;
use std::time::{Duration, Instant};

use answer::{NO_MOVE, answer_words, is_response};
use crossbeam_channel::{Receiver, TryRecvError};
use process::Timed;

pub use answer::{
    BEST_MOVE, EngineFailure, EngineScore, MoveAnswer, MoveChoice, is_no_move, is_outcome,
};
pub use dialect::{EngineDialect, MoveRequest};
pub use handshake::{Handshake, find_offer, has_milliseconds, offered_options, option_command};
pub use platform::processors;
pub use probe::probe;
pub use process::{END_TIMEOUT, Output, Process};

use super::limit::{Clock, Timeouts};
use super::spec::EngineSpec;
use crate::board::Move;
use crate::text::excerpt;

/// Time limit for the answer to `stop`.
const STOP_TIMEOUT: Duration = Duration::from_secs(2);
/// Time limit for the exit after `quit`.
const QUIT_TIMEOUT: Duration = Duration::from_secs(1);

const READY: &str = "readyok";
/// The name of the response to `stop` while pondering, for error messages.
const STOPPED_MOVE: &str = "bestmove after stop";

/// A ponder search in progress.
#[derive(Debug)]
struct Pondering {
    /// The reply of the opponent on which the engine ponders.
    expected: Move,
    /// An answer that the engine gave before `ponderhit` or `stop`.
    early: Option<String>,
}

#[derive(Debug)]
pub struct Engine {
    process: Process,
    dialect: EngineDialect,
    /// Whether the engine does not answer `isready`.
    lacks_isready: bool,
    /// The time by which a move may exceed its limit without a loss.
    margin: Duration,
    timeouts: Timeouts,
    /// Disconnected when the tournament is stopped.
    interrupted: Receiver<()>,
    pondering: Option<Pondering>,
    /// Whether the engine must not play another game, because it played an illegal move or failed.
    pub has_failed: bool,
    pub handshake: Handshake,
}

impl Engine {
    /// Starts an engine, performs the handshake and sets the options. The engine is bound to the processors of its
    /// settings, or else to `cpus`, if given.
    pub fn start(
        spec: &EngineSpec,
        cpus: Option<&[usize]>,
        timeouts: Timeouts,
        interrupted: Receiver<()>,
    ) -> Result<Self, EngineFailure> {
        let process = start_process(spec, cpus)?;
        let mut engine = Self {
            process,
            dialect: EngineDialect::of(spec),
            lacks_isready: false,
            margin: spec.margin,
            timeouts,
            interrupted,
            pondering: None,
            has_failed: false,
            handshake: Handshake::default(),
        };
        engine.initialize(spec)?;
        Ok(engine)
    }

    /// Sends lines followed by `isready`, and waits for `readyok`. An engine that does not answer `isready` only gets
    /// the lines.
    fn ready(&mut self, text: &str) -> Result<(), EngineFailure> {
        if !text.is_empty() {
            self.process.send(text);
        }
        if self.lacks_isready {
            // The engine reads its input in order, so no wait is needed. Answers that have already arrived belong to
            // earlier requests and are discarded.
            return self.take_output().map(drop);
        }
        self.process.send("isready");
        let sent = text.lines().next().unwrap_or("isready");
        let awaited = format!("{READY} after {}", excerpt(sent));
        self.await_response(self.timeouts.ready, &awaited, is_ready)?;
        Ok(())
    }

    /// Sends a position. An XBoard engine that refuses it or a move gets the whole game again.
    fn set_up(&mut self, position: &str) -> Result<(), EngineFailure> {
        self.ready(position)?;
        if self.refusal().is_some() {
            self.process.send("ucinewgame");
            self.ready(position)?;
        }
        self.require_no_refusal()
    }

    fn require_no_refusal(&self) -> Result<(), EngineFailure> {
        match self.refusal() {
            Some(line) => Err(EngineFailure::Other(format!(
                "it refused the position, a legal move or the search: {}",
                excerpt(&line)
            ))),
            None => Ok(()),
        }
    }

    /// The line in which an XBoard engine refused the last position, a move of its game or `go`.
    fn refusal(&self) -> Option<String> {
        self.process.xboard()?.refusal.clone()
    }

    /// Whether the engine must be restarted for each game (`reuse=0` of XBoard).
    pub fn must_restart(&self) -> bool {
        self.process.xboard().is_some_and(|xboard| xboard.lacks_reuse)
    }

    fn set_options(&self, options: &[(String, String)]) {
        for (name, value) in options {
            let command =
                option_command(self.dialect.protocol, &self.handshake.offers, name, value);
            if let Some(command) = command {
                self.process.send(&command);
            }
        }
    }

    /// Sets `options` in addition to those set at the start, and announces a new game.
    pub fn new_game(&mut self, options: &[(String, String)]) -> Result<(), EngineFailure> {
        // Pondering is stopped first, because options are not set during a search.
        self.stop_pondering()?;
        self.process.reset();
        self.set_options(options);
        self.ready(self.dialect.protocol.new_game())
    }

    /// Asks for a move. If the engine exceeds its time, it gets `stop` and may still answer; the caller must check the
    /// elapsed time.
    pub fn think(&mut self, request: &MoveRequest<'_>) -> Result<MoveAnswer, EngineFailure> {
        self.poll_early_answer()?;
        let last = request.game.plies().last().map(|ply| ply.played);
        let (asked, is_pondered) = match self.pondering.take() {
            Some(pondering) if Some(pondering.expected) == last => {
                let asked = Instant::now();
                if let Some(line) = pondering.early {
                    return Ok(self.answer(&line, asked, Duration::ZERO, true));
                }
                let is_offer = request.draw_offered && self.dialect.is_ucci();
                self.process.send(if is_offer { "ponderhit draw" } else { "ponderhit" });
                (asked, true)
            }
            other => {
                self.pondering = other;
                self.stop_pondering()?;
                self.set_up(&self.dialect.position(request))?;
                self.process.reset();
                let go = self.dialect.go(request, false);
                let asked = Instant::now();
                self.process.send(&go);
                (asked, false)
            }
        };
        let clock = &request.clocks[request.game.position().side_to_move()];
        let (at, line) = match self.best_move(self.limit(clock)) {
            Err(late @ EngineFailure::Timeout { .. }) => {
                self.process.send("stop");
                match self.best_move(STOP_TIMEOUT) {
                    Err(EngineFailure::Timeout { .. }) => return Err(late),
                    other => other?,
                }
            }
            other => other?,
        };
        self.require_no_refusal()?;
        let elapsed = at.saturating_duration_since(asked);
        Ok(self.answer(&line, asked, elapsed, is_pondered))
    }

    /// How long a move may take: its time limit plus the margin, or the timeout of a move without a time limit.
    pub fn limit(&self, clock: &Clock) -> Duration {
        match clock.allowance() {
            Some(time) => time + self.margin,
            None => self.timeouts.untimed_move,
        }
    }

    /// Starts pondering on the game of `request`, whose last move is the `expected` reply of the opponent.
    pub fn ponder(
        &mut self,
        request: &MoveRequest<'_>,
        expected: Move,
    ) -> Result<(), EngineFailure> {
        self.set_up(&self.dialect.position(request))?;
        self.process.reset();
        self.process.send(&self.dialect.go(request, true));
        self.pondering = Some(Pondering { expected, early: None });
        Ok(())
    }

    /// Checks whether a pondering engine has already answered.
    fn poll_early_answer(&mut self) -> Result<(), EngineFailure> {
        if self.pondering.is_none() {
            return Ok(());
        }
        let outcome = self.take_output()?;
        if let (Some(pondering), Some(outcome)) = (&mut self.pondering, outcome) {
            pondering.early.get_or_insert(outcome);
        }
        Ok(())
    }

    /// Takes the output that has arrived. Returns the first line that ends a search.
    fn take_output(&self) -> Result<Option<String>, EngineFailure> {
        let mut outcome = None;
        loop {
            match self.process.output.try_recv() {
                Ok(Output::Line { text, .. }) if is_outcome(&text) => {
                    outcome.get_or_insert(text);
                }
                Ok(Output::Line { .. }) => {}
                Ok(Output::Flood) => return Err(EngineFailure::Flood),
                // A closed output is handled when an answer is awaited.
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => return Ok(outcome),
            }
        }
    }

    fn stop_pondering(&mut self) -> Result<(), EngineFailure> {
        self.poll_early_answer()?;
        match self.pondering.take() {
            Some(Pondering { early: None, .. }) => {
                self.process.send("stop");
                self.await_response(STOP_TIMEOUT, STOPPED_MOVE, is_outcome)?;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Sends `quit`, and kills the engine if it does not exit.
    pub fn quit(self) {
        self.process.quit(QUIT_TIMEOUT);
    }

    fn best_move(&mut self, timeout: Duration) -> Result<Timed, EngineFailure> {
        self.await_line(timeout, BEST_MOVE, is_outcome)
    }

    /// Waits for a line up to twice `allowed`, and reports a line that arrives after `allowed` as a timeout. The
    /// callers do not count a timeout against the engine if the time waited, without the stalls of the machine, is at
    /// most `allowed` (`StallWatch::excuse`). If the wait ended at `allowed`, any stall would excuse an engine that
    /// never answers.
    fn await_response(
        &mut self,
        allowed: Duration,
        name: &str,
        wanted: impl FnMut(&str) -> bool,
    ) -> Result<Timed, EngineFailure> {
        let deadline = Instant::now() + allowed;
        match self.await_line(2 * allowed, name, wanted) {
            Ok((at, _)) if at > deadline => {
                Err(EngineFailure::Timeout { awaited: name.to_owned(), allowed })
            }
            Err(EngineFailure::Timeout { awaited, .. }) => {
                Err(EngineFailure::Timeout { awaited, allowed })
            }
            other => other,
        }
    }

    /// Waits for a line that is `wanted` and ignores other lines (the reader already handles `info` lines). `name` is
    /// the expected response in the error message.
    fn await_line(
        &mut self,
        timeout: Duration,
        name: &str,
        mut wanted: impl FnMut(&str) -> bool,
    ) -> Result<Timed, EngineFailure> {
        let timed_out = || EngineFailure::Timeout { awaited: name.to_owned(), allowed: timeout };
        let deadline = Instant::now() + timeout;
        while let Some((at, text)) = self.process.next_line(deadline, &self.interrupted)? {
            if wanted(&text) {
                return Ok((at, text));
            }
            // The deadline also applies to an engine that writes continuously.
            if at > deadline {
                return Err(timed_out());
            }
        }
        // The engine may have ended while another process keeps its output open.
        Err(if self.process.has_ended(Duration::ZERO) {
            EngineFailure::Ended(self.process.end(Duration::ZERO))
        } else {
            timed_out()
        })
    }

    fn answer(
        &self,
        line: &str,
        asked: Instant,
        elapsed: Duration,
        is_pondered: bool,
    ) -> MoveAnswer {
        let mut info = self.process.info(self.dialect);
        if is_pondered {
            // These numbers count from the start of the search, but the time counts from `ponderhit`.
            (info.nodes, info.tbhits) = (None, None);
        }
        let is_none = is_response(line, NO_MOVE);
        let mut words = answer_words(line);
        let best = words.next();
        let mut answer = MoveAnswer {
            choice: match best {
                None => MoveChoice::NoMove,
                Some(text) if is_none || is_no_move(text) => MoveChoice::NoMove,
                Some(text) if text.eq_ignore_ascii_case("resign") => MoveChoice::Resign,
                Some(text) => MoveChoice::Move(excerpt(text), self.dialect.read_move(text)),
            },
            draw: false,
            ponder: None,
            asked,
            elapsed,
            info,
        };
        while let Some(word) = words.next() {
            match word.to_ascii_lowercase().as_str() {
                "ponder" => answer.ponder = words.next().and_then(|m| self.dialect.read_move(m)),
                "draw" => answer.draw = true,
                "resign" => answer.choice = MoveChoice::Resign,
                _ => {}
            }
        }
        answer
    }
}

/// Starts the process of an engine, on processors as in [`Engine::start`].
fn start_process(spec: &EngineSpec, cpus: Option<&[usize]>) -> Result<Process, EngineFailure> {
    let cpus = spec.cpus.as_deref().or(cpus);
    Process::start(spec, cpus, false).map_err(|error| {
        let directory = spec.directory.as_ref().filter(|path| !path.is_dir());
        let path = directory.unwrap_or(&spec.command).display();
        if directory.is_none() && spec.command.is_dir() {
            let error = io::Error::from(io::ErrorKind::IsADirectory);
            return EngineFailure::Start(format!("{path}: {error}"));
        }
        let is_missing = error.kind() == io::ErrorKind::NotFound;
        if is_missing && directory.is_none() && spec.command.is_file() {
            let is_bare_name = spec.command.components().count() == 1;
            let why = if is_bare_name {
                "not in the PATH; write ./ before the name of a program in this directory"
            } else {
                "the file exists, but its interpreter (#!) or loader does not"
            };
            return EngineFailure::Start(format!("{path}: {why}"));
        }
        if is_missing
            && directory.is_none()
            && let Some(why) = missing_program(spec)
        {
            return EngineFailure::Start(why);
        }
        EngineFailure::Start(format!("{path}: {error}"))
    })
}

/// The error for a missing program whose command contains arguments, or whose path is relative to its directory.
fn missing_program(spec: &EngineSpec) -> Option<String> {
    let current = std::env::current_dir().unwrap_or_default();
    let command = spec.command.strip_prefix(current);
    let command = command.unwrap_or(&spec.command);
    let in_directory = spec.directory.as_ref().map(|path| path.join(command));
    if let Some(path) = in_directory.filter(|path| path.is_file()) {
        let (command, path) = (command.display(), path.display());
        return Some(format!(
            "{command}: the path is relative to the current directory, not to dir=; write cmd={path}"
        ));
    }
    let has_blank = command.to_string_lossy().contains(' ');
    has_blank.then(|| {
        let command = command.display();
        format!("{command}: no such program; write its arguments in args=, not in cmd=")
    })
}

fn is_ready(line: &str) -> bool {
    is_response(line, READY)
}
