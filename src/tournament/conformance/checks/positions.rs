//! Checks of positions and move restrictions.

use super::common::{CheckResult, SHORT_SEARCH, start};
use crate::board::{Move, Position};
use crate::movegen::legal_moves;
use crate::notation::fen;
use crate::notation::fen::START;
use crate::tournament::conformance::dialogue::{Dialogue, unclear, violated};
use crate::tournament::engine::is_no_move;
use crate::tournament::protocol::EngineProtocol::Ucci;

/// Red is checkmated.
const CHECKMATE: &str = "3k5/9/9/9/9/9/9/9/r8/r3K4 w - - 0 1";
/// The kings face each other.
const FACING: &str = "4k4/9/9/9/9/9/9/9/9/4K4 w - - 0 1";
/// A board with three ranks.
const TOO_SHORT: &str = "9/9/9 w - - 0 1";
/// A red bishop on an impossible square.
const MISPLACED_BISHOP: &str = "4k4/9/9/9/9/9/9/9/9/3K1B3 w - - 0 1";
/// Red to move could capture the king.
const KING_TO_TAKE: &str = "3k5/9/9/9/9/9/9/9/3R5/4K4 w - - 0 1";
/// A middlegame position with black to move.
const BLACK_TO_MOVE: &str =
    "r1bakabr1/9/1cn4cn/p1p1p1p1p/9/9/P1P1P1P1P/1C2C1N2/9/RNBAKAB1R b - - 0 3";

/// One legal move of the starting position, and all others.
fn one_and_others(engine: &Dialogue<'_>) -> (Move, Vec<String>) {
    let only = "a0a1".parse().unwrap_or(Move::NONE);
    let moves = legal_moves(&Position::startpos()).into_iter();
    let others = moves.filter(|m| *m != only).map(|m| engine.write_move(m));
    (only, others.collect())
}

pub(super) fn banmoves(engine: &mut Dialogue<'_>) -> CheckResult {
    let position = start(engine)?;
    let (only, others) = one_and_others(engine);
    engine.send(&format!("banmoves {}", others.join(" ")));
    let (played, _) = engine.plays("go depth 4", &position, SHORT_SEARCH)?;
    if played != only {
        return violated(format!("it plays {played}, which is banned"));
    }
    engine.position(START, &[]);
    let (played, _) = engine.plays("go depth 4", &position, SHORT_SEARCH)?;
    if played == only {
        unclear("it seems that banmoves still applies after the next position")
    } else {
        Ok(())
    }
}

pub(super) fn searchmoves(engine: &mut Dialogue<'_>) -> CheckResult {
    let position = start(engine)?;
    let (only, _) = one_and_others(engine);
    let go = format!("go depth 3 searchmoves {}", engine.write_move(only));
    let (played, _) = engine.plays(&go, &position, SHORT_SEARCH)?;
    if played == only {
        Ok(())
    } else {
        violated(format!("it plays {played}, which is not in searchmoves"))
    }
}

pub(super) fn draw_offer(engine: &mut Dialogue<'_>) -> CheckResult {
    let position = start(engine)?;
    engine
        .plays("go draw depth 2", &position, SHORT_SEARCH)
        .map(|_| ())
}

pub(super) fn history(engine: &mut Dialogue<'_>) -> CheckResult {
    engine.initialize()?;
    let mut position = Position::startpos();
    let cycle = ["a0a1", "a9a8", "a1a0", "a8a9"].map(|text| text.parse().unwrap_or(Move::NONE));
    let moves: Vec<Move> = cycle.iter().cycle().take(7).copied().collect();
    for m in &moves {
        position.make(*m);
    }
    engine.position(START, &moves);
    engine
        .plays("go depth 3", &position, SHORT_SEARCH)
        .map(|_| ())
}

fn plays_from(engine: &mut Dialogue<'_>, text: &str) -> CheckResult {
    engine.initialize()?;
    let Ok(position) = fen::parse_position(text) else {
        return unclear("internal error: the position of this check is invalid");
    };
    engine.position(text, &[]);
    engine
        .plays("go depth 3", &position, SHORT_SEARCH)
        .map(|_| ())
}

pub(super) fn black_to_move(engine: &mut Dialogue<'_>) -> CheckResult {
    plays_from(engine, BLACK_TO_MOVE)
}

pub(super) fn short_fen(engine: &mut Dialogue<'_>) -> CheckResult {
    let end = BLACK_TO_MOVE.find(" - -").unwrap_or(BLACK_TO_MOVE.len());
    plays_from(engine, &BLACK_TO_MOVE[..end])
}

/// Whether an answer means "no move".
fn has_no_move(answer: &str) -> bool {
    let mut words = answer.split_ascii_whitespace();
    match words.next() {
        Some("nobestmove") => true,
        _ => words.next().is_none_or(is_no_move),
    }
}

pub(super) fn checkmate(engine: &mut Dialogue<'_>) -> CheckResult {
    engine.initialize()?;
    engine.position(CHECKMATE, &[]);
    engine.send("go depth 3");
    let lines = engine.outcome(SHORT_SEARCH)?;
    let answer = lines.last().map_or("", String::as_str);
    if !has_no_move(answer) {
        return violated(format!("{answer:?} in a position without legal moves"));
    }
    if engine.protocol() == Ucci && !answer.starts_with("nobestmove") {
        unclear(format!("{answer:?} instead of nobestmove"))
    } else {
        Ok(())
    }
}

pub(super) fn illegal(engine: &mut Dialogue<'_>) -> CheckResult {
    start(engine)?;
    for text in [FACING, TOO_SHORT, MISPLACED_BISHOP, KING_TO_TAKE] {
        engine.position(text, &[]);
        engine.send("go depth 1");
        let lines = engine.outcome(SHORT_SEARCH)?;
        let answer = lines.last().map_or("", String::as_str);
        if !has_no_move(answer) {
            return unclear(format!("it plays {answer:?} in {text}"));
        }
    }
    engine.sync().map(|_| ())
}
