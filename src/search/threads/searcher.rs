//! A pool that answers one question after another: for benches, self-play and looking for openings.

use std::sync::Arc;

use crossbeam_channel::{Receiver, unbounded};

use super::pool::{Pool, StartError};
use crate::board::{Move, Position};
use crate::eval::nnue::Network;
use crate::rules::Game;
use crate::search::event::{Event, Outcome, Report};
use crate::search::request::{Control, Limits, SearchRequest, Settings};
use crate::search::score::Score;
use crate::search::tree::static_score;
use crate::tablebase::Tables;

/// One search thread with the usual settings, whose caller waits for each answer.
///
/// ```
/// use chuhe::rules::Game;
/// use chuhe::search::{Limits, Searcher};
///
/// let searcher = Searcher::new(1)?;
/// let game = Game::new("3k5/9/9/9/9/9/9/R8/1R7/4K4 w".parse()?);
/// let outcome = searcher.think(&game, Limits { depth: Some(4), ..Limits::default() });
/// let mate_in_two = outcome.and_then(|o| o.score).is_some_and(|score| score.is_decisive());
/// assert!(mate_in_two);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Searcher {
    pool: Pool,
    events: Receiver<Event>,
    network: Option<Arc<Network>>,
    tables: Option<Arc<Tables>>,
}

impl Searcher {
    /// A searcher with a transposition table of `megabytes`, or of a smaller one where memory does not
    /// suffice.
    ///
    /// # Errors
    /// When there is no memory for a search thread and a table of one MB, or the system starts no thread.
    pub fn new(megabytes: usize) -> Result<Self, StartError> {
        let (sender, events) = unbounded();
        let pool = Pool::with_hash(megabytes, sender)?;
        Ok(Self {
            pool,
            events,
            network: None,
            tables: None,
        })
    }

    /// As [`Self::new`], with a transposition table of exactly `megabytes`: another one has searches
    /// come to other results.
    ///
    /// # Errors
    /// As [`Self::new`], and when there is no memory for that table.
    pub fn with_exact_hash(megabytes: usize) -> Result<Self, StartError> {
        let searcher = Self::new(megabytes)?;
        match searcher.pool.hash_size() == megabytes {
            true => Ok(searcher),
            false => Err(StartError::NoMemoryForTable(megabytes)),
        }
    }

    /// Evaluates with this network from now on, or with the embedded one, and clears everything learned.
    pub fn set_network(&mut self, network: Option<Arc<Network>>) {
        self.network = network;
        self.forget();
    }

    /// Looks positions up in these endgame tables from now on, or in none, and clears everything learned.
    pub fn set_tables(&mut self, tables: Option<Arc<Tables>>) {
        self.tables = tables;
        self.forget();
    }

    /// Clears transposition table and histories.
    pub fn forget(&mut self) {
        self.pool.forget();
    }

    /// The static evaluation of a position for its side to move.
    pub fn static_score(&self, position: &Position) -> Score {
        static_score(position, &Settings::default(), self.network.as_ref())
    }

    /// Searches the position at the end of `game`; `None` only when the search threads are gone.
    pub fn think(&self, game: &Game, limits: Limits) -> Option<Outcome> {
        self.think_line(game, limits).map(|(outcome, _)| outcome)
    }

    /// As [`Self::think`], with the best line, which begins with the best move.
    pub fn think_line(&self, game: &Game, limits: Limits) -> Option<(Outcome, Vec<Move>)> {
        self.pool.start(SearchRequest {
            game: game.clone(),
            limits,
            root_moves: None,
            settings: Settings::default(),
            network: self.network.clone(),
            tables: self.tables.clone(),
            control: Control::new(false),
        });
        let mut line = Vec::new();
        for event in &self.events {
            match event {
                Event::Report(Report::Line(info)) => line = info.pv,
                Event::Report(_) => {}
                Event::Done(outcome) => {
                    if line.first().copied() != outcome.best {
                        line = outcome.best.into_iter().chain(outcome.ponder).collect();
                    }
                    return Some((outcome, line));
                }
            }
        }
        None
    }
}
