//! What a solved class with an attacker a side claims.

use std::sync::{Mutex, PoisonError};

use super::arena::{Arena, ArenaNode};
use crate::board::{Color, Position};
use crate::tablebase::parallel::for_each_part;
use crate::tablebase::solved::SolvedClass;
use crate::tablebase::value::Value;

/// A position of which a table claims what is not proven.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{position} has value {found}, but {why}")]
pub struct WrongClaim {
    /// A position whose entry is wrong.
    pub position: Box<Position>,
    /// The value of the table, as the file has it.
    pub found: u8,
    /// Why the value cannot be right.
    pub why: &'static str,
}

/// A class and what it claims.
pub(super) struct Claims<'a> {
    pub arena: Arena<'a>,
    class: &'a SolvedClass,
    threads: usize,
    wrong: Mutex<Option<WrongClaim>>,
}

impl<'a> Claims<'a> {
    pub(super) fn new(arena: Arena<'a>, class: &'a SolvedClass, threads: usize) -> Self {
        Self {
            arena,
            class,
            threads: threads.max(1),
            wrong: Mutex::new(None),
        }
    }

    /// The claim that was found wrong, if any was.
    pub(super) fn wrong(self) -> Option<WrongClaim> {
        self.wrong
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn value(&self, node: ArenaNode) -> Value {
        Value(self.class.values(node.side == Color::Red)[node.index])
    }

    /// Notes that a claim is wrong; the first one is reported.
    pub(super) fn refute(&self, node: ArenaNode, why: &'static str) {
        let Some(position) = self.arena.position(node) else {
            return;
        };
        let mut wrong = self.wrong.lock().unwrap_or_else(PoisonError::into_inner);
        wrong.get_or_insert(WrongClaim {
            position: Box::new(position),
            found: self.value(node).0,
            why,
        });
    }

    /// Visits all numbers of positions with both sides to move, on all threads.
    pub(super) fn for_each_node(
        &self,
        visit: impl Fn(ArenaNode) + Sync,
        done: impl Fn(u64) + Sync,
    ) {
        let slice = self.arena.indexer.slice();
        for_each_part(self.threads, self.arena.len() / slice, |part| {
            for index in part * slice..(part + 1) * slice {
                Color::ALL
                    .into_iter()
                    .for_each(|side| visit(ArenaNode { index, side }));
            }
            done(slice as u64);
        });
    }
}
