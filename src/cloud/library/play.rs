//! `query`, `querybest`, `querysearch`, `querylearn`, `querypv`: a move or a line to play.

use std::collections::HashSet;

use rand::seq::IndexedRandom;

use super::board::KnownMove;
use super::learning::Lessons;
use super::list::without_moves;
use super::question::{Library, Question};
use super::tables;
use super::walk::LibraryWalk;
use crate::board::Move;
use crate::cloud::classes::Class;
use crate::cloud::reply::ApiReply;
use crate::cloud::store::{Priority, StoreError};
use crate::movegen::has_legal_move;

/// Which moves may be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// One of the best.
    Best,
    /// One of the good ones.
    Good,
    /// One to learn from.
    Learn,
    /// All good ones.
    Search,
}

/// Moves that are visited before a move is answered.
const BUDGET: usize = 20;
/// Moves that `queue` visits, and the most moves of a line.
pub(super) const LONG_BUDGET: usize = 200;
/// The least score of a best move that is played.
const LEAST: i32 = -50;
/// The same where games are played to learn from.
const LEAST_TO_LEARN: i32 = -75;
/// The fewest moves that must have been visited below one of the best moves.
const LEAST_BELOW: usize = 4;

impl Library {
    /// A move to play, or moves to choose from.
    pub(super) fn query_move(
        &self,
        question: &Question<'_>,
        choice: Choice,
    ) -> Result<ApiReply, StoreError> {
        let board = &question.board;
        let none = ApiReply::Status("nobestmove");
        if let Some(moves) = self.table_moves(question) {
            return Ok(tables::choose(&board.position, &moves));
        }
        if question.parameters.is_on("endgame", false) {
            return Ok(ApiReply::Empty);
        }
        let mut lessons = Lessons::default();
        let reply = self.store.read(|snapshot| {
            let row = board.row(snapshot)?;
            let mut known = board.known(snapshot, &row)?;
            known.retain(|known| !question.is_banned(known.played));
            let Some(best) = known.first().map(|first| first.score) else {
                return Ok::<_, StoreError>(none);
            };
            let noted = question.may_learn().then_some(&mut lessons);
            let mut walk = LibraryWalk::new(snapshot, BUDGET, noted);
            let visited =
                walk.visit_root(board, &known, |score| Class::Good.contains(score, best))?;
            for known in &mut known {
                let found = visited.iter().find(|found| found.played == known.played);
                known.score = found.map_or(known.score, |found| found.score);
            }
            let best = known.iter().map(|known| known.score).max().unwrap_or(best);
            let best_visited = visited
                .iter()
                .filter(|found| Class::Best.contains(found.score, best));
            let most_below = best_visited.map(|found| found.below).max();
            let least = if choice == Choice::Learn {
                LEAST_TO_LEARN
            } else {
                LEAST
            };
            let is_explored = walk.visited >= self.options.least_visits
                && most_below.unwrap_or(0) >= LEAST_BELOW.min(self.options.least_visits);
            Ok(match is_explored && best >= least {
                true => chosen(&known, choice, best),
                false => none,
            })
        })?;
        lessons.post(&self.store, &self.unknown);
        Ok(reply)
    }

    /// A line to play.
    pub(super) fn query_line(&self, question: &Question<'_>) -> Result<ApiReply, StoreError> {
        let board = &question.board;
        if !has_legal_move(&board.position) {
            return Ok(without_moves(&board.position));
        }
        if let Some(moves) = self.table_moves(question) {
            return Ok(tables::line(&moves));
        }
        let is_stable = question.parameters.is_on("stable", false);
        let mut lessons = Lessons::default();
        let reply = self.store.read(|snapshot| {
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
                if question.may_learn() {
                    let is_root = pv.is_empty();
                    let priority = |asked| if is_root { asked } else { Priority::Background };
                    lessons.note_leaves(&board, &known, priority(Priority::Urgent));
                    lessons.note_sieving(&board, known.len(), priority(Priority::Asked));
                }
                pv.push(next.played);
                board = board.after(next.played);
            }
            let is_known = pv.first().is_some_and(|m| !question.is_banned(*m));
            let depth = pv.len();
            Ok::<_, StoreError>(match is_known {
                true => ApiReply::Line { score, depth, pv },
                false => ApiReply::Status("unknown"),
            })
        })?;
        lessons.post(&self.store, &self.unknown);
        Ok(reply)
    }
}

/// The next move of a line: the first one, or one of the best.
fn next_of_line(known: &[KnownMove], is_stable: bool) -> Option<KnownMove> {
    let first = known.first()?;
    let is_best = |known: &&KnownMove| Class::Best.contains(known.score, first.score);
    let best: Vec<&KnownMove> = known.iter().filter(is_best).collect();
    match is_stable {
        true => Some(first.clone()),
        false => best
            .choose(&mut rand::rng())
            .copied()
            .or(Some(first))
            .cloned(),
    }
}

fn chosen(known: &[KnownMove], choice: Choice, best: i32) -> ApiReply {
    let class = match choice {
        Choice::Best => Class::Best,
        Choice::Good | Choice::Search => Class::Good,
        Choice::Learn => Class::Learn,
    };
    let moves = known
        .iter()
        .filter(|known| class.contains(known.score, best));
    let moves: Vec<Move> = moves.map(|known| known.played).collect();
    if choice == Choice::Search && known.len() > 1 {
        return ApiReply::Search(moves);
    }
    let chosen = moves.choose(&mut rand::rng());
    chosen.map_or(ApiReply::Status("nobestmove"), |m| ApiReply::Move(*m))
}
