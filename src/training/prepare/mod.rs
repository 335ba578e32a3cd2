//! Processing of game files between self-play and training: statistics, merging, conversion, new scores.

mod convert;
mod relabel;
mod stats;
#[cfg(test)]
mod tests;

pub use convert::{ConvertError, Converted, convert_records, convert_text};
pub use relabel::{RelabelError, Relabeled, Relabeling, relabel};
pub use stats::Statistics;

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Write};

use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

use crate::training::data::{AppendError, GameReader, GameWriter, Record};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merged {
    /// Includes loose records.
    pub games: u64,
    pub duplicates: u64,
}

/// The records of several files without duplicates. All are in memory: four bytes per ply of a whole game, a
/// [`Position`](crate::board::Position) per loose sample.
#[derive(Debug, Default)]
pub struct Merge {
    seen: HashSet<u64>,
    records: Vec<Record>,
    duplicates: u64,
}

impl Merge {
    /// Adds the records of a file.
    ///
    /// # Errors
    /// The file cannot be read; then none of its records are added.
    pub fn add<R: Read>(&mut self, source: &mut GameReader<R>) -> io::Result<()> {
        let mut read = Vec::new();
        while let Some(record) = source.next_record()? {
            read.push(record);
        }
        for record in read {
            if self.seen.insert(fingerprint(&record)) {
                self.records.push(record);
            } else {
                self.duplicates += 1;
            }
        }
        Ok(())
    }

    /// Writes all records in random order.
    pub fn write<W: Write>(
        mut self,
        writer: &mut GameWriter<W>,
        seed: u64,
    ) -> Result<Merged, AppendError> {
        self.records.shuffle(&mut StdRng::seed_from_u64(seed));
        for record in &self.records {
            writer.record(record)?;
        }
        writer.flush()?;
        Ok(Merged { games: self.records.len() as u64, duplicates: self.duplicates })
    }
}

/// A hash of the result, start, moves and scores of a game, or of the result, the loose positions and their scores. It
/// may differ between builds, so it is never written to a file.
fn fingerprint(record: &Record) -> u64 {
    let mut hasher = DefaultHasher::new();
    record.result().hash(&mut hasher);
    match record {
        Record::Game(game) => {
            game.start.as_ref().map(|start| start.key()).hash(&mut hasher);
            for ply in &game.moves {
                (ply.played, ply.score).hash(&mut hasher);
            }
        }
        Record::Loose(loose) => {
            for sample in &loose.samples {
                (sample.position.key(), sample.score).hash(&mut hasher);
            }
        }
    }
    hasher.finish()
}
