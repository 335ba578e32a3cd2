//! Walks along good moves, and the effect of repetitions on scores.

use std::collections::HashMap;

use rand::seq::SliceRandom;

use super::game::verdict;
use super::position::{KnownMove, PendingWrites, QueriedPosition};
use crate::board::Move;
use crate::cloud::key::Key;
use crate::cloud::score::{Class, score_of, value};
use crate::cloud::store::{Priority, Snapshot, StoreError};
use crate::rules::{Game, Verdict};

/// Maximum length of a line from the root in plies. A visit is recursive, and the stack of a thread is limited.
const MAX_PLIES: usize = 200;

/// A root move of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WalkMove {
    pub played: Move,
    /// Number of moves visited below it.
    pub below: usize,
    /// Its score, adjusted if the walk found a repetition that is forbidden or a draw.
    pub score: i32,
}

/// Result of a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BackedUp {
    /// The stored score is kept.
    Stored,
    /// Another score, for the side that plays the move.
    Changed(i32),
    /// The move repeats a position in violation of the rules.
    Banned,
}

/// A walk along good moves.
///
/// Stored values ignore repetitions. When the walk returns to a position on its path, the repetition rules decide:
/// a move that draws by repetition gets the score 0 if its stored score is the best one, and a side that would break
/// the rules plays its next best move. If no other move is known, the stored score is kept, because there may be
/// unknown moves. These scores apply to this walk only.
pub struct LibraryWalk<'a, 's> {
    snapshot: &'a Snapshot<'s>,
    /// Maximum number of moves to visit.
    budget: usize,
    /// Number of moves visited so far.
    pub visited: usize,
    /// The positions from the root, with the moves played.
    path: Vec<(QueriedPosition, Option<Move>)>,
    /// Index of each position in `path`.
    indices: HashMap<Key, usize>,
    pending: Option<&'a mut PendingWrites>,
}

impl<'a, 's> LibraryWalk<'a, 's> {
    pub fn new(
        snapshot: &'a Snapshot<'s>,
        budget: usize,
        pending: Option<&'a mut PendingWrites>,
    ) -> Self {
        Self { snapshot, budget, visited: 0, path: Vec::new(), indices: HashMap::new(), pending }
    }

    /// Visits the root moves for whose score `accepts` returns `true`, and the good moves below them, until the budget
    /// is used up.
    pub fn visit_root(
        &mut self,
        board: &QueriedPosition,
        known: &[KnownMove],
        accepts: impl Fn(i32) -> bool,
    ) -> Result<Vec<WalkMove>, StoreError> {
        if let Some(pending) = &mut self.pending {
            pending.request_scores(board, known, Priority::Urgent);
            pending.request_expansion(board, known.len(), Priority::Requested);
        }
        self.enter(board);
        let mut visited = Vec::new();
        for known in best_first(known).iter().filter(|known| accepts(known.score)) {
            if self.visited >= self.budget {
                break;
            }
            self.visited += 1;
            let before = self.visited;
            let result = self.visit_below(board, known)?;
            visited.push(WalkMove {
                played: known.played,
                below: self.visited - before,
                score: match result {
                    BackedUp::Changed(score) => score,
                    BackedUp::Stored | BackedUp::Banned => known.score,
                },
            });
        }
        Ok(visited)
    }

    fn enter(&mut self, board: &QueriedPosition) {
        self.indices.insert(board.view.key.clone(), self.path.len());
        self.path.push((board.clone(), None));
    }

    fn leave(&mut self) {
        if let Some((board, _)) = self.path.pop() {
            self.indices.remove(&board.view.key);
        }
    }

    /// Visits the position after a move of the last entered position.
    fn visit_below(
        &mut self,
        board: &QueriedPosition,
        known: &KnownMove,
    ) -> Result<BackedUp, StoreError> {
        if known.replies == 0 || self.path.len() >= MAX_PLIES {
            return Ok(BackedUp::Stored);
        }
        if let Some((_, played)) = self.path.last_mut() {
            *played = Some(known.played);
        }
        let child = board.after(known.played);
        let row = child.row(self.snapshot)?;
        let replies = child.known(self.snapshot, &row)?;
        if let Some(index) = self.indices.get(&child.view.key).copied() {
            return Ok(self.repetition(index, board, known, &child, &replies));
        }
        if let Some(pending) = &mut self.pending {
            pending.request_scores(&child, &replies, Priority::Background);
            // Positions far below the root are not expanded.
            if self.path.len() < self.budget / 2 + 10 {
                pending.request_expansion(&child, replies.len(), Priority::Background);
            }
        }
        let best = replies.first().map_or(0, |first| first.score);
        self.enter(&child);
        let mut changes = Vec::new();
        for reply in best_first(&replies) {
            // The best move is visited even if it loses and no move is good.
            let is_good = reply.score == best || Class::Good.contains(reply.score, best);
            if self.visited >= self.budget || !is_good {
                break;
            }
            self.visited += 1;
            changes.push((reply.played, self.visit_below(&child, &reply)?));
        }
        self.leave();
        Ok(back_up(board, known, &replies, &changes))
    }

    /// The result of a move back to the position at an index of the path.
    fn repetition(
        &self,
        index: usize,
        board: &QueriedPosition,
        known: &KnownMove,
        child: &QueriedPosition,
        replies: &[KnownMove],
    ) -> BackedUp {
        let Some((start, Some(first))) = self.path.get(index) else {
            return BackedUp::Stored;
        };
        if start.position.key() != child.position.key() {
            // A mirror image is not a repetition.
            return BackedUp::Stored;
        }
        let mut game = Game::new(start.position.clone());
        let moves = self.path[index..].iter().filter_map(|(_, played)| *played);
        for m in moves {
            if game.push(m).is_err() {
                return BackedUp::Stored;
            }
        }
        let verdict = verdict(&game, 1);
        let best = replies.iter().map(|reply| reply.score).max();
        let is_best = |r: &KnownMove| r.played == *first && Some(r.score) == best;
        let reply = match verdict.loser() {
            // The side that plays the last move breaks the rules with it.
            Some(loser) if loser != child.position.side_to_move() => return BackedUp::Banned,
            // The other side would break them by playing its first move again.
            Some(_) => BackedUp::Banned,
            None if verdict == Verdict::Draw && replies.iter().any(is_best) => BackedUp::Changed(0),
            None => return BackedUp::Stored,
        };
        back_up(board, known, replies, &[(*first, reply)])
    }
}

/// The score of a move when some replies have other scores than the stored ones.
fn back_up(
    board: &QueriedPosition,
    known: &KnownMove,
    replies: &[KnownMove],
    changes: &[(Move, BackedUp)],
) -> BackedUp {
    if changes.iter().all(|(_, result)| *result == BackedUp::Stored) {
        return BackedUp::Stored;
    }
    let score = |reply: &KnownMove| {
        let found = changes.iter().find(|(played, _)| *played == reply.played);
        match found.map_or(BackedUp::Stored, |(_, result)| *result) {
            BackedUp::Stored => Some(reply.score),
            BackedUp::Changed(score) => Some(score),
            BackedUp::Banned => None,
        }
    };
    let mut scores: Vec<i32> = replies.iter().filter_map(score).collect();
    let key = &board.view.key;
    let value = value(&mut scores, key, board.view.stored(known.played));
    value.map_or(BackedUp::Stored, |value| match score_of(value) {
        score if score == known.score => BackedUp::Stored,
        score => BackedUp::Changed(score),
    })
}

/// The moves by score, equal scores in random order.
fn best_first(known: &[KnownMove]) -> Vec<KnownMove> {
    let mut known = known.to_vec();
    known.shuffle(&mut rand::rng());
    known.sort_by_key(|known| std::cmp::Reverse(known.score));
    known
}
