//! The actions of the cloud API, from parameters to replies.

mod actions;
mod activity;
mod engine;
mod game;
mod learning;
mod position;
mod tablebase;
#[cfg(test)]
pub mod tests;
mod walk;

use std::sync::Arc;

use super::access::Role;
use super::api::{ApiReply, QueryParameters, ReplyFormat};
use super::fen;
use super::store::{Snapshot, Store, StoreError};
use crate::board::Move;
use crate::tablebase::{ClassTable, Metric, Tables};
use actions::Choice;
use activity::{ActiveWorkers, Throughput};
use engine::LibraryEngine;
use learning::RecentUnknown;
use position::QueriedPosition;
use tablebase::{TableMove, table_moves};

pub use activity::WorkCount;
pub use position::Rounding;

#[derive(Clone, Debug)]
pub struct LibraryOptions {
    /// `query` and similar actions return a move only if at least this number of good moves are known in and below the
    /// position, and at least four (or this number, if it is smaller) below one of its best moves.
    pub min_visits: usize,
    /// Seconds after which an unfinished task is given to another worker.
    pub lease: i64,
    pub rounding: Rounding,
}

impl Default for LibraryOptions {
    fn default() -> Self {
        Self {
            min_visits: 10,
            lease: 3_600,
            rounding: Rounding::default(),
        }
    }
}

/// A library that answers the actions of the cloud API.
#[derive(Debug)]
pub struct Library {
    pub store: Store,
    tables: Arc<Tables>,
    pub(crate) options: LibraryOptions,
    unknown: RecentUnknown,
    engine: LibraryEngine,
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

#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub body: String,
    pub is_json: bool,
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
        let tables = (self.tables.iter()).filter(|table| table.metric() == Metric::Dtm);
        let sizes = tables.map(ClassTable::size);
        sizes.fold((0, 0), |(count, bytes), size| (count + 1, bytes + size))
    }

    /// The tablebase moves without banned ones, if the position is in the tablebases.
    fn table_moves(&self, query: &Query<'_>) -> Option<Vec<TableMove>> {
        let mut moves = table_moves(&self.tables, &query.board.position)?;
        moves.retain(|m| !query.is_banned(m.played));
        Some(moves)
    }

    /// Answers a request of the API. `writer` is the name of the client in the audit log.
    ///
    /// # Errors
    /// The library cannot be read or written.
    pub fn answer(
        &self,
        parameters: &QueryParameters,
        role: Role,
        writer: &str,
    ) -> Result<Answer, StoreError> {
        let is_json = parameters.is_on("json", false);
        let answer = |reply: &ApiReply, format| Answer {
            body: reply.encode(format),
            is_json,
        };
        let format = ReplyFormat::json_or_text(is_json);
        let bare = if is_json { format } else { ReplyFormat::Bare };
        let Some(action) = parameters.get("action") else {
            let body = String::new();
            return Ok(Answer { body, is_json });
        };
        let Some(text) = parameters.get_nonempty("board") else {
            return Ok(answer(&ApiReply::Status("invalid parameters"), bare));
        };
        if role < Role::Read {
            return Ok(answer(&ApiReply::Status("tokenerror"), format));
        }
        let Some(position) = fen::parse(text) else {
            return Ok(answer(&ApiReply::Status("invalid board"), format));
        };
        let query = Query {
            parameters,
            text,
            board: QueriedPosition::new(position, self.options.rounding),
            banned: parameters.banned(),
            learn: parameters.is_on("learn", true),
            shows_all: parameters.is_on("showall", false),
            role,
            writer,
        };
        Ok(answer(&self.reply(action, &query)?, format))
    }

    fn reply(&self, action: &str, query: &Query<'_>) -> Result<ApiReply, StoreError> {
        let refused = ApiReply::Status("tokenerror");
        match action {
            "queryall" => self.query_all(query),
            "query" => self.query_move(query, Choice::Good),
            "querybest" => self.query_move(query, Choice::Best),
            "querylearn" => self.query_move(query, Choice::Learn),
            "querysearch" => self.query_move(query, Choice::Search),
            "queryscore" => self.query_score(query),
            "querypv" => self.query_line(query),
            "queryrule" => Ok(game::query_rule(query)),
            "rulecheck" => Ok(game::rule_check(query)),
            "queue" | "store" | "queryengine" if query.role < Role::Queue => Ok(refused),
            "queue" => self.queue(query),
            "queryengine" => Ok(self.query_engine(query)),
            "store" => match query.parameters.get("score") {
                None => self.store_move(query),
                Some(_) if query.role < Role::Write => Ok(refused),
                Some(score) => self.store_score(query, score),
            },
            _ => Ok(ApiReply::Empty),
        }
    }
}
