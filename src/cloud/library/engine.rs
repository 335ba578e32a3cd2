//! `queryengine`: a move of the engine where the library has none.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use crate::cloud::reply::ApiReply;
use crate::rules::Game;
use crate::search::{Limits, Searcher};
use crate::tablebase::Tables;

/// How long the engine thinks.
const TIME: Duration = Duration::from_millis(1_000);
/// How long an answer is given again.
const MEMORY: Duration = Duration::from_secs(30);
/// How many answers are remembered.
const MOST_REMEMBERED: usize = 1_024;
/// Hash table, in MB.
const HASH: usize = 16;

/// An engine that answers one question at a time.
#[derive(Debug, Default)]
pub(super) struct LibraryEngine {
    searcher: Mutex<Option<Searcher>>,
    answers: Mutex<HashMap<String, (Instant, ApiReply)>>,
}

impl LibraryEngine {
    /// The move of the engine at the end of a game that has legal moves. `name` tells the game from all
    /// others. While the engine thinks for one asker others are turned away.
    pub(super) fn think(&self, name: String, game: &Game, tables: &Arc<Tables>) -> ApiReply {
        if let Some(known) = self.remembered(&name) {
            return known;
        }
        let mut searcher = match self.searcher.try_lock() {
            Ok(searcher) => searcher,
            Err(TryLockError::Poisoned(searcher)) => searcher.into_inner(),
            Err(TryLockError::WouldBlock) => return ApiReply::Status("rate limit exceeded"),
        };
        if searcher.is_none() {
            *searcher = start(tables);
        }
        let limits = Limits {
            move_time: Some(TIME),
            ..Limits::default()
        };
        let outcome = searcher
            .as_mut()
            .and_then(|searcher| searcher.think(game, limits));
        let best = outcome.and_then(|outcome| outcome.best);
        let reply = best.map_or(ApiReply::Status("nobestmove"), ApiReply::Move);
        self.remember(name, &reply);
        reply
    }

    fn remembered(&self, name: &str) -> Option<ApiReply> {
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let (time, reply) = answers.get(name)?;
        (time.elapsed() < MEMORY).then(|| reply.clone())
    }

    fn remember(&self, name: String, reply: &ApiReply) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.retain(|_, (time, _)| time.elapsed() < MEMORY);
        if answers.len() < MOST_REMEMBERED {
            answers.insert(name, (Instant::now(), reply.clone()));
        }
    }
}

fn start(tables: &Arc<Tables>) -> Option<Searcher> {
    let mut searcher = Searcher::new(HASH)
        .inspect_err(|error| log::error!("no engine: {error}"))
        .ok()?;
    searcher.set_tables(Some(tables.clone()));
    Some(searcher)
}
