//! `query`, `querybest`, `querysearch`, `querylearn`, `querypv`: a move or a line to play.

use std::collections::HashSet;

use rand::seq::{IndexedRandom, SliceRandom};

use super::board::{Board, KnownMove};
use super::learning::Lessons;
use super::list::without_moves;
use super::question::{Library, Question};
use super::tables;
use crate::board::Move;
use crate::cloud::classes::Class;
use crate::cloud::key::Key;
use crate::cloud::reply::Reply;
use crate::cloud::store::{Priority, Snapshot, StoreError};
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
/// The most moves that one best move must have had visited below it.
const LEAST_BELOW: usize = 4;

/// A walk through the library along good moves.
pub(super) struct Walk<'a> {
    snapshot: &'a Snapshot<'a>,
    budget: usize,
    visited: usize,
    /// The positions on the way from the root.
    path: HashSet<Key>,
    lessons: Option<&'a mut Lessons>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(
        snapshot: &'a Snapshot<'a>,
        budget: usize,
        lessons: Option<&'a mut Lessons>,
    ) -> Self {
        let (visited, path) = (0, HashSet::new());
        Self {
            snapshot,
            budget,
            visited,
            path,
            lessons,
        }
    }

    /// Visits the moves that `is_taken` takes, and below them the good moves. Returns how many were visited
    /// below each root move.
    pub(super) fn visit_root(
        &mut self,
        board: &Board,
        known: &[KnownMove],
        is_taken: impl Fn(i32) -> bool,
    ) -> Result<Vec<(Move, usize)>, StoreError> {
        if let Some(lessons) = &mut self.lessons {
            lessons.note_leaves(board, known, Priority::Urgent);
            lessons.note_sieving(board, known.len(), Priority::Asked);
        }
        self.path.insert(board.view.key.clone());
        let mut below = Vec::new();
        for known in shuffled(known).iter().filter(|known| is_taken(known.score)) {
            if self.visited >= self.budget {
                break;
            }
            self.visited += 1;
            let before = self.visited;
            self.visit_below(board, known, 1)?;
            below.push((known.played, self.visited - before));
        }
        Ok(below)
    }

    fn visit_below(
        &mut self,
        board: &Board,
        known: &KnownMove,
        ply: usize,
    ) -> Result<(), StoreError> {
        if known.replies == 0 {
            return Ok(());
        }
        let child = board.after(known.played);
        if !self.path.insert(child.view.key.clone()) {
            return Ok(());
        }
        let row = child.row(self.snapshot)?;
        let replies = child.known(self.snapshot, &row)?;
        if let Some(lessons) = &mut self.lessons {
            lessons.note_leaves(&child, &replies, Priority::Background);
            if ply < self.budget / 2 + 10 {
                lessons.note_sieving(&child, replies.len(), Priority::Background);
            }
        }
        let best = replies.first().map_or(0, |first| first.score);
        for reply in shuffled(&replies) {
            if self.visited >= self.budget || !Class::Good.contains(reply.score, best) {
                break;
            }
            self.visited += 1;
            self.visit_below(&child, &reply, ply + 1)?;
        }
        self.path.remove(&child.view.key);
        Ok(())
    }
}

/// The moves by their scores, those of equal scores in any order.
fn shuffled(known: &[KnownMove]) -> Vec<KnownMove> {
    let mut known = known.to_vec();
    known.shuffle(&mut rand::rng());
    known.sort_by_key(|known| std::cmp::Reverse(known.score));
    known
}

impl Library {
    /// A move to play, or moves to choose from.
    pub(super) fn query_move(
        &self,
        question: &Question<'_>,
        choice: Choice,
    ) -> Result<Reply, StoreError> {
        let board = &question.board;
        let none = Reply::Status("nobestmove");
        if let Some(moves) = self.table_moves(question) {
            return Ok(tables::choose(&board.position, &moves));
        }
        if question.parameters.is_on("endgame", false) {
            return Ok(Reply::Empty);
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
            let mut walk = Walk::new(snapshot, BUDGET, noted);
            let below =
                walk.visit_root(board, &known, |score| Class::Good.contains(score, best))?;
            let is_best = |m: &Move| {
                let of_move = known.iter().find(|known| known.played == *m);
                of_move.is_some_and(|known| Class::Best.contains(known.score, best))
            };
            let most_below = below
                .iter()
                .filter(|(m, _)| is_best(m))
                .map(|(_, n)| *n)
                .max();
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
        lessons.post(&self.store);
        Ok(reply)
    }

    /// A line to play.
    pub(super) fn query_line(&self, question: &Question<'_>) -> Result<Reply, StoreError> {
        let board = &question.board;
        if !has_legal_move(&board.position) {
            return Ok(without_moves(board));
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
                true => Reply::Line { score, depth, pv },
                false => Reply::Status("unknown"),
            })
        })?;
        lessons.post(&self.store);
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

fn chosen(known: &[KnownMove], choice: Choice, best: i32) -> Reply {
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
        return Reply::Search(moves);
    }
    let chosen = moves.choose(&mut rand::rng());
    chosen.map_or(Reply::Status("nobestmove"), |m| Reply::Move(*m))
}
