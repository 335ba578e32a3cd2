//! New scores for the positions of existing games.

use std::io::{self, Read, Write};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::ScopedJoinHandle;

use parking_lot::Mutex;

use crate::eval::nnue::Network;
use crate::rules::Game;
use crate::search::{Limits, Score, Searcher, StartError, spawn_search_thread};
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

/// The settings of [`relabel`].
#[derive(Clone, Debug)]
pub struct Relabeling {
    /// Soft node limit per position: the iteration in progress is finished. 0 for the static evaluation.
    pub nodes: u64,
    pub threads: usize,
    /// Network to evaluate with; `None` for the embedded one.
    pub network: Option<Arc<Network>>,
}

/// The result of [`relabel`].
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
            batch.push(Mutex::new(Some(record)));
        }
        if batch.is_empty() {
            writer.flush()?;
            return Ok(done);
        }
        relabel_batch(&batch, &mut searchers, nodes)?;
        for slot in batch {
            match slot.into_inner() {
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

/// Relabels the games of a batch, with one thread per searcher, or fewer if the system does not start them all. Removes
/// games with illegal moves.
fn relabel_batch(
    batch: &[Mutex<Option<Record>>],
    searchers: &mut [Searcher],
    nodes: u64,
) -> Result<(), StartError> {
    let next = AtomicUsize::new(0);
    let work = |searcher: &mut Searcher| -> Result<(), StartError> {
        while let Some(slot) = batch.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut slot = slot.lock();
            if let Some(record) = slot.take() {
                searcher.forget();
                *slot = new_scores(record, searcher, nodes)?;
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let mut workers = Vec::new();
        for searcher in searchers {
            match spawn_search_thread(scope, move || work(searcher)) {
                Ok(worker) => workers.push(worker),
                Err(error) if workers.is_empty() => return Err(StartError::NoThread(error)),
                Err(error) => {
                    log::warn!("using fewer threads than requested: {error}");
                    break;
                }
            }
        }
        let mut ends = workers.into_iter().map(ScopedJoinHandle::join);
        ends.try_for_each(|end| end.unwrap_or_else(|panic| resume_unwind(panic)))
    })
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
