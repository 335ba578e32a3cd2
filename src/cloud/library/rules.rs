//! `queryrule`, `rulecheck` and `queryengine`: what is asked of a whole game.

use super::list::without_moves;
use super::question::{Library, Question};
use crate::board::{Color, Move};
use crate::cloud::fen;
use crate::cloud::moves::ordered_moves;
use crate::cloud::reply::ApiReply;
use crate::movegen::has_legal_move;
use crate::rules::{Cause, Game, RuleSet, Verdict, judge_at};

/// The fewest and the most moves of a game.
const MOVES: std::ops::Range<usize> = 3..2047;

/// What the rules say of each move at the end of a game.
pub(super) fn query_rule(question: &Question<'_>) -> ApiReply {
    let Some(list) = question.parameters.get("movelist") else {
        return ApiReply::Empty;
    };
    let Some(mut game) = read_game(question, list, MOVES) else {
        return ApiReply::Status("invalid movelist");
    };
    let times = question
        .parameters
        .get("reptimes")
        .and_then(|n| n.parse().ok());
    let times = times.filter(|n| (1..=10).contains(n)).unwrap_or(1);
    let legal = ordered_moves(game.position());
    if legal.is_empty() {
        return without_moves(game.position());
    }
    let mover = game.position().side_to_move();
    let mut ruled = Vec::with_capacity(legal.len());
    for m in legal {
        if game.push(m).is_err() {
            continue;
        }
        let rule = match verdict(&game, times) {
            Verdict::Draw => "draw",
            verdict if verdict.loser() == Some(mover) => "ban",
            _ => "none",
        };
        ruled.push((m, rule));
        game.pop();
    }
    ApiReply::Rules(ruled)
}

/// What the rules say of a game: 0 nothing, 1 a draw, 2 the side to move is at fault, 3 the other one.
pub(super) fn rule_check(question: &Question<'_>) -> ApiReply {
    let list = question.parameters.get("movelist").unwrap_or("");
    let Some(game) = read_game(question, list, 0..MOVES.end + 1) else {
        return ApiReply::Empty;
    };
    let to_move: Color = game.position().side_to_move();
    ApiReply::Digit(match verdict(&game, 1) {
        Verdict::Undecided => 0,
        Verdict::Draw => 1,
        verdict if verdict.loser() == Some(to_move) => 2,
        _ => 3,
    })
}

impl Library {
    /// The move of the engine at the end of a game, for those who have done some work.
    pub(super) fn query_engine(&self, question: &Question<'_>) -> ApiReply {
        let list = question.parameters.get("movelist").unwrap_or("");
        if !question.has_proof_of_work(list) {
            return ApiReply::Status("invalid parameters");
        }
        let Some(game) = read_game(question, list, 0..MOVES.end + 1) else {
            return ApiReply::Status("invalid movelist");
        };
        if !has_legal_move(game.position()) {
            return ApiReply::Status("nobestmove");
        }
        let name = format!("{}|{list}", fen::write(&question.board.position));
        self.engine.think(name, &game, &self.tables)
    }
}

/// The verdict on the repetition that has come back `times` times, if one has.
pub(super) fn verdict(game: &Game, times: usize) -> Verdict {
    let judgement = judge_at(game, RuleSet::Asian, times + 1);
    match judgement.cause {
        Cause::Repetition => judgement.verdict,
        _ => Verdict::Undecided,
    }
}

/// Plays a list of moves, separated by bars; `None` where there are too few or too many, or one is illegal.
pub(super) fn read_game(
    question: &Question<'_>,
    list: &str,
    count: std::ops::Range<usize>,
) -> Option<Game> {
    let moves: Vec<&str> = match list {
        "" => Vec::new(),
        _ => list.split('|').take(count.end).collect(),
    };
    if !count.contains(&moves.len()) {
        return None;
    }
    let mut game = Game::new(question.board.position.clone());
    for text in moves {
        let m: Move = text.parse().ok()?;
        game.push(m).ok()?;
    }
    Some(game)
}
