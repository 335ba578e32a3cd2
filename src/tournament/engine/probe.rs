//! Detects the protocol and the first rank of an engine before the first game.

use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;

use super::answer::{answer_words, is_outcome, is_response};
use super::{BEST_MOVE, Engine, EngineFailure, Handshake, MoveChoice, Process, start_process};
use crate::board::Position;
use crate::movegen::is_legal;
use crate::notation::fen::START;
use crate::text::excerpt;
use crate::tournament::limit::Timeouts;
use crate::tournament::spec::{EngineProtocol, EngineSpec};

/// The handshakes in the order in which they are sent, each with the time to wait for an answer before the next one;
/// `None` for the rest of the ready timeout. An answer to an earlier handshake counts as well.
const HANDSHAKES: [(&str, Option<Duration>); 3] = [
    (EngineProtocol::Ucci.name(), Some(Duration::from_secs(1))),
    (EngineProtocol::Uci.name(), Some(Duration::from_secs(2))),
    ("xboard\nprotover 2", None),
];

/// The time to wait for the answer to a handshake if `rest` of the ready timeout is left. At least half of it is left
/// for the next handshakes.
fn time_to_wait(wait: Option<Duration>, rest: Duration) -> Duration {
    wait.map_or(rest, |wait| wait.min(rest / 2))
}

/// Starts an engine to detect and verify its settings. Returns the completed settings and its handshake. A message on
/// `interrupted`, or its disconnection, stops the detection.
///
/// The protocol is that of the handshake which the engine answers; the first rank follows from its move from the
/// starting position. Settings given by the user are verified.
///
/// # Errors
/// The engine cannot be started, does not answer, refuses a network, does not play xiangqi or contradicts the given
/// settings; `needs_setboard` is set and it cannot set up positions; or the detection is stopped.
pub fn probe(
    spec: &EngineSpec,
    cpus: Option<&[usize]>,
    timeouts: Timeouts,
    interrupted: &Receiver<()>,
    needs_setboard: bool,
) -> Result<(EngineSpec, Handshake), EngineFailure> {
    let mut spec = spec.clone();
    let mut detected = Vec::new();
    if spec.protocol.is_none() {
        let protocol = find_protocol(&spec, cpus, timeouts, interrupted)?;
        if protocol == EngineProtocol::Xboard && !spec.suits_xboard() {
            let why = "which cannot be combined with nodes= or ponder=on";
            return Err(EngineFailure::Xboard(why));
        }
        detected.push(protocol.to_string().to_uppercase());
        spec.protocol = Some(protocol);
    }
    let mut engine = Engine::start(&spec, cpus, timeouts, interrupted.clone())?;
    if needs_setboard && engine.process.xboard().is_some_and(|xboard| xboard.lacks_setboard) {
        let why = "but cannot set up the positions of the openings (setboard=0)";
        return Err(EngineFailure::Xboard(why));
    }
    let mut handshake = std::mem::take(&mut engine.handshake);
    match spec.first_rank {
        Some(first_rank) => engine.verify_first_rank(first_rank)?,
        None => {
            let first_rank = engine.find_first_rank()?;
            if first_rank != 0 {
                detected.push(format!("ranks from {first_rank}"));
            }
            spec.first_rank = Some(first_rank);
        }
    }
    engine.verify_variant(&spec)?;
    engine.quit();
    detected.append(&mut handshake.detected);
    handshake.detected = detected;
    spec.id_name.clone_from(&handshake.name);
    Ok((spec, handshake))
}

fn find_protocol(
    spec: &EngineSpec,
    cpus: Option<&[usize]>,
    timeouts: Timeouts,
    interrupted: &Receiver<()>,
) -> Result<EngineProtocol, EngineFailure> {
    let mut process = start_process(spec, cpus)?;
    let deadline = Instant::now() + timeouts.ready;
    // The handshakes that the current process gets.
    let mut handshakes = &HANDSHAKES[..];
    let mut sent = 0;
    while let Some((handshake, wait)) = handshakes.get(sent) {
        process.send(handshake);
        sent += 1;
        let rest = deadline.saturating_duration_since(Instant::now());
        let timeout = time_to_wait(*wait, rest);
        match await_handshake_answer(&mut process, handshake, timeout, interrupted)? {
            HandshakeAnswer::Protocol(protocol) => {
                process.quit(super::QUIT_TIMEOUT);
                return Ok(protocol);
            }
            HandshakeAnswer::Missing => {}
            HandshakeAnswer::Ended(how) if handshakes.len() == 1 => {
                return Err(EngineFailure::Ended(how));
            }
            HandshakeAnswer::Ended(_) => {
                // Some engines exit at an unknown command. A slow engine may have read only the first handshake, so the
                // next process gets all others.
                process = start_process(spec, cpus)?;
                handshakes = &handshakes[1..];
                sent = 0;
            }
        }
    }
    Err(EngineFailure::Timeout {
        awaited: "ucciok, uciok or feature".to_owned(),
        allowed: timeouts.ready,
    })
}

enum HandshakeAnswer {
    Protocol(EngineProtocol),
    /// There is no answer in time, or the engine refuses the handshake.
    Missing,
    /// The process has closed its output; how it ended.
    Ended(String),
}

fn await_handshake_answer(
    process: &mut Process,
    handshake: &str,
    timeout: Duration,
    interrupted: &Receiver<()>,
) -> Result<HandshakeAnswer, EngineFailure> {
    let deadline = Instant::now() + timeout;
    loop {
        let text = match process.next_line(deadline, interrupted) {
            Ok(Some((_, text))) => text,
            Ok(None) => return Ok(HandshakeAnswer::Missing),
            Err(EngineFailure::Ended(how)) => return Ok(HandshakeAnswer::Ended(how)),
            Err(failure) => return Err(failure),
        };
        // XBoard engines answer with features.
        let is_answered = |p: &EngineProtocol| is_response(&text, p.handshake_end());
        if let Some(protocol) = EngineProtocol::ALL.into_iter().find(is_answered) {
            return Ok(HandshakeAnswer::Protocol(protocol));
        }
        // An XBoard engine refuses the other handshakes. A slow one may refuse an earlier handshake only now.
        let refused = text.strip_prefix("Error (unknown command): ");
        if refused == Some(handshake) || Instant::now() >= deadline {
            return Ok(HandshakeAnswer::Missing);
        }
    }
}

/// How long a search that detects or verifies a property may take before the engine gets `stop`. Half of the ready
/// timeout is used if that is shorter.
const PROBE_TIME: Duration = Duration::from_secs(3);
/// Red to move is stalemated in xiangqi, but not in some variants (in janggi passing is a move).
const STALEMATE: &str = "3k5/9/9/9/4r4/9/9/9/r8/5K3 w - - 0 1";

/// The failure of an engine that plays another game than xiangqi, or uses other coordinates. `line` is its answer.
fn not_xiangqi(line: &str) -> EngineFailure {
    EngineFailure::Other(format!(
        "from the starting position it plays {}, which is not a legal move of xiangqi with ranks from 0 or from 1",
        excerpt(line)
    ))
}

impl Engine {
    /// Detects the first rank from a move in the starting position. No text is a legal move in both numberings. Red's
    /// pieces are on ranks 0, 2 and 3 if ranks count from 0, and on ranks 1, 3 and 4 if they count from 1. The pieces
    /// on the rank called 3 are on different files in the two cases.
    fn find_first_rank(&mut self) -> Result<u8, EngineFailure> {
        let line = self.play_from(START)?;
        (0..=1)
            .find(|first_rank| self.is_legal_answer(&line, *first_rank))
            .ok_or_else(|| not_xiangqi(&line))
    }

    /// Verifies `ranks=` by a move in the starting position.
    fn verify_first_rank(&mut self, first_rank: u8) -> Result<(), EngineFailure> {
        let line = self.play_from(START)?;
        let other = 1 - first_rank.min(1);
        if self.is_legal_answer(&line, first_rank) {
            Ok(())
        } else if self.is_legal_answer(&line, other) {
            let played = excerpt(&line);
            Err(EngineFailure::Other(format!(
                "from the starting position it plays {played}, which is not legal with ranks={first_rank}: it \
                 counts ranks from {other}; leave out ranks= to detect this"
            )))
        } else {
            Err(not_xiangqi(&line))
        }
    }

    /// If the user set `UCI_Variant` to another value than `xiangqi`, verifies that the engine has no move in a xiangqi
    /// stalemate.
    fn verify_variant(&mut self, spec: &EngineSpec) -> Result<(), EngineFailure> {
        let is_variant = |name: &str| name.eq_ignore_ascii_case(super::handshake::VARIANT);
        let mut variants = spec.options.iter().filter(|(name, _)| is_variant(name));
        let Some((_, variant)) = variants.next_back() else {
            return Ok(());
        };
        if variant.eq_ignore_ascii_case("xiangqi") {
            return Ok(());
        }
        let line = self.play_from(STALEMATE)?;
        match self.answer(&line, Instant::now(), Duration::ZERO, false).choice {
            MoveChoice::NoMove | MoveChoice::Resign => Ok(()),
            _ => Err(EngineFailure::Other(format!(
                "with option.UCI_Variant={} it answers {} in a position without legal moves in xiangqi; leave \
                 out the option to set it to xiangqi",
                excerpt(variant),
                excerpt(&line)
            ))),
        }
    }

    /// The answer to a search of a position to depth 1. Some engines ignore the depth: UCI and XBoard engines get a
    /// time limit as well, and every engine gets `stop` if it searches for too long.
    fn play_from(&mut self, fen: &str) -> Result<String, EngineFailure> {
        let time = if self.dialect.is_ucci() { "" } else { " movetime 2000" };
        let go = format!("go depth 1{time}");
        self.set_up(&self.dialect.start(fen))?;
        self.process.reset();
        self.process.send(&go);
        let limit = self.timeouts.ready;
        let (_, line) = match self.best_move(PROBE_TIME.min(limit / 2)) {
            Err(EngineFailure::Timeout { .. }) => {
                self.process.send("stop");
                let awaited = match self.dialect.protocol {
                    EngineProtocol::Xboard => "move after sd 1, go and ?".to_owned(),
                    _ => format!("{BEST_MOVE} after {go} and stop"),
                };
                self.await_line(limit, &awaited, is_outcome)?
            }
            other => other?,
        };
        self.require_no_refusal()?;
        Ok(line)
    }

    /// Whether an answer is a legal move of the starting position with ranks from `first_rank`.
    fn is_legal_answer(&self, line: &str, first_rank: u8) -> bool {
        let text = answer_words(line).next().unwrap_or_default();
        let dialect = super::EngineDialect { first_rank, ..self.dialect };
        let read = dialect.read_move(text);
        read.is_some_and(|m| is_legal(&Position::startpos(), m))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_handshake_has_time_for_its_answer() {
        for (ready, expected) in
            [(15_000, [1000, 2000, 12_000]), (3000, [1000; 3]), (1000, [500, 250, 250])]
        {
            let mut rest = Duration::from_millis(ready);
            let waits = HANDSHAKES.map(|(_, wait)| {
                let wait = time_to_wait(wait, rest);
                rest -= wait;
                wait
            });
            assert_eq!(waits, expected.map(Duration::from_millis), "{ready}");
        }
    }
}
