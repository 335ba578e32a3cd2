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
use std::io::{Read, Write};

use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

use crate::training::data::{AppendError, GameReader, GameWriter, Record};

/// The result of a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Merged {
    /// Games and loose records written.
    pub games: u64,
    /// Duplicates skipped.
    pub duplicates: u64,
}

/// Writes the records of all sources in random order and without duplicates. Keeps them all in memory: four
/// bytes per ply of a whole game, a [`Position`](crate::board::Position) per loose sample.
pub fn merge<'a, R: Read + 'a, W: Write>(
    sources: impl IntoIterator<Item = &'a mut GameReader<R>>,
    writer: &mut GameWriter<W>,
    seed: u64,
) -> Result<Merged, AppendError> {
    let mut merged = Merged::default();
    let mut seen = HashSet::new();
    let mut records = Vec::new();
    for source in sources {
        while let Some(record) = source.next_record()? {
            if seen.insert(fingerprint(&record)) {
                records.push(record);
            } else {
                merged.duplicates += 1;
            }
        }
    }
    records.shuffle(&mut StdRng::seed_from_u64(seed));
    for record in &records {
        writer.record(record)?;
    }
    writer.flush()?;
    merged.games = records.len() as u64;
    Ok(merged)
}

/// A hash of the result, start, moves and scores of a game, or of the result, the loose positions and their scores. It
/// may differ between builds, so it is never written to a file.
fn fingerprint(record: &Record) -> u64 {
    let mut hasher = DefaultHasher::new();
    record.result().hash(&mut hasher);
    match record {
        Record::Game(game) => {
            game.start
                .as_ref()
                .map(|start| start.key())
                .hash(&mut hasher);
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
