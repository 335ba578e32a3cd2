//! `queue` and `store`: what is asked to be searched, and scores that are written.

use super::board::KnownMove;
use super::learning::{ENOUGH_MOVES, Lessons, sieving};
use super::pace::Done;
use super::play::LONG_BUDGET;
use super::question::{Library, Question};
use super::walk::LibraryWalk;
use crate::board::Move;
use crate::cloud::moves::is_worth_keeping;
use crate::cloud::reply::ApiReply;
use crate::cloud::store::{NewScore, Priority, StoreError, Task, TaskKind};
use crate::cloud::value::MATE;
use crate::movegen::{has_legal_move, is_legal};

/// What is answered when all went well.
const OK: ApiReply = ApiReply::Status("ok");

impl Library {
    /// Asks for a position to be searched.
    pub(super) fn queue(&self, question: &Question<'_>) -> Result<ApiReply, StoreError> {
        let board = &question.board;
        let mut lessons = Lessons::default();
        let known = self.store.read(|snapshot| {
            let row = board.row(snapshot)?;
            let known: Vec<KnownMove> = board.known(snapshot, &row)?;
            let mut walk = LibraryWalk::new(snapshot, LONG_BUDGET, Some(&mut lessons));
            walk.visit_root(board, &known, |score| score > -MATE)?;
            Ok::<_, StoreError>(known.len())
        })?;
        lessons.post(&self.store, &self.unknown);
        if known >= ENOUGH_MOVES {
            return Ok(OK);
        }
        if !has_legal_move(&board.position) || !is_worth_keeping(&board.position) {
            return Ok(ApiReply::Empty);
        }
        let priority = match question.has_proof_of_work("") {
            true => Priority::Urgent,
            false => Priority::Asked,
        };
        self.add_task(sieving(board, priority))
    }

    /// Asks for a move to be scored.
    pub(super) fn store_move(&self, question: &Question<'_>) -> Result<ApiReply, StoreError> {
        let board = &question.board;
        let text = question.parameters.get("move").unwrap_or("");
        let played = text.get(5..).and_then(|text| text.parse::<Move>().ok());
        let legal = played.filter(|m| is_legal(&board.position, *m));
        let (Some(played), true) = (legal, is_worth_keeping(&board.position)) else {
            return Ok(ApiReply::Empty);
        };
        let place = board.place(played);
        let is_open = self.store.read(|snapshot| {
            let is_known = board.row(snapshot)?.get(place.m).is_some();
            Ok::<_, StoreError>(!is_known || !snapshot.contains(&place.child)?)
        })?;
        let priority = match question.may_write_scores {
            true => Priority::Urgent,
            false => Priority::Asked,
        };
        match is_open {
            true => self.add_task(Task {
                kind: TaskKind::Scoring,
                key: place.parent,
                moves: vec![place.m],
                priority,
            }),
            false => Ok(ApiReply::Empty),
        }
    }

    /// Writes the score of a move.
    pub(super) fn store_score(
        &self,
        question: &Question<'_>,
        score: &str,
    ) -> Result<ApiReply, StoreError> {
        let board = &question.board;
        let text = question.parameters.get("move").unwrap_or("");
        let text = text.strip_prefix("move:").unwrap_or(text);
        let depth = question.parameters.get("depth").unwrap_or("0");
        let (Ok(value), Ok(depth)) = (score.parse::<i32>(), depth.parse::<u8>()) else {
            return Ok(ApiReply::Status("invalid parameters"));
        };
        let played = text.parse::<Move>().ok();
        let Some(played) = played.filter(|m| is_legal(&board.position, *m)) else {
            return Ok(ApiReply::Empty);
        };
        let new = NewScore {
            place: board.place(played),
            value,
            depth,
            writer: question.writer.to_owned(),
        };
        let thousands: Option<u64> =
            (question.parameters.get("nodes")).and_then(|text| text.parse().ok());
        let is_written = self.store.write(move |batch| batch.store(&new))?;
        self.note_work(Done {
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
