//! The audit log, and undo and redo of the writes of one writer.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use super::batch::Batch;
use super::database::{Columns, Result, Value, now};
use super::notes::{Note, parse_note};
use super::snapshot::{PAGE, Snapshot};
use crate::board::Move;
use crate::cloud::key::{Key, KeyedMove};
use crate::cloud::row::Row;
use crate::cloud::score::score_of;
use crate::cloud::{Edge, fen};

/// An undo in the audit log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UndoRecord {
    pub undo: i64,
    /// In seconds since 1970.
    pub time: i64,
    /// The administrator who undid the writes.
    pub by: String,
    /// The writer whose writes were undone.
    pub writer: String,
    /// Writes since this time were undone, in seconds since 1970; 0 if all were.
    pub since: i64,
    /// Time of the redo in seconds since 1970, if the writes were restored.
    pub redone: Option<i64>,
    /// The administrator who restored the writes.
    pub redone_by: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UndoResult {
    /// Number of the undo; `None` if there was nothing to undo.
    pub undo: Option<i64>,
    /// Number of moves whose value or depth has changed.
    pub values: usize,
    /// Number of moves whose note was undone or restored.
    pub notes: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RedoError {
    #[error("there is no undo with this number")]
    Unknown,
    #[error("this undo has already been redone")]
    Redone,
}

impl Batch<'_> {
    /// Marks the writes of `writer` since the time `since`, in seconds since 1970, as undone by the administrator `by`.
    /// Each move gets the value of its latest remaining write, or is removed if no write remains (see `unsupported`). A
    /// move to a position that still has known moves keeps the value computed from them; if none of its writes remains,
    /// it becomes a link (see `LINK_WRITER`).
    pub fn undo(&mut self, writer: &str, since: i64, by: &str) -> Result<UndoResult> {
        let query =
            "SELECT key, move FROM audit WHERE writer = $1 AND time >= $2 AND undone IS NULL
            GROUP BY key, move ORDER BY MAX(id) DESC";
        let values = [Value::from(writer), since.into()];
        let moves = self.connection.query(query, &values, parse_move)?;
        if moves.is_empty() {
            return Ok(UndoResult::default());
        }
        let insert = "INSERT INTO undo(time, administrator, writer, since) VALUES ($1, $2, $3, $4) RETURNING id";
        let values = [now().into(), by.into(), writer.into(), since.into()];
        let number = self.connection.number(insert, &values)?;
        let mark =
            "UPDATE audit SET undone = $1 WHERE writer = $2 AND time >= $3 AND undone IS NULL";
        let values = [number.into(), writer.into(), since.into()];
        self.connection.execute(mark, &values)?;
        let notes = self.notes_of_undo(number)?;
        let result = self.apply_undo(number, &moves, &notes)?;
        for (key, m) in moves {
            self.log_kept_move(&key, m)?;
        }
        Ok(result)
    }

    /// Restores the writes of an undo. Later writes of the same moves keep their values.
    pub fn redo(&mut self, number: i64, by: &str) -> Result<Result<UndoResult, RedoError>> {
        let query = "SELECT redone FROM undo WHERE id = $1";
        let values = [number.into()];
        let redone = |columns: &Columns<'_>| columns.maybe_number::<i64>(0, "redone");
        match self.connection.query_one(query, &values, redone)? {
            None => return Ok(Err(RedoError::Unknown)),
            Some(Some(_)) => return Ok(Err(RedoError::Redone)),
            Some(None) => {}
        }
        let query = "SELECT key, move FROM audit WHERE undone = $1 GROUP BY key, move ORDER BY MAX(id) DESC";
        let moves = self.connection.query(query, &values, parse_move)?;
        let notes = self.notes_of_undo(number)?;
        let unmark = "UPDATE audit SET undone = NULL WHERE undone = $1";
        self.connection.execute(unmark, &values)?;
        let mark = "UPDATE undo SET redone = $1, redone_by = $2 WHERE id = $3";
        let values = [now().into(), by.into(), number.into()];
        self.connection.execute(mark, &values)?;
        self.apply_undo(number, &moves, &notes).map(Ok)
    }

    /// The moves with notes that are marked as undone by an undo.
    fn notes_of_undo(&self, number: i64) -> Result<Vec<KeyedMove>> {
        let query = "SELECT DISTINCT key, move FROM audit WHERE undone = $1 AND note IS NOT NULL";
        self.connection.query(query, &[number.into()], parse_move)
    }

    /// Called when the log entries of an undo have been marked or unmarked: updates the values of `moves`, and the
    /// privacy of the positions that the moves of `notes` lead to.
    fn apply_undo(
        &mut self,
        number: i64,
        moves: &[KeyedMove],
        notes: &[KeyedMove],
    ) -> Result<UndoResult> {
        let unsupported = self.unsupported(moves)?;
        let mut open = moves.to_vec();
        for key in self.remove(&unsupported)? {
            // Moves to this position have the values of their latest writes again.
            open.extend(keyed_moves(self.moves_to(&key)?));
        }
        let mut changed = self.restore_all(open)?;
        changed.extend(unsupported);
        for (key, m) in notes {
            for edge in Edge::of_stored(key, [*m]) {
                self.update_privacy(&edge.child)?;
            }
        }
        let values = moves.iter().filter(|place| changed.contains(*place)).count();
        Ok(UndoResult { undo: Some(number), values, notes: notes.len() })
    }

    /// The moves to be removed after writes of `moves` have been undone: known moves without a write from which no
    /// known moves lead to a move with a write. They are some of `moves` and of the links that lead to them. Moves of a
    /// cycle do not keep each other: all moves that may be affected are collected first; then those that lead to
    /// positions that stay known are taken out.
    fn unsupported(&self, moves: &[KeyedMove]) -> Result<HashSet<KeyedMove>> {
        let mut removed = HashSet::new();
        let mut open = Vec::new();
        for (key, m) in moves {
            let is_known = self.get(key)?.is_some_and(|row| row.get(*m).is_some());
            if is_known && !self.has_write(key, Some(*m))? {
                removed.insert((key.clone(), *m));
                open.push(key.clone());
            }
        }
        // The moves to each position that may become unknown.
        let mut leading: HashMap<Key, Vec<KeyedMove>> = HashMap::new();
        while let Some(key) = open.pop() {
            if leading.contains_key(&key) || self.has_write(&key, None)? {
                continue;
            }
            let found: Vec<KeyedMove> = keyed_moves(self.moves_to(&key)?).collect();
            for (parent, m) in &found {
                if !self.has_write(parent, Some(*m))? && removed.insert((parent.clone(), *m)) {
                    open.push(parent.clone());
                }
            }
            leading.insert(key, found);
        }
        let mut kept = Vec::new();
        for (key, m) in &removed {
            for Edge { child, .. } in Edge::of_stored(key, [*m]) {
                if !leading.contains_key(&child) && self.get(&child)?.is_some() {
                    kept.push((key.clone(), *m));
                }
            }
        }
        for key in leading.keys() {
            let row = self.get(key)?.unwrap_or_default();
            let is_kept = |place: &KeyedMove| !removed.contains(place);
            kept.extend(row.moves.iter().map(|entry| (key.clone(), entry.m)).find(is_kept));
        }
        while let Some(place) = kept.pop() {
            removed.remove(&place);
            let leading = leading.remove(&place.0).unwrap_or_default().into_iter();
            kept.extend(leading.filter(|place| removed.contains(place)));
        }
        Ok(removed)
    }

    /// Removes moves. Returns the positions that have become unknown.
    fn remove(&mut self, moves: &HashSet<KeyedMove>) -> Result<Vec<Key>> {
        let mut unknown = Vec::new();
        // In a fixed order, because along cycles the values depend on it.
        let mut moves: Vec<&KeyedMove> = moves.iter().collect();
        moves.sort_unstable_by_key(|(key, m)| (key, m.bits()));
        for (key, m) in moves {
            let mut row = self.get(key)?.unwrap_or_default();
            row.remove(*m);
            self.connection.put_row(key, &row)?;
            if row.moves.is_empty() {
                self.forget_privacy(key)?;
                unknown.push(key.clone());
            }
            self.changed.push(key.clone());
        }
        Ok(unknown)
    }

    /// Calls [`Self::restore`] for `moves`, the last one first, and for the links to positions that become known.
    /// Returns the moves that have changed.
    pub(super) fn restore_all(&mut self, moves: Vec<KeyedMove>) -> Result<HashSet<KeyedMove>> {
        let mut open = moves;
        let mut changed = HashSet::new();
        while let Some((key, m)) = open.pop() {
            let was_known = self.get(&key)?.is_some();
            if !self.restore(&key, m)? {
                continue;
            }
            if !was_known {
                open.extend(self.links_to(&key)?);
            }
            changed.insert((key, m));
        }
        Ok(changed)
    }

    /// Gives a move the value and the depth of its latest write that is not undone. If the position after it has known
    /// moves, the value follows from them. Returns whether the move has changed.
    fn restore(&mut self, key: &Key, m: Move) -> Result<bool> {
        let Some(edge) = Edge::of_stored(key, [m]).pop() else {
            return Ok(false);
        };
        let row = self.get(key)?.unwrap_or_default();
        let known = row.get(m).map(|entry| (entry.value, entry.depth));
        let replies = self.get(&edge.child)?;
        let Some((value, depth)) = self.latest_write(&edge, replies.is_some())? else {
            return Ok(false);
        };
        let is_restored =
            |known: (i16, u8)| known.1 == depth && (replies.is_some() || known.0 == value);
        if known.is_some_and(is_restored) {
            return Ok(false);
        }
        self.put_move(&edge, row, replies, i32::from(value), depth)?;
        Ok(true)
    }

    /// Whether a move, or any move of a position, has a write that is not undone, apart from links.
    fn has_write(&self, key: &Key, m: Option<Move>) -> Result<bool> {
        let query = "SELECT id FROM audit WHERE key = $1 AND writer <> $2 AND undone IS NULL AND note IS NULL LIMIT 1";
        let of_move = "SELECT id FROM audit
            WHERE key = $1 AND writer <> $2 AND move = $3 AND undone IS NULL AND note IS NULL LIMIT 1";
        let writer = Value::from(Self::LINK_WRITER);
        match m {
            Some(m) => self.connection.has_row(of_move, &[key.into(), writer, m.into()]),
            None => self.connection.has_row(query, &[key.into(), writer]),
        }
    }

    /// Value and depth of the latest write of a move that is not undone, apart from links (see [`Self::LINK_WRITER`]).
    /// Without such a write, if `links` is set, those of the latest link.
    fn latest_write(&self, edge: &Edge, links: bool) -> Result<Option<(i16, u8)>> {
        let query = "SELECT new, depth, writer FROM audit
            WHERE key = $1 AND move = $2 AND undone IS NULL AND note IS NULL
            ORDER BY writer = $3, id DESC LIMIT 1";
        let values = [(&edge.parent).into(), edge.m.into(), Self::LINK_WRITER.into()];
        let write = self.connection.query_one(query, &values, |columns| {
            let is_link = columns.text(2, "writer")? == Self::LINK_WRITER;
            Ok((is_link, (columns.number(0, "new")?, columns.number(1, "depth")?)))
        })?;
        Ok(write.filter(|(is_link, _)| links || !is_link).map(|(_, write)| write))
    }

    /// Logs a link for a known move all of whose writes are undone.
    fn log_kept_move(&self, key: &Key, m: Move) -> Result<()> {
        let row = self.get(key)?.unwrap_or_default();
        let (Some(entry), Some(edge)) = (row.get(m), Edge::of_stored(key, [m]).pop()) else {
            return Ok(());
        };
        match self.latest_write(&edge, true)? {
            Some(_) => Ok(()),
            None => self.audit(Self::LINK_WRITER, key, Some(entry), entry),
        }
    }

    /// The moves that lead to a position and have a link in the log.
    pub(super) fn links_to(&self, child: &Key) -> Result<Vec<KeyedMove>> {
        let query = "SELECT DISTINCT move FROM audit WHERE key = $1 AND writer = $2";
        let mut found = Vec::new();
        for parent in self.connection.parents(child)? {
            let read = |columns: &Columns<'_>| columns.number(0, "move").map(Move::from_bits);
            let values = [(&parent).into(), Self::LINK_WRITER.into()];
            let moves = self.connection.query(query, &values, read)?;
            let edges = Edge::of_stored(&parent, moves.into_iter().flatten());
            let leading = edges.into_iter().filter(|edge| edge.child == *child);
            found.extend(leading.map(|edge| (edge.parent, edge.m)));
        }
        Ok(found)
    }
}

fn keyed_moves(found: Vec<(Row, Edge)>) -> impl Iterator<Item = KeyedMove> {
    found.into_iter().map(|(_, edge)| (edge.parent, edge.m))
}

fn parse_move(columns: &Columns<'_>) -> Result<KeyedMove> {
    Ok((columns.key(0)?, columns.played(1)?))
}

/// An entry of the audit log: a score, or a note. Scores are for the side that plays the move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LoggedWrite {
    /// In seconds since 1970.
    pub time: i64,
    pub writer: String,
    /// FEN of the canonical position before the move; empty if the key is damaged.
    pub board: String,
    #[serde(rename = "move")]
    pub played: Move,
    /// `None` for a note, and if the move had no score before.
    pub old: Option<i32>,
    /// `None` for a note.
    pub new: Option<i32>,
    /// Search depth in plies; 0 if unknown.
    pub depth: u8,
    /// `None` for a score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<Note>,
    /// The undo of this write, if it was undone and not redone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undone: Option<Undone>,
}

/// The undo of a write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Undone {
    pub undo: i64,
    /// In seconds since 1970.
    pub time: i64,
    /// The administrator who undid the writes.
    pub by: String,
}

impl Snapshot<'_> {
    /// Fails if the audit log has an invalid move or note.
    pub(super) fn check_log(&self) -> Result<()> {
        let query = "SELECT id, key, move, note FROM audit WHERE id > $1 ORDER BY id LIMIT $2";
        let mut last = 0;
        loop {
            let ids = self.connection.query(query, &[last.into(), PAGE.into()], |columns| {
                columns.key(1)?;
                columns.played(2)?;
                columns.maybe_bytes(3, "note")?.map(parse_note).transpose()?;
                columns.number::<i64>(0, "id")
            })?;
            let Some(id) = ids.last() else {
                return Ok(());
            };
            last = *id;
        }
    }

    /// All undos, latest first.
    pub fn undos(&self) -> Result<Vec<UndoRecord>> {
        let query = "SELECT id, time, administrator, writer, since, redone, redone_by FROM undo ORDER BY id DESC";
        self.connection.query(query, &[], |columns| {
            Ok(UndoRecord {
                undo: columns.number(0, "id")?,
                time: columns.number(1, "time")?,
                by: columns.text(2, "administrator")?,
                writer: columns.text(3, "writer")?,
                since: columns.number(4, "since")?,
                redone: columns.maybe_number(5, "redone")?,
                redone_by: columns.maybe_text(6, "redone_by")?,
            })
        })
    }

    /// The last writes, of one writer or of all, latest first; undone writes are included.
    pub fn log(&self, writer: Option<&str>, limit: u32) -> Result<Vec<LoggedWrite>> {
        let query = "SELECT a.time, a.writer, key, move, old, new, depth, undone, u.time, administrator, note
            FROM audit a LEFT JOIN undo u ON u.id = a.undone
            WHERE a.writer = $1 OR $1 = '' ORDER BY a.id DESC LIMIT $2";
        let values = [writer.unwrap_or("").into(), i64::from(limit).into()];
        self.connection.query(query, &values, |columns| {
            let position = columns.key(2)?.position();
            let new = score_of(columns.number(5, "new")?);
            let note = columns.maybe_bytes(10, "note")?.map(parse_note).transpose()?;
            Ok(LoggedWrite {
                time: columns.number(0, "time")?,
                writer: columns.text(1, "writer")?,
                board: position.as_ref().map_or_else(String::new, fen::write),
                played: Move::from_bits(columns.number(3, "move")?).unwrap_or_default(),
                old: columns.maybe_number(4, "old")?.map(score_of),
                new: note.is_none().then_some(new),
                depth: columns.number(6, "depth")?,
                note,
                undone: match columns.maybe_number(7, "undone")? {
                    Some(undo) => Some(Undone {
                        undo,
                        time: columns.number(8, "time")?,
                        by: columns.text(9, "administrator")?,
                    }),
                    None => None,
                },
            })
        })
    }
}
