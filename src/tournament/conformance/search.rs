//! Checks of searches: limits, `info` lines, positions and move restrictions.

use std::time::{Duration, Instant};

use super::dialogue::{
    CheckFailure, CheckResult, Dialogue, SHORT_SEARCH, set_startpos, unclear, unclear_unless,
    violated, violated_unless,
};
use crate::board::{Move, Position};
use crate::movegen::legal_moves;
use crate::notation::fen::{self, START};
use crate::tournament::engine::is_no_move;
use crate::tournament::spec::EngineProtocol::{Ucci, Uci};

pub fn depth(engine: &mut Dialogue<'_>) -> CheckResult {
    let position = set_startpos(engine)?;
    engine.plays("go depth 1", &position)?;
    engine.position(START, &[]);
    let (played, lines) = engine.plays("go depth 5", &position)?;
    engine.check_ponder_move(&position, played, &lines)?;
    match max_value(&lines, "depth") {
        Some(depth) if depth > 5 => violated(format!("it reports depth {depth} with a limit of 5")),
        Some(_) => Ok(()),
        None => unclear("it reports no depth"),
    }
}

pub fn nodes(engine: &mut Dialogue<'_>) -> CheckResult {
    const NODES: u64 = 20_000;
    /// Searches with more nodes violate the limit.
    const MAX_NODES: u64 = 10 * NODES;
    let position = set_startpos(engine)?;
    let (_, lines) = engine.plays(&format!("go nodes {NODES}"), &position)?;
    match max_value(&lines, "nodes") {
        Some(nodes) if nodes > MAX_NODES => {
            violated(format!("it searches {nodes} nodes with a limit of {NODES}"))
        }
        Some(_) => Ok(()),
        None => unclear("it reports no number of nodes"),
    }
}

pub fn info(engine: &mut Dialogue<'_>) -> CheckResult {
    let position = set_startpos(engine)?;
    let (_, lines) = engine.plays("go depth 5", &position)?;
    for line in lines.iter().filter(|line| line.starts_with("info ")) {
        let mut seen: Vec<&str> = Vec::new();
        let mut words = line.split_ascii_whitespace().skip(1);
        while let Some(key) = words.next() {
            if key == "pv" {
                if let Some(error) = engine.pv_error(&position, words) {
                    return violated(format!("{error}: {line:?}"));
                }
                break;
            }
            if begins_text(key) {
                break;
            }
            // Keys without a value. Some engines send them after other keys than the score.
            if matches!(key, "lowerbound" | "upperbound") {
                continue;
            }
            violated_unless(!seen.contains(&key), format!("duplicate {key}: {line:?}"))?;
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
                }
                // Three numbers.
                "wdl" => {
                    words.nth(1);
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
    let has_pv = lines.iter().any(|line| line.contains(" pv "));
    unclear_unless(has_pv, "it reports no principal variation (pv)")
}

/// Asks for a move, which must arrive within `time` plus the tolerance, and returns how long it takes.
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
    violated_unless(
        taken <= time + engine.timeouts.margin(),
        format!("it takes {} ms with a limit of {} ms", taken.as_millis(), time.as_millis()),
    )?;
    Ok(taken)
}

pub fn clock(engine: &mut Dialogue<'_>) -> CheckResult {
    let position = set_startpos(engine)?;
    let time = Duration::from_secs(3);
    let go = format!("go {}", engine.clock(time));
    plays_within(engine, &position, &go, time).map(|_| ())
}

pub fn short_clock(engine: &mut Dialogue<'_>) -> CheckResult {
    let position = set_startpos(engine)?;
    if !engine.dialect.milliseconds {
        return Err(CheckFailure::NotApplicable);
    }
    let time = Duration::from_millis(100);
    let go = format!("go {}", engine.clock(time));
    plays_within(engine, &position, &go, time).map(|_| ())
}

pub fn movetime(engine: &mut Dialogue<'_>) -> CheckResult {
    let position = set_startpos(engine)?;
    let time = Duration::from_secs(1);
    let taken = plays_within(engine, &position, "go movetime 1000", time)?;
    let taken = taken.as_millis();
    unclear_unless(taken >= 200, format!("it takes only {taken} ms of 1000"))
}

/// Whether the words after a key of an `info` line are moves or text up to the end of the line.
fn begins_text(key: &str) -> bool {
    matches!(key, "pv" | "string" | "message" | "currline" | "refutation")
}

/// The largest value of a key in `info` lines.
fn max_value(lines: &[String], key: &str) -> Option<u64> {
    let value = |line: &String| {
        let mut words = line.strip_prefix("info ")?.split_ascii_whitespace();
        words.by_ref().take_while(|word| !begins_text(word)).find(|word| *word == key)?;
        words.next()?.parse().ok()
    };
    lines.iter().filter_map(value).max()
}

/// Red is checkmated.
pub const CHECKMATE: &str = "3k5/9/9/9/9/9/9/9/r8/r3K4 w - - 0 1";
/// The kings face each other.
const FACING: &str = "4k4/9/9/9/9/9/9/9/9/4K4 w - - 0 1";
/// A board with three ranks.
const TOO_SHORT: &str = "9/9/9 w - - 0 1";
/// A red bishop on a square that no bishop can reach.
const MISPLACED_BISHOP: &str = "4k4/9/9/9/9/9/9/9/9/3K1B3 w - - 0 1";
/// Red to move could capture the king.
const KING_TO_TAKE: &str = "3k5/9/9/9/9/9/9/9/3R5/4K4 w - - 0 1";
/// A position of the opening with black to move.
const BLACK_TO_MOVE: &str =
    "r1bakabr1/9/1cn4cn/p1p1p1p1p/9/9/P1P1P1P1P/1C2C1N2/9/RNBAKAB1R b - - 0 3";

/// One legal move of the starting position, and all others in the engine's coordinates.
fn one_and_others(engine: &Dialogue<'_>) -> (Move, Vec<String>) {
    let only = "a0a1".parse().unwrap_or(Move::NONE);
    let moves = legal_moves(&Position::startpos()).into_iter();
    let others = moves.filter(|m| *m != only).map(|m| engine.dialect.write_move(m));
    (only, others.collect())
}

pub fn banmoves(engine: &mut Dialogue<'_>) -> CheckResult {
    let position = set_startpos(engine)?;
    let (only, others) = one_and_others(engine);
    engine.send(&format!("banmoves {}", others.join(" ")));
    let (played, _) = engine.plays("go depth 4", &position)?;
    let answer = engine.dialect.write_move(played);
    violated_unless(played == only, format!("it plays {answer}, which is banned"))?;
    engine.position(START, &[]);
    let (played, _) = engine.plays("go depth 4", &position)?;
    unclear_unless(played != only, "it seems that banmoves also applies to the next position")
}

pub fn searchmoves(engine: &mut Dialogue<'_>) -> CheckResult {
    let position = set_startpos(engine)?;
    let (only, _) = one_and_others(engine);
    let go = format!("go depth 3 searchmoves {}", engine.dialect.write_move(only));
    let (played, _) = engine.plays(&go, &position)?;
    let answer = engine.dialect.write_move(played);
    violated_unless(played == only, format!("it plays {answer}, which is not in searchmoves"))
}

pub fn draw_offer(engine: &mut Dialogue<'_>) -> CheckResult {
    let position = set_startpos(engine)?;
    engine.plays("go draw depth 2", &position).map(|_| ())
}

pub fn history(engine: &mut Dialogue<'_>) -> CheckResult {
    engine.initialize()?;
    let cycle = ["a0a1", "a9a8", "a1a0", "a8a9"].map(|text| text.parse().unwrap_or(Move::NONE));
    let moves: Vec<Move> = cycle.iter().cycle().take(7).copied().collect();
    engine.position(START, &moves);
    let position = Position::startpos().after_all(moves);
    engine.plays("go depth 3", &position).map(|_| ())
}

/// Sends a position and a `go` for a short search, and checks that the engine plays a legal move.
pub fn plays_from(engine: &mut Dialogue<'_>, text: &str, go: &str) -> CheckResult {
    let Ok(position) = fen::parse_position(text) else {
        return unclear("internal error: the position of this check is invalid");
    };
    engine.position(text, &[]);
    engine.plays(go, &position).map(|_| ())
}

pub fn black_to_move(engine: &mut Dialogue<'_>) -> CheckResult {
    engine.initialize()?;
    plays_from(engine, BLACK_TO_MOVE, "go depth 3")
}

pub fn short_fen(engine: &mut Dialogue<'_>) -> CheckResult {
    engine.initialize()?;
    let end = BLACK_TO_MOVE.find(" - -").unwrap_or(BLACK_TO_MOVE.len());
    plays_from(engine, &BLACK_TO_MOVE[..end], "go depth 3")
}

/// Whether an answer means "no move".
fn has_no_move(answer: &str) -> bool {
    let mut words = answer.split_ascii_whitespace();
    match words.next() {
        Some("nobestmove") => true,
        _ => words.next().is_none_or(is_no_move),
    }
}

pub fn checkmate(engine: &mut Dialogue<'_>) -> CheckResult {
    engine.initialize()?;
    engine.position(CHECKMATE, &[]);
    engine.send("go depth 3");
    let lines = engine.outcome(SHORT_SEARCH)?;
    let answer = lines.last().map_or("", String::as_str);
    violated_unless(
        has_no_move(answer),
        format!("it answers {answer:?} in a position without legal moves"),
    )?;
    let is_usual = engine.protocol() != Ucci || answer.starts_with("nobestmove");
    unclear_unless(is_usual, format!("it answers {answer:?} instead of nobestmove"))
}

pub fn illegal(engine: &mut Dialogue<'_>) -> CheckResult {
    set_startpos(engine)?;
    for text in [FACING, TOO_SHORT, MISPLACED_BISHOP, KING_TO_TAKE] {
        engine.position(text, &[]);
        engine.send("go depth 1");
        let lines = engine.outcome(SHORT_SEARCH)?;
        let answer = lines.last().map_or("", String::as_str);
        unclear_unless(has_no_move(answer), format!("it answers {answer:?} in {text}"))?;
    }
    engine.sync().map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_not_read_from_texts() {
        let lines = [
            "info depth 3 score cp 5 pv a0a1",
            "info string the largest depth 64 is not reached",
            "info message depth 65",
            "info depth 2",
        ];
        assert_eq!(max_value(&lines.map(str::to_owned), "depth"), Some(3));
    }
}
