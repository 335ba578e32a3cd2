//! Actions on a whole game: `queryrule`, `rulecheck` and `queryengine`.

use std::ops::Range;
use std::time::Duration;

use super::position::{ordered_moves, without_moves};
use super::{Library, Query};
use crate::board::{Move, Position};
use crate::cloud::api::{ApiReply, RuleVerdict};
use crate::cloud::fen;
use crate::movegen::has_legal_move;
use crate::rules::{Cause, Game, RuleSet, Verdict, judge_at};
use crate::search::{Limits, Searcher};

/// Allowed number of moves in `queryrule`.
const QUERY_RULE_MOVES: Range<usize> = 3..2047;
/// Allowed number of moves in `rulecheck` and `queryengine`.
const GAME_MOVES: Range<usize> = 0..2048;

/// Time of a search of the engine.
const THINKING_TIME: Duration = Duration::from_millis(1_000);
/// Size of the transposition table of the engine, in MB.
const HASH: usize = 16;

/// `queryrule`: judges the repetition after each legal move at the end of a game: `draw`, `ban` if the side that moves
/// breaks the rules, or `none`.
pub fn query_rule(query: &Query<'_>) -> ApiReply {
    let Some(list) = query.parameters.get_nonempty("movelist") else {
        return ApiReply::Empty;
    };
    let Some(mut game) = read_game(query, list, QUERY_RULE_MOVES) else {
        return ApiReply::Status("invalid movelist");
    };
    let times = query.parameters.get("reptimes");
    let times = times.and_then(|n| n.parse().ok());
    let times = times.filter(|n| (1..=10).contains(n)).unwrap_or(1);
    let legal = ordered_moves(game.position());
    if legal.is_empty() {
        return without_moves(game.position());
    }
    let mover = game.position().side_to_move();
    let mut verdicts = Vec::with_capacity(legal.len());
    for m in legal {
        if game.push(m).is_err() {
            continue;
        }
        let rule = match verdict(&game, times) {
            Verdict::Draw => "draw",
            verdict if verdict.loser() == Some(mover) => "ban",
            _ => "none",
        };
        verdicts.push(RuleVerdict { uci: m, rule });
        game.pop();
    }
    ApiReply::Rules(verdicts)
}

/// `rulecheck`: judges the repetition at the end of a game: 0 without a repetition, 1 for a draw, 2 if the side to move
/// breaks the rules, 3 if the other side does. Empty if the list of moves is missing or invalid.
pub fn rule_check(query: &Query<'_>) -> ApiReply {
    let list = query.parameters.get_nonempty("movelist");
    let game = list.and_then(|list| read_game(query, list, GAME_MOVES));
    let Some(game) = game else {
        return ApiReply::Empty;
    };
    let to_move = game.position().side_to_move();
    ApiReply::Digit(match verdict(&game, 1) {
        Verdict::Undecided => 0,
        Verdict::Draw => 1,
        verdict if verdict.loser() == Some(to_move) => 2,
        _ => 3,
    })
}

impl Library {
    /// `queryengine`: a move of the engine at the end of a game. Requires a proof of work.
    pub(super) fn query_engine(&self, query: &Query<'_>) -> ApiReply {
        let list = query.parameters.get("movelist").unwrap_or("");
        if !query.has_proof_of_work(list) {
            return ApiReply::Status("invalid parameters");
        }
        let Some(game) = read_game(query, list, GAME_MOVES) else {
            return ApiReply::Status("invalid movelist");
        };
        let key = format!("{}|{list}", fen::write(&query.board.position));
        self.think(key, &game)
    }

    /// `/engine`: a move of the engine in a position, without a proof of work.
    pub fn engine_move(&self, position: Position) -> ApiReply {
        let key = format!("{}|", fen::write(&position));
        self.think(key, &Game::new(position))
    }

    /// Searches the position of a game. `key` identifies the game in the cache. Replies `rate limit exceeded` while
    /// another search runs, and `nobestmove` without legal moves or if the search fails.
    fn think(&self, key: String, game: &Game) -> ApiReply {
        if !has_legal_move(game.position()) {
            return ApiReply::Status("nobestmove");
        }
        if let Some(known) = self.engine_replies.lock().get(&key) {
            return known.clone();
        }
        let Some(mut searcher) = self.engine.try_lock() else {
            return ApiReply::Status("rate limit exceeded");
        };
        if searcher.is_none() {
            *searcher = self.start_engine();
        }
        let outcome = searcher.as_mut().and_then(|searcher| {
            let outcome = searcher.think(game, Limits::move_time(THINKING_TIME));
            outcome.inspect_err(|error| log::error!("{error}")).ok()
        });
        let best = outcome.and_then(|outcome| outcome.best);
        let reply = best.map_or(ApiReply::Status("nobestmove"), ApiReply::Move);
        self.engine_replies.lock().insert(key, reply.clone());
        reply
    }

    fn start_engine(&self) -> Option<Searcher> {
        let mut searcher = Searcher::new(HASH)
            .inspect_err(|error| log::error!("cannot start the engine: {error}"))
            .ok()?;
        searcher.set_tablebases(Some(self.tables.clone()));
        Some(searcher)
    }
}

/// The verdict on a position that has been repeated `times` times; `Undecided` if it has not.
pub fn verdict(game: &Game, times: usize) -> Verdict {
    let judgment = judge_at(game, RuleSet::Asian, times + 1);
    match judgment.cause {
        Cause::Repetition => judgment.verdict,
        _ => Verdict::Undecided,
    }
}

/// Plays moves separated by `|`; `None` if their number is out of range or a move is illegal.
fn read_game(query: &Query<'_>, list: &str, count: Range<usize>) -> Option<Game> {
    let moves: Vec<&str> = match list {
        "" => Vec::new(),
        _ => list.split('|').take(count.end).collect(),
    };
    if !count.contains(&moves.len()) {
        return None;
    }
    let mut game = Game::new(query.board.position.clone());
    for text in moves {
        let m: Move = text.parse().ok()?;
        game.push(m).ok()?;
    }
    Some(game)
}
