//! Many files of games as one, shuffled.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{Read, Write};

use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

use crate::training::data::{AppendError, GameReader, GameWriter, Record};

/// What a merger came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Merged {
    /// Games written.
    pub games: u64,
    /// Games left out because an equal one was there.
    pub duplicates: u64,
}

/// Writes the games of all sources in random order, each once. All of them are held in memory: four
/// bytes a ply of whole games, a position for each loose sample.
///
/// # Errors
/// A source cannot be read or the games cannot be written.
pub fn merge<R: Read, W: Write>(
    sources: &mut [GameReader<R>],
    writer: &mut GameWriter<W>,
    seed: u64,
) -> Result<Merged, AppendError> {
    let mut merged = Merged::default();
    let mut seen = HashSet::new();
    let mut records = Vec::new();
    for source in sources {
        while let Some(record) = source.next_record()? {
            match seen.insert(fingerprint(&record)) {
                true => records.push(record),
                false => merged.duplicates += 1,
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

/// A number that is equal for games with the same moves and scores. It is never written to a file, as
/// another build may hash in another way.
pub(super) fn fingerprint(record: &Record) -> u64 {
    let mut hasher = DefaultHasher::new();
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
