//! A library and its answers to the actions of the cloud API.

mod actions;
mod game;
mod position;
mod tablebase;
#[cfg(test)]
pub mod tests;
mod walk;

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::access::Role;
use super::api::{ApiReply, QueryParameters};
use super::recent::{RecentMap, Throughput};
use super::store::{Snapshot, Store, StoreError};
use crate::board::Move;
use crate::search::Searcher;
use crate::tablebase::{ClassTable, Metric, Tables};
use position::{QueriedPosition, RecentUnknown};
use tablebase::{TableMove, table_moves};

pub use position::Rounding;

/// How long a worker counts as active after a request.
const ACTIVE_TIME: Duration = Duration::from_secs(300);
/// How long unknown moves are remembered, at most [`MAX_UNKNOWN`] of them.
const UNKNOWN_TIME: Duration = Duration::from_secs(600);
const MAX_UNKNOWN: usize = 65_536;
/// How long a move of the engine is cached.
const CACHE_TIME: Duration = Duration::from_secs(30);

#[derive(Clone, Debug)]
pub struct LibraryOptions {
    /// `query` and similar actions return a move only if a walk along the good moves visits at least this many moves.
    /// At least four of these (or `min_visits`, if it is smaller) must be below one of the best moves.
    pub min_visits: usize,
    /// Seconds after which an unfinished task is given to another worker.
    pub lease: i64,
    pub rounding: Rounding,
}

impl Default for LibraryOptions {
    fn default() -> Self {
        Self { min_visits: 10, lease: 3_600, rounding: Rounding::default() }
    }
}

/// A library that answers the actions of the cloud API.
#[derive(Debug)]
pub struct Library {
    pub store: Store,
    tables: Arc<Tables>,
    pub(crate) options: LibraryOptions,
    unknown: RecentUnknown,
    /// The engine of `queryengine` and `/engine`, which searches for one request at a time. It is started by its first
    /// search.
    engine: Mutex<Option<Searcher>>,
    /// Replies of the engine by position and moves of the game.
    engine_replies: Mutex<RecentMap<String, ApiReply>>,
    pub(crate) throughput: Throughput,
    /// Active worker threads of this server, and remote workers.
    pub(crate) workers: Mutex<RecentMap<String, ()>>,
}

struct Query<'a> {
    parameters: &'a QueryParameters,
    /// The board as the client wrote it.
    text: &'a str,
    board: QueriedPosition,
    banned: Vec<&'a str>,
    /// The parameter `learn`, on by default: `queryall` shows the scores of all known moves, and a request with at
    /// least the role `queue` may create tasks.
    learn: bool,
    /// The parameter `showall`: `queryall` also lists the unknown legal moves. Without `learn` it always does so if any
    /// move is known.
    shows_all: bool,
    role: Role,
    writer: &'a str,
}

impl Query<'_> {
    fn is_banned(&self, m: Move) -> bool {
        let text = m.to_string();
        self.banned.iter().any(|banned| *banned == text)
    }

    /// Whether the request may create tasks: `learn` is on and the client has at least the role `queue`.
    fn may_learn(&self) -> bool {
        self.learn && self.role >= Role::Queue
    }

    /// Whether the parameter `token` is given and the MD5 of board, `more` and `token` begins with eight zero bits.
    fn has_proof_of_work(&self, more: &str) -> bool {
        let token = self.parameters.get("token").unwrap_or("");
        let digest = md5::compute([self.text, more, token].concat());
        !token.is_empty() && digest.0[0] == 0
    }
}

impl Library {
    pub fn new(store: Store, tables: Arc<Tables>, options: LibraryOptions) -> Self {
        Self {
            store,
            tables,
            options,
            unknown: RecentMap::new(UNKNOWN_TIME, MAX_UNKNOWN).into(),
            engine: Mutex::default(),
            engine_replies: RecentMap::new(CACHE_TIME, 64).into(),
            throughput: Throughput::default(),
            workers: RecentMap::new(ACTIVE_TIME, 4_096).into(),
        }
    }

    /// Reads a consistent snapshot; clients without the role `write` see no private positions.
    pub fn read<T>(
        &self,
        role: Role,
        work: impl FnOnce(&Snapshot<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.store.read_part(role < Role::Write, work)
    }

    /// Records a request of a worker.
    pub(crate) fn record_worker(&self, worker: String) {
        self.workers.lock().insert(worker, ());
    }

    /// Number and total size in bytes of the DTM tablebases.
    pub fn count_tables(&self) -> (u64, u64) {
        let tables = self.tables.iter().filter(|table| table.metric() == Metric::Dtm);
        let sizes = tables.map(ClassTable::size);
        sizes.fold((0, 0), |(count, bytes), size| (count + 1, bytes + size))
    }

    /// The tablebase moves without banned ones, if the position is in the tablebases.
    fn table_moves(&self, query: &Query<'_>) -> Option<Vec<TableMove>> {
        let mut moves = table_moves(&self.tables, &query.board.position)?;
        moves.retain(|m| !query.is_banned(m.played));
        Some(moves)
    }
}
