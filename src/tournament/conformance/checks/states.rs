//! Checks of `stop`, `isready` and `ponderhit` while searching, pondering and idle.

use std::time::Duration;

use super::common::{CheckResult, SHORT_SEARCH, start};
use crate::board::Position;
use crate::notation::fen::START;
use crate::tournament::conformance::dialogue::{Dialogue, is_outcome, violated};
use crate::tournament::conformance::outcome::CheckFailure;

pub(super) fn go_infinite(engine: &mut Dialogue<'_>) -> Result<Position, CheckFailure> {
    let position = start(engine)?;
    engine.send("go infinite");
    Ok(position)
}

/// Sends `stop` and expects one legal move.
fn stops(engine: &mut Dialogue<'_>, position: &Position) -> CheckResult {
    engine.send("stop");
    let lines = engine.outcome(engine.timeouts.response)?;
    engine.legal_move(position, &lines)?;
    if engine.sync()?.iter().any(|line| is_outcome(line)) {
        violated("it answers twice")
    } else {
        Ok(())
    }
}

pub(super) fn stop(engine: &mut Dialogue<'_>) -> CheckResult {
    let position = go_infinite(engine)?;
    let lines = engine.lines_within(Duration::from_millis(300))?;
    if lines.iter().any(|line| is_outcome(line)) {
        return violated("it does not search until stop");
    }
    stops(engine, &position)?;
    // Immediately after `go`.
    engine.position(START, &[]);
    engine.send("go infinite");
    stops(engine, &position)
}

pub(super) fn stop_while_idle(engine: &mut Dialogue<'_>) -> CheckResult {
    let position = start(engine)?;
    engine.send("stop");
    let lines = engine.sync()?;
    if lines.iter().any(|line| line.starts_with("bestmove ")) {
        return violated("it answers with a move although there was no search");
    }
    engine
        .plays("go depth 1", &position, SHORT_SEARCH)
        .map(|_| ())
}

pub(super) fn ready_during_search(engine: &mut Dialogue<'_>) -> CheckResult {
    let position = go_infinite(engine)?;
    engine.send("isready");
    let lines = engine.until(
        "readyok during a search",
        engine.timeouts.response,
        |line| line == "readyok",
    )?;
    if lines.iter().any(|line| is_outcome(line)) {
        return violated("isready ends the search");
    }
    stops(engine, &position)
}

pub(super) fn ponder(engine: &mut Dialogue<'_>) -> CheckResult {
    let position = start(engine)?;
    let go = format!("go ponder {}", engine.clock(Duration::from_secs(2)));
    for end in ["ponderhit", "stop"] {
        engine.position(START, &[]);
        engine.send(&go);
        let lines = engine.lines_within(Duration::from_millis(2500))?;
        if lines.iter().any(|line| is_outcome(line)) {
            return violated("it plays a move while it ponders");
        }
        engine.send(end);
        let lines = engine.outcome(Duration::from_secs(2) + engine.timeouts.margin())?;
        engine.legal_move(&position, &lines)?;
    }
    if engine.sync()?.iter().any(|line| is_outcome(line)) {
        violated("it answers twice")
    } else {
        Ok(())
    }
}
