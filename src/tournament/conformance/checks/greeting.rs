//! Checks of the greeting, options and readiness.

use std::time::{Duration, Instant};

use super::common::{CheckResult, SHORT_SEARCH};
use crate::notation::fen::START;
use crate::tournament::conformance::dialogue::{Dialogue, unclear, violated};
use crate::tournament::engine::OfferedOption;
use crate::tournament::protocol::EngineProtocol::Uci;

pub(super) fn greeting(engine: &mut Dialogue<'_>) -> CheckResult {
    let began = Instant::now();
    let lines = engine.greet()?;
    if !lines.iter().any(|line| line.starts_with("id name ")) {
        return violated("it sends no id name");
    }
    let last = engine.protocol().greeting_end();
    if engine.sync()?.iter().any(|line| line == last) {
        return violated(format!("it sends {last} twice"));
    }
    if began.elapsed() > Duration::from_secs(10) {
        unclear("it takes more than 10 s; some clients do not wait that long")
    } else {
        Ok(())
    }
}

pub(super) fn options(engine: &mut Dialogue<'_>) -> CheckResult {
    let lines = engine.greet()?;
    for line in lines.iter().filter(|line| line.starts_with("option ")) {
        let (_, rest) = line.split_once(" type ").unwrap_or((line, ""));
        let words: Vec<&str> = rest.split_ascii_whitespace().collect();
        let has = |key: &str| words.contains(&key);
        let is_complete = match words.first() {
            Some(&"spin") => has("min") && has("max"),
            Some(&"combo") => has("var"),
            Some(&("check" | "string" | "button")) => true,
            _ => false,
        };
        if !is_complete {
            return violated(format!("{line:?} has no complete type"));
        }
        let is_named = line.starts_with("option name ");
        if engine.protocol() == Uci && !is_named {
            return violated(format!("{line:?} has no name"));
        }
    }
    Ok(())
}

pub(super) fn usemillisec(engine: &mut Dialogue<'_>) -> CheckResult {
    let lines = engine.greet()?;
    let mut offered = lines.iter().filter_map(|line| OfferedOption::read(line));
    if offered.any(|option| option.name.eq_ignore_ascii_case("usemillisec")) {
        Ok(())
    } else {
        unclear("it does not offer usemillisec, so its times are in seconds")
    }
}

pub(super) fn ready(engine: &mut Dialogue<'_>) -> CheckResult {
    engine.initialize()?;
    for _ in 0..3 {
        engine.sync()?;
    }
    Ok(())
}

pub(super) fn early_lines(engine: &mut Dialogue<'_>) -> CheckResult {
    engine.send("position startpos");
    engine.send("stop");
    engine.initialize().map(|_| ())
}

pub(super) fn known_lines(engine: &mut Dialogue<'_>) -> CheckResult {
    let mut lines = engine.initialize()?;
    engine.position(START, &[]);
    engine.send("go depth 4");
    lines.extend(engine.outcome(SHORT_SEARCH)?);
    let is_known = |line: &&String| {
        let word = line.split_ascii_whitespace().next().unwrap_or_default();
        let words = [
            "id",
            "option",
            "ucciok",
            "uciok",
            "readyok",
            "info",
            "bestmove",
            "nobestmove",
            "pophash",
            "registration",
            "copyprotection",
        ];
        words.contains(&word)
    };
    match lines.iter().find(|line| !is_known(line)) {
        Some(line) => unclear(format!("{line:?} is not a line of the protocol")),
        None => Ok(()),
    }
}
