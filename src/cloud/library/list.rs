//! `queryall` and `queryscore`: what is known of a position.

use super::board::{KnownMove, QueriedPosition};
use super::learning::Lessons;
use super::question::{Library, Question};
use super::tables;
use crate::board::{Move, Position};
use crate::cloud::classes::rank;
use crate::cloud::key::text_order;
use crate::cloud::moves::ordered_moves;
use crate::cloud::reply::{ApiReply, ListedMove, Worth};
use crate::cloud::store::{Priority, Snapshot, StoreError};

/// The best rank.
const BEST: u8 = 2;

/// The word for a position without moves.
pub(super) fn without_moves(position: &Position) -> ApiReply {
    ApiReply::Status(match position.in_check() {
        true => "checkmate",
        false => "stalemate",
    })
}

impl Library {
    /// All moves of a position.
    pub(super) fn query_all(&self, question: &Question<'_>) -> Result<ApiReply, StoreError> {
        let board = &question.board;
        let legal = ordered_moves(&board.position);
        if legal.is_empty() {
            return Ok(without_moves(&board.position));
        }
        if let Some(moves) = self.table_moves(question) {
            return Ok(match moves.is_empty() {
                true => ApiReply::Status("unknown"),
                false => ApiReply::Moves(tables::list(&moves), None),
            });
        }
        let mut lessons = Lessons::default();
        let reply = self.store.read(|snapshot| {
            let row = board.row(snapshot)?;
            let mut known = board.known(snapshot, &row)?;
            if question.may_learn() {
                self.learn(&mut lessons, snapshot, board, &known, &legal)?;
            }
            board.add_mirror_images(&mut known);
            known.retain(|known| !question.is_banned(known.played));
            let moves = listed(question, &known, &legal);
            Ok::<_, StoreError>(match moves.is_empty() {
                true => ApiReply::Status("unknown"),
                false => ApiReply::Moves(moves, board.ply(&row)),
            })
        })?;
        lessons.post(&self.store, &self.unknown);
        Ok(reply)
    }

    /// The score of a position: that of its best move.
    pub(super) fn query_score(&self, question: &Question<'_>) -> Result<ApiReply, StoreError> {
        let board = &question.board;
        let legal = ordered_moves(&board.position);
        if legal.is_empty() {
            return Ok(without_moves(&board.position));
        }
        if let Some(moves) = self.table_moves(question) {
            let first = moves.first().map(|m| ApiReply::Score(m.score, None));
            return Ok(first.unwrap_or(ApiReply::Status("unknown")));
        }
        let mut lessons = Lessons::default();
        let reply = self.store.read(|snapshot| {
            let row = board.row(snapshot)?;
            let mut known = board.known(snapshot, &row)?;
            if question.may_write_tasks {
                self.learn(&mut lessons, snapshot, board, &known, &legal)?;
            }
            board.add_mirror_images(&mut known);
            let best = known.iter().find(|known| !question.is_banned(known.played));
            let score = |known: &KnownMove| ApiReply::Score(known.score, board.ply(&row));
            Ok::<_, StoreError>(best.map_or(ApiReply::Status("unknown"), score))
        })?;
        lessons.post(&self.store, &self.unknown);
        Ok(reply)
    }

    /// What a look at all moves of a position teaches.
    fn learn(
        &self,
        lessons: &mut Lessons,
        snapshot: &Snapshot<'_>,
        board: &QueriedPosition,
        known: &[KnownMove],
        legal: &[Move],
    ) -> Result<(), StoreError> {
        lessons.note_played(&self.unknown, board);
        lessons.note_leaves(board, known, Priority::Urgent);
        lessons.note_sieving(board, known.len(), Priority::Asked);
        snapshot.read_ahead(|| legal.iter().map(|m| board.key_after(*m)).collect())?;
        for m in legal {
            // Of two mirror images the smaller one is stored.
            let is_image = board.view.is_symmetric && text_order(m.flip_file()) < text_order(*m);
            if is_image || known.iter().any(|known| known.played == *m) {
                continue;
            }
            let child = board.key_after(*m);
            match snapshot.contains(&child)? {
                true => lessons.note_adoption(board.place(*m)),
                false => lessons.note_unknown(child, board, *m),
            }
        }
        Ok(())
    }
}

/// The entries of the list: known moves, then those without a score.
fn listed(question: &Question<'_>, known: &[KnownMove], legal: &[Move]) -> Vec<ListedMove> {
    let best = known.first().map_or(0, |first| first.score);
    let mut moves: Vec<ListedMove> = (known.iter().enumerate())
        .map(|(n, known)| (n, known, rank(known.score, best)))
        .filter(|(n, _, rank)| question.learn || *n == 0 || *rank == BEST)
        .map(|(_, known, rank)| ListedMove {
            played: known.played,
            worth: Worth::Known {
                score: known.score,
                rank,
                replies: known.replies,
                good_replies: known.good_replies,
            },
        })
        .collect();
    if question.shows_all || !question.learn && !moves.is_empty() {
        let is_told = |m: &Move| moves.iter().any(|told| told.played == *m);
        let untold: Vec<Move> = legal.iter().copied().filter(|m| !is_told(m)).collect();
        moves.extend(untold.into_iter().map(|played| ListedMove {
            played,
            worth: Worth::Unknown,
        }));
    }
    moves
}
