//! Notes of writers on moves, and private branches. Notes are entries of the audit log; the note of a move is its
//! latest one that is not undone.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap, HashSet};
use std::sync::Once;

use serde::{Deserialize, Serialize};

use super::batch::{Batch, NewScore};
use super::database::{Columns, Database, Result, StoreError, Value, now};
use super::snapshot::Snapshot;
use crate::board::{Move, Position};
use crate::cloud::key::{Key, View};
use crate::cloud::row::Edge;
use crate::notation::tree::glyph_text;

/// Maximum length of a comment, in characters.
const MAX_COMMENT: usize = 2_000;
/// Maximum length of a name, in characters.
const MAX_NAME: usize = 100;
/// Maximum number of glyphs of a move.
const MAX_GLYPHS: usize = 4;
/// The largest numeric annotation glyph of PGN.
const LAST_GLYPH: u8 = 139;
/// From this glyph on, even glyphs are about red and odd ones about black.
const FIRST_SIDED_GLYPH: u8 = 14;
/// Maximum number of positions of a branch that becomes private.
const MAX_BRANCH: usize = 20_000;

/// The annotations of a move.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Note {
    /// Name of the opening or variation that begins with the move.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// May have several lines.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub comment: String,
    /// Numeric annotation glyphs of PGN.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub glyphs: Vec<u8>,
    /// Whether the move and the positions after it are private.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
    /// The writer of an imported note in its original library.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub author: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoteError {
    /// The comment is too long or has control characters other than line feeds.
    #[error("comment must have at most 2000 characters and no control characters")]
    Comment,
    /// The name or the author is too long or has control characters.
    #[error("name must have at most 100 characters and no control characters")]
    Name,
    #[error("glyphs must be at most four different numbers from 1 to 139")]
    Glyph,
    /// A private move leads to the starting position.
    #[error("the starting position cannot be private")]
    Start,
    #[error("the branch or the paths to it have more than 20000 positions")]
    Branch,
}

/// Whether a name of a note, a writer or a job has at most 100 characters and no control characters.
pub fn is_valid_name(name: &str) -> bool {
    name.chars().count() <= MAX_NAME && !name.chars().any(char::is_control)
}

impl Note {
    /// Checks the length and the characters of the texts, and the glyphs.
    ///
    /// # Errors
    /// For the first invalid part.
    pub fn check(&self) -> Result<(), NoteError> {
        let is_control = |c: char| c.is_control() && c != '\n';
        if self.comment.chars().count() > MAX_COMMENT || self.comment.chars().any(is_control) {
            return Err(NoteError::Comment);
        }
        if !is_valid_name(&self.name) || !is_valid_name(&self.author) {
            return Err(NoteError::Name);
        }
        let is_valid = |(n, glyph): (usize, &u8)| {
            (1..=LAST_GLYPH).contains(glyph) && !self.glyphs[..n].contains(glyph)
        };
        if self.glyphs.len() > MAX_GLYPHS || !self.glyphs.iter().enumerate().all(is_valid) {
            return Err(NoteError::Glyph);
        }
        Ok(())
    }

    /// Whether the note is empty, which means that it was deleted.
    pub fn is_empty(&self) -> bool {
        self.has_no_text() && !self.private
    }

    /// Whether there is neither a name, nor a comment, nor a glyph.
    pub fn has_no_text(&self) -> bool {
        self.name.is_empty() && self.comment.is_empty() && self.glyphs.is_empty()
    }

    /// Converts a note between a position and the canonical position, in either direction: with colors swapped, a glyph
    /// such as "red is better" becomes "black is better".
    #[must_use]
    pub fn converted(mut self, view: &View) -> Self {
        if view.swaps_colors() {
            for glyph in &mut self.glyphs {
                if *glyph >= FIRST_SIDED_GLYPH {
                    *glyph ^= 1;
                }
            }
        }
        self
    }

    /// The note in one line: glyphs, name, comment and `(private)`; `(deleted)` for an empty note.
    pub fn summary(&self) -> String {
        let mut words: Vec<String> = self.glyphs.iter().copied().map(glyph_text).collect();
        let texts = [&self.name, &self.comment].into_iter().filter(|text| !text.is_empty());
        words.extend(texts.map(|text| text.replace('\n', " ")));
        if self.private {
            words.push("(private)".to_owned());
        }
        if words.is_empty() {
            words.push("(deleted)".to_owned());
        }
        words.join(" ")
    }
}

/// The note on a move of a canonical position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedNote {
    pub m: Move,
    pub note: Note,
    pub writer: String,
    /// In seconds since 1970.
    pub time: i64,
}

impl PlacedNote {
    /// The author of an imported note, otherwise the writer.
    pub fn author(&self) -> &str {
        if self.note.author.is_empty() { &self.writer } else { &self.note.author }
    }

    /// The note with its author, for another library. The name of the author is shortened to 100 characters, without
    /// control characters.
    pub fn into_note(self) -> Note {
        let author = self.author().chars().filter(|c| !c.is_control());
        Note { author: author.take(MAX_NAME).collect(), ..self.note }
    }
}

pub fn parse_note(json: &[u8]) -> Result<Note> {
    serde_json::from_slice(json).map_err(|_| StoreError::Damaged("note"))
}

/// The notes on the moves of a position, in the order of [`Move::bits`].
fn notes(connection: &dyn Database, key: &Key) -> Result<Vec<PlacedNote>> {
    let query = "SELECT move, note, writer, time FROM audit
        WHERE key = $1 AND note IS NOT NULL AND undone IS NULL ORDER BY id";
    let read = |columns: &Columns<'_>| {
        Ok(PlacedNote {
            m: columns.played(0)?,
            note: parse_note(columns.bytes(1, "note")?)?,
            writer: columns.text(2, "writer")?,
            time: columns.number(3, "time")?,
        })
    };
    let all = connection.query(query, &[key.into()], read)?;
    let latest: BTreeMap<u16, PlacedNote> =
        all.into_iter().map(|placed| (placed.m.bits(), placed)).collect();
    Ok(latest.into_values().filter(|placed| !placed.note.is_empty()).collect())
}

/// Value of the column `marked` of a position that inherits its privacy.
const INHERITING: i64 = 0;
/// Value for a position to which a move with a private note leads.
const MARKED: i64 = 1;
/// Value for a position that was private in another library.
const IMPORTED: i64 = 2;

/// The column `marked` of a private position; `None` if the position is public.
fn marked(connection: &dyn Database, key: &Key) -> Result<Option<i64>> {
    let query = "SELECT marked FROM private WHERE key = $1";
    connection.query_one(query, &[key.into()], |columns| columns.number(0, "marked"))
}

pub fn has_private(connection: &dyn Database) -> Result<bool> {
    connection.has_row("SELECT marked FROM private LIMIT 1", &[])
}

impl Snapshot<'_> {
    /// Whether a position is private and this snapshot hides private positions.
    pub fn is_hidden(&self, key: &Key) -> Result<bool> {
        Ok(self.hides_private && marked(self.connection, key)?.is_some())
    }

    /// The notes on the moves of a position, without private notes and those on moves to private positions if the
    /// snapshot hides private positions.
    pub fn notes(&self, key: &Key) -> Result<Vec<PlacedNote>> {
        if self.is_hidden(key)? {
            return Ok(Vec::new());
        }
        let mut found = notes(self.connection, key)?;
        if self.hides_private {
            let mut public = Vec::new();
            for placed in found {
                let edge = Edge::of_stored(key, [placed.m]).pop();
                let is_hidden = edge.map(|edge| self.is_hidden(&edge.child)).transpose()?;
                if !placed.note.private && is_hidden == Some(false) {
                    public.push(placed);
                }
            }
            found = public;
        }
        Ok(found)
    }

    /// Calls `each` with the notes of every position, in key order.
    pub fn for_each_note<E: From<StoreError>>(
        &self,
        mut each: impl FnMut(&Key, PlacedNote) -> Result<(), E>,
    ) -> Result<(), E> {
        let query = "SELECT DISTINCT key FROM audit WHERE note IS NOT NULL ORDER BY key";
        for key in self.connection.query(query, &[], |columns| columns.key(0))? {
            for placed in self.notes(&key)? {
                each(&key, placed)?;
            }
        }
        Ok(())
    }

    /// The private positions, in key order; none if the snapshot hides them.
    pub fn private_positions(&self) -> Result<Vec<Key>> {
        if self.hides_private {
            return Ok(Vec::new());
        }
        let query = "SELECT key FROM private ORDER BY key";
        self.connection.query(query, &[], |columns| columns.key(0))
    }
}

impl Batch<'_> {
    /// Replaces the note on a move; an empty note deletes it. If `private` changes, the branch after the move becomes
    /// private or public. The caller has checked the note ([`Note::check`]). Returns `false` if nothing changes.
    pub fn annotate(
        &mut self,
        edge: &Edge,
        note: &Note,
        writer: &str,
    ) -> Result<Result<bool, NoteError>> {
        let old = self.note(edge)?.unwrap_or_default();
        if old == *note {
            return Ok(Ok(false));
        }
        if note.private && !old.private {
            if edge.child == View::of(&Position::startpos()).key {
                return Ok(Err(NoteError::Start));
            }
            if !self.hide_branch(&edge.child, &[None], MAX_BRANCH)? {
                return Ok(Err(NoteError::Branch));
            }
            // `update_privacy` finds the note through this edge.
            self.connection.add_edge(&edge.parent, &edge.child)?;
        }
        if self.get(&edge.parent)?.is_none() {
            self.inherit_privacy(&edge.parent)?;
        }
        let text = serde_json::to_string(note).map_err(|_| StoreError::Damaged("note"))?;
        let statement =
            "INSERT INTO audit(time, writer, key, move, new, note) VALUES ($1, $2, $3, $4, 0, $5)";
        let values =
            [now().into(), writer.into(), (&edge.parent).into(), edge.m.into(), Value::Text(&text)];
        self.connection.execute(statement, &values)?;
        if old.private && !note.private {
            self.update_privacy(&edge.child)?;
        }
        Ok(Ok(true))
    }

    /// Adds the note of another library, unless the move has one. Returns whether it was added. If the note is private
    /// and a private note of this library hides the position after the move, the imported private positions after it
    /// inherit their privacy from it, and become public with it.
    pub fn merge_note(
        &mut self,
        edge: &Edge,
        note: &Note,
        writer: &str,
    ) -> Result<Result<bool, NoteError>> {
        let done = match self.note(edge)? {
            Some(_) => Ok(false),
            None => self.annotate(edge, note, writer)?,
        };
        if note.private && marked(self.connection, &edge.child)? == Some(MARKED) {
            let private = [Some(INHERITING), Some(IMPORTED)];
            self.hide_branch(&edge.child, &private, usize::MAX)?;
        }
        Ok(done)
    }

    fn note(&self, edge: &Edge) -> Result<Option<Note>> {
        let mut notes = notes(self.connection, &edge.parent)?.into_iter();
        Ok(notes.find(|placed| placed.m == edge.m).map(|placed| placed.note))
    }

    /// Whether a move of a position has a note that is not undone, even if the note is empty.
    fn has_note(&self, key: &Key) -> Result<bool> {
        let query =
            "SELECT id FROM audit WHERE key = $1 AND note IS NOT NULL AND undone IS NULL LIMIT 1";
        self.connection.has_row(query, &[key.into()])
    }

    /// Makes a position private or public again after notes on moves to it have changed.
    pub(super) fn update_privacy(&mut self, key: &Key) -> Result<()> {
        let mut is_private = false;
        for parent in self.connection.parents(key)? {
            let notes = notes(self.connection, &parent)?.into_iter();
            let moves = notes.filter(|placed| placed.note.private).map(|placed| placed.m);
            is_private |= Edge::of_stored(&parent, moves).iter().any(|edge| edge.child == *key);
        }
        let is_marked = marked(self.connection, key)? == Some(MARKED);
        if is_private && !is_marked {
            self.hide_branch(key, &[None], usize::MAX)?;
        } else if is_marked && !is_private {
            self.show_branch(key)?;
        }
        Ok(())
    }

    /// Makes a new position, or an unknown one that gets a note, private if all positions before it are.
    pub(super) fn inherit_privacy(&mut self, key: &Key) -> Result<()> {
        if has_private(self.connection)?
            && marked(self.connection, key)?.is_none()
            && self.inherits_privacy(key)?
        {
            self.set_private(key, INHERITING)?;
        }
        Ok(())
    }

    /// Called when a move to a position, which `is_known` or may have notes, has been added. If the position before the
    /// move is private, the one after it becomes private unless it has a public path, and so do the positions that are
    /// reached only through it. If these are more than [`MAX_BRANCH`] positions, all of them stay public.
    pub(super) fn hide_linked(&mut self, edge: &Edge, is_known: bool) -> Result<()> {
        if !has_private(self.connection)?
            || marked(self.connection, &edge.child)?.is_some()
            || !is_known && !self.has_note(&edge.child)?
        {
            return Ok(());
        }
        // The first move to a position may also close a cycle whose only other entrance is private.
        let is_private = marked(self.connection, &edge.parent)?.is_some();
        if !is_private && !self.has_single_move_to(&edge.child)? {
            return Ok(());
        }
        let mut search = PathSearch::new(MAX_BRANCH);
        if self.add_unreachable(&edge.child, &mut search)?
            && self.add_branch(&mut search, &[None])?
        {
            for key in search.hidden {
                self.set_private(&key, INHERITING)?;
            }
        } else if search.is_too_large {
            static WARNING: Once = Once::new();
            WARNING.call_once(|| {
                log::warn!(
                    "a private branch reaches more than 20000 known positions, or the paths to them have more; \
                     they stay public"
                );
            });
        }
        Ok(())
    }

    /// Whether exactly one known move leads to a position.
    fn has_single_move_to(&self, key: &Key) -> Result<bool> {
        let mut count = 0;
        for parent in self.connection.parents(key)? {
            let row = self.get(&parent)?.unwrap_or_default();
            count += row.edges(&parent).iter().filter(|edge| edge.child == *key).count();
            if count > 1 {
                return Ok(false);
            }
        }
        Ok(count == 1)
    }

    /// Called when the last move of a position has been removed. When the position is added again, its privacy is
    /// determined again. Its notes stay private.
    pub(super) fn forget_privacy(&self, key: &Key) -> Result<()> {
        let statement = "DELETE FROM private WHERE key = $1 AND marked = $2 AND NOT EXISTS
            (SELECT id FROM audit WHERE key = $1 AND note IS NOT NULL AND undone IS NULL)";
        self.connection.execute(statement, &[key.into(), INHERITING.into()]).map(drop)
    }

    /// Called when a client or an import writes the score of a move, even if the stored score is kept. If the position
    /// before the move is public and the one after it has inherited its privacy, the latter and the positions after it
    /// become public. Results of workers and links to known positions must not publish anything, because any client can
    /// request them.
    pub fn publish(&mut self, new: &NewScore) -> Result<()> {
        let NewScore { edge, writer, .. } = new;
        if marked(self.connection, &edge.parent)?.is_some() {
            return Ok(());
        }
        // A writer that has a lease with a negative number is a worker of the public library. Its results look like
        // the writes of a client.
        let query = "SELECT marked FROM private WHERE key = $1 AND marked = $2
            AND NOT EXISTS (SELECT id FROM task WHERE lease < 0 AND worker = $3)";
        let values = [(&edge.child).into(), INHERITING.into(), Value::Text(writer)];
        if self.connection.has_row(query, &values)? {
            self.show_branch(&edge.child)?;
        }
        Ok(())
    }

    /// Makes an imported position private, with the value `IMPORTED` unless it already has the value `MARKED`. Moves to
    /// it do not make it public.
    pub fn hide_imported(&mut self, key: &Key) -> Result<()> {
        if marked(self.connection, key)? != Some(MARKED) {
            self.set_private(key, IMPORTED)?;
        }
        Ok(())
    }

    /// Makes a position private with this value of the column `marked`.
    fn set_private(&self, key: &Key, marked: i64) -> Result<()> {
        let statement = "INSERT INTO private(key, marked) VALUES ($1, $2) ON CONFLICT(key) DO UPDATE SET marked = $2";
        let values = [key.into(), marked.into()];
        self.connection.execute(statement, &values).map(drop)
    }

    /// Whether all positions that lead to a position are private; `false` if no position does, and for the starting
    /// position.
    fn inherits_privacy(&self, key: &Key) -> Result<bool> {
        if *key == View::of(&Position::startpos()).key {
            return Ok(false);
        }
        let leading = self.moves_to(key)?;
        for (_, edge) in &leading {
            if marked(self.connection, &edge.parent)?.is_none() {
                return Ok(false);
            }
        }
        Ok(!leading.is_empty())
    }

    /// Searches backward for a public path to a position: from the starting position, from a position to which no known
    /// move leads, or from a cycle to which no private position leads. If no such path exists and a private position
    /// leads to this one, adds it and the positions found to `search.hidden`, and returns `true`.
    fn add_unreachable(&self, key: &Key, search: &mut PathSearch) -> Result<bool> {
        let start = View::of(&Position::startpos()).key;
        // Those of the positions found to which a move from a private position leads.
        let mut entrances = Vec::new();
        // The positions found, each with the next ones on the way to `key`.
        let mut next = HashMap::from([(key.clone(), Vec::new())]);
        // Those near the starting position first.
        let mut open = BinaryHeap::from([(Reverse(0), key.clone())]);
        while let Some((_, found)) = open.pop() {
            let is_public = found == start || search.public.contains(&found);
            let leading = if is_public { Vec::new() } else { self.moves_to(&found)? };
            if leading.is_empty() {
                take_reached(&mut next, vec![found], |key| {
                    search.public.insert(key);
                });
                return Ok(false);
            }
            for (row, Edge { parent, .. }) in leading {
                if search.hidden.contains(&parent) || marked(self.connection, &parent)?.is_some() {
                    entrances.push(found.clone());
                } else if let Some(followers) = next.get_mut(&parent) {
                    followers.push(found.clone());
                } else {
                    next.insert(parent.clone(), vec![found.clone()]);
                    let plies = row.plies.into_iter().flatten().min().unwrap_or(u16::MAX);
                    open.push((Reverse(plies), parent));
                }
            }
            if next.len() > search.max {
                search.is_too_large = true;
                return Ok(false);
            }
        }
        let mut hidden = Vec::new();
        take_reached(&mut next, entrances, |key| hidden.push(key));
        if !next.is_empty() {
            // All positions found lead to `key`, so those that are not after a private position are a public path.
            search.public.insert(key.clone());
            search.public.extend(next.into_keys());
            return Ok(false);
        }
        search.open.extend(hidden.iter().cloned());
        search.hidden.extend(hidden);
        Ok(true)
    }

    /// Adds the positions that are reached only through `search.hidden` and have one of `states` (see [`marked`]).
    /// Returns `false` if there are more than `search.max`.
    fn add_branch(&self, search: &mut PathSearch, states: &[Option<i64>]) -> Result<bool> {
        while let Some(key) = search.open.pop() {
            let row = self.get(&key)?.unwrap_or_default();
            for Edge { child, .. } in row.edges(&key) {
                if !search.hidden.contains(&child)
                    && (self.get(&child)?.is_some() || self.has_note(&child)?)
                    && states.contains(&marked(self.connection, &child)?)
                {
                    self.add_unreachable(&child, search)?;
                }
            }
            search.is_too_large |= search.hidden.len() > search.max;
            if search.is_too_large {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Marks a position as private; positions with one of `states` that are reached only through it inherit its
    /// privacy. Returns `false` and changes nothing if these are more than `max` positions.
    fn hide_branch(&mut self, root: &Key, states: &[Option<i64>], max: usize) -> Result<bool> {
        let mut search = PathSearch::new(max);
        search.hidden.insert(root.clone());
        search.open.push(root.clone());
        if !self.add_branch(&mut search, states)? {
            return Ok(false);
        }
        for key in search.hidden {
            self.set_private(&key, if key == *root { MARKED } else { INHERITING })?;
        }
        Ok(true)
    }

    /// Removes the mark of a private position. The position and those after it become public unless they are marked or
    /// imported themselves. If the position inherits privacy from others, it and those after it stay private.
    fn show_branch(&mut self, root: &Key) -> Result<()> {
        if self.get(root)?.is_some() && self.inherits_privacy(root)? {
            return self.set_private(root, INHERITING);
        }
        let mut open = vec![root.clone()];
        while let Some(key) = open.pop() {
            self.connection.execute("DELETE FROM private WHERE key = $1", &[(&key).into()])?;
            let row = self.get(&key)?.unwrap_or_default();
            for Edge { child, .. } in row.edges(&key) {
                if marked(self.connection, &child)? == Some(INHERITING) {
                    open.push(child);
                }
            }
        }
        Ok(())
    }
}

/// The positions that become private, found by [`Batch::add_branch`].
struct PathSearch {
    hidden: HashSet<Key>,
    /// Those of `hidden` whose moves have not yet been followed.
    open: Vec<Key>,
    /// Positions with a public path.
    public: HashSet<Key>,
    /// Maximum number of hidden positions, and of positions of one search backward.
    max: usize,
    /// Whether the maximum was exceeded, so that no position becomes private.
    is_too_large: bool,
}

impl PathSearch {
    fn new(max: usize) -> Self {
        let (hidden, public) = Default::default();
        Self { hidden, open: Vec::new(), public, max, is_too_large: false }
    }
}

/// Removes the positions of `open`, and those that follow them in `next`, from `next`, and calls `each` with each one.
fn take_reached(next: &mut HashMap<Key, Vec<Key>>, mut open: Vec<Key>, mut each: impl FnMut(Key)) {
    while let Some(key) = open.pop() {
        if let Some(followers) = next.remove(&key) {
            open.extend(followers);
            each(key);
        }
    }
}
