//! A library, and a request about a board.

use std::sync::Arc;

use super::activity::{ActiveWorkers, Throughput};
use super::engine::LibraryEngine;
use super::learning::RecentUnknown;
use super::position::{QueriedPosition, Rounding};
use super::tablebase::{TableMove, table_moves};
use crate::board::Move;
use crate::cloud::access::Role;
use crate::cloud::api::QueryParameters;
use crate::cloud::store::{Snapshot, Store, StoreError};
use crate::tablebase::{ClassTable, Metric, Tables};

#[derive(Clone, Debug)]
pub struct LibraryOptions {
    /// The number of good moves that must be known in and below a position before `query` and similar actions return a
    /// move. At least four of them, or all if this number is smaller, must be below one of the best moves.
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
    pub(super) tables: Arc<Tables>,
    pub(crate) options: LibraryOptions,
    pub(super) unknown: RecentUnknown,
    pub(super) engine: LibraryEngine,
    pub(crate) throughput: Throughput,
    /// Worker threads of this server, and remote workers.
    pub(crate) workers: ActiveWorkers,
}

pub struct Query<'a> {
    pub parameters: &'a QueryParameters,
    /// The board as the client wrote it.
    pub text: &'a str,
    pub board: QueriedPosition,
    pub banned: Vec<&'a str>,
    /// Whether the client sees all known moves, and its request may create tasks (parameter `learn`, on by default).
    pub learn: bool,
    /// Whether lists include the unknown legal moves (parameter `showall`). Without `learn`, lists include them in any
    /// case, unless no move is known.
    pub shows_all: bool,
    pub role: Role,
    pub writer: &'a str,
}

impl Query<'_> {
    pub fn is_banned(&self, m: Move) -> bool {
        let text = m.to_string();
        self.banned.iter().any(|banned| *banned == text)
    }

    /// Whether the request may create tasks.
    pub fn may_learn(&self) -> bool {
        self.learn && self.role >= Role::Queue
    }

    /// Whether the parameter `token` is given and the MD5 of board, `more` and `token` begins with eight zero bits.
    pub fn has_proof_of_work(&self, more: &str) -> bool {
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
            unknown: RecentUnknown::default(),
            engine: LibraryEngine::default(),
            throughput: Throughput::default(),
            workers: ActiveWorkers::default(),
        }
    }

    /// Reads a consistent snapshot; clients without the role `write` see no private positions.
    pub fn read<T, E: From<StoreError>>(
        &self,
        role: Role,
        work: impl FnOnce(&Snapshot<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.store.read_part(role < Role::Write, work)
    }

    /// Number and total size in bytes of the DTM tablebases.
    pub fn count_tables(&self) -> (u64, u64) {
        let tables = self.tables.iter().filter(|table| table.metric() == Metric::Dtm);
        let sizes = tables.map(ClassTable::size);
        sizes.fold((0, 0), |(count, bytes), size| (count + 1, bytes + size))
    }

    /// The tablebase moves without banned ones, if the position is in the tablebases.
    pub(super) fn table_moves(&self, query: &Query<'_>) -> Option<Vec<TableMove>> {
        let mut moves = table_moves(&self.tables, &query.board.position)?;
        moves.retain(|m| !query.is_banned(m.played));
        Some(moves)
    }
}
