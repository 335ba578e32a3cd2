//! Old games with the scores of the present evaluation.

use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::board::Position;
use crate::eval::nnue::Network;
use crate::rules::Game;
use crate::search::{Limits, Score, Searcher, StartError, on_search_stack, spawn_search_thread};
use crate::training::SearchGone;
use crate::training::data::{AppendError, GameReader, GameWriter, NO_SCORE, Record, TrainingGame};

/// Games that are shared out among the threads at a time.
const BATCH: usize = 256;
/// Hash table of each thread, in MB.
const HASH: usize = 4;

/// Why games have no new scores.
#[derive(Debug, thiserror::Error)]
pub enum RelabelError {
    /// The games cannot be read.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// They cannot be written.
    #[error(transparent)]
    Write(#[from] AppendError),
    /// There is no room for so many searches at a time.
    #[error(transparent)]
    Start(#[from] StartError),
    /// A search thread has ended.
    #[error("a search has failed")]
    Search,
}

/// How new scores are found.
#[derive(Clone, Debug)]
pub struct Relabeling {
    /// Nodes a position, after which the iteration under way is finished; 0 for the static evaluation.
    pub nodes: u64,
    /// Games at a time.
    pub threads: usize,
    /// What evaluates; `None` for the embedded network.
    pub network: Option<Arc<Network>>,
}

/// Writes the games of `source` with new scores in place of the old ones: those of a search of `nodes`
/// (the iteration under way is finished), or of the static evaluation where that is 0. Moves, results and
/// order stay. Games with illegal moves are left out. `each` is called with the number of games so far.
///
/// # Errors
/// The games cannot be read or written, or a search fails.
pub fn relabel<R: Read, W: Write>(
    source: &mut GameReader<R>,
    writer: &mut GameWriter<W>,
    plan: &Relabeling,
    mut each: impl FnMut(u64),
) -> Result<u64, RelabelError> {
    let nodes = plan.nodes;
    let searcher = |_| -> Result<Searcher, StartError> {
        let mut searcher = Searcher::with_exact_hash(HASH)?;
        searcher.set_network(plan.network.clone());
        Ok(searcher)
    };
    let searchers: Result<Vec<_>, _> = (0..plan.threads.max(1)).map(searcher).collect();
    let mut searchers = searchers?;
    let mut written = 0;
    loop {
        let mut batch = Vec::new();
        while batch.len() < BATCH
            && let Some(record) = source.next_record()?
        {
            batch.push(Mutex::new(Some(record)));
        }
        if batch.is_empty() {
            writer.flush()?;
            return Ok(written);
        }
        relabel_batch(&batch, &mut searchers, nodes).map_err(|SearchGone| RelabelError::Search)?;
        for slot in batch {
            if let Some(record) = slot.into_inner().unwrap_or_else(PoisonError::into_inner) {
                writer.record(&record)?;
                written += 1;
            }
        }
        each(written);
    }
}

/// Gives the games of a batch new scores, each searcher in a thread of its own; removes those with illegal
/// moves.
fn relabel_batch(
    batch: &[Mutex<Option<Record>>],
    searchers: &mut [Searcher],
    nodes: u64,
) -> Result<(), SearchGone> {
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let work = |searcher: &mut Searcher| {
        while let Some(slot) = batch.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
            *slot = slot.take().and_then(|record| {
                searcher.forget();
                let done = new_scores(record, searcher, nodes);
                failed.fetch_or(done.is_err(), Ordering::Relaxed);
                done.ok().flatten()
            });
        }
    };
    std::thread::scope(|scope| {
        let mut searchers = searchers.iter_mut();
        let own = searchers.next();
        for searcher in searchers {
            let work = move || work(searcher);
            if let Err(error) = spawn_search_thread(scope, work) {
                log::warn!("fewer threads than asked for: {error}");
                break;
            }
        }
        let ran = on_search_stack(|| own.into_iter().for_each(work));
        failed.fetch_or(ran.is_err(), Ordering::Relaxed);
    });
    match failed.into_inner() {
        true => Err(SearchGone),
        false => Ok(()),
    }
}

/// The record with new scores; `None` when a move of it is illegal.
fn new_scores(
    record: Record,
    searcher: &mut Searcher,
    nodes: u64,
) -> Result<Option<Record>, SearchGone> {
    match record {
        Record::Game(game) => Ok(new_game_scores(game, searcher, nodes)?.map(Record::Game)),
        Record::Loose(mut loose) => {
            for sample in &mut loose.samples {
                sample.score = score(&Game::new(sample.position.clone()), searcher, nodes)?;
            }
            Ok(Some(Record::Loose(loose)))
        }
    }
}

fn new_game_scores(
    mut record: TrainingGame,
    searcher: &mut Searcher,
    nodes: u64,
) -> Result<Option<TrainingGame>, SearchGone> {
    let start: Position = record.start_position();
    let mut game = Game::new(start);
    for ply in &mut record.moves {
        if ply.score != NO_SCORE {
            ply.score = score(&game, searcher, nodes)?;
        }
        if game.push(ply.played).is_err() {
            return Ok(None);
        }
    }
    Ok(Some(record))
}

/// The score of the position on the board, [`NO_SCORE`] where nothing can be played.
fn score(game: &Game, searcher: &mut Searcher, nodes: u64) -> Result<i16, SearchGone> {
    let score: Option<Score> = match nodes {
        0 => Some(searcher.static_score(game.position())),
        nodes => {
            let limits = Limits::soft(nodes);
            searcher.think(game, limits).ok_or(SearchGone)?.score
        }
    };
    Ok(score.map_or(NO_SCORE, |score| score.units() as i16))
}
