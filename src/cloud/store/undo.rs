//! Writes taken back: what one writer has written goes, what others have written comes back.

use std::collections::HashSet;

use super::batch::Batch;
use super::error::StoreError;
use super::rows;
use super::statement::{Columns, Value};
use super::time::minutes;
use crate::board::Move;
use crate::cloud::key::Key;
use crate::cloud::place::Place;
use crate::cloud::row::{Entry, EntrySource, Row};

type Result<T> = std::result::Result<T, StoreError>;

/// A move whose value is to be what the audit still tells.
struct Written {
    key: Key,
    m: Move,
    /// The number of the last write that is taken back; later ones stay.
    id: i64,
}

impl Batch<'_> {
    /// Takes back what a writer has written since a time, in seconds since 1970: each move has the value that
    /// another writer, or an earlier write, has given it last, and goes where there is none. A move whose
    /// replies others have written keeps the value that follows from them. Tells how many values were taken
    /// back.
    ///
    /// # Errors
    /// The database cannot be read or written.
    pub fn undo(&mut self, writer: &str, since: i64) -> Result<usize> {
        let mut open = self.take_writes(writer, since)?;
        let mut uncounted: HashSet<(Key, Move)> = (open.iter())
            .map(|written| (written.key.clone(), written.m))
            .collect();
        let mut count = 0;
        // A move whose position after it is known is left out here; when nothing of that is known any more,
        // it comes again.
        while let Some(written) = open.pop() {
            let Some(row) = self.take_back(&written)? else {
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

    /// Takes the writes of a writer out of the audit; the moves, the one that was written last at the end.
    fn take_writes(&mut self, writer: &str, since: i64) -> Result<Vec<Written>> {
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

    /// Gives a move the value that the audit still tells; the position without the move where there is none.
    /// Returns what is known of the position then, `None` where nothing has changed.
    fn take_back(&mut self, written: &Written) -> Result<Option<Row>> {
        let Some(mut row) = self.get(&written.key)? else {
            return Ok(None);
        };
        let Some(entry) = row.get(written.m).copied() else {
            return Ok(None);
        };
        let Some(place) = Place::of_stored(&written.key, [written.m]).pop() else {
            return Ok(None);
        };
        if self.get(&place.child)?.is_some() {
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

    /// The moves that lead to a position of which nothing is known any more.
    fn leading_to(&self, child: &Key) -> Result<Vec<Written>> {
        let mut found = Vec::new();
        for parent in rows::parents(self.connection, child)? {
            let Some(row) = self.get(&parent)? else {
                continue;
            };
            let places = Place::of_stored(&parent, row.moves.iter().map(|entry| entry.m));
            let leading = places.into_iter().filter(|place| place.child == *child);
            found.extend(leading.map(|place| Written {
                key: place.parent,
                m: place.m,
                id: i64::MAX,
            }));
        }
        Ok(found)
    }
}

/// An entry with a value that was written before, after a search of a depth.
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
