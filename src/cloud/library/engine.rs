//! The engine that answers `queryengine`.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::cloud::api::ApiReply;
use crate::rules::Game;
use crate::search::{Limits, Searcher};
use crate::tablebase::Tables;

/// Thinking time.
const TIME: Duration = Duration::from_millis(1_000);
/// How long a reply is cached.
const MEMORY: Duration = Duration::from_secs(30);
/// Maximum number of cached replies.
const MAX_REMEMBERED: usize = 1_024;
/// Size of the transposition table, in MB.
const HASH: usize = 16;

/// An engine that searches for one request at a time.
#[derive(Debug, Default)]
pub struct LibraryEngine {
    searcher: Mutex<Option<Searcher>>,
    answers: Mutex<HashMap<String, (Instant, ApiReply)>>,
}

impl LibraryEngine {
    /// Searches a position with legal moves. `name` is the cache key of the game. Replies `rate limit exceeded`
    /// while another search runs.
    pub fn think(&self, name: String, game: &Game, tables: &Arc<Tables>) -> ApiReply {
        if let Some(known) = self.remembered(&name) {
            return known;
        }
        let Some(mut searcher) = self.searcher.try_lock() else {
            return ApiReply::Status("rate limit exceeded");
        };
        if searcher.is_none() {
            *searcher = start(tables);
        }
        let limits = Limits {
            move_time: Some(TIME),
            ..Limits::default()
        };
        let outcome = searcher.as_mut().and_then(|searcher| {
            let outcome = searcher.think(game, limits);
            outcome.inspect_err(|error| log::error!("{error}")).ok()
        });
        let best = outcome.and_then(|outcome| outcome.best);
        let reply = best.map_or(ApiReply::Status("nobestmove"), ApiReply::Move);
        self.remember(name, &reply);
        reply
    }

    fn remembered(&self, name: &str) -> Option<ApiReply> {
        let answers = self.answers.lock();
        let (time, reply) = answers.get(name)?;
        (time.elapsed() < MEMORY).then(|| reply.clone())
    }

    fn remember(&self, name: String, reply: &ApiReply) {
        let mut answers = self.answers.lock();
        answers.retain(|_, (time, _)| time.elapsed() < MEMORY);
        if answers.len() < MAX_REMEMBERED {
            answers.insert(name, (Instant::now(), reply.clone()));
        }
    }
}

fn start(tables: &Arc<Tables>) -> Option<Searcher> {
    let mut searcher = Searcher::new(HASH)
        .inspect_err(|error| log::error!("cannot start the engine: {error}"))
        .ok()?;
    searcher.set_tablebases(Some(tables.clone()));
    Some(searcher)
}
