//! Checks of the conversation: handshake, options, `isready`, `stop`, `ponderhit`, invalid lines and the exit.

use std::time::{Duration, Instant};

use super::dialogue::{
    CheckFailure, CheckResult, Dialogue, SHORT_SEARCH, is_outcome, set_startpos, tolerated,
    unclear, unclear_unless, violated, violated_unless,
};
use crate::board::Position;
use crate::notation::fen::START;
use crate::tournament::engine::{END_TIMEOUT, find_offer, offered_options};
use crate::tournament::spec::EngineProtocol::{Ucci, Uci};

pub fn handshake(engine: &mut Dialogue<'_>) -> CheckResult {
    let began = Instant::now();
    let lines = engine.handshake()?;
    let is_named = lines.iter().any(|line| line.starts_with("id name "));
    violated_unless(is_named, "it sends no id name")?;
    let last = engine.protocol().handshake_end();
    let is_repeated = engine.sync()?.iter().any(|line| line == last);
    violated_unless(!is_repeated, format!("it sends {last} twice"))?;
    let is_quick = began.elapsed() <= Duration::from_secs(10);
    unclear_unless(is_quick, "it takes more than 10 s; some clients do not wait that long")
}

pub fn options(engine: &mut Dialogue<'_>) -> CheckResult {
    let lines = engine.handshake()?;
    for line in lines.iter().filter(|line| line.starts_with("option ")) {
        let (head, rest) = line.split_once(" type ").unwrap_or((line, ""));
        let words: Vec<&str> = rest.split_ascii_whitespace().collect();
        let has = |key: &str| words.contains(&key);
        let is_complete = match words.first() {
            Some(&"spin") => has("min") && has("max"),
            Some(&"combo") => has("var"),
            Some(&("check" | "string" | "button")) => true,
            _ => false,
        };
        violated_unless(is_complete, format!("{line:?} has no type or an incomplete one"))?;
        let prefix = if engine.protocol() == Uci { "option name " } else { "option " };
        let name = head.strip_prefix(prefix).unwrap_or_default();
        violated_unless(!name.trim().is_empty(), format!("{line:?} has no name"))?;
    }
    let offered = offered_options(&lines);
    for (index, option) in offered.iter().enumerate() {
        let name = &option.name;
        let is_new = find_offer(&offered[..index], name).is_none();
        unclear_unless(is_new, format!("it offers the option {name} twice"))?;
        if let Some(error) = option.default_error() {
            return unclear(error);
        }
    }
    Ok(())
}

pub fn usemillisec(engine: &mut Dialogue<'_>) -> CheckResult {
    let offered = offered_options(&engine.handshake()?);
    let is_offered = find_offer(&offered, "usemillisec").is_some();
    unclear_unless(is_offered, "it does not offer usemillisec, so clients send times in seconds")
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

/// Waits during an infinite search. The end of the search is a violation.
pub fn searches_for(engine: &mut Dialogue<'_>, time: Duration) -> CheckResult {
    let lines = engine.lines_within(time)?;
    let has_ended = lines.iter().any(|line| is_outcome(line));
    violated_unless(!has_ended, "it does not search until stop")
}

/// Sends `stop` and expects one legal move.
pub fn stops_with_one_move(engine: &mut Dialogue<'_>, position: &Position) -> CheckResult {
    engine.send("stop");
    let lines = engine.outcome(engine.timeouts.response)?;
    engine.legal_move(position, &lines)?;
    engine.answers_once()
}

pub fn stop(engine: &mut Dialogue<'_>) -> CheckResult {
    let position = go_infinite(engine)?;
    searches_for(engine, Duration::from_millis(300))?;
    stops_with_one_move(engine, &position)?;
    // Now `stop` immediately after `go`.
    engine.position(START, &[]);
    engine.send("go infinite");
    stops_with_one_move(engine, &position)
}

pub fn stop_while_idle(engine: &mut Dialogue<'_>) -> CheckResult {
    let position = set_startpos(engine)?;
    engine.send("stop");
    let has_moved = engine.sync()?.iter().any(|line| line.starts_with("bestmove "));
    violated_unless(!has_moved, "it answers with a move although there was no search")?;
    engine.plays("go depth 1", &position).map(|_| ())
}

pub fn ready_during_search(engine: &mut Dialogue<'_>) -> CheckResult {
    let position = go_infinite(engine)?;
    engine.send("isready");
    let lines = engine
        .until("readyok during a search", engine.timeouts.response, |line| line == "readyok")?;
    let has_ended = lines.iter().any(|line| is_outcome(line));
    violated_unless(!has_ended, "isready ends the search")?;
    stops_with_one_move(engine, &position)
}

pub fn ponder(engine: &mut Dialogue<'_>) -> CheckResult {
    let position = set_startpos(engine)?;
    let go = format!("go ponder {}", engine.clock(Duration::from_secs(2)));
    for end in ["ponderhit", "stop"] {
        engine.position(START, &[]);
        engine.send(&go);
        let lines = engine.lines_within(Duration::from_millis(2500))?;
        let has_ended = lines.iter().any(|line| is_outcome(line));
        violated_unless(!has_ended, "it plays a move while it ponders")?;
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
    let bye = match engine.protocol() {
        Uci => Ok(Vec::new()),
        _ => engine.until("bye", engine.timeouts.response, |line| line == "bye"),
    };
    match (bye, exits(engine, "it does not exit")) {
        (Err(CheckFailure::Violated(how)), Ok(()) | Err(CheckFailure::Unclear(_))) => {
            violated(format!("it does not send bye: {how}"))
        }
        (_, result) => result,
    }
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

/// Checks that the engine exits. If it does not, `error` is the violation. An exit by a signal or, on Windows, by an
/// exception is a violation too. Other exit codes than 0 are unclear: Rust panics and uncaught exceptions in Python or
/// Java end with such a code, but the protocols do not mention exit codes.
fn exits(engine: &mut Dialogue<'_>, error: &str) -> CheckResult {
    violated_unless(engine.ends_within(engine.timeouts.response), error)?;
    let (status, how) = engine.process.exit(END_TIMEOUT);
    match status.map(|status| status.code()) {
        None | Some(Some(0)) => Ok(()),
        // Exit codes of Unix are below 256. On Windows, those of exceptions begin with 0xC or 0xE, and `exit(-1)` is
        // 0xFFFF_FFFF.
        Some(Some(code)) if !(0xC000_0000..0xFFFF_0000).contains(&code.cast_unsigned()) => {
            unclear(how)
        }
        _ => violated(how),
    }
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
    violated_unless(engine.ends_within(engine.timeouts.response), "it does not exit")?;
    let is_alone = !engine.process.has_others();
    violated_unless(is_alone, "a process that it started is still running")
}
