//! An engine in a tournament: greeting, asking for moves, faults.

mod answer;
mod dialect;
mod greeting;
#[cfg(unix)]
mod guard;
mod info;
mod options;
mod output;
mod pipes;
mod platform;
mod probe;
mod process;

use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, TryRecvError, select};

pub use answer::{EngineFailure, MoveAnswer, MoveChoice};
pub use dialect::MoveRequest;
pub use greeting::Greeting;
pub use info::EngineScore;
pub(super) use platform::processors;
pub use probe::probe;

pub(super) use dialect::EngineDialect;
pub(super) use options::OfferedOption;
pub(super) use output::Output;
pub(super) use process::Process;

use super::limit::{Clock, Timeouts};
use super::protocol::EngineProtocol;
use super::spec::EngineSpec;
use crate::board::Move;
use crate::text::excerpt;

/// How long an engine that was told to stop may take to answer.
const STOP_TIMEOUT: Duration = Duration::from_secs(1);
/// How long an engine that was told to quit may take to leave.
const QUIT_TIMEOUT: Duration = Duration::from_secs(1);
/// How long it may take a process that has closed its output to end.
const END_TIMEOUT: Duration = Duration::from_millis(200);

/// The first word of the line that ends a search.
pub(super) const BEST_MOVE: &str = "bestmove";
/// What a pondering engine that is told to stop does not answer with.
const STOPPED_MOVE: &str = "bestmove behind stop";

/// A line with the time of its coming.
type Timed = (Instant, String);

/// What an engine thinks about on its opponent's time.
#[derive(Debug)]
struct Pondering {
    expected: Move,
    /// An answer given before it was asked for.
    early: Option<String>,
}

/// An engine at work.
#[derive(Debug)]
pub struct Engine {
    process: Process,
    dialect: EngineDialect,
    has_newgame: bool,
    margin: Duration,
    timeouts: Timeouts,
    /// Disconnected when the tournament is over.
    over: Receiver<()>,
    pondering: Option<Pondering>,
    /// What its greeting has told.
    pub greeting: Greeting,
}

impl Engine {
    /// Starts an engine and greets it, on `cpus` alone if they are given.
    ///
    /// # Errors
    /// It cannot be started, or does not answer as it should.
    pub fn start(
        spec: &EngineSpec,
        cpus: Option<&[usize]>,
        timeouts: Timeouts,
        over: Receiver<()>,
    ) -> Result<Self, EngineFailure> {
        let cpus = spec.cpus.as_deref().or(cpus);
        let process = start_process(spec, cpus)?;
        let protocol = spec.protocol.unwrap_or_default();
        let mut engine = Self {
            process,
            dialect: EngineDialect {
                protocol,
                first_rank: spec.first_rank.unwrap_or(0),
                milliseconds: protocol == EngineProtocol::Uci,
            },
            has_newgame: protocol == EngineProtocol::Uci,
            margin: spec.margin,
            timeouts,
            over,
            pondering: None,
            greeting: Greeting::default(),
        };
        engine.greet(spec)?;
        Ok(engine)
    }

    /// Sends lines, and waits until the engine has done with them.
    fn ready(&mut self, text: &str) -> Result<(), EngineFailure> {
        match text {
            "" => self.process.send("isready"),
            text => self.process.send(&format!("{text}\nisready")),
        }
        let is_ready = |line: &str| line == "readyok";
        self.await_line(self.timeouts.ready, "readyok", is_ready)?;
        Ok(())
    }

    /// Tells of a new game.
    ///
    /// # Errors
    /// It has a fault.
    pub fn new_game(&mut self) -> Result<(), EngineFailure> {
        self.stop_pondering()?;
        self.process.reset();
        let text = match self.dialect.protocol {
            _ if !self.has_newgame => "",
            EngineProtocol::Ucci => "setoption newgame",
            EngineProtocol::Uci => "ucinewgame",
        };
        self.ready(text)
    }

    /// Asks for a move of the side that is to move. An engine that overruns its time is told to stop
    /// and may still answer; the elapsed time tells.
    ///
    /// # Errors
    /// It has a fault.
    pub fn think(&mut self, request: &MoveRequest<'_>) -> Result<MoveAnswer, EngineFailure> {
        self.poll_early_answer()?;
        let last = request.game.plies().last().map(|ply| ply.played);
        let asked = match self.pondering.take() {
            Some(pondering) if Some(pondering.expected) == last => {
                let asked = Instant::now();
                if let Some(line) = pondering.early {
                    return Ok(self.answer(&line, asked, Duration::ZERO));
                }
                let is_offer =
                    request.draw_offered && self.dialect.protocol == EngineProtocol::Ucci;
                self.process.send(if is_offer {
                    "ponderhit draw"
                } else {
                    "ponderhit"
                });
                asked
            }
            other => {
                self.pondering = other;
                self.stop_pondering()?;
                self.ready(&self.dialect.position(request))?;
                self.process.reset();
                let go = self.dialect.go(request, false);
                let asked = Instant::now();
                self.process.send(&go);
                asked
            }
        };
        let clock = &request.clocks[request.game.position().side_to_move()];
        let (at, line) = match self.best_move(self.limit(clock)) {
            Err(late @ EngineFailure::Silent { .. }) => {
                self.process.send("stop");
                match self.best_move(STOP_TIMEOUT) {
                    Err(EngineFailure::Silent { .. }) => return Err(late),
                    other => other?,
                }
            }
            other => other?,
        };
        Ok(self.answer(&line, asked, at.saturating_duration_since(asked)))
    }

    /// How long a move may take, what is forgiven included.
    pub fn limit(&self, clock: &Clock) -> Duration {
        match clock.allowance() {
            Some(time) => time + self.margin,
            None => self.timeouts.untimed_move,
        }
    }

    /// Lets the engine think about the game in which the opponent has played `expected`, which is the
    /// last move of `request`.
    ///
    /// # Errors
    /// It has a fault.
    pub fn ponder(
        &mut self,
        request: &MoveRequest<'_>,
        expected: Move,
    ) -> Result<(), EngineFailure> {
        self.ready(&self.dialect.position(request))?;
        self.process.reset();
        self.process.send(&self.dialect.go(request, true));
        self.pondering = Some(Pondering {
            expected,
            early: None,
        });
        Ok(())
    }

    /// Looks whether a pondering engine has answered without being asked.
    fn poll_early_answer(&mut self) -> Result<(), EngineFailure> {
        let Some(pondering) = &mut self.pondering else {
            return Ok(());
        };
        loop {
            match self.process.output.try_recv() {
                Ok(Output::Line { text, .. }) if is_outcome(&text) => {
                    pondering.early.get_or_insert(text);
                }
                Ok(Output::Line { .. }) => {}
                Ok(Output::Flood) => return Err(EngineFailure::Flood),
                // That its output is closed will be seen when an answer is awaited.
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => return Ok(()),
            }
        }
    }

    fn stop_pondering(&mut self) -> Result<(), EngineFailure> {
        self.poll_early_answer()?;
        match self.pondering.take() {
            Some(Pondering { early: None, .. }) => {
                self.process.send("stop");
                // Twice the time, so that a short stall of the machine excuses no engine that does not
                // answer at all.
                let stopped = self.await_line(2 * STOP_TIMEOUT, STOPPED_MOVE, is_outcome);
                stopped.map(|_| ()).map_err(|failure| match failure {
                    EngineFailure::Silent { awaited, .. } => EngineFailure::Silent {
                        awaited,
                        allowed: STOP_TIMEOUT,
                    },
                    other => other,
                })
            }
            _ => Ok(()),
        }
    }

    /// Asks the engine to leave, and kills it when it does not.
    pub fn quit(self) {
        self.process.quit(QUIT_TIMEOUT);
    }

    fn best_move(&mut self, timeout: Duration) -> Result<Timed, EngineFailure> {
        self.await_line(timeout, BEST_MOVE, is_outcome)
    }

    /// The next line that is `wanted`; those before it are passed over, `info` is not even seen.
    /// `name` is what to miss when it does not come in time.
    fn await_line(
        &mut self,
        timeout: Duration,
        name: &str,
        mut wanted: impl FnMut(&str) -> bool,
    ) -> Result<Timed, EngineFailure> {
        let silent = || EngineFailure::Silent {
            awaited: name.to_owned(),
            allowed: timeout,
        };
        let deadline = Instant::now() + timeout;
        loop {
            let wait = deadline.saturating_duration_since(Instant::now());
            let output = select! {
                recv(self.process.output) -> output => output,
                recv(self.over) -> _ => return Err(EngineFailure::Interrupted),
                default(wait) => return Err(silent()),
            };
            match output {
                Ok(Output::Line { at, text }) if wanted(&text) => return Ok((at, text)),
                // The deadline holds for an engine that never stops writing, too.
                Ok(Output::Line { at, .. }) if at > deadline => return Err(silent()),
                Ok(Output::Line { .. }) => {}
                Ok(Output::Flood) => return Err(EngineFailure::Flood),
                Err(_) => return Err(EngineFailure::Ended(self.process.end(END_TIMEOUT))),
            }
        }
    }

    fn answer(&self, line: &str, asked: Instant, elapsed: Duration) -> MoveAnswer {
        let mut words = line.split_ascii_whitespace();
        let is_none = words.next() == Some("nobestmove");
        let best = words.next();
        let mut answer = MoveAnswer {
            choice: match best {
                None => MoveChoice::NoMove,
                Some(text) if is_none || is_no_move(text) => MoveChoice::NoMove,
                Some("resign") => MoveChoice::Resign,
                Some(text) => match self.dialect.read_move(text) {
                    Some(m) => MoveChoice::Move(m),
                    None => MoveChoice::Unreadable(excerpt(text)),
                },
            },
            draw: false,
            ponder: None,
            asked,
            elapsed,
            info: self.process.info(self.dialect),
        };
        while let Some(word) = words.next() {
            match word {
                "ponder" => answer.ponder = words.next().and_then(|m| self.dialect.read_move(m)),
                "draw" => answer.draw = true,
                "resign" => answer.choice = MoveChoice::Resign,
                _ => {}
            }
        }
        answer
    }
}

/// Starts the process of an engine, on `cpus` alone if they are given.
fn start_process(spec: &EngineSpec, cpus: Option<&[usize]>) -> Result<Process, EngineFailure> {
    Process::start(spec, cpus).map_err(|error| {
        let directory = spec.directory.as_ref().filter(|path| !path.is_dir());
        let path = directory.unwrap_or(&spec.command).display();
        let is_missing = error.kind() == std::io::ErrorKind::NotFound;
        if is_missing && directory.is_none() && spec.command.is_file() {
            let why =
                "it is there, but not the program that its first line names (#!), or its loader";
            return EngineFailure::Start(format!("{path}: {why}"));
        }
        EngineFailure::Start(format!("{path}: {error}"))
    })
}

/// Whether a line ends a search.
pub(super) fn is_outcome(line: &str) -> bool {
    matches!(
        line.split_ascii_whitespace().next(),
        Some("bestmove" | "nobestmove")
    )
}

/// Whether a word stands for no move behind `bestmove`.
pub(super) fn is_no_move(word: &str) -> bool {
    matches!(word, "(none)" | "0000" | "none" | "null")
}
