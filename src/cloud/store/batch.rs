//! What is written to a library in one transaction.

use super::connection::Connection;
use super::error::StoreError;
use super::rows;
use super::statement::Value;
use super::task::TaskState;
use super::time::{minutes, now};
use crate::board::Position;
use crate::cloud::key::{Key, View};
use crate::cloud::place::Place;
use crate::cloud::row::{Entry, EntrySource, Row};
use crate::cloud::value::{self, FINAL};

type Result<T> = std::result::Result<T, StoreError>;

/// The score of a move, to be written.
#[derive(Clone, Debug)]
pub struct NewScore {
    /// The move.
    pub place: Place,
    /// What the position after the move is worth to its side to move. Held within 29,999 on either side, for
    /// the rules alone tell that a game has ended.
    pub value: i32,
    /// Plies that were searched; 0 where that is not known.
    pub depth: u8,
    /// The name of the writer, for the audit.
    pub writer: String,
}

/// A transaction under way.
pub struct Batch<'a> {
    pub(super) connection: &'a Connection,
    /// Positions whose moves have changed; their parents are to be told.
    pub(super) changed: Vec<Key>,
    /// Positions that are nearer to the start now; those behind their moves are to be told.
    pub(super) lowered: Vec<Key>,
    pub(super) tasks: &'a mut TaskState,
}

impl Batch<'_> {
    /// The writer of moves that were linked to known positions and have no value of their own.
    pub(super) const LIBRARY: &'static str = "library";

    /// What is known of a position.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn get(&self, key: &Key) -> Result<Option<Row>> {
        rows::get(self.connection, key)
    }

    /// Writes the score of a move. Tells whether it was written: a move of whose position after it moves are
    /// known has the value that follows from them, and a score of a deeper search stays. One of a search that
    /// is as deep is replaced.
    ///
    /// # Errors
    /// The database cannot be read or written.
    pub fn store(&mut self, new: &NewScore) -> Result<bool> {
        let place = &new.place;
        let mut row = self.get(&place.parent)?.unwrap_or_default();
        let old = row.get(place.m).copied();
        let mut replies = self.get(&place.child)?.unwrap_or_default();
        let is_known = !replies.moves.is_empty();
        if old.is_some_and(|old| old.is_final() || is_known || old.depth > new.depth) {
            return Ok(false);
        }
        let limit = FINAL - 1;
        let (value, source) = if place.ends_game {
            (-FINAL, EntrySource::Rules)
        } else if let Some(value) = value::value(&mut replies.scores(), &place.parent, place.m) {
            (value, EntrySource::Derived)
        } else {
            (new.value.clamp(-limit, limit), EntrySource::Written)
        };
        let entry = Entry {
            m: place.m,
            value: i16::try_from(value).unwrap_or(0),
            depth: new.depth,
            source,
            minutes: minutes(),
        };
        if row.moves.is_empty() {
            row.plies = self.plies_from_parents(&place.parent)?;
        }
        row.set(entry);
        rows::put(self.connection, &place.parent, &row)?;
        rows::link(self.connection, &place.parent, &place.child)?;
        if is_known && lower_plies(&mut replies, &row, place.turns_colors) {
            rows::put(self.connection, &place.child, &replies)?;
            self.lowered.push(place.child.clone());
        }
        self.audit(&new.writer, &place.parent, old.as_ref(), &entry)?;
        self.changed.push(place.parent.clone());
        Ok(true)
    }

    /// Writes a score that comes from elsewhere, as [`Self::store`] does, unless the library has one of a search
    /// that is as deep: what is merged may be older, and merged once more it changes nothing. Tells whether
    /// it was written.
    ///
    /// # Errors
    /// The database cannot be read or written.
    pub fn merge(&mut self, new: &NewScore) -> Result<bool> {
        let row = self.get(&new.place.parent)?;
        let known = row.and_then(|row| row.get(new.place.m).copied());
        match known {
            Some(known) if known.depth >= new.depth => Ok(false),
            _ => self.store(new),
        }
    }

    /// Notes a move whose position after it is known already. Tells whether it is.
    ///
    /// # Errors
    /// The database cannot be read or written.
    pub fn adopt(&mut self, place: &Place) -> Result<bool> {
        if self.get(&place.child)?.is_none() {
            return Ok(false);
        }
        let place = place.clone();
        let writer = Self::LIBRARY.to_owned();
        self.store(&NewScore {
            place,
            value: 0,
            depth: 0,
            writer,
        })
    }

    /// The distances of a position from the start, as far as its parents tell them.
    fn plies_from_parents(&self, key: &Key) -> Result<[Option<u16>; 2]> {
        let mut row = Row::default();
        if *key == View::of(&Position::startpos()).key {
            row.plies[0] = Some(0);
        }
        for parent in rows::parents(self.connection, key)? {
            let Some(known) = self.get(&parent)? else {
                continue;
            };
            for place in Place::of_stored(&parent, known.moves.iter().map(|entry| entry.m)) {
                if place.child == *key {
                    lower_plies(&mut row, &known, place.turns_colors);
                }
            }
        }
        Ok(row.plies)
    }

    fn audit(&self, writer: &str, key: &Key, old: Option<&Entry>, new: &Entry) -> Result<()> {
        let statement = "INSERT INTO audit(time, writer, key, move, old, new, depth) VALUES ($1, $2, $3, $4, $5, $6, $7)";
        let values = [
            Value::Number(now()),
            Value::Text(writer),
            key.into(),
            Value::Number(i64::from(new.m.bits())),
            Value::Maybe(old.map(|entry| i64::from(entry.value))),
            Value::Number(i64::from(new.value)),
            Value::Number(i64::from(new.depth)),
        ];
        self.connection.execute(statement, &values).map(drop)
    }
}

/// Lowers the distances of a position to one more than those of a parent. Tells whether any is lower now.
pub(super) fn lower_plies(row: &mut Row, parent: &Row, turns_colors: bool) -> bool {
    let before = row.plies;
    for (turned, distance) in parent.plies.iter().enumerate() {
        let place = &mut row.plies[turned ^ usize::from(turns_colors)];
        if let Some(distance) = distance.and_then(|distance| distance.checked_add(1)) {
            *place = Some(place.map_or(distance, |known| known.min(distance)));
        }
    }
    row.plies != before
}
