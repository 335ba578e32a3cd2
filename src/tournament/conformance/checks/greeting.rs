//! What an engine says of itself, and whether it is ready.

use std::time::{Duration, Instant};

use super::common::{Kept, SHORT_SEARCH};
use crate::notation::fen::START;
use crate::tournament::conformance::dialogue::{Dialogue, broken, doubtful};
use crate::tournament::engine::OfferedOption;
use crate::tournament::protocol::EngineProtocol::Uci;

pub(super) fn greeting(engine: &mut Dialogue<'_>) -> Kept {
    let began = Instant::now();
    let lines = engine.greet()?;
    if !lines.iter().any(|line| line.starts_with("id name ")) {
        return broken("it has no id name");
    }
    let welcome = engine.protocol().welcome();
    if engine.sync()?.iter().any(|line| line == welcome) {
        return broken(format!("it says {welcome} twice"));
    }
    match began.elapsed() > Duration::from_secs(10) {
        true => doubtful("it takes more than 10 s, which clients do not wait"),
        false => Ok(()),
    }
}

pub(super) fn options(engine: &mut Dialogue<'_>) -> Kept {
    let lines = engine.greet()?;
    let offers: Vec<&String> = lines.iter().filter(|l| l.starts_with("option ")).collect();
    for line in &offers {
        let (_, rest) = line.split_once(" type ").unwrap_or((line, ""));
        let words: Vec<&str> = rest.split_ascii_whitespace().collect();
        let has = |key: &str| words.contains(&key);
        let is_whole = match words.first() {
            Some(&"spin") => has("min") && has("max"),
            Some(&"combo") => has("var"),
            Some(&("check" | "string" | "button")) => true,
            _ => false,
        };
        if !is_whole {
            return broken(format!("{line:?} is not of any type"));
        }
        let is_named = line.starts_with("option name ");
        if engine.protocol() == Uci && !is_named {
            return broken(format!("{line:?} has no name"));
        }
    }
    Ok(())
}

pub(super) fn usemillisec(engine: &mut Dialogue<'_>) -> Kept {
    let lines = engine.greet()?;
    let mut offered = lines.iter().filter_map(|line| OfferedOption::read(line));
    match offered.any(|option| option.name.eq_ignore_ascii_case("usemillisec")) {
        true => Ok(()),
        false => doubtful("it does not offer usemillisec: its times are seconds"),
    }
}

pub(super) fn ready(engine: &mut Dialogue<'_>) -> Kept {
    engine.boot()?;
    for _ in 0..3 {
        engine.sync()?;
    }
    Ok(())
}

pub(super) fn early_lines(engine: &mut Dialogue<'_>) -> Kept {
    engine.send("position startpos");
    engine.send("stop");
    engine.boot().map(|_| ())
}

pub(super) fn known_lines(engine: &mut Dialogue<'_>) -> Kept {
    let mut lines = engine.boot()?;
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
        Some(line) => doubtful(format!("{line:?} is no line of the protocol")),
        None => Ok(()),
    }
}
