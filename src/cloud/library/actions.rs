//! The answer to a request, and the actions on a position: lists of moves, scores, lines, moves to play, and requests
//! for searches and writes.

use std::collections::HashSet;

use rand::seq::{IndexedRandom, IteratorRandom};

use super::position::{KnownMove, PendingWrites, QueriedPosition, ordered_moves, without_moves};
use super::walk::LibraryWalk;
use super::{Library, Query, game, tablebase};
use crate::board::Move;
use crate::cloud::access::Role;
use crate::cloud::api::{ApiReply, ListedMove, QueryParameters};
use crate::cloud::fen;
use crate::cloud::key::distinct_moves;
use crate::cloud::recent::WorkCount;
use crate::cloud::row::Row;
use crate::cloud::score::{BEST_RANK, Class, MATE, is_in_range, rank};
use crate::cloud::store::{
    MAX_DEPTH, NewScore, Priority, QueueResult, Snapshot, StoreError, Task, is_eligible,
    needs_moves,
};
use crate::movegen::{has_legal_move, is_legal};

impl Library {
    /// Answers a request of the API. `writer` is the name of the client in the audit log.
    ///
    /// # Errors
    /// The library cannot be read or written.
    pub fn answer(
        &self,
        parameters: &QueryParameters,
        role: Role,
        writer: &str,
    ) -> Result<String, StoreError> {
        let is_json = parameters.is_json();
        let status = |word| Ok(ApiReply::Status(word).encode(is_json));
        let Some(action) = parameters.get("action") else {
            return Ok(String::new());
        };
        let Some(text) = parameters.get_nonempty("board") else {
            // Without a board, text has no trailing NUL.
            return status("invalid parameters").map(|text| text.trim_end_matches('\0').to_owned());
        };
        if role < Role::Read {
            return status("tokenerror");
        }
        let Some(position) = fen::parse(text) else {
            return status("invalid board");
        };
        let query = Query {
            parameters,
            text,
            board: QueriedPosition::new(position, self.options.rounding),
            banned: parameters.banned(),
            learn: parameters.is_on("learn", true),
            shows_all: parameters.is_on("showall", false),
            role,
            writer,
        };
        Ok(self.reply(action, &query)?.encode(is_json))
    }

    fn reply(&self, action: &str, query: &Query<'_>) -> Result<ApiReply, StoreError> {
        let refused = ApiReply::Status("tokenerror");
        let position = &query.board.position;
        match action {
            "queryall" | "queryscore" | "querypv" if !has_legal_move(position) => {
                Ok(without_moves(position))
            }
            "queryall" => self.query_all(query),
            "query" => self.query_move(query, Choice::Good),
            "querybest" => self.query_move(query, Choice::Best),
            "querylearn" => self.query_move(query, Choice::Learn),
            "querysearch" => self.query_move(query, Choice::Search),
            "queryscore" => self.query_score(query),
            "querypv" => self.query_line(query),
            "queryrule" => Ok(game::query_rule(query)),
            "rulecheck" => Ok(game::rule_check(query)),
            "queue" | "store" | "queryengine" if query.role < Role::Queue => Ok(refused),
            "queue" => self.queue(query),
            "queryengine" => Ok(self.query_engine(query)),
            "store" => match query.parameters.get("score") {
                None => self.store_move(query),
                Some(_) if query.role < Role::Write => Ok(refused),
                Some(score) => self.store_score(query, score),
            },
            _ => Ok(ApiReply::Empty),
        }
    }

    /// Reads a consistent snapshot, and queues the writes that `work` collects.
    fn read_and_learn<T>(
        &self,
        query: &Query<'_>,
        work: impl FnOnce(&Snapshot<'_>, &mut PendingWrites) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut pending = PendingWrites::default();
        let found = self.read(query.role, |snapshot| work(snapshot, &mut pending))?;
        pending.post(&self.store, &self.unknown);
        Ok(found)
    }

    /// `queryall`: all moves of a position with legal moves.
    fn query_all(&self, query: &Query<'_>) -> Result<ApiReply, StoreError> {
        let board = &query.board;
        if let Some(moves) = self.table_moves(query) {
            return Ok(if moves.is_empty() {
                ApiReply::Status("unknown")
            } else {
                ApiReply::Moves(tablebase::list(&moves), None)
            });
        }
        self.read_and_learn(query, |snapshot, pending| {
            let (row, known) = self.known_moves(query, snapshot, pending)?;
            let moves = listed(query, &known);
            Ok(if moves.is_empty() {
                ApiReply::Status("unknown")
            } else {
                ApiReply::Moves(moves, board.ply(&row))
            })
        })
    }

    /// `queryscore`: the score of the best move of a position with legal moves.
    fn query_score(&self, query: &Query<'_>) -> Result<ApiReply, StoreError> {
        let board = &query.board;
        if let Some(moves) = self.table_moves(query) {
            let first = moves.first().map(|m| ApiReply::Score(m.score, None));
            return Ok(first.unwrap_or(ApiReply::Status("unknown")));
        }
        self.read_and_learn(query, |snapshot, pending| {
            let (row, known) = self.known_moves(query, snapshot, pending)?;
            let score = |known: &KnownMove| ApiReply::Score(known.score, board.ply(&row));
            Ok(known.first().map_or(ApiReply::Status("unknown"), score))
        })
    }

    /// The row of a position and its known moves that are not banned, best first; in a symmetric position with both
    /// mirror images of each move. Collects the writes that follow from the query.
    fn known_moves(
        &self,
        query: &Query<'_>,
        snapshot: &Snapshot<'_>,
        pending: &mut PendingWrites,
    ) -> Result<(Row, Vec<KnownMove>), StoreError> {
        let board = &query.board;
        let row = board.row(snapshot)?;
        let mut known = board.known(snapshot, &row)?;
        if query.may_learn() {
            self.learn(pending, snapshot, board, &known)?;
        }
        board.add_mirror_images(&mut known);
        known.retain(|known| !query.is_banned(known.played));
        Ok((row, known))
    }

    /// Collects the writes that follow from a query of the moves or the score of a position: tasks, moves to known
    /// positions, and unknown moves.
    fn learn(
        &self,
        pending: &mut PendingWrites,
        snapshot: &Snapshot<'_>,
        board: &QueriedPosition,
        known: &[KnownMove],
    ) -> Result<(), StoreError> {
        pending.request_played(&self.unknown, board);
        pending.request_scores(board, known, Priority::Urgent);
        pending.request_expansion(board, known.len(), Priority::Requested);
        let mut unknown = distinct_moves(&board.position);
        unknown.retain(|m| known.iter().all(|known| known.played != *m));
        snapshot.prefetch(|| unknown.iter().map(|m| board.key_after(*m)).collect())?;
        for m in unknown {
            let edge = board.edge(m);
            if snapshot.contains(&edge.child)? {
                pending.links.push(edge);
            } else {
                pending.unknown.push((edge.child, (edge.parent, edge.m)));
            }
        }
        Ok(())
    }
}

/// The entries of `queryall`. With `learn`, these are the known moves, and if `shows_all`, the other legal moves
/// without scores. Without `learn`, these are all legal moves, of which only the best have scores. If no move is known,
/// the list is empty unless `shows_all`.
fn listed(query: &Query<'_>, known: &[KnownMove]) -> Vec<ListedMove> {
    let best = known.first().map_or(0, |first| first.score);
    let mut moves: Vec<ListedMove> = (known.iter().enumerate())
        .map(|(n, known)| (n, known, rank(known.score, best)))
        .filter(|(n, _, rank)| query.learn || *n == 0 || *rank == BEST_RANK)
        .map(|(_, known, rank)| {
            let (replies, good) = (known.replies, known.good_replies);
            ListedMove::known(known.played, known.score, rank, replies, good)
        })
        .collect();
    if query.shows_all || !query.learn && !moves.is_empty() {
        let mut unlisted = ordered_moves(&query.board.position);
        unlisted.retain(|m| moves.iter().all(|listed| listed.played != *m));
        moves.extend(unlisted.into_iter().map(ListedMove::unknown));
    }
    moves
}

/// The moves that a query may return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    /// One of the best moves.
    Best,
    /// One of the good moves.
    Good,
    /// One of the moves to explore.
    Learn,
    /// All good moves. If only one move is known, it is returned as with `Good`.
    Search,
}

/// Maximum number of moves visited to choose a move, unless `min_visits` is larger.
const BUDGET: usize = 20;
/// Maximum number of moves visited by `queue`, and maximum length of a line.
const LONG_BUDGET: usize = 200;
/// If the best move scores less than this, no move is returned.
const MIN_SCORE: i32 = -50;
/// The same for `querylearn`.
const MIN_SCORE_TO_LEARN: i32 = -75;
/// Number of moves that must have been visited below one of the best moves, unless `min_visits` is smaller.
const MIN_VISITS_BELOW: usize = 4;

impl Library {
    /// `query`, `querybest`, `querylearn`, `querysearch`: a move to play, or moves to choose from.
    fn query_move(&self, query: &Query<'_>, choice: Choice) -> Result<ApiReply, StoreError> {
        let board = &query.board;
        let none = ApiReply::Status("nobestmove");
        if let Some(moves) = self.table_moves(query) {
            return Ok(tablebase::choose(&board.position, &moves));
        }
        if query.parameters.is_on("endgame", false) {
            return Ok(ApiReply::Empty);
        }
        self.read_and_learn(query, |snapshot, pending| {
            let row = board.row(snapshot)?;
            let mut known = board.known(snapshot, &row)?;
            known.retain(|known| !query.is_banned(known.played));
            let Some(best) = known.first().map(|first| first.score) else {
                return Ok(none);
            };
            let pending = query.may_learn().then_some(pending);
            let budget = BUDGET.max(self.options.min_visits);
            let mut walk = LibraryWalk::new(snapshot, budget, pending);
            let visited =
                walk.visit_root(board, &known, |score| Class::Good.contains(score, best))?;
            for known in &mut known {
                let found = visited.iter().find(|found| found.played == known.played);
                known.score = found.map_or(known.score, |found| found.score);
            }
            let best = known.iter().map(|known| known.score).max().unwrap_or(best);
            let best_visited =
                visited.iter().filter(|found| Class::Best.contains(found.score, best));
            let max_below = best_visited.map(|found| found.below).max();
            let min_score = if choice == Choice::Learn { MIN_SCORE_TO_LEARN } else { MIN_SCORE };
            let is_explored = walk.visited >= self.options.min_visits
                && max_below.unwrap_or(0) >= MIN_VISITS_BELOW.min(self.options.min_visits);
            Ok(if is_explored && best >= min_score { chosen(&known, choice, best) } else { none })
        })
    }

    /// `querypv`: the principal variation of a position with legal moves.
    fn query_line(&self, query: &Query<'_>) -> Result<ApiReply, StoreError> {
        let board = &query.board;
        if let Some(moves) = self.table_moves(query) {
            return Ok(tablebase::line(&moves));
        }
        let is_stable = query.parameters.is_on("stable", false);
        self.read_and_learn(query, |snapshot, pending| {
            let mut board = board.clone();
            let (mut pv, mut score) = (Vec::new(), 0);
            let mut path = HashSet::new();
            while pv.len() < LONG_BUDGET && path.insert(board.view.key.clone()) {
                let row = board.row(snapshot)?;
                let known = board.known(snapshot, &row)?;
                let Some(next) = next_of_line(&known, is_stable) else {
                    break;
                };
                if pv.is_empty() {
                    score = next.score;
                }
                if query.may_learn() {
                    let is_root = pv.is_empty();
                    let priority = |requested| {
                        if is_root { requested } else { Priority::Background }
                    };
                    pending.request_scores(&board, &known, priority(Priority::Urgent));
                    pending.request_expansion(&board, known.len(), priority(Priority::Requested));
                }
                pv.push(next.played);
                board = board.after(next.played);
            }
            // As in the public library, a ban rejects the line and does not select another first move.
            let is_allowed = pv.first().is_some_and(|m| !query.is_banned(*m));
            let depth = pv.len();
            Ok(if is_allowed {
                ApiReply::Line { score, depth, pv }
            } else {
                ApiReply::Status("unknown")
            })
        })
    }
}

/// The next move of a line: the first one if `is_stable`, otherwise a random one of the best.
fn next_of_line(known: &[KnownMove], is_stable: bool) -> Option<KnownMove> {
    let first = known.first()?;
    if is_stable {
        return Some(first.clone());
    }
    let is_best = |known: &&KnownMove| Class::Best.contains(known.score, first.score);
    known.iter().filter(is_best).choose(&mut rand::rng()).cloned()
}

fn chosen(known: &[KnownMove], choice: Choice, best: i32) -> ApiReply {
    let class = match choice {
        Choice::Best => Class::Best,
        Choice::Good | Choice::Search => Class::Good,
        Choice::Learn => Class::Learn,
    };
    let moves = known.iter().filter(|known| class.contains(known.score, best));
    let moves: Vec<Move> = moves.map(|known| known.played).collect();
    if choice == Choice::Search && known.len() > 1 {
        return ApiReply::Search(moves);
    }
    let chosen = moves.choose(&mut rand::rng());
    chosen.map_or(ApiReply::Status("nobestmove"), |m| ApiReply::Move(*m))
}

/// The reply to an accepted write.
const OK: ApiReply = ApiReply::Status("ok");

impl Library {
    /// `queue`: requests a search of a position.
    fn queue(&self, query: &Query<'_>) -> Result<ApiReply, StoreError> {
        if self.store.is_read_only() {
            return Err(StoreError::ReadOnly);
        }
        let board = &query.board;
        let known = self.read_and_learn(query, |snapshot, pending| {
            let row = board.row(snapshot)?;
            let known = board.known(snapshot, &row)?;
            let mut walk = LibraryWalk::new(snapshot, LONG_BUDGET, Some(pending));
            walk.visit_root(board, &known, |score| score > -MATE)?;
            Ok(known.len())
        })?;
        if !has_legal_move(&board.position) || !is_eligible(&board.position) {
            return Ok(ApiReply::Empty);
        }
        if !needs_moves(&board.position, known) {
            return Ok(OK);
        }
        let priority =
            if query.has_proof_of_work("") { Priority::Urgent } else { Priority::Requested };
        self.add_task(Task::expansion(board.view.key.clone(), priority))
    }

    /// `store` without `score`: requests a score for a move.
    fn store_move(&self, query: &Query<'_>) -> Result<ApiReply, StoreError> {
        let board = &query.board;
        let played = query.parameters.move_text().parse::<Move>().ok();
        let legal = played.filter(|m| is_legal(&board.position, *m));
        let (Some(played), true) = (legal, is_eligible(&board.position)) else {
            return Ok(ApiReply::Empty);
        };
        let edge = board.edge(played);
        let needs_score = self.read(query.role, |snapshot| {
            let is_known = board.row(snapshot)?.get(edge.m).is_some();
            Ok(!is_known || !snapshot.contains(&edge.child)?)
        })?;
        if !needs_score {
            return Ok(ApiReply::Empty);
        }
        let priority =
            if query.role >= Role::Write { Priority::Urgent } else { Priority::Requested };
        self.add_task(Task::scoring(edge.parent, vec![edge.m], priority))
    }

    /// `store` with `score`: writes a score.
    fn store_score(&self, query: &Query<'_>, score: &str) -> Result<ApiReply, StoreError> {
        let board = &query.board;
        let depth = query.parameters.get("depth").unwrap_or("0");
        let value = score.parse().ok().filter(|value| is_in_range(*value));
        let (Some(value), Ok(depth)) = (value, depth.parse::<u32>()) else {
            return Ok(ApiReply::Status("invalid parameters"));
        };
        let played = query.parameters.move_text().parse::<Move>().ok();
        let Some(played) = played.filter(|m| is_legal(&board.position, *m)) else {
            return Ok(ApiReply::Empty);
        };
        let depth = u8::try_from(depth).map_or(MAX_DEPTH, |depth| depth.min(MAX_DEPTH));
        let new = NewScore::new(board.edge(played), value, depth, query.writer);
        // The parameter `nodes` is in thousands.
        let thousands: Option<u64> =
            (query.parameters.get("nodes")).and_then(|text| text.parse().ok());
        let is_written = self.store.write(move |batch| {
            let is_written = batch.store(&new)?;
            batch.publish(&new)?;
            Ok(is_written)
        })?;
        self.throughput.add(WorkCount {
            scores: is_written.into(),
            nodes: thousands.unwrap_or(0).saturating_mul(1_000),
        });
        Ok(if is_written { OK } else { ApiReply::Empty })
    }

    fn add_task(&self, task: Task) -> Result<ApiReply, StoreError> {
        let result = self.store.write(move |batch| batch.add_task(&task))?;
        Ok(match result {
            QueueResult::Added | QueueResult::Known => OK,
            QueueResult::Full => ApiReply::Empty,
        })
    }
}
