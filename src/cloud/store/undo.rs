//! Undo of all writes of one writer.

use std::collections::HashSet;

use super::batch::Batch;
use super::error::StoreError;
use super::rows;
use super::rows::minutes;
use super::statement::{Columns, Value};
use crate::board::Move;
use crate::cloud::Edge;
use crate::cloud::key::Key;
use crate::cloud::row::{Entry, EntrySource, Row};

type Result<T> = std::result::Result<T, StoreError>;

/// A move whose value must be restored from the audit log.
struct Written {
    key: Key,
    m: Move,
    /// Row id of the last undone write; later ones stay.
    id: i64,
}

impl Batch<'_> {
    /// Undoes the writes of a writer since a time, in seconds since 1970. Each move gets its latest remaining value
    /// from the audit log, or is removed if there is none. A move with replies of other writers keeps the value
    /// computed from them. Returns the number of restored values.
    pub fn undo(&mut self, writer: &str, since: i64) -> Result<usize> {
        let mut open = self.remove_writes(writer, since)?;
        let mut uncounted: HashSet<(Key, Move)> = (open.iter())
            .map(|written| (written.key.clone(), written.m))
            .collect();
        let mut count = 0;
        // A move to a known position is skipped here. It is queued again when that position becomes unknown.
        while let Some(written) = open.pop() {
            let Some(row) = self.restore(&written)? else {
                continue;
            };
            if row.moves.is_empty() {
                open.extend(self.leading_to(&written.key)?);
            } else {
                self.changed.push(written.key.clone());
            }
            count += usize::from(uncounted.remove(&(written.key, written.m)));
        }
        Ok(count)
    }

    /// Deletes the writes of a writer from the audit log. Returns the moves, latest last.
    fn remove_writes(&mut self, writer: &str, since: i64) -> Result<Vec<Written>> {
        let query = "SELECT key, move, MAX(id) FROM audit WHERE writer = $1 AND time >= $2
            GROUP BY key, move ORDER BY MAX(id)";
        let values = [Value::Text(writer), Value::Number(since)];
        let found = self.connection.query(query, &values, |columns| {
            Ok(Written {
                key: rows::key(columns, 0)?,
                m: Move::from_bits(columns.number(1, "move")?).unwrap_or_default(),
                id: columns.number(2, "id")?,
            })
        })?;
        let statement = "DELETE FROM audit WHERE writer = $1 AND time >= $2";
        self.connection.execute(statement, &values)?;
        Ok(found)
    }

    /// Restores the latest value in the audit log, or removes the move. Returns the new row, or `None` if nothing
    /// has changed.
    fn restore(&mut self, written: &Written) -> Result<Option<Row>> {
        let Some(mut row) = self.get(&written.key)? else {
            return Ok(None);
        };
        let Some(entry) = row.get(written.m).copied() else {
            return Ok(None);
        };
        let Some(edge) = Edge::of_stored(&written.key, [written.m]).pop() else {
            return Ok(None);
        };
        if self.get(&edge.child)?.is_some() {
            return Ok(None);
        }
        // Moves that were only linked to known positions have no value of their own.
        let query = "SELECT id, new, depth FROM audit WHERE key = $1 AND move = $2 AND writer <> $3
            ORDER BY id DESC LIMIT 1";
        let values = [
            Value::from(&written.key),
            Value::Number(i64::from(written.m.bits())),
            Value::Text(Self::LIBRARY),
        ];
        let read = |columns: &Columns<'_>| {
            let id = columns.number::<i64>(0, "id")?;
            let value: i16 = columns.number(1, "new")?;
            Ok((id, value, columns.number(2, "depth")?))
        };
        match self.connection.query_one(query, &values, read)? {
            Some((id, ..)) if written.id < id => return Ok(None),
            Some((_, value, depth)) => row.set(restored(&entry, value, depth)),
            None => drop(row.remove(written.m)),
        }
        rows::put(self.connection, &written.key, &row)?;
        Ok(Some(row))
    }

    /// The moves to a position that has become unknown.
    fn leading_to(&self, child: &Key) -> Result<Vec<Written>> {
        let mut found = Vec::new();
        for parent in rows::parents(self.connection, child)? {
            let Some(row) = self.get(&parent)? else {
                continue;
            };
            let edges = Edge::of_stored(&parent, row.moves.iter().map(|entry| entry.m));
            let leading = edges.into_iter().filter(|edge| edge.child == *child);
            found.extend(leading.map(|edge| Written {
                key: edge.parent,
                m: edge.m,
                id: i64::MAX,
            }));
        }
        Ok(found)
    }
}

/// An entry with an earlier value.
fn restored(entry: &Entry, value: i16, depth: u8) -> Entry {
    Entry {
        value,
        depth,
        source: if entry.is_final() {
            entry.source
        } else {
            EntrySource::Written
        },
        minutes: minutes(),
        ..*entry
    }
}
