//! New scores for the positions of existing games.

use std::io::{self, Read, Write};
use std::sync::Arc;

use crate::eval::nnue::Network;
use crate::rules::Game;
use crate::search::{Limits, Score, Searcher, StartError, search_in_parallel};
use crate::training::data::{AppendError, GameReader, GameWriter, NO_SCORE, Record};

/// Games per batch, which the threads share.
const BATCH: usize = 256;
/// Size of the hash table of each thread, in MB.
const HASH: usize = 4;

#[derive(Debug, thiserror::Error)]
pub enum RelabelError {
    #[error(transparent)]
    Read(#[from] io::Error),
    #[error(transparent)]
    Write(#[from] AppendError),
    /// There is not enough memory for the searches, or no search thread can be started.
    #[error(transparent)]
    Start(#[from] StartError),
}

#[derive(Clone, Debug)]
pub struct Relabeling {
    /// Soft node limit per position: the iteration in progress is finished. 0 for the static evaluation, as
    /// [`Searcher::static_score`] scales it.
    pub nodes: u64,
    pub threads: usize,
    /// Network to evaluate with; `None` for the embedded one.
    pub network: Option<Arc<Network>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Relabeled {
    /// Games and loose records written.
    pub games: u64,
    /// Games skipped because of an illegal move.
    pub illegal: u64,
}

/// Writes the games of `source` with new scores. Moves, results and order do not change. A move without a score stays
/// without one, but in a game without any score each move after the random ones gets one. The same applies to loose
/// samples. Skips games with illegal moves. Calls `progress` with the number of games written so far.
pub fn relabel<R: Read, W: Write>(
    source: &mut GameReader<R>,
    writer: &mut GameWriter<W>,
    settings: &Relabeling,
    mut progress: impl FnMut(u64),
) -> Result<Relabeled, RelabelError> {
    let nodes = settings.nodes;
    let searcher = |_| -> Result<Searcher, StartError> {
        let mut searcher = Searcher::with_exact_hash(HASH)?;
        searcher.set_network(settings.network.clone());
        Ok(searcher)
    };
    let searchers: Result<Vec<_>, _> = (0..settings.threads.max(1)).map(searcher).collect();
    let mut searchers = searchers?;
    let mut done = Relabeled::default();
    loop {
        let mut batch = Vec::new();
        while batch.len() < BATCH
            && let Some(record) = source.next_record()?
        {
            batch.push(record);
        }
        if batch.is_empty() {
            writer.flush()?;
            return Ok(done);
        }
        for relabeled in relabel_batch(&batch, &mut searchers, nodes)? {
            match relabeled {
                Some(record) => {
                    writer.record(&record)?;
                    done.games += 1;
                }
                None => done.illegal += 1,
            }
        }
        progress(done.games);
    }
}

/// The games of a batch with new scores, or `None` in place of a game with an illegal move.
fn relabel_batch(
    batch: &[Record],
    searchers: &mut [Searcher],
    nodes: u64,
) -> Result<Vec<Option<Record>>, StartError> {
    let mut relabeled = vec![None; batch.len()];
    let work = |searcher: &mut &mut Searcher, index: usize| {
        searcher.forget();
        new_scores(batch[index].clone(), searcher, nodes)
    };
    search_in_parallel(searchers, batch.len(), work, |results| {
        results.into_iter().try_for_each(|(index, record)| {
            relabeled[index] = record?;
            Ok(())
        })
    })??;
    Ok(relabeled)
}

/// The record with new scores, or `None` if a move is illegal.
fn new_scores(
    mut record: Record,
    searcher: &mut Searcher,
    nodes: u64,
) -> Result<Option<Record>, StartError> {
    let is_unscored = record.scored_positions() == 0;
    match &mut record {
        Record::Game(record) => {
            let mut game = Game::new(record.start_position());
            let random = usize::from(record.random_plies);
            for (number, ply) in record.moves.iter_mut().enumerate() {
                if ply.score != NO_SCORE || is_unscored && number >= random {
                    ply.score = score(&game, searcher, nodes)?;
                }
                if game.push(ply.played).is_err() {
                    return Ok(None);
                }
            }
        }
        Record::Loose(loose) => {
            for sample in &mut loose.samples {
                if sample.score != NO_SCORE || is_unscored {
                    sample.score = score(&Game::new(sample.position.clone()), searcher, nodes)?;
                }
            }
        }
    }
    Ok(Some(record))
}

/// The score of the current position, or [`NO_SCORE`] if a search finds no legal move.
fn score(game: &Game, searcher: &mut Searcher, nodes: u64) -> Result<i16, StartError> {
    let score: Option<Score> = match nodes {
        0 => Some(searcher.static_score(game.position())),
        nodes => searcher.think(game, Limits::soft(nodes))?.score,
    };
    Ok(score.map_or(NO_SCORE, |score| score.units() as i16))
}
