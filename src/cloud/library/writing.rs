//! The actions that write: `queue` and `store`.

use super::activity::WorkCount;
use super::learning::{PendingWrites, expansion};
use super::position::KnownMove;
use super::queries::LONG_BUDGET;
use super::query::{Library, Query};
use super::walk::LibraryWalk;
use crate::board::Move;
use crate::cloud::access::Role;
use crate::cloud::moves::is_eligible;
use crate::cloud::reply::ApiReply;
use crate::cloud::score::MATE;
use crate::cloud::store::{ENOUGH_MOVES, NewScore, Priority, StoreError, Task, TaskKind};
use crate::movegen::{has_legal_move, is_legal};

const OK: ApiReply = ApiReply::Status("ok");

impl Library {
    /// Requests a search of a position.
    pub(super) fn queue(&self, query: &Query<'_>) -> Result<ApiReply, StoreError> {
        let board = &query.board;
        let mut pending = PendingWrites::default();
        let known = self.read(query.role, |snapshot| {
            let row = board.row(snapshot)?;
            let known: Vec<KnownMove> = board.known(snapshot, &row)?;
            let mut walk = LibraryWalk::new(snapshot, LONG_BUDGET, Some(&mut pending));
            walk.visit_root(board, &known, |score| score > -MATE)?;
            Ok::<_, StoreError>(known.len())
        })?;
        pending.post(&self.store, &self.unknown);
        if known >= ENOUGH_MOVES {
            return Ok(OK);
        }
        if !has_legal_move(&board.position) || !is_eligible(&board.position) {
            return Ok(ApiReply::Empty);
        }
        let priority = if query.has_proof_of_work("") {
            Priority::Urgent
        } else {
            Priority::Requested
        };
        self.add_task(expansion(board, priority))
    }

    /// Requests a score for a move.
    pub(super) fn store_move(&self, query: &Query<'_>) -> Result<ApiReply, StoreError> {
        let board = &query.board;
        let text = query.parameters.get("move").unwrap_or("");
        let played = text.get(5..).and_then(|text| text.parse::<Move>().ok());
        let legal = played.filter(|m| is_legal(&board.position, *m));
        let (Some(played), true) = (legal, is_eligible(&board.position)) else {
            return Ok(ApiReply::Empty);
        };
        let edge = board.edge(played);
        let is_open = self.read(query.role, |snapshot| {
            let is_known = board.row(snapshot)?.get(edge.m).is_some();
            Ok::<_, StoreError>(!is_known || !snapshot.contains(&edge.child)?)
        })?;
        let priority = if query.role >= Role::Write {
            Priority::Urgent
        } else {
            Priority::Requested
        };
        if !is_open {
            return Ok(ApiReply::Empty);
        }
        self.add_task(Task {
            kind: TaskKind::Scoring,
            key: edge.parent,
            moves: vec![edge.m],
            priority,
        })
    }

    pub(super) fn store_score(
        &self,
        query: &Query<'_>,
        score: &str,
    ) -> Result<ApiReply, StoreError> {
        let board = &query.board;
        let text = query.parameters.get("move").unwrap_or("");
        let text = text.strip_prefix("move:").unwrap_or(text);
        let depth = query.parameters.get("depth").unwrap_or("0");
        let (Ok(value), Ok(depth)) = (score.parse::<i32>(), depth.parse::<u8>()) else {
            return Ok(ApiReply::Status("invalid parameters"));
        };
        let played = text.parse::<Move>().ok();
        let Some(played) = played.filter(|m| is_legal(&board.position, *m)) else {
            return Ok(ApiReply::Empty);
        };
        let new = NewScore {
            edge: board.edge(played),
            value,
            depth,
            writer: query.writer.to_owned(),
        };
        let thousands: Option<u64> =
            (query.parameters.get("nodes")).and_then(|text| text.parse().ok());
        let is_written = self.store.write(move |batch| batch.store(&new))?;
        self.count_work(WorkCount {
            scores: 1,
            nodes: thousands.unwrap_or(0).saturating_mul(1_000),
        });
        Ok(if is_written { OK } else { ApiReply::Empty })
    }

    fn add_task(&self, task: Task) -> Result<ApiReply, StoreError> {
        let has_room = self.store.write(move |batch| batch.add_task(&task))?;
        Ok(if has_room { OK } else { ApiReply::Empty })
    }
}
