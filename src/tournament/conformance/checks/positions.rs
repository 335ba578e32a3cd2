//! Positions of every kind, and which moves may be played in them.

use super::common::{Kept, SHORT_SEARCH, start};
use crate::board::{Move, Position};
use crate::movegen::legal_moves;
use crate::notation::fen;
use crate::notation::fen::START;
use crate::tournament::conformance::dialogue::{Dialogue, broken, doubtful};
use crate::tournament::engine::is_no_move;
use crate::tournament::protocol::EngineProtocol::Ucci;

/// Red is mated.
const MATED: &str = "3k5/9/9/9/9/9/9/9/r8/r3K4 w - - 0 1";
/// The kings face each other, which no game brings about.
const FACING: &str = "4k4/9/9/9/9/9/9/9/9/4K4 w - - 0 1";
/// A board of three ranks.
const TOO_SHORT: &str = "9/9/9 w - - 0 1";
/// A red pawn stands where none comes to.
const PAWN_BEHIND: &str = "4k4/9/9/9/9/9/9/9/9/3K1P3 w - - 0 1";
/// Red is to move and could take the king.
const KING_TO_TAKE: &str = "3k5/9/9/9/9/9/9/9/3R5/4K4 w - - 0 1";
/// A middle game with black to move.
const BLACK_TO_MOVE: &str =
    "r1bakabr1/9/1cn4cn/p1p1p1p1p/9/9/P1P1P1P1P/1C2C1N2/9/RNBAKAB1R b - - 0 3";

/// The legal moves of the start but one.
fn all_but_one(engine: &Dialogue<'_>) -> (Move, Vec<String>) {
    let only = "a0a1".parse().unwrap_or(Move::NONE);
    let moves = legal_moves(&Position::startpos()).into_iter();
    let others = moves.filter(|m| *m != only).map(|m| engine.write_move(m));
    (only, others.collect())
}

pub(super) fn bans(engine: &mut Dialogue<'_>) -> Kept {
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

pub(super) fn searchmoves(engine: &mut Dialogue<'_>) -> Kept {
    let position = start(engine)?;
    let (only, _) = all_but_one(engine);
    let go = format!("go depth 3 searchmoves {}", engine.write_move(only));
    let (played, _) = engine.plays(&go, &position, SHORT_SEARCH)?;
    match played == only {
        true => Ok(()),
        false => broken(format!("it plays {played}")),
    }
}

pub(super) fn draw_offer(engine: &mut Dialogue<'_>) -> Kept {
    let position = start(engine)?;
    engine
        .plays("go draw depth 2", &position, SHORT_SEARCH)
        .map(|_| ())
}

pub(super) fn history(engine: &mut Dialogue<'_>) -> Kept {
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

pub(super) fn black_to_move(engine: &mut Dialogue<'_>) -> Kept {
    plays_from(engine, BLACK_TO_MOVE)
}

pub(super) fn fields(engine: &mut Dialogue<'_>) -> Kept {
    let end = BLACK_TO_MOVE.find(" - -").unwrap_or(BLACK_TO_MOVE.len());
    plays_from(engine, &BLACK_TO_MOVE[..end])
}

/// Whether an answer says that there is no move.
pub(super) fn has_no_move(answer: &str) -> bool {
    let mut words = answer.split_ascii_whitespace();
    match words.next() {
        Some("nobestmove") => true,
        _ => words.next().is_none_or(is_no_move),
    }
}

pub(super) fn mated(engine: &mut Dialogue<'_>) -> Kept {
    engine.boot()?;
    engine.position(MATED, &[]);
    engine.send("go depth 3");
    let lines = engine.outcome(SHORT_SEARCH)?;
    let answer = lines.last().map_or("", String::as_str);
    if !has_no_move(answer) {
        return broken(format!("{answer:?} in a position without a move"));
    }
    match engine.protocol() == Ucci && !answer.starts_with("nobestmove") {
        true => doubtful(format!("{answer:?} instead of nobestmove")),
        false => Ok(()),
    }
}

pub(super) fn impossible(engine: &mut Dialogue<'_>) -> Kept {
    start(engine)?;
    for text in [FACING, TOO_SHORT, PAWN_BEHIND, KING_TO_TAKE] {
        engine.position(text, &[]);
        engine.send("go depth 1");
        let lines = engine.outcome(SHORT_SEARCH)?;
        let answer = lines.last().map_or("", String::as_str);
        if !has_no_move(answer) {
            return doubtful(format!("{answer:?} is played in {text}"));
        }
    }
    engine.sync().map(|_| ())
}
