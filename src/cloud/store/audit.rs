//! The log of writes, to read.

use super::error::StoreError;
use super::rows;
use super::snapshot::Snapshot;
use super::statement::{Columns, Value};
use crate::board::Move;
use crate::cloud::fen;
use crate::cloud::key::Key;
use crate::cloud::value::score_of;

/// A value that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedWrite {
    /// When it was written, in seconds since 1970.
    pub time: i64,
    /// The name of who has written it.
    pub writer: String,
    /// The position before the move.
    pub key: Key,
    /// The move, as it is stored.
    pub m: Move,
    /// The value that the move had before, if any.
    pub old: Option<i16>,
    /// The value that was written.
    pub new: i16,
    /// Plies that were searched for it; 0 where that is not known.
    pub depth: u8,
}

impl LoggedWrite {
    /// The position as text, and the move; `None` where the key is damaged.
    pub fn played(&self) -> Option<(String, Move)> {
        Some((fen::write(&self.key.position()?), self.m))
    }

    /// The score that was written, for the side that plays the move.
    pub fn score(&self) -> i32 {
        score_of(i32::from(self.new))
    }

    /// The score that the move had before.
    pub fn old_score(&self) -> Option<i32> {
        self.old.map(|old| score_of(i32::from(old)))
    }
}

impl Snapshot<'_> {
    /// The latest writes, of one writer or of all, the last one first.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn log(&self, writer: Option<&str>, limit: u32) -> Result<Vec<LoggedWrite>, StoreError> {
        let limit = Value::Number(i64::from(limit));
        let read = |columns: &Columns<'_>| {
            Ok(LoggedWrite {
                time: columns.number(0, "time")?,
                writer: columns.text(1, "writer")?,
                key: rows::key(columns, 2)?,
                m: Move::from_bits(columns.number(3, "move")?).unwrap_or_default(),
                old: columns.maybe_number(4, "old")?,
                new: columns.number(5, "new")?,
                depth: columns.number(6, "depth")?,
            })
        };
        match writer {
            None => {
                let query = "SELECT time, writer, key, move, old, new, depth FROM audit
                    ORDER BY id DESC LIMIT $1";
                self.connection.query(query, &[limit], read)
            }
            Some(writer) => {
                let query = "SELECT time, writer, key, move, old, new, depth FROM audit
                    WHERE writer = $1 ORDER BY id DESC LIMIT $2";
                let values = [Value::Text(writer), limit];
                self.connection.query(query, &values, read)
            }
        }
    }
}
