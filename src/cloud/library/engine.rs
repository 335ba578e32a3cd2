//! The engine that answers `queryengine`.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::cloud::api::ApiReply;
use crate::rules::Game;
use crate::search::{Limits, Searcher};
use crate::tablebase::Tables;

const THINKING_TIME: Duration = Duration::from_millis(1_000);
const CACHE_TIME: Duration = Duration::from_secs(30);
const MAX_CACHED: usize = 1_024;
/// Size of the transposition table, in MB.
const HASH: usize = 16;

/// An engine that searches for one request at a time.
#[derive(Debug, Default)]
pub struct LibraryEngine {
    searcher: Mutex<Option<Searcher>>,
    /// Replies by key, each with the time at which it was cached.
    replies: Mutex<HashMap<String, (Instant, ApiReply)>>,
}

impl LibraryEngine {
    /// Searches a position with legal moves. `key` identifies the game in the cache. Replies `rate limit exceeded`
    /// while another search runs, and `nobestmove` if the search fails.
    pub fn think(&self, key: String, game: &Game, tables: &Arc<Tables>) -> ApiReply {
        if let Some(known) = self.cached(&key) {
            return known;
        }
        let Some(mut searcher) = self.searcher.try_lock() else {
            return ApiReply::Status("rate limit exceeded");
        };
        if searcher.is_none() {
            *searcher = start(tables);
        }
        let outcome = searcher.as_mut().and_then(|searcher| {
            let outcome = searcher.think(game, Limits::move_time(THINKING_TIME));
            outcome.inspect_err(|error| log::error!("{error}")).ok()
        });
        let best = outcome.and_then(|outcome| outcome.best);
        let reply = best.map_or(ApiReply::Status("nobestmove"), ApiReply::Move);
        self.cache(key, &reply);
        reply
    }

    fn cached(&self, key: &str) -> Option<ApiReply> {
        let replies = self.replies.lock();
        let (time, reply) = replies.get(key)?;
        (time.elapsed() < CACHE_TIME).then(|| reply.clone())
    }

    fn cache(&self, key: String, reply: &ApiReply) {
        let mut replies = self.replies.lock();
        replies.retain(|_, (time, _)| time.elapsed() < CACHE_TIME);
        if replies.len() < MAX_CACHED {
            replies.insert(key, (Instant::now(), reply.clone()));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;

    #[test]
    fn a_cached_reply_needs_no_search() {
        let engine = LibraryEngine::default();
        let reply = ApiReply::Move("h2e2".parse().unwrap());
        engine.cache("cached".to_owned(), &reply);
        let _search = engine.searcher.lock();
        let game = Game::new(Position::startpos());
        let think = |key: &str| engine.think(key.to_owned(), &game, &Tables::embedded());
        assert_eq!(think("cached"), reply);
        assert_eq!(think("new"), ApiReply::Status("rate limit exceeded"));
    }
}
