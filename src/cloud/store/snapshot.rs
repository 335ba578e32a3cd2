//! Consistent reads of a library.

use std::cell::RefCell;
use std::collections::HashMap;

use super::database::{Database, Result, StoreError, Value};
use super::task::{TaskKind, waiting};
use crate::board::Move;
use crate::cloud::key::Key;
use crate::cloud::row::Row;
use crate::cloud::score;

/// Rows per query when all positions are read.
pub const PAGE: i64 = 1_000;

/// The library at one moment; later writes are not visible.
pub struct Snapshot<'a> {
    pub(super) connection: &'a dyn Database,
    /// Whether private positions are hidden; `false` if no position is private.
    pub hides_private: bool,
    /// Prefetched rows; `None` for unknown positions.
    pub(super) prefetched: RefCell<HashMap<Key, Option<Row>>>,
}

impl Snapshot<'_> {
    /// Prefetches positions if each query is a round trip to a server; otherwise does nothing.
    pub fn prefetch(&self, keys: impl FnOnce() -> Vec<Key>) -> Result<()> {
        if !self.connection.is_remote() {
            return Ok(());
        }
        let keys = keys();
        let found = self.connection.rows(&keys)?;
        let mut prefetched = self.prefetched.borrow_mut();
        // `keys` may contain a key twice, because several moves may lead to one position.
        prefetched.extend(keys.into_iter().map(|key| (key, None)));
        prefetched.extend(found.into_iter().map(|(key, row)| (key, Some(row))));
        Ok(())
    }

    /// The known moves of a position; `None` if it is unknown or hidden.
    pub fn get(&self, key: &Key) -> Result<Option<Row>> {
        if self.is_hidden(key)? {
            return Ok(None);
        }
        match self.prefetched.borrow().get(key) {
            Some(row) => Ok(row.clone()),
            None => self.connection.row(key),
        }
    }

    /// Whether a position is known and not hidden.
    pub fn contains(&self, key: &Key) -> Result<bool> {
        Ok(self.get(key)?.is_some())
    }

    /// Number of positions, including hidden ones.
    pub fn positions(&self) -> Result<i64> {
        self.connection.number("SELECT COUNT(*) FROM position", &[])
    }

    pub fn waiting(&self, kind: TaskKind) -> Result<i64> {
        waiting(self.connection, kind)
    }

    /// Number of waiting and leased tasks.
    pub fn unfinished(&self) -> Result<i64> {
        self.connection.number("SELECT COUNT(*) FROM task", &[])
    }

    /// Calls `each` with every position that is not hidden, in key order, without moves to hidden positions.
    pub fn for_each<E: From<StoreError>>(
        &self,
        mut each: impl FnMut(Key, Row) -> Result<(), E>,
    ) -> Result<(), E> {
        let query = "SELECT moves, ply, turned_ply, key FROM position WHERE key > $1
            ORDER BY key LIMIT $2";
        let mut last = Vec::new();
        loop {
            let values = [Value::Bytes(&last), Value::Number(PAGE)];
            let page = self
                .connection
                .query(query, &values, |columns| Ok((columns.key(3)?, columns.row()?)))?;
            let Some((key, _)) = page.last() else {
                return Ok(());
            };
            last = key.as_bytes().to_vec();
            for (key, mut row) in page {
                if self.is_hidden(&key)? {
                    continue;
                }
                if self.hides_private {
                    self.remove_hidden(&key, &mut row)?;
                }
                each(key, row)?;
            }
        }
    }

    fn remove_hidden(&self, key: &Key, row: &mut Row) -> Result<()> {
        for edge in row.edges(key) {
            if self.is_hidden(&edge.child)? {
                row.remove(edge.m);
            }
        }
        Ok(())
    }

    /// Finds illegal moves, and values that do not follow from the replies. Fails if the file is damaged.
    pub fn check(&self) -> Result<Vec<Inconsistency>> {
        self.connection.check_file()?;
        self.check_log()?;
        let mut problems = Vec::new();
        self.for_each(|key, row| {
            let edges = row.edges(&key);
            if edges.len() != row.moves.len() {
                problems.push(Inconsistency::Illegal(key.clone()));
            }
            for edge in edges {
                let stored = row.get(edge.m).map_or(0, |entry| i32::from(entry.value));
                let expected = match self.get(&edge.child)? {
                    _ if edge.ends_game => Some(-score::FINAL),
                    Some(child) => score::value(&mut child.scores(), &key, edge.m),
                    None => None,
                };
                if let Some(expected) = expected.filter(|expected| *expected != stored) {
                    let (key, m) = (key.clone(), edge.m);
                    problems.push(Inconsistency::Value { key, m, stored, expected });
                }
            }
            Ok::<_, StoreError>(())
        })?;
        Ok(problems)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Inconsistency {
    #[error("position {0} has an illegal move")]
    Illegal(Key),
    /// A value does not follow from the replies. In a cycle of moves there may be no consistent values.
    #[error("{m} of {key} has the value {stored}, not {expected}")]
    Value { key: Key, m: Move, stored: i32, expected: i32 },
}
