//! What is learned from questions: moves that are played but not known, and positions worth a search.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::board::{KnownMove, QueriedPosition};
use crate::board::Move;
use crate::cloud::key::Key;
use crate::cloud::moves::is_worth_keeping;
use crate::cloud::place::Place;
use crate::cloud::store::{Priority, Store, Task, TaskKind};

/// Positions with fewer known moves than this are sieved for more.
pub(super) const ENOUGH_MOVES: usize = 5;
/// After how long the older unknown moves are forgotten; sooner where [`MOST_REMEMBERED`] have come.
const MEMORY: Duration = Duration::from_secs(300);
/// How many unknown moves are remembered, twice.
const MOST_REMEMBERED: usize = 32_768;

/// Unknown moves of positions that were asked for, by the position after the move. Where that position
/// is asked for next, the move was played and is worth a search.
#[derive(Debug)]
pub(super) struct Unknown(Mutex<Generations>);

#[derive(Debug)]
struct Generations {
    current: HashMap<Key, LearnedMove>,
    before: HashMap<Key, LearnedMove>,
    begun: Instant,
}

/// A move as it is stored.
#[derive(Clone, Debug)]
struct LearnedMove {
    parent: Key,
    m: Move,
}

impl Default for Unknown {
    fn default() -> Self {
        Self(Mutex::new(Generations {
            current: HashMap::new(),
            before: HashMap::new(),
            begun: Instant::now(),
        }))
    }
}

impl Unknown {
    fn remember(&self, moves: Vec<(Key, LearnedMove)>) {
        let mut memory = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if memory.current.len() >= MOST_REMEMBERED || memory.begun.elapsed() >= MEMORY {
            memory.before = std::mem::take(&mut memory.current);
            memory.begun = Instant::now();
        }
        memory.current.extend(moves);
    }

    /// The move that led to a position, once.
    fn take(&self, key: &Key) -> Option<LearnedMove> {
        let mut memory = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = memory.current.remove(key);
        let before = memory.before.remove(key);
        found.or(before)
    }
}

/// What a question teaches, gathered while it is answered and handed to the writer at the end.
#[derive(Debug, Default)]
pub(super) struct Lessons {
    /// Moves whose position after them is known.
    adopted: Vec<Place>,
    /// Moves whose position after them is not known, by that position.
    unknown: Vec<(Key, LearnedMove)>,
    tasks: Vec<Task>,
}

impl Lessons {
    /// Notes the moves of a position that are to be scored: known ones without a known reply.
    pub(super) fn note_leaves(
        &mut self,
        board: &QueriedPosition,
        known: &[KnownMove],
        priority: Priority,
    ) {
        let is_leaf = |known: &&KnownMove| known.replies == 0 && !known.is_final;
        let leaves: Vec<Move> = known
            .iter()
            .filter(is_leaf)
            .map(|known| known.played)
            .collect();
        self.note_scoring(board, &leaves, priority);
    }

    /// Notes moves that are to be scored.
    pub(super) fn note_scoring(
        &mut self,
        board: &QueriedPosition,
        moves: &[Move],
        priority: Priority,
    ) {
        if !moves.is_empty() && is_worth_keeping(&board.position) {
            self.tasks.push(Task {
                kind: TaskKind::Scoring,
                key: board.view.key.clone(),
                moves: moves.iter().map(|m| board.view.stored(*m)).collect(),
                priority,
            });
        }
    }

    /// Notes that a position has few known moves.
    pub(super) fn note_sieving(
        &mut self,
        board: &QueriedPosition,
        known: usize,
        priority: Priority,
    ) {
        if (1..ENOUGH_MOVES).contains(&known) && is_worth_keeping(&board.position) {
            self.tasks.push(sieving(board, priority));
        }
    }

    /// Notes an unknown move that leads to a known position: it is linked to it.
    pub(super) fn note_adoption(&mut self, place: Place) {
        self.adopted.push(place);
    }

    /// Notes an unknown move that leads to an unknown position: it is remembered.
    pub(super) fn note_unknown(&mut self, child: Key, board: &QueriedPosition, m: Move) {
        let (parent, m) = (board.view.key.clone(), board.view.stored(m));
        self.unknown.push((child, LearnedMove { parent, m }));
    }

    /// Where the position was reached by a move that was not known, the move is to be scored.
    pub(super) fn note_played(&mut self, unknown: &Unknown, board: &QueriedPosition) {
        let played = unknown.take(&board.view.key);
        if let Some(played) = played.filter(|_| is_worth_keeping(&board.position)) {
            self.tasks.push(Task {
                kind: TaskKind::Scoring,
                key: played.parent,
                moves: vec![played.m],
                priority: Priority::Urgent,
            });
        }
    }

    /// Remembers unknown moves, and passes all else to the writer, without waiting for it.
    pub(super) fn post(self, store: &Store, unknown: &Unknown) {
        if !self.unknown.is_empty() {
            unknown.remember(self.unknown);
        }
        if self.adopted.is_empty() && self.tasks.is_empty() {
            return;
        }
        store.post(move |batch| {
            for place in &self.adopted {
                batch.adopt(place)?;
            }
            for task in &self.tasks {
                batch.add_task(task)?;
            }
            Ok(())
        });
    }
}

/// The task to find moves of a position.
pub(super) fn sieving(board: &QueriedPosition, priority: Priority) -> Task {
    Task {
        kind: TaskKind::Sieving,
        key: board.view.key.clone(),
        moves: Vec::new(),
        priority,
    }
}
