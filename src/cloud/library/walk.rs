//! Walks through the library along good moves, and what repetitions on them mean for scores.

use std::collections::HashMap;

use rand::seq::SliceRandom;

use super::board::{KnownMove, QueriedPosition};
use super::learning::Lessons;
use super::rules::verdict;
use crate::board::Move;
use crate::cloud::classes::Class;
use crate::cloud::key::Key;
use crate::cloud::store::{Priority, Snapshot, StoreError};
use crate::cloud::value::{score_of, value};
use crate::rules::{Game, Verdict};

/// A move from the root of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WalkMove {
    pub(super) played: Move,
    /// How many moves were visited below it.
    pub(super) below: usize,
    /// Its score; another one than the library has where the walk has come to a repetition that the
    /// rules forbid or call a draw.
    pub(super) score: i32,
}

/// What a move on a walk is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WalkWorth {
    /// What the library says.
    Stored,
    /// Another score, for the side that plays it.
    Changed(i32),
    /// It repeats a position, and the rules forbid that.
    Banned,
}

/// A walk through the library along good moves.
///
/// The values in the store take no account of repetitions. Where the walk comes back to a position on
/// its way the rules are asked: a move that only draws so counts 0 if it would be the best one, a side
/// that is at fault plays its next move, and where none other is known the stored score stands, for
/// there may be moves that are not known. What follows is returned along the walk only.
pub(super) struct LibraryWalk<'a, 's> {
    snapshot: &'a Snapshot<'s>,
    budget: usize,
    pub(super) visited: usize,
    /// The positions on the way from the root, each with the move that is played in it.
    path: Vec<(QueriedPosition, Option<Move>)>,
    /// Where each position stands on the way.
    places: HashMap<Key, usize>,
    lessons: Option<&'a mut Lessons>,
}

impl<'a, 's> LibraryWalk<'a, 's> {
    pub(super) fn new(
        snapshot: &'a Snapshot<'s>,
        budget: usize,
        lessons: Option<&'a mut Lessons>,
    ) -> Self {
        Self {
            snapshot,
            budget,
            visited: 0,
            path: Vec::new(),
            places: HashMap::new(),
            lessons,
        }
    }

    /// Visits the moves that `is_taken` takes, and below them the good moves.
    pub(super) fn visit_root(
        &mut self,
        board: &QueriedPosition,
        known: &[KnownMove],
        is_taken: impl Fn(i32) -> bool,
    ) -> Result<Vec<WalkMove>, StoreError> {
        if let Some(lessons) = &mut self.lessons {
            lessons.note_leaves(board, known, Priority::Urgent);
            lessons.note_sieving(board, known.len(), Priority::Asked);
        }
        self.enter(board);
        let mut visited = Vec::new();
        for known in shuffled(known).iter().filter(|known| is_taken(known.score)) {
            if self.visited >= self.budget {
                break;
            }
            self.visited += 1;
            let before = self.visited;
            let worth = self.visit_below(board, known, 1)?;
            visited.push(WalkMove {
                played: known.played,
                below: self.visited - before,
                score: match worth {
                    WalkWorth::Changed(score) => score,
                    WalkWorth::Stored | WalkWorth::Banned => known.score,
                },
            });
        }
        Ok(visited)
    }

    fn enter(&mut self, board: &QueriedPosition) {
        self.places.insert(board.view.key.clone(), self.path.len());
        self.path.push((board.clone(), None));
    }

    fn leave(&mut self) {
        if let Some((board, _)) = self.path.pop() {
            self.places.remove(&board.view.key);
        }
    }

    /// Visits the position after a move of the position that was entered last; what the move is worth.
    fn visit_below(
        &mut self,
        board: &QueriedPosition,
        known: &KnownMove,
        ply: usize,
    ) -> Result<WalkWorth, StoreError> {
        if known.replies == 0 {
            return Ok(WalkWorth::Stored);
        }
        if let Some((_, played)) = self.path.last_mut() {
            *played = Some(known.played);
        }
        let child = board.after(known.played);
        let row = child.row(self.snapshot)?;
        let replies = child.known(self.snapshot, &row)?;
        if let Some(place) = self.places.get(&child.view.key).copied() {
            return Ok(self.repetition(place, board, known, &child, replies));
        }
        if let Some(lessons) = &mut self.lessons {
            lessons.note_leaves(&child, &replies, Priority::Background);
            if ply < self.budget / 2 + 10 {
                lessons.note_sieving(&child, replies.len(), Priority::Background);
            }
        }
        let best = replies.first().map_or(0, |first| first.score);
        self.enter(&child);
        let mut worths = Vec::new();
        for reply in shuffled(&replies) {
            // The best move is visited even where it loses, and no move is good.
            let is_good = reply.score == best || Class::Good.contains(reply.score, best);
            if self.visited >= self.budget || !is_good {
                break;
            }
            self.visited += 1;
            let worth = self.visit_below(&child, &reply, ply + 1)?;
            worths.push((reply.played, worth));
        }
        self.leave();
        Ok(handed_up(board, known, &replies, &worths))
    }

    /// What a move is worth that leads back to the position at a place of the way.
    fn repetition(
        &self,
        place: usize,
        board: &QueriedPosition,
        known: &KnownMove,
        child: &QueriedPosition,
        replies: Vec<KnownMove>,
    ) -> WalkWorth {
        let Some((start, Some(first))) = self.path.get(place) else {
            return WalkWorth::Stored;
        };
        if start.position.key() != child.position.key() {
            // A mirror image is no repetition.
            return WalkWorth::Stored;
        }
        let mut game = Game::new(start.position.clone());
        let moves = self.path[place..].iter().filter_map(|(_, played)| *played);
        for m in moves {
            if game.push(m).is_err() {
                return WalkWorth::Stored;
            }
        }
        let verdict = verdict(&game, 1);
        let best = replies.iter().map(|reply| reply.score).max();
        let worth = match verdict.loser() {
            Some(loser) if loser != child.position.side_to_move() => return WalkWorth::Banned,
            Some(_) => WalkWorth::Banned,
            None if verdict == Verdict::Draw => match best {
                Some(best)
                    if replies
                        .iter()
                        .any(|r| r.played == *first && r.score == best) =>
                {
                    WalkWorth::Changed(0)
                }
                _ => return WalkWorth::Stored,
            },
            None => return WalkWorth::Stored,
        };
        handed_up(board, known, &replies, &[(*first, worth)])
    }
}

/// What a move is worth where some of the replies to it are worth something else than is stored.
fn handed_up(
    board: &QueriedPosition,
    known: &KnownMove,
    replies: &[KnownMove],
    worths: &[(Move, WalkWorth)],
) -> WalkWorth {
    if worths.iter().all(|(_, worth)| *worth == WalkWorth::Stored) {
        return WalkWorth::Stored;
    }
    let score = |reply: &KnownMove| {
        let found = worths.iter().find(|(played, _)| *played == reply.played);
        match found.map_or(WalkWorth::Stored, |(_, worth)| *worth) {
            WalkWorth::Stored => Some(reply.score),
            WalkWorth::Changed(score) => Some(score),
            WalkWorth::Banned => None,
        }
    };
    let mut scores: Vec<i32> = replies.iter().filter_map(score).collect();
    let key = &board.view.key;
    let value = value(&mut scores, key, board.view.stored(known.played));
    value.map_or(WalkWorth::Stored, |value| match score_of(value) {
        score if score == known.score => WalkWorth::Stored,
        score => WalkWorth::Changed(score),
    })
}

/// The moves by their scores, those of equal scores in any order.
fn shuffled(known: &[KnownMove]) -> Vec<KnownMove> {
    let mut known = known.to_vec();
    known.shuffle(&mut rand::rng());
    known.sort_by_key(|known| std::cmp::Reverse(known.score));
    known
}
