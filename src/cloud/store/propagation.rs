//! Values handed up: after the moves of a position have changed, those of its parents follow. Distances from the
//! start handed down: after a shorter way to a position is known, those behind its moves follow.

use std::collections::{HashMap, HashSet, VecDeque};

use super::batch::{Batch, lower_plies};
use super::error::StoreError;
use super::rows;
use super::time::minutes;
use crate::cloud::key::Key;
use crate::cloud::place::Place;
use crate::cloud::row::EntrySource;
use crate::cloud::value;

type Result<T> = std::result::Result<T, StoreError>;

/// Rows that one transaction looks at; the rest is done in later ones.
const ROWS: usize = 10_000;

/// How often one value may change in one transaction. Without circles it changes at most once for each length
/// of the paths to what was written; values that go round in a circle stop here.
const CHANGES: u8 = 16;

impl Batch<'_> {
    /// Hands values up and distances down, until nothing changes. What is too much for one transaction is noted
    /// as pending.
    pub(super) fn propagate(&mut self) -> Result<()> {
        self.hand_distances_down()?;
        self.hand_values_up()
    }

    /// Tells the parents of all positions that have changed, theirs, and so on.
    fn hand_values_up(&mut self) -> Result<()> {
        let mut queue = VecDeque::new();
        let mut queued = HashSet::new();
        // What was written last is furthest from the start, as a rule: its parents then change before
        // theirs do.
        for key in std::mem::take(&mut self.changed).into_iter().rev() {
            if queued.insert(key.clone()) {
                queue.push_back(key);
            }
        }
        // By the positions before and after the move.
        let mut changes: HashMap<(Key, Key), u8> = HashMap::new();
        let mut seen = 0;
        while let Some(child) = queue.pop_front() {
            queued.remove(&child);
            if seen >= ROWS {
                self.note_pending(&child)?;
                continue;
            }
            let Some(row) = self.get(&child)? else {
                continue;
            };
            let mut scores = row.scores();
            for parent in rows::parents(self.connection, &child)? {
                seen += 1;
                let edge = (parent.clone(), child.clone());
                let count = changes.entry(edge).or_default();
                if *count < CHANGES && self.hand_up(&parent, &child, &mut scores)? {
                    *count += 1;
                    if queued.insert(parent.clone()) {
                        queue.push_back(parent);
                    }
                }
            }
        }
        Ok(())
    }

    /// Tells the positions behind the moves of those that are nearer to the start now, those behind theirs, and
    /// so on.
    fn hand_distances_down(&mut self) -> Result<()> {
        let mut queue = VecDeque::from(std::mem::take(&mut self.lowered));
        let mut seen = 0;
        while let Some(parent) = queue.pop_front() {
            if seen >= ROWS {
                self.note_pending(&parent)?;
                continue;
            }
            let Some(known) = self.get(&parent)? else {
                continue;
            };
            for place in Place::of_stored(&parent, known.moves.iter().map(|entry| entry.m)) {
                seen += 1;
                let Some(mut row) = self.get(&place.child)? else {
                    continue;
                };
                if lower_plies(&mut row, &known, place.turns_colors) {
                    rows::put(self.connection, &place.child, &row)?;
                    queue.push_back(place.child);
                }
            }
        }
        Ok(())
    }

    /// Recomputes the moves of `parent` that lead to `child`. Tells whether any has another value now.
    fn hand_up(&self, parent: &Key, child: &Key, scores: &mut [i32]) -> Result<bool> {
        let Some(mut row) = self.get(parent)? else {
            return Ok(false);
        };
        let mut has_changed = false;
        let open = row.moves.iter().filter(|entry| !entry.is_final());
        for place in Place::of_stored(parent, open.map(|entry| entry.m).collect::<Vec<_>>()) {
            let (Some(entry), true) = (row.get(place.m).copied(), place.child == *child) else {
                continue;
            };
            let Some(value) = value::value(scores, parent, place.m) else {
                continue;
            };
            let value = i16::try_from(value).unwrap_or(entry.value);
            if value != entry.value || entry.source != EntrySource::Derived {
                has_changed |= value != entry.value;
                let (source, minutes) = (EntrySource::Derived, minutes());
                row.set(crate::cloud::row::Entry {
                    value,
                    source,
                    minutes,
                    ..entry
                });
                rows::put(self.connection, parent, &row)?;
            }
        }
        Ok(has_changed)
    }

    fn note_pending(&self, key: &Key) -> Result<()> {
        let statement = "INSERT INTO pending(key) VALUES ($1) ON CONFLICT DO NOTHING";
        self.connection.execute(statement, &[key.into()]).map(drop)
    }

    /// Takes up what earlier transactions have left pending. Tells whether there was anything.
    pub(super) fn take_up_pending(&mut self) -> Result<bool> {
        let query =
            "DELETE FROM pending WHERE key IN (SELECT key FROM pending LIMIT 1000) RETURNING key";
        let keys = (self.connection).query(query, &[], |columns| rows::key(columns, 0))?;
        self.changed.extend(keys.iter().cloned());
        self.lowered.extend(keys.iter().cloned());
        Ok(!keys.is_empty())
    }
}
