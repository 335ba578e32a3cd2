//! Checks of the conversation: handshake, options, `isready`, `stop`, `ponderhit`, invalid lines and the exit.

use std::time::{Duration, Instant};

use super::dialogue::{
    CheckFailure, CheckResult, Dialogue, SHORT_SEARCH, is_outcome, set_startpos, tolerated,
    unclear, violated,
};
use crate::board::Position;
use crate::notation::fen::START;
use crate::tournament::engine::{find_offer, offered_options};
use crate::tournament::spec::EngineProtocol::{Ucci, Uci};

pub fn handshake(engine: &mut Dialogue<'_>) -> CheckResult {
    let began = Instant::now();
    let lines = engine.handshake()?;
    if !lines.iter().any(|line| line.starts_with("id name ")) {
        return violated("it sends no id name");
    }
    let last = engine.protocol().handshake_end();
    if engine.sync()?.iter().any(|line| line == last) {
        return violated(format!("it sends {last} twice"));
    }
    if began.elapsed() > Duration::from_secs(10) {
        unclear("it takes more than 10 s; some clients do not wait that long")
    } else {
        Ok(())
    }
}

pub fn options(engine: &mut Dialogue<'_>) -> CheckResult {
    let lines = engine.handshake()?;
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
            return violated(format!("{line:?} has no type or an incomplete one"));
        }
        let is_named = line.starts_with("option name ");
        if engine.protocol() == Uci && !is_named {
            return violated(format!("{line:?} has no name"));
        }
    }
    Ok(())
}

pub fn usemillisec(engine: &mut Dialogue<'_>) -> CheckResult {
    let offered = offered_options(&engine.handshake()?);
    if find_offer(&offered, "usemillisec").is_some() {
        Ok(())
    } else {
        unclear("it does not offer usemillisec, so its times are in seconds")
    }
}

pub fn ready(engine: &mut Dialogue<'_>) -> CheckResult {
    engine.initialize()?;
    for _ in 0..3 {
        engine.sync()?;
    }
    Ok(())
}

pub fn early_lines(engine: &mut Dialogue<'_>) -> CheckResult {
    engine.send("position startpos");
    engine.send("stop");
    let result = engine.initialize().map(|_| ());
    if engine.protocol() == Ucci && engine.process.has_ended(Duration::ZERO) {
        let why =
            "UCCI allows an engine to exit at a line before ucci; clients must send ucci first";
        return tolerated(result, why);
    }
    result
}

pub fn known_lines(engine: &mut Dialogue<'_>) -> CheckResult {
    /// The first words of the lines that engines send.
    const WORDS: &str = "id option ucciok uciok readyok info bestmove nobestmove pophash \
                         registration copyprotection";
    let mut lines = engine.initialize()?;
    engine.position(START, &[]);
    engine.send("go depth 4");
    lines.extend(engine.outcome(SHORT_SEARCH)?);
    let is_known = |line: &&String| {
        let word = line.split_ascii_whitespace().next().unwrap_or_default();
        WORDS.split(' ').any(|known| known == word)
    };
    match lines.iter().find(|line| !is_known(line)) {
        Some(line) => unclear(format!("{line:?} is not a line of the protocol")),
        None => Ok(()),
    }
}

pub fn go_infinite(engine: &mut Dialogue<'_>) -> Result<Position, CheckFailure> {
    let position = set_startpos(engine)?;
    engine.send("go infinite");
    Ok(position)
}

/// Sends `stop` and expects one legal move.
fn stops_with_one_move(engine: &mut Dialogue<'_>, position: &Position) -> CheckResult {
    engine.send("stop");
    let lines = engine.outcome(engine.timeouts.response)?;
    engine.legal_move(position, &lines)?;
    engine.answers_once()
}

pub fn stop(engine: &mut Dialogue<'_>) -> CheckResult {
    let position = go_infinite(engine)?;
    let lines = engine.lines_within(Duration::from_millis(300))?;
    if lines.iter().any(|line| is_outcome(line)) {
        return violated("it does not search until stop");
    }
    stops_with_one_move(engine, &position)?;
    // Now `stop` immediately after `go`.
    engine.position(START, &[]);
    engine.send("go infinite");
    stops_with_one_move(engine, &position)
}

pub fn stop_while_idle(engine: &mut Dialogue<'_>) -> CheckResult {
    let position = set_startpos(engine)?;
    engine.send("stop");
    let lines = engine.sync()?;
    if lines.iter().any(|line| line.starts_with("bestmove ")) {
        return violated("it answers with a move although there was no search");
    }
    engine.plays("go depth 1", &position).map(|_| ())
}

pub fn ready_during_search(engine: &mut Dialogue<'_>) -> CheckResult {
    let position = go_infinite(engine)?;
    engine.send("isready");
    let lines = engine
        .until("readyok during a search", engine.timeouts.response, |line| line == "readyok")?;
    if lines.iter().any(|line| is_outcome(line)) {
        return violated("isready ends the search");
    }
    stops_with_one_move(engine, &position)
}

pub fn ponder(engine: &mut Dialogue<'_>) -> CheckResult {
    let position = set_startpos(engine)?;
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
        let played = engine.legal_move(&position, &lines)?;
        engine.check_ponder_move(&position, played, &lines)?;
    }
    engine.answers_once()
}

pub fn invalid_lines(engine: &mut Dialogue<'_>) -> CheckResult {
    let position = set_startpos(engine)?;
    engine.send("");
    engine.send("no such command");
    engine.send(&"x".repeat(100_000));
    engine.plays("go depth 1", &position).map(|_| ())
}

pub fn white_space(engine: &mut Dialogue<'_>) -> CheckResult {
    let position = set_startpos(engine)?;
    let result = engine.plays("  go\tdepth  1 \r", &position).map(|_| ());
    if engine.protocol() == Ucci {
        return tolerated(result, "UCCI does not specify tabs and several spaces between words");
    }
    result
}

pub fn invalid_options(engine: &mut Dialogue<'_>) -> CheckResult {
    let position = set_startpos(engine)?;
    let protocol = engine.protocol();
    let hash = protocol.hash_option();
    for (name, value) in [("nosuchoption", "1"), (hash, "-1"), (hash, "many")] {
        engine.send(&protocol.set_option(name, value));
    }
    engine.send("setoption");
    engine.sync()?;
    engine.position(START, &[]);
    engine.plays("go depth 1", &position).map(|_| ())
}

pub fn new_game(engine: &mut Dialogue<'_>) -> CheckResult {
    let position = set_startpos(engine)?;
    for _ in 0..2 {
        engine.send(engine.protocol().new_game());
        engine.sync()?;
        engine.position(START, &[]);
        engine.plays("go depth 2", &position)?;
    }
    Ok(())
}

pub fn quit(engine: &mut Dialogue<'_>) -> CheckResult {
    engine.initialize()?;
    exits_at_quit(engine)
}

fn exits_at_quit(engine: &mut Dialogue<'_>) -> CheckResult {
    engine.send("quit");
    let has_sent_bye = engine.protocol() == Uci
        || engine.until("bye", engine.timeouts.response, |line| line == "bye").is_ok();
    exits(engine, "it does not exit")?;
    if has_sent_bye { Ok(()) } else { violated("it does not send bye") }
}

pub fn quit_during_search(engine: &mut Dialogue<'_>) -> CheckResult {
    go_infinite(engine)?;
    engine.lines_within(Duration::from_millis(200))?;
    exits_at_quit(engine)
}

pub fn end_of_input(engine: &mut Dialogue<'_>) -> CheckResult {
    engine.initialize()?;
    engine.close();
    exits(engine, "it does not exit at the end of its input, and would outlive a killed client")
}

/// Expects the end of the engine. `error` is the violation if it does not exit; a crash is another one.
fn exits(engine: &mut Dialogue<'_>, error: &str) -> CheckResult {
    if !engine.ends_within(engine.timeouts.response) {
        return violated(error);
    }
    engine.process.crash().map_or(Ok(()), violated)
}

pub fn end_of_input_during_search(engine: &mut Dialogue<'_>) -> CheckResult {
    go_infinite(engine)?;
    engine.lines_within(Duration::from_millis(200))?;
    engine.close();
    exits(engine, "it continues its search at the end of its input")
}

pub fn orphans(engine: &mut Dialogue<'_>) -> CheckResult {
    engine.initialize()?;
    engine.send("quit");
    if !engine.ends_within(engine.timeouts.response) {
        violated("it does not exit")
    } else if engine.process.has_others() {
        violated("a process that it started is still running")
    } else {
        Ok(())
    }
}
