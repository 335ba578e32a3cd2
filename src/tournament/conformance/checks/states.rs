//! Searching, pondering, idle: what `stop`, `isready` and `ponderhit` do in each.

use std::time::Duration;

use super::common::{Kept, SHORT_SEARCH, start};
use crate::board::Position;
use crate::notation::fen::START;
use crate::tournament::conformance::dialogue::{Dialogue, broken, is_outcome};
use crate::tournament::conformance::outcome::Objection;

pub(super) fn go_endless(engine: &mut Dialogue<'_>) -> Result<Position, Objection> {
    let position = start(engine)?;
    engine.send("go infinite");
    Ok(position)
}

/// Sends `stop`, and expects one legal move.
fn stops(engine: &mut Dialogue<'_>, position: &Position) -> Kept {
    engine.send("stop");
    let lines = engine.outcome(engine.patience.at_once)?;
    engine.legal_move(position, &lines)?;
    match engine.sync()?.iter().any(|line| is_outcome(line)) {
        true => broken("it answers twice"),
        false => Ok(()),
    }
}

pub(super) fn stop(engine: &mut Dialogue<'_>) -> Kept {
    let position = go_endless(engine)?;
    let said = engine.lines_within(Duration::from_millis(300))?;
    if said.iter().any(|line| is_outcome(line)) {
        return broken("it does not search until it is stopped");
    }
    stops(engine, &position)?;
    // At once behind the request.
    engine.position(START, &[]);
    engine.send("go infinite");
    stops(engine, &position)
}

pub(super) fn stop_in_idle(engine: &mut Dialogue<'_>) -> Kept {
    let position = start(engine)?;
    engine.send("stop");
    let said = engine.sync()?;
    if said.iter().any(|line| line.starts_with("bestmove ")) {
        return broken("it answers a search that there was not");
    }
    engine
        .plays("go depth 1", &position, SHORT_SEARCH)
        .map(|_| ())
}

pub(super) fn ready_in_search(engine: &mut Dialogue<'_>) -> Kept {
    let position = go_endless(engine)?;
    engine.send("isready");
    let lines = engine.until("readyok during a search", engine.patience.at_once, |line| {
        line == "readyok"
    })?;
    if lines.iter().any(|line| is_outcome(line)) {
        return broken("isready ends the search");
    }
    stops(engine, &position)
}

pub(super) fn ponder(engine: &mut Dialogue<'_>) -> Kept {
    let position = start(engine)?;
    let go = format!("go ponder {}", engine.clock(Duration::from_secs(2)));
    for end in ["ponderhit", "stop"] {
        engine.position(START, &[]);
        engine.send(&go);
        let said = engine.lines_within(Duration::from_millis(2500))?;
        if said.iter().any(|line| is_outcome(line)) {
            return broken("it plays a move while it ponders");
        }
        engine.send(end);
        let lines = engine.outcome(Duration::from_secs(2) + engine.patience.margin())?;
        engine.legal_move(&position, &lines)?;
    }
    match engine.sync()?.iter().any(|line| is_outcome(line)) {
        true => broken("it answers twice"),
        false => Ok(()),
    }
}
