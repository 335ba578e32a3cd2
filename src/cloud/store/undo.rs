//! Writes taken back: what one writer has written goes, what others have written comes back.

use rusqlite::{OptionalExtension, Result, params};

use super::batch::Batch;
use super::rows;
use super::time::minutes;
use crate::board::Move;
use crate::cloud::key::Key;
use crate::cloud::place::Place;
use crate::cloud::row::{Entry, EntrySource};

/// A write, as the audit has it.
struct Written {
    id: i64,
    key: Key,
    m: Move,
    old: Option<i16>,
}

impl Batch<'_> {
    /// Takes back what a writer has written since a time, in seconds since 1970, the newest first. A
    /// move whose replies others have written keeps the value that follows from them. Tells how many
    /// values were taken back.
    ///
    /// # Errors
    /// The database cannot be read or written.
    pub fn undo(&mut self, writer: &str, since: i64) -> Result<usize> {
        self.connection
            .execute_batch("CREATE INDEX IF NOT EXISTS audit_place ON audit(key, move)")?;
        let query = "SELECT id, key, move, old FROM audit WHERE writer = ?1 AND time >= ?2 ORDER BY id DESC";
        let mut query = self.connection.prepare(query)?;
        let found = query.query_map(params![writer, since], |columns| {
            let bits: u16 = columns.get(2)?;
            Ok(Written {
                id: columns.get(0)?,
                key: rows::key(columns, 1)?,
                m: Move::from_bits(bits).unwrap_or_default(),
                old: columns.get(3)?,
            })
        })?;
        let found: Vec<Written> = found.collect::<Result<_>>()?;
        let mut count = 0;
        for written in found {
            count += usize::from(self.take_back(&written)?);
            let statement = "DELETE FROM audit WHERE id = ?1";
            self.connection
                .prepare_cached(statement)?
                .execute([written.id])?;
        }
        Ok(count)
    }

    fn take_back(&mut self, written: &Written) -> Result<bool> {
        let Some(mut row) = self.get(&written.key)? else {
            return Ok(false);
        };
        let Some(place) = Place::of_stored(&written.key, [written.m]).pop() else {
            return Ok(false);
        };
        let Some(entry) = row.get(written.m).copied() else {
            return Ok(false);
        };
        if self.get(&place.child)?.is_some() {
            return Ok(false);
        }
        match written.old {
            Some(value) => row.set(restored(&entry, value)),
            None => drop(row.remove(written.m)),
        }
        rows::put(self.connection, &written.key, &row)?;
        match row.moves.is_empty() {
            true => self.restore_parents(&written.key)?,
            false => self.changed.push(written.key.clone()),
        }
        Ok(true)
    }

    /// Gives the moves that lead to a position of which nothing is known any more the values that were
    /// written for them.
    fn restore_parents(&mut self, child: &Key) -> Result<()> {
        for parent in rows::parents(self.connection, child)? {
            let Some(mut row) = self.get(&parent)? else {
                continue;
            };
            let moves: Vec<Move> = row.moves.iter().map(|entry| entry.m).collect();
            for place in Place::of_stored(&parent, moves)
                .iter()
                .filter(|place| place.child == *child)
            {
                let query =
                    "SELECT new FROM audit WHERE key = ?1 AND move = ?2 ORDER BY id DESC LIMIT 1";
                let mut query = self.connection.prepare_cached(query)?;
                let values = params![parent.as_bytes(), place.m.bits()];
                let value: Option<i16> = query
                    .query_row(values, |columns| columns.get(0))
                    .optional()?;
                if let (Some(value), Some(entry)) = (value, row.get(place.m).copied()) {
                    row.set(restored(&entry, value));
                }
            }
            rows::put(self.connection, &parent, &row)?;
            self.changed.push(parent);
        }
        Ok(())
    }
}

/// An entry with a value that was written before. How deep was searched for it is not known any more.
fn restored(entry: &Entry, value: i16) -> Entry {
    Entry {
        value,
        depth: 0,
        source: if entry.is_final() {
            entry.source
        } else {
            EntrySource::Written
        },
        minutes: minutes(),
        ..*entry
    }
}
