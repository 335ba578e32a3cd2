//! Checks of search limits and `info` lines.

use std::time::{Duration, Instant};

use super::common::{CheckResult, SHORT_SEARCH, max_value, start};
use crate::board::Position;
use crate::notation::fen::START;
use crate::tournament::conformance::dialogue::{Dialogue, unclear, violated};
use crate::tournament::conformance::outcome::CheckFailure;
use crate::tournament::protocol::EngineProtocol::Uci;

pub(super) fn depth(engine: &mut Dialogue<'_>) -> CheckResult {
    let position = start(engine)?;
    engine.plays("go depth 1", &position, SHORT_SEARCH)?;
    engine.position(START, &[]);
    let (_, lines) = engine.plays("go depth 5", &position, SHORT_SEARCH)?;
    match max_value(&lines, "depth") {
        Some(depth) if depth > 5 => violated(format!("it reports depth {depth} with a limit of 5")),
        Some(_) => Ok(()),
        None => unclear("it reports no depth"),
    }
}

pub(super) fn nodes(engine: &mut Dialogue<'_>) -> CheckResult {
    /// The node limit.
    const NODES: u64 = 20_000;
    /// Searches with more nodes violate the limit.
    const MAX_NODES: u64 = 10 * NODES;
    let position = start(engine)?;
    let (_, lines) = engine.plays(&format!("go nodes {NODES}"), &position, SHORT_SEARCH)?;
    match max_value(&lines, "nodes") {
        Some(nodes) if nodes > MAX_NODES => {
            violated(format!("it searches {nodes} nodes with a limit of {NODES}"))
        }
        Some(_) => Ok(()),
        None => unclear("it reports no nodes"),
    }
}

pub(super) fn info(engine: &mut Dialogue<'_>) -> CheckResult {
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
                return violated(format!("duplicate {key}: {line:?}"));
            }
            seen.push(key);
            let value = words.next().unwrap_or_default();
            let is_number = value.parse::<i64>().is_ok();
            match key {
                "score" if engine.protocol() == Uci => {
                    let number = words.next().unwrap_or_default();
                    let is_score = matches!(value, "cp" | "mate") && number.parse::<i64>().is_ok();
                    if !is_score {
                        return violated(format!("the score is neither cp nor mate: {line:?}"));
                    }
                    // Some engines add lowerbound, upperbound or wdl.
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
                    return violated(format!("{key} without a number: {line:?}"));
                }
                _ => {}
            }
        }
    }
    if lines.iter().any(|line| line.contains(" pv ")) {
        Ok(())
    } else {
        unclear("it reports no principal variation (pv)")
    }
}

/// Asks for a move that must arrive within `time`, and returns how long it takes.
fn plays_within(
    engine: &mut Dialogue<'_>,
    position: &Position,
    go: &str,
    time: Duration,
) -> Result<Duration, CheckFailure> {
    engine.sync()?;
    let began = Instant::now();
    engine.send(go);
    let lines = engine.outcome(time + SHORT_SEARCH)?;
    let taken = began.elapsed();
    engine.legal_move(position, &lines)?;
    if taken > time + engine.timeouts.margin() {
        violated(format!(
            "it takes {} ms of {}",
            taken.as_millis(),
            time.as_millis()
        ))
    } else {
        Ok(taken)
    }
}

pub(super) fn clock(engine: &mut Dialogue<'_>) -> CheckResult {
    let position = start(engine)?;
    let time = Duration::from_secs(3);
    let go = format!("go {}", engine.clock(time));
    plays_within(engine, &position, &go, time).map(|_| ())
}

pub(super) fn short_clock(engine: &mut Dialogue<'_>) -> CheckResult {
    let position = start(engine)?;
    if !engine.has_milliseconds() {
        return Err(CheckFailure::NotApplicable);
    }
    let time = Duration::from_millis(100);
    let go = format!("go {}", engine.clock(time));
    plays_within(engine, &position, &go, time).map(|_| ())
}

pub(super) fn movetime(engine: &mut Dialogue<'_>) -> CheckResult {
    let position = start(engine)?;
    let time = Duration::from_secs(1);
    let taken = plays_within(engine, &position, "go movetime 1000", time)?;
    if taken < Duration::from_millis(200) {
        unclear(format!("it takes only {} ms of 1000", taken.as_millis()))
    } else {
        Ok(())
    }
}
