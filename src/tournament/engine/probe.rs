//! What an engine speaks is asked before the first game, where the user has not told it.

use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError};

use super::{Engine, EngineFailure, Greeting, MoveChoice, Output, Process, start_process};
use crate::board::Position;
use crate::movegen::is_legal;
use crate::notation::fen::START;
use crate::text::excerpt;
use crate::tournament::limit::Timeouts;
use crate::tournament::protocol::EngineProtocol;
use crate::tournament::spec::EngineSpec;

/// How long an engine may take to answer one greeting before it gets the other one too.
const FIRST_GREETING: Duration = Duration::from_secs(1);

/// Starts an engine once, and returns its description completed by what was found out, with its
/// greeting. `over` ends the waiting when it has a message or is disconnected.
///
/// The protocol is that of the greeting which it answers; what its coordinates count from is seen
/// from a move that it plays from the starting position. What the user has told is taken, and tried.
///
/// # Errors
/// It cannot be started, does not answer, plays something else, or plays otherwise than the user has told.
pub fn probe(
    spec: &EngineSpec,
    cpus: Option<&[usize]>,
    timeouts: Timeouts,
    over: &Receiver<()>,
) -> Result<(EngineSpec, Greeting), EngineFailure> {
    let mut known = spec.clone();
    let mut findings = Vec::new();
    if known.protocol.is_none() {
        let protocol = find_protocol(spec, cpus, timeouts, over)?;
        findings.push(protocol.to_string().to_uppercase());
        known.protocol = Some(protocol);
    }
    let mut engine = Engine::start(&known, cpus, timeouts, over.clone())?;
    let mut greeting = std::mem::take(&mut engine.greeting);
    match known.first_rank {
        Some(first_rank) => engine.try_first_rank(first_rank)?,
        None => {
            let first_rank = engine.find_first_rank()?;
            if first_rank != 0 {
                findings.push(format!("ranks from {first_rank}"));
            }
            known.first_rank = Some(first_rank);
        }
    }
    engine.try_variant(spec)?;
    engine.quit();
    findings.append(&mut greeting.findings);
    greeting.findings = findings;
    Ok((known, greeting))
}

/// Greets an engine in both protocols, and returns the one that it answers.
fn find_protocol(
    spec: &EngineSpec,
    cpus: Option<&[usize]>,
    timeouts: Timeouts,
    over: &Receiver<()>,
) -> Result<EngineProtocol, EngineFailure> {
    let cpus = spec.cpus.as_deref().or(cpus);
    let mut process = start_process(spec, cpus)?;
    let deadline = Instant::now() + timeouts.ready;
    process.send(EngineProtocol::Ucci.greeting());
    let mut answer = await_welcome(&process, FIRST_GREETING.min(timeouts.ready), over)?;
    if let Welcome::Ended = answer {
        // Some exit at a command that they do not support.
        process = start_process(spec, cpus)?;
    }
    if !matches!(answer, Welcome::Spoken(_)) {
        process.send(EngineProtocol::Uci.greeting());
        let rest = deadline.saturating_duration_since(Instant::now());
        answer = await_welcome(&process, rest, over)?;
    }
    match answer {
        Welcome::Spoken(protocol) => {
            process.quit(super::QUIT_TIMEOUT);
            Ok(protocol)
        }
        Welcome::Missing => Err(EngineFailure::Silent {
            awaited: "ucciok or uciok".to_owned(),
            allowed: timeouts.ready,
        }),
        Welcome::Ended => Err(EngineFailure::Ended(process.end(super::END_TIMEOUT))),
    }
}

/// What came of a greeting.
enum Welcome {
    Spoken(EngineProtocol),
    Missing,
    Ended,
}

fn await_welcome(
    process: &Process,
    timeout: Duration,
    over: &Receiver<()>,
) -> Result<Welcome, EngineFailure> {
    /// How often the end of the tournament is looked for.
    const POLL: Duration = Duration::from_millis(20);
    let deadline = Instant::now() + timeout;
    loop {
        if over.try_recv() != Err(crossbeam_channel::TryRecvError::Empty) {
            return Err(EngineFailure::Interrupted);
        }
        match process.output.recv_timeout(POLL) {
            Ok(Output::Line { text, .. }) => {
                let protocols = [EngineProtocol::Ucci, EngineProtocol::Uci];
                let mut spoken = protocols.into_iter().filter(|p| p.welcome() == text);
                if let Some(protocol) = spoken.next() {
                    return Ok(Welcome::Spoken(protocol));
                }
            }
            Ok(Output::Flood) => return Err(EngineFailure::Flood),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(Welcome::Ended),
        }
        if Instant::now() >= deadline {
            return Ok(Welcome::Missing);
        }
    }
}

/// What engines are asked for a move to find out what they count ranks from.
const FIND_RANKS: &str = "go depth 1";
/// What engines are asked for a move to try what the user has told of their ranks.
const TRY_RANKS: &str = "go depth 2";
/// Red is to move, is not in check and has no move; in variants of xiangqi there may be one, as passing
/// is in janggi.
const STALEMATE: &str = "3k5/9/9/9/4r4/9/9/9/r8/5K3 w - - 0 1";

impl Engine {
    /// Lets the engine play a move from the starting position, and sees from it what it counts ranks
    /// from. No text is a legal move of both kinds: pieces stand on ranks 0, 2 and 3 from 0, on 1, 3
    /// and 4 from 1, and those on 3 are on other files.
    fn find_first_rank(&mut self) -> Result<u8, EngineFailure> {
        let line = self.play_from(START, FIND_RANKS)?;
        (0..=1)
            .find(|first_rank| self.reads(&line, *first_rank))
            .ok_or_else(|| EngineFailure::Foreign(excerpt(&line)))
    }

    /// Lets the engine play a move from the starting position, which has to be legal by the ranks that
    /// the user has told.
    fn try_first_rank(&mut self, first_rank: u8) -> Result<(), EngineFailure> {
        let line = self.play_from(START, TRY_RANKS)?;
        let played = excerpt(&line);
        match self.reads(&line, first_rank) {
            true => Ok(()),
            false if self.reads(&line, 1 - first_rank.min(1)) => {
                Err(EngineFailure::OtherRanks { first_rank, played })
            }
            false => Err(EngineFailure::Foreign(played)),
        }
    }

    /// Lets an engine that the user sets to another variant answer where xiangqi has no move.
    fn try_variant(&mut self, spec: &EngineSpec) -> Result<(), EngineFailure> {
        let is_variant = |name: &str| name.eq_ignore_ascii_case(super::greeting::VARIANT);
        let mut variants = spec.options.iter().filter(|(name, _)| is_variant(name));
        let Some((_, variant)) = variants.next_back() else {
            return Ok(());
        };
        if variant.eq_ignore_ascii_case("xiangqi") {
            return Ok(());
        }
        let line = self.play_from(STALEMATE, FIND_RANKS)?;
        match self.answer(&line, Instant::now(), Duration::ZERO).choice {
            MoveChoice::NoMove | MoveChoice::Resign => Ok(()),
            _ => Err(EngineFailure::OtherVariant {
                variant: excerpt(variant),
                played: excerpt(&line),
            }),
        }
    }

    /// The line with which the engine answers a `go` in a position.
    fn play_from(&mut self, fen: &str, go: &str) -> Result<String, EngineFailure> {
        self.ready(&format!("position fen {fen}"))?;
        self.process.reset();
        self.process.send(go);
        let (_, line) = self.best_move(self.timeouts.ready)?;
        Ok(line)
    }

    /// Whether an answer has a legal move of the starting position in coordinates that count ranks from
    /// `first_rank`.
    fn reads(&self, line: &str, first_rank: u8) -> bool {
        let text = line.split_ascii_whitespace().nth(1).unwrap_or_default();
        let dialect = super::EngineDialect {
            first_rank,
            ..self.dialect
        };
        let read = dialect.read_move(text);
        read.is_some_and(|m| is_legal(&Position::startpos(), m))
    }
}
