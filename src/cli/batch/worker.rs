//! A search of its own for one position after another.

use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender, select, unbounded};

use super::arguments::BatchTask;
use crate::board::Move;
use crate::eval::nnue::Network;
use crate::rules::Game;
use crate::search::{Control, Event, Limits, Outcome, Pool, SearchRequest, Settings, StartError};
use crate::tablebase::Tables;

/// What has been found of a position.
pub(super) struct BatchResult {
    /// Its place among the positions.
    pub(super) number: usize,
    pub(super) outcome: Outcome,
    /// The line of the move that is best.
    pub(super) line: Vec<Move>,
}

/// A search thread with its hash table.
pub(super) struct BatchSearcher {
    pool: Pool,
    events: Receiver<Event>,
    limits: Limits,
    settings: Settings,
    network: Option<Arc<Network>>,
    tables: Arc<Tables>,
    /// Disconnected when nothing more is wanted.
    over: Receiver<()>,
}

impl BatchSearcher {
    /// Starts the thread.
    ///
    /// # Errors
    /// There is no memory for it or for the hash table.
    pub(super) fn new(
        hash: usize,
        limits: Limits,
        settings: Settings,
        (network, tables): (Option<Arc<Network>>, Arc<Tables>),
        over: Receiver<()>,
    ) -> Result<Self, StartError> {
        let (sender, events) = unbounded();
        let pool = Pool::with_hash(hash, sender)?;
        match pool.hash_size() == hash {
            true => Ok(Self {
                pool,
                events,
                limits,
                settings,
                network,
                tables,
                over,
            }),
            false => Err(StartError::NoMemoryForTable(hash)),
        }
    }

    /// Searches until there are no more positions or nothing more is wanted.
    pub(super) fn work(mut self, inbox: &Receiver<BatchTask>, answers: &Sender<BatchResult>) {
        for task in inbox {
            let Some(found) = self.search(&task) else {
                return;
            };
            if answers.send(found).is_err() {
                return;
            }
        }
    }

    /// Searches a position; `None` when nothing more is wanted.
    fn search(&mut self, task: &BatchTask) -> Option<BatchResult> {
        self.pool.forget();
        let control = Control::new(false);
        self.pool.start(SearchRequest {
            game: Game::new(task.epd.position.clone()),
            limits: self.limits,
            root_moves: None,
            settings: self.settings,
            network: self.network.clone(),
            tablebases: Some(self.tables.clone()),
            control: control.clone(),
        });
        let mut line = Vec::new();
        loop {
            let event = select! {
                recv(self.events) -> event => event.ok()?,
                recv(self.over) -> _ => {
                    // The drop of the pool waits for the search.
                    control.stop();
                    return None;
                }
            };
            match event {
                Event::Report(crate::search::Report::Line(info)) if info.multipv == 1 => {
                    line = info.pv
                }
                Event::Done(outcome) => {
                    line = match outcome.best {
                        Some(best) if line.first() == Some(&best) => line,
                        best => best.into_iter().collect(),
                    };
                    let number = task.number;
                    return Some(BatchResult {
                        number,
                        outcome,
                        line,
                    });
                }
                _ => {}
            }
        }
    }
}
