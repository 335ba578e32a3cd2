//! The checks, in the order in which they are made.

use std::time::{Duration, Instant};

use super::dialogue::{AT_ONCE, Dialogue, broken, doubtful, is_outcome};
use super::{Check, Objection};
use crate::board::{Move, Position};
use crate::movegen::legal_moves;
use crate::notation::fen::{self, START};
use crate::tournament::protocol::EngineProtocol::{self, Ucci, Uci};

/// How long a search to a small depth or of few nodes may take.
const SHORT_SEARCH: Duration = Duration::from_secs(20);
/// What is forgiven beyond a time.
const MARGIN: Duration = Duration::from_millis(500);
/// Red is mated.
const MATED: &str = "3k5/9/9/9/9/9/9/9/r8/r3K4 w - - 0 1";
/// The kings face each other, which no game brings about.
const FACING: &str = "4k4/9/9/9/9/9/9/9/9/4K4 w - - 0 1";
/// A middle game with black to move.
const BLACK_TO_MOVE: &str =
    "r1bakabr1/9/1cn4cn/p1p1p1p1p/9/9/P1P1P1P1P/1C2C1N2/9/RNBAKAB1R b - - 0 3";

type Kept = Result<(), Objection>;

/// All checks.
pub(super) const CHECKS: &[Check] = &[
    check(
        "greeting",
        "the first line is answered by its name, its options and ucciok or uciok",
        greeting,
    ),
    check(
        "options",
        "an option has a name and a type: check, spin with min and max, combo with var, string, button",
        options,
    ),
    Check {
        protocol: Some(Ucci),
        ..check(
            "usemillisec",
            "the unit of times is told by the option usemillisec",
            usemillisec,
        )
    },
    check(
        "ready",
        "isready is answered by readyok, again and again",
        ready,
    ),
    check(
        "early lines",
        "lines before the greeting do no harm",
        early_lines,
    ),
    check(
        "depth",
        "go depth N plays a legal move once, and tells of no deeper search",
        depth,
    ),
    check("nodes", "go nodes N searches about N nodes", nodes),
    check(
        "info",
        "an info line has each key once, with a value of its kind",
        info,
    ),
    check(
        "clock",
        "a move is played within the time of the clock",
        clock,
    ),
    check(
        "short clock",
        "a move is played with a tenth of a second on the clock",
        short_clock,
    ),
    Check {
        protocol: Some(Uci),
        ..check(
            "movetime",
            "go movetime N takes about N milliseconds",
            movetime,
        )
    },
    check("stop", "stop ends a search at once, with one move", stop),
    check(
        "stop in idle",
        "stop without a search does no harm",
        stop_in_idle,
    ),
    check(
        "ready in search",
        "isready is answered while the search goes on",
        ready_in_search,
    ),
    check(
        "ponder",
        "go ponder plays no move before ponderhit or stop, and then one",
        ponder,
    ),
    Check {
        protocol: Some(Ucci),
        ..check(
            "bans",
            "banmoves takes moves away until the next position",
            bans,
        )
    },
    Check {
        protocol: Some(Uci),
        ..check(
            "searchmoves",
            "go searchmoves plays one of these moves",
            searchmoves,
        )
    },
    Check {
        protocol: Some(Ucci),
        ..check(
            "draw offer",
            "go draw is answered by a move, with draw behind it or not",
            draw_offer,
        )
    },
    check(
        "history",
        "a position with moves that repeat is played on from",
        history,
    ),
    check(
        "black to move",
        "a position with black to move is played on from",
        black_to_move,
    ),
    check("fields", "a FEN may end behind the side to move", fields),
    check(
        "mated",
        "a position without a move is answered by nobestmove, or a bestmove that is none",
        mated,
    ),
    check(
        "impossible position",
        "a position that cannot be is refused: nothing is played from it or the last one",
        impossible,
    ),
    check(
        "odd lines",
        "unknown, empty and very long lines do no harm",
        odd_lines,
    ),
    check(
        "odd options",
        "options that are not offered and values beyond their range do no harm",
        odd_options,
    ),
    check(
        "new game",
        "a new game can be begun at any time in idle",
        new_game,
    ),
    check(
        "known lines",
        "nothing but lines of the protocol is written to standard output",
        known_lines,
    ),
    check("quit", "quit ends the engine (in UCCI with bye)", quit),
    check(
        "quit in search",
        "quit ends the engine while it thinks",
        quit_in_search,
    ),
    check(
        "end of input",
        "the end of the input ends the engine",
        end_of_input,
    ),
    check(
        "end of input in search",
        "the end of the input ends an endless search",
        end_of_input_in_search,
    ),
    check(
        "orphans",
        "no process is left when the engine has ended",
        orphans,
    ),
];

const fn check(
    name: &'static str,
    rule: &'static str,
    run: fn(&mut Dialogue<'_>) -> Kept,
) -> Check {
    Check {
        name,
        rule,
        protocol: None,
        run,
    }
}

fn greeting(engine: &mut Dialogue<'_>) -> Kept {
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

fn options(engine: &mut Dialogue<'_>) -> Kept {
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

fn usemillisec(engine: &mut Dialogue<'_>) -> Kept {
    let lines = engine.greet()?;
    let is_offer = |line: &String| line.to_ascii_lowercase().starts_with("option usemillisec ");
    match lines.iter().any(is_offer) {
        true => Ok(()),
        false => doubtful("it does not offer usemillisec: its times are seconds"),
    }
}

fn ready(engine: &mut Dialogue<'_>) -> Kept {
    engine.boot()?;
    for _ in 0..3 {
        engine.sync()?;
    }
    Ok(())
}

fn early_lines(engine: &mut Dialogue<'_>) -> Kept {
    engine.send("position startpos");
    engine.send("stop");
    engine.boot()
}

fn start(engine: &mut Dialogue<'_>) -> Result<Position, Objection> {
    engine.boot()?;
    engine.position(START, &[]);
    Ok(Position::startpos())
}

/// The greatest value of a key in lines of `info`.
fn most(lines: &[String], key: &str) -> Option<u64> {
    let value = |line: &String| {
        let mut words = line.strip_prefix("info ")?.split_ascii_whitespace();
        words
            .by_ref()
            .take_while(|word| *word != "pv")
            .find(|word| *word == key)?;
        words.next()?.parse().ok()
    };
    lines.iter().filter_map(value).max()
}

fn depth(engine: &mut Dialogue<'_>) -> Kept {
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

fn nodes(engine: &mut Dialogue<'_>) -> Kept {
    /// Nodes asked for, and how many more are taken for the same.
    const NODES: u64 = 20_000;
    const MOST: u64 = 10 * NODES;
    let position = start(engine)?;
    let (_, lines) = engine.plays(&format!("go nodes {NODES}"), &position, SHORT_SEARCH)?;
    match most(&lines, "nodes") {
        Some(nodes) if nodes > MOST => broken(format!("it searches {nodes} nodes of {NODES}")),
        Some(_) => Ok(()),
        None => doubtful("it tells of no nodes"),
    }
}

fn info(engine: &mut Dialogue<'_>) -> Kept {
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

/// A `go` with so many milliseconds on both clocks.
fn clock_of(protocol: EngineProtocol, ms: u64) -> String {
    match protocol {
        Ucci => format!("time {ms} increment 0 opptime {ms} oppincrement 0"),
        Uci => format!("wtime {ms} btime {ms} winc 0 binc 0"),
    }
}

fn plays_within(
    engine: &mut Dialogue<'_>,
    go: &str,
    time: Duration,
) -> Result<Duration, Objection> {
    let position = start(engine)?;
    engine.sync()?;
    let began = Instant::now();
    engine.send(go);
    let lines = engine.outcome(time + SHORT_SEARCH)?;
    let taken = began.elapsed();
    engine.legal_move(&position, &lines)?;
    match taken > time + MARGIN {
        true => broken(format!(
            "it takes {} ms of {}",
            taken.as_millis(),
            time.as_millis()
        )),
        false => Ok(taken),
    }
}

fn clock(engine: &mut Dialogue<'_>) -> Kept {
    let go = format!("go {}", clock_of(engine.protocol(), 3000));
    plays_within(engine, &go, Duration::from_secs(3)).map(|_| ())
}

fn short_clock(engine: &mut Dialogue<'_>) -> Kept {
    let go = format!("go {}", clock_of(engine.protocol(), 100));
    plays_within(engine, &go, Duration::from_millis(100)).map(|_| ())
}

fn movetime(engine: &mut Dialogue<'_>) -> Kept {
    let taken = plays_within(engine, "go movetime 1000", Duration::from_secs(1))?;
    match taken < Duration::from_millis(200) {
        true => doubtful(format!("it takes {} ms of 1000", taken.as_millis())),
        false => Ok(()),
    }
}

fn go_endless(engine: &mut Dialogue<'_>) -> Result<Position, Objection> {
    let position = start(engine)?;
    engine.send("go infinite");
    Ok(position)
}

/// Sends `stop`, and expects one legal move.
fn stops(engine: &mut Dialogue<'_>, position: &Position) -> Kept {
    engine.send("stop");
    let lines = engine.outcome(AT_ONCE)?;
    engine.legal_move(position, &lines)?;
    match engine.sync()?.iter().any(|line| is_outcome(line)) {
        true => broken("it answers twice"),
        false => Ok(()),
    }
}

fn stop(engine: &mut Dialogue<'_>) -> Kept {
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

fn stop_in_idle(engine: &mut Dialogue<'_>) -> Kept {
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

fn ready_in_search(engine: &mut Dialogue<'_>) -> Kept {
    let position = go_endless(engine)?;
    engine.send("isready");
    let lines = engine.until("readyok during a search", AT_ONCE, |line| line == "readyok")?;
    if lines.iter().any(|line| is_outcome(line)) {
        return broken("isready ends the search");
    }
    stops(engine, &position)
}

fn ponder(engine: &mut Dialogue<'_>) -> Kept {
    let position = start(engine)?;
    let go = format!("go ponder {}", clock_of(engine.protocol(), 2000));
    for end in ["ponderhit", "stop"] {
        engine.position(START, &[]);
        engine.send(&go);
        let said = engine.lines_within(Duration::from_millis(2500))?;
        if said.iter().any(|line| is_outcome(line)) {
            return broken("it plays a move while it ponders");
        }
        engine.send(end);
        let lines = engine.outcome(Duration::from_secs(2) + MARGIN)?;
        engine.legal_move(&position, &lines)?;
    }
    match engine.sync()?.iter().any(|line| is_outcome(line)) {
        true => broken("it answers twice"),
        false => Ok(()),
    }
}

/// The legal moves of the start but one.
fn all_but_one(engine: &Dialogue<'_>) -> (Move, Vec<String>) {
    let only = "a0a1".parse().unwrap_or(Move::NONE);
    let moves = legal_moves(&Position::startpos()).into_iter();
    let others = moves.filter(|m| *m != only).map(|m| engine.write_move(m));
    (only, others.collect())
}

fn bans(engine: &mut Dialogue<'_>) -> Kept {
    let position = start(engine)?;
    let (only, others) = all_but_one(engine);
    engine.send(&format!("banmoves {}", others.join(" ")));
    let (played, _) = engine.plays("go depth 4", &position, SHORT_SEARCH)?;
    if played != only {
        return broken(format!("it plays {played}, which is banned"));
    }
    engine.position(START, &[]);
    let (played, _) = engine.plays("go depth 4", &position, SHORT_SEARCH)?;
    match played == only {
        true => doubtful("it seems that bans outlive the next position"),
        false => Ok(()),
    }
}

fn searchmoves(engine: &mut Dialogue<'_>) -> Kept {
    let position = start(engine)?;
    let (only, _) = all_but_one(engine);
    let go = format!("go depth 3 searchmoves {}", engine.write_move(only));
    let (played, _) = engine.plays(&go, &position, SHORT_SEARCH)?;
    match played == only {
        true => Ok(()),
        false => broken(format!("it plays {played}")),
    }
}

fn draw_offer(engine: &mut Dialogue<'_>) -> Kept {
    let position = start(engine)?;
    engine
        .plays("go draw depth 2", &position, SHORT_SEARCH)
        .map(|_| ())
}

fn history(engine: &mut Dialogue<'_>) -> Kept {
    engine.boot()?;
    let mut position = Position::startpos();
    let there = ["a0a1", "a9a8", "a1a0", "a8a9"].map(|text| text.parse().unwrap_or(Move::NONE));
    let moves: Vec<Move> = there.iter().cycle().take(7).copied().collect();
    for m in &moves {
        position.make(*m);
    }
    engine.position(START, &moves);
    engine
        .plays("go depth 3", &position, SHORT_SEARCH)
        .map(|_| ())
}

fn plays_from(engine: &mut Dialogue<'_>, text: &str) -> Kept {
    engine.boot()?;
    let Ok(position) = fen::parse_position(text) else {
        return doubtful("the position of this check is none");
    };
    engine.position(text, &[]);
    engine
        .plays("go depth 3", &position, SHORT_SEARCH)
        .map(|_| ())
}

fn black_to_move(engine: &mut Dialogue<'_>) -> Kept {
    plays_from(engine, BLACK_TO_MOVE)
}

fn fields(engine: &mut Dialogue<'_>) -> Kept {
    let end = BLACK_TO_MOVE.find(" - -").unwrap_or(BLACK_TO_MOVE.len());
    plays_from(engine, &BLACK_TO_MOVE[..end])
}

/// Whether an answer says that there is no move.
fn is_no_move(answer: &str) -> bool {
    let mut words = answer.split_ascii_whitespace();
    match words.next() {
        Some("nobestmove") => true,
        _ => matches!(
            words.next(),
            None | Some("(none)" | "0000" | "none" | "null")
        ),
    }
}

fn mated(engine: &mut Dialogue<'_>) -> Kept {
    engine.boot()?;
    engine.position(MATED, &[]);
    engine.send("go depth 3");
    let lines = engine.outcome(SHORT_SEARCH)?;
    let answer = lines.last().map_or("", String::as_str);
    if !is_no_move(answer) {
        return broken(format!("{answer:?} in a position without a move"));
    }
    match engine.protocol() == Ucci && !answer.starts_with("nobestmove") {
        true => doubtful(format!("{answer:?} instead of nobestmove")),
        false => Ok(()),
    }
}

fn impossible(engine: &mut Dialogue<'_>) -> Kept {
    start(engine)?;
    for text in [FACING, "9/9/9 w - - 0 1"] {
        engine.position(text, &[]);
        engine.send("go depth 1");
        let lines = engine.outcome(SHORT_SEARCH)?;
        let answer = lines.last().map_or("", String::as_str);
        if !is_no_move(answer) {
            return doubtful(format!("{answer:?} is played in {text}"));
        }
    }
    engine.sync().map(|_| ())
}

fn odd_lines(engine: &mut Dialogue<'_>) -> Kept {
    let position = start(engine)?;
    engine.send("");
    engine.send("no such command");
    engine.send(&"x".repeat(100_000));
    engine.send("  go\tdepth  1 \r");
    let lines = engine.outcome(SHORT_SEARCH)?;
    engine.legal_move(&position, &lines)?;
    engine.sync().map(|_| ())
}

fn odd_options(engine: &mut Dialogue<'_>) -> Kept {
    let position = start(engine)?;
    let protocol = engine.protocol();
    let hash = match protocol {
        Ucci => "hashsize",
        Uci => "Hash",
    };
    for (name, value) in [("nosuchoption", "1"), (hash, "-1"), (hash, "many")] {
        engine.send(&protocol.set_option(name, value));
    }
    engine.send("setoption");
    engine.sync()?;
    engine.position(START, &[]);
    engine
        .plays("go depth 1", &position, SHORT_SEARCH)
        .map(|_| ())
}

fn new_game(engine: &mut Dialogue<'_>) -> Kept {
    let position = start(engine)?;
    for _ in 0..2 {
        engine.send(match engine.protocol() {
            Ucci => "setoption newgame",
            Uci => "ucinewgame",
        });
        engine.sync()?;
        engine.position(START, &[]);
        engine.plays("go depth 2", &position, SHORT_SEARCH)?;
    }
    Ok(())
}

fn known_lines(engine: &mut Dialogue<'_>) -> Kept {
    let mut lines = engine.greet()?;
    lines.extend(engine.sync()?);
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

fn quit(engine: &mut Dialogue<'_>) -> Kept {
    engine.boot()?;
    leaves_at_quit(engine)
}

fn leaves_at_quit(engine: &mut Dialogue<'_>) -> Kept {
    engine.send("quit");
    let said_bye =
        engine.protocol() == Uci || engine.until("bye", AT_ONCE, |line| line == "bye").is_ok();
    if !engine.ends_within(AT_ONCE) {
        return broken("it does not end");
    }
    match said_bye {
        true => Ok(()),
        false => broken("it does not say bye"),
    }
}

fn quit_in_search(engine: &mut Dialogue<'_>) -> Kept {
    go_endless(engine)?;
    engine.lines_within(Duration::from_millis(200))?;
    leaves_at_quit(engine)
}

fn end_of_input(engine: &mut Dialogue<'_>) -> Kept {
    engine.boot()?;
    engine.close();
    match engine.ends_within(AT_ONCE) {
        true => Ok(()),
        false => broken("it goes on at the end of its input, and outlives a client that is killed"),
    }
}

fn end_of_input_in_search(engine: &mut Dialogue<'_>) -> Kept {
    go_endless(engine)?;
    engine.lines_within(Duration::from_millis(200))?;
    engine.close();
    match engine.ends_within(AT_ONCE) {
        true => Ok(()),
        false => broken("it searches on at the end of its input"),
    }
}

fn orphans(engine: &mut Dialogue<'_>) -> Kept {
    engine.boot()?;
    engine.send("quit");
    if !engine.ends_within(AT_ONCE) {
        return broken("it does not end");
    }
    match engine.leaves_processes() {
        true => broken("a process that it has started goes on"),
        false => Ok(()),
    }
}
