//! What an engine speaks is asked before the first game, where the user has not told it.

use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError};

use super::{Engine, EngineFailure, Greeting, Output, Process, start_process};
use crate::board::{Move, Position};
use crate::movegen::is_legal;
use crate::tournament::limit::Timeouts;
use crate::tournament::protocol::EngineProtocol;
use crate::tournament::spec::EngineSpec;

/// How long an engine may take to answer one greeting before it gets the other one too.
const FIRST_GREETING: Duration = Duration::from_secs(1);

/// Starts an engine once, and returns its description completed by what was found out, with its
/// greeting. `over` ends the waiting when it has a message or is disconnected.
///
/// The protocol is that of the greeting which it answers; what its coordinates count from is seen
/// from a move that it plays from the starting position.
///
/// # Errors
/// It cannot be started, does not answer, or plays something else.
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
    if known.first_rank.is_none() {
        let first_rank = engine.find_first_rank()?;
        if first_rank != 0 {
            findings.push(format!("ranks from {first_rank}"));
        }
        known.first_rank = Some(first_rank);
    }
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

impl Engine {
    /// Lets the engine play a move from the starting position, and sees from it what it counts ranks
    /// from. No text is a legal move of both kinds: pieces stand on ranks 0, 2 and 3 from 0, on 1, 3
    /// and 4 from 1, and those on 3 are on other files.
    fn find_first_rank(&mut self) -> Result<u8, EngineFailure> {
        let start = Position::startpos();
        self.ready(&format!("position fen {}", crate::notation::fen::START))?;
        self.process.reset();
        self.process.send("go depth 1");
        let (_, line) = self.best_move(self.timeouts.ready)?;
        let text = line.split_ascii_whitespace().nth(1).unwrap_or_default();
        let reads = |first_rank: u8| {
            let dialect = super::EngineDialect {
                first_rank,
                ..self.dialect
            };
            let read: Option<Move> = dialect.read_move(text);
            read.is_some_and(|m| is_legal(&start, m))
        };
        (0..=1)
            .find(|first_rank| reads(*first_rank))
            .ok_or_else(|| EngineFailure::Foreign(crate::text::excerpt(&line)))
    }
}
