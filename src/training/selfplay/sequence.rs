//! Games that are finished in any order, written in the order in which they are due.

use std::collections::BTreeMap;
use std::fs::File;

use super::plan::{SelfPlayError, SelfPlayProgress};
use super::player::SelfPlayGame;
use crate::training::data::{AppendError, GameWriter, Record};

/// The games that wait for an earlier one, and the file.
pub(super) struct Sequence {
    writer: GameWriter<File>,
    next: u32,
    waiting: BTreeMap<u32, Option<Record>>,
    written: SelfPlayProgress,
    failure: Option<SelfPlayError>,
}

impl Sequence {
    pub(super) fn new(writer: GameWriter<File>, written: SelfPlayProgress) -> Self {
        Self {
            writer,
            next: 0,
            waiting: BTreeMap::new(),
            written,
            failure: None,
        }
    }

    /// Whether nothing more can be written.
    pub(super) fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// Adds the game that is due at a place, from 0, and writes those whose turn it is. Returns how far the
    /// work has come, if it has.
    pub(super) fn push(&mut self, place: u32, game: SelfPlayGame) -> Option<SelfPlayProgress> {
        match game {
            SelfPlayGame::Game(game) => self.waiting.insert(place, Some(Record::Game(game))),
            SelfPlayGame::NoOpening => self.waiting.insert(place, None),
            // Later games wait for this one for ever and are dropped with it.
            SelfPlayGame::Dropped => None,
            SelfPlayGame::Failed => {
                self.failure.get_or_insert(SelfPlayError::Search);
                None
            }
        };
        let before = self.written;
        while let Some(record) = self.waiting.remove(&self.next) {
            self.next += 1;
            if let Some(record) = record
                && let Err(error) = self.write(&record)
            {
                self.failure.get_or_insert(error.into());
                return None;
            }
        }
        (self.written != before).then_some(self.written)
    }

    fn write(&mut self, record: &Record) -> Result<(), AppendError> {
        if self.writer.record(record)? {
            self.writer.flush()?.sync_data()?;
        }
        self.written.games += 1;
        self.written.positions += record.scored_positions() as u64;
        Ok(())
    }

    /// Writes what is left.
    pub(super) fn finish(mut self) -> Result<SelfPlayProgress, SelfPlayError> {
        self.writer.flush()?.sync_data().map_err(AppendError::Io)?;
        match self.failure {
            Some(failure) => Err(failure),
            None => Ok(self.written),
        }
    }
}
