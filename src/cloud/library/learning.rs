//! Learning from queries: new moves that lead to known positions, and tasks for workers.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::position::{KnownMove, QueriedPosition};
use crate::board::Move;
use crate::cloud::Edge;
use crate::cloud::key::{Key, KeyedMove};
use crate::cloud::store::{Priority, Store, Task, is_eligible, needs_moves};

/// Time after which a new generation of unknown moves begins.
const GENERATION_TIME: Duration = Duration::from_secs(300);
/// Number of unknown moves after which a new generation begins; two generations are kept.
const GENERATION_SIZE: usize = 32_768;

/// Unknown moves of queried positions, by the position after the move. If that position is queried next, the move
/// was played and should be searched.
#[derive(Debug, Default)]
pub struct RecentUnknown(Mutex<Generations>);

#[derive(Debug, Default)]
struct Generations {
    current: HashMap<Key, KeyedMove>,
    previous: HashMap<Key, KeyedMove>,
    /// Beginning of the current generation; `None` before the first one.
    started: Option<Instant>,
}

impl RecentUnknown {
    fn remember(&self, moves: Vec<(Key, KeyedMove)>) {
        let mut memory = self.0.lock();
        let is_new = memory.started.is_none_or(|time| time.elapsed() >= GENERATION_TIME);
        if is_new || memory.current.len() >= GENERATION_SIZE {
            memory.previous = std::mem::take(&mut memory.current);
            memory.started = Some(Instant::now());
        }
        memory.current.extend(moves);
    }

    /// Removes and returns the move that led to a position.
    fn take(&self, key: &Key) -> Option<KeyedMove> {
        let mut memory = self.0.lock();
        let found = memory.current.remove(key);
        let previous = memory.previous.remove(key);
        found.or(previous)
    }
}

/// Writes and unknown moves collected while a query is answered.
#[derive(Debug, Default)]
pub struct PendingWrites {
    /// Unknown moves that lead to known positions, to be added to the known moves.
    pub links: Vec<Edge>,
    /// Unknown moves that lead to unknown positions, with the position after the move.
    pub unknown: Vec<(Key, KeyedMove)>,
    tasks: Vec<Task>,
}

impl PendingWrites {
    /// Requests scores for the known moves that do not end the game and have no known replies.
    pub fn request_scores(
        &mut self,
        board: &QueriedPosition,
        known: &[KnownMove],
        priority: Priority,
    ) {
        let is_leaf = |known: &&KnownMove| known.replies == 0 && !known.is_final;
        let leaves = known.iter().filter(is_leaf);
        let moves: Vec<Move> = leaves.map(|known| board.view.stored(known.played)).collect();
        if !moves.is_empty() && is_eligible(&board.position) {
            let key = board.view.key.clone();
            self.tasks.push(Task::scoring(key, moves, priority));
        }
    }

    /// Requests an expansion if at least one move is known and more are needed (see [`needs_moves`]).
    pub fn request_expansion(&mut self, board: &QueriedPosition, known: usize, priority: Priority) {
        let needs_moves = known > 0 && needs_moves(&board.position, known);
        if needs_moves && is_eligible(&board.position) {
            let key = board.view.key.clone();
            self.tasks.push(Task::expansion(key, priority));
        }
    }

    /// If the position was reached by an unknown move, requests a score for that move.
    pub fn request_played(&mut self, unknown: &RecentUnknown, board: &QueriedPosition) {
        let played = unknown.take(&board.view.key);
        if let Some((parent, m)) = played.filter(|_| is_eligible(&board.position)) {
            self.tasks.push(Task::scoring(parent, vec![m], Priority::Urgent));
        }
    }

    /// Remembers the unknown moves and posts the writes without waiting for them.
    pub fn post(self, store: &Store, unknown: &RecentUnknown) {
        if !self.unknown.is_empty() {
            unknown.remember(self.unknown);
        }
        if self.links.is_empty() && self.tasks.is_empty() {
            return;
        }
        store.post(move |batch| {
            for edge in &self.links {
                batch.link_move(edge)?;
            }
            for task in &self.tasks {
                batch.add_task(task)?;
            }
            Ok(())
        });
    }
}
