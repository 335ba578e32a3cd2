//! Depth, nodes, time: when a search ends and what it tells on the way.

use std::time::{Duration, Instant};

use super::common::{Kept, SHORT_SEARCH, most, start};
use crate::board::Position;
use crate::notation::fen::START;
use crate::tournament::conformance::dialogue::{Dialogue, broken, doubtful};
use crate::tournament::conformance::outcome::Objection;
use crate::tournament::protocol::EngineProtocol::Uci;

pub(super) fn depth(engine: &mut Dialogue<'_>) -> Kept {
    let position = start(engine)?;
    engine.plays("go depth 1", &position, SHORT_SEARCH)?;
    engine.position(START, &[]);
    let (_, lines) = engine.plays("go depth 5", &position, SHORT_SEARCH)?;
    match most(&lines, "depth") {
        Some(depth) if depth > 5 => broken(format!("it tells of depth {depth} of 5")),
        Some(_) => Ok(()),
        None => doubtful("it tells of no depth"),
    }
}

pub(super) fn nodes(engine: &mut Dialogue<'_>) -> Kept {
    /// Nodes asked for.
    const NODES: u64 = 20_000;
    /// The most nodes that are taken for as many.
    const MOST: u64 = 10 * NODES;
    let position = start(engine)?;
    let (_, lines) = engine.plays(&format!("go nodes {NODES}"), &position, SHORT_SEARCH)?;
    match most(&lines, "nodes") {
        Some(nodes) if nodes > MOST => broken(format!("it searches {nodes} nodes of {NODES}")),
        Some(_) => Ok(()),
        None => doubtful("it tells of no nodes"),
    }
}

pub(super) fn info(engine: &mut Dialogue<'_>) -> Kept {
    let position = start(engine)?;
    let (_, lines) = engine.plays("go depth 5", &position, SHORT_SEARCH)?;
    for line in lines.iter().filter(|line| line.starts_with("info ")) {
        let mut seen: Vec<&str> = Vec::new();
        let mut words = line.split_ascii_whitespace().skip(1);
        while let Some(key) = words.next() {
            if matches!(key, "pv" | "string" | "message" | "currline" | "refutation") {
                break;
            }
            if seen.contains(&key) {
                return broken(format!("{key} twice: {line:?}"));
            }
            seen.push(key);
            let value = words.next().unwrap_or_default();
            let is_number = value.parse::<i64>().is_ok();
            match key {
                "score" if engine.protocol() == Uci => {
                    let number = words.next().unwrap_or_default();
                    let is_score = matches!(value, "cp" | "mate") && number.parse::<i64>().is_ok();
                    if !is_score {
                        return broken(format!("the score is neither cp nor mate: {line:?}"));
                    }
                    // lowerbound, upperbound, wdl: keys of some engines.
                    let mut rest = words.clone();
                    while let Some(word) = rest.next() {
                        match word {
                            "lowerbound" | "upperbound" => words = rest.clone(),
                            "wdl" => {
                                words = rest.clone();
                                words.nth(2);
                                rest = words.clone();
                            }
                            _ => break,
                        }
                    }
                }
                "depth" | "seldepth" | "multipv" | "time" | "nodes" | "nps" | "hashfull"
                | "score" | "currmovenumber" | "tbhits" | "cpuload"
                    if !is_number =>
                {
                    return broken(format!("{key} has no number: {line:?}"));
                }
                _ => {}
            }
        }
    }
    match lines.iter().any(|line| line.contains(" pv ")) {
        true => Ok(()),
        false => doubtful("it tells of no line of moves (pv)"),
    }
}

/// Has an engine play from a position, and returns how long it takes.
fn plays_within(
    engine: &mut Dialogue<'_>,
    position: &Position,
    go: &str,
    time: Duration,
) -> Result<Duration, Objection> {
    engine.sync()?;
    let began = Instant::now();
    engine.send(go);
    let lines = engine.outcome(time + SHORT_SEARCH)?;
    let taken = began.elapsed();
    engine.legal_move(position, &lines)?;
    match taken > time + engine.patience.margin() {
        true => broken(format!(
            "it takes {} ms of {}",
            taken.as_millis(),
            time.as_millis()
        )),
        false => Ok(taken),
    }
}

pub(super) fn clock(engine: &mut Dialogue<'_>) -> Kept {
    let position = start(engine)?;
    let time = Duration::from_secs(3);
    let go = format!("go {}", engine.clock(time));
    plays_within(engine, &position, &go, time).map(|_| ())
}

pub(super) fn short_clock(engine: &mut Dialogue<'_>) -> Kept {
    let position = start(engine)?;
    if !engine.has_milliseconds() {
        return Err(Objection::Inapplicable);
    }
    let time = Duration::from_millis(100);
    let go = format!("go {}", engine.clock(time));
    plays_within(engine, &position, &go, time).map(|_| ())
}

pub(super) fn movetime(engine: &mut Dialogue<'_>) -> Kept {
    let position = start(engine)?;
    let time = Duration::from_secs(1);
    let taken = plays_within(engine, &position, "go movetime 1000", time)?;
    match taken < Duration::from_millis(200) {
        true => doubtful(format!("it takes {} ms of 1000", taken.as_millis())),
        false => Ok(()),
    }
}
