//! Queried positions with their legal moves and known moves, and the writes that follow from queries: new moves that
//! lead to known positions, and tasks for workers.

use std::cmp::{Ordering, Reverse};

use parking_lot::Mutex;

use crate::board::{Move, PieceKind, Position, Square};
use crate::cloud::Edge;
use crate::cloud::api::ApiReply;
use crate::cloud::key::{Key, KeyedMove, View, text_order};
use crate::cloud::recent::RecentMap;
use crate::cloud::row::Row;
use crate::cloud::score::{score_of, value};
use crate::cloud::store::{Priority, Snapshot, Store, StoreError, Task, is_eligible, needs_moves};
use crate::movegen::{is_legal, legal_moves};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownMove {
    /// A move of the queried position.
    pub played: Move,
    /// Score for the side that plays the move.
    pub score: i32,
    pub is_final: bool,
    pub replies: usize,
    /// Number of known replies in the class [`Good`](crate::cloud::score::Class::Good).
    pub good_replies: usize,
}

#[derive(Clone, Debug)]
pub struct QueriedPosition {
    pub position: Position,
    pub view: View,
    rounding: Rounding,
}

/// The move that determines whether a value is rounded up or down (see [`value`]). It matters because the queried
/// position may be the mirror image of the stored one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Rounding {
    /// The move of the stored position: a position and its mirror image get the same score.
    #[default]
    Stored,
    /// The move of the queried position, as in the public library: scores of mirrored positions may differ by 1.
    Requested,
}

impl QueriedPosition {
    pub fn new(position: Position, rounding: Rounding) -> Self {
        let view = View::of(&position);
        Self { position, view, rounding }
    }

    pub fn edge(&self, played: Move) -> Edge {
        Edge::of(&self.position, &self.view, played)
    }

    pub fn key_after(&self, played: Move) -> Key {
        self.after(played).view.key
    }

    pub fn after(&self, played: Move) -> Self {
        Self::new(self.position.after(played), self.rounding)
    }

    pub fn row(&self, snapshot: &Snapshot<'_>) -> Result<Row, StoreError> {
        Ok(snapshot.get(&self.view.key)?.unwrap_or_default())
    }

    /// Distance from the starting position in plies, if known.
    pub fn ply(&self, row: &Row) -> Option<u16> {
        row.plies[usize::from(self.view.swaps_colors())]
    }

    /// The known moves, best first; equal scores are ordered by fewer good replies, then more replies, then text.
    /// In a symmetric position only one of two mirrored moves is returned. Moves to hidden positions and illegal moves
    /// are left out.
    pub fn known(&self, snapshot: &Snapshot<'_>, row: &Row) -> Result<Vec<KnownMove>, StoreError> {
        snapshot.prefetch(|| {
            let open = row.moves.iter().filter(|entry| !entry.is_final());
            let played = open.map(|entry| self.view.played(entry.m));
            let legal = played.filter(|m| is_legal(&self.position, *m));
            legal.map(|m| self.key_after(m)).collect()
        })?;
        let mut moves = Vec::with_capacity(row.moves.len());
        for entry in &row.moves {
            let played = self.view.played(entry.m);
            if !is_legal(&self.position, played) {
                log::warn!("position {}: the stored move {} is illegal", self.view.key, entry.m);
                continue;
            }
            let mut replies = Row::default();
            if !entry.is_final() || snapshot.hides_private {
                let child = self.key_after(played);
                if snapshot.is_hidden(&child)? {
                    continue;
                }
                replies = snapshot.get(&child)?.unwrap_or_default();
            }
            let requested = match self.rounding {
                Rounding::Stored => None,
                Rounding::Requested => value(&mut replies.scores(), &self.view.key, played),
            };
            moves.push(KnownMove {
                played,
                score: requested.map_or(entry.score(), score_of),
                is_final: entry.is_final(),
                replies: replies.moves.len(),
                good_replies: replies.good_moves().count(),
            });
        }
        sort(&mut moves);
        Ok(moves)
    }

    /// Adds the mirror images of the moves in a symmetric position.
    pub fn add_mirror_images(&self, moves: &mut Vec<KnownMove>) {
        if !self.view.is_symmetric {
            return;
        }
        let images: Vec<KnownMove> = (moves.iter())
            .map(|known| KnownMove { played: known.played.flip_file(), ..known.clone() })
            .filter(|image| moves.iter().all(|known| known.played != image.played))
            .collect();
        moves.extend(images);
        sort(moves);
    }
}

/// The reply for a position without legal moves.
pub fn without_moves(position: &Position) -> ApiReply {
    ApiReply::Status(if position.in_check() { "checkmate" } else { "stalemate" })
}

fn sort(moves: &mut [KnownMove]) {
    moves.sort_by_key(|known| {
        let replies = Reverse(known.replies);
        let score = Reverse(known.score);
        (score, known.good_replies, replies, text_order(known.played))
    });
}

/// Index of a square in the order of the public library: i0 is 0, a9 is 89.
const fn public_index(square: Square) -> usize {
    9 * square.rank() + 8 - square.file()
}

/// Legal moves in the order of the public library, grouped by piece: king, advisors, bishops, knights, rooks, cannons,
/// pawns forward, pawns toward file a, pawns toward file i. Each group is sorted by origin, then by destination,
/// starting at i0; pawn moves by destination only.
pub fn ordered_moves(position: &Position) -> Vec<Move> {
    let mut moves: Vec<Move> = legal_moves(position).into_iter().collect();
    moves.sort_by_key(|m| {
        let (from, to) = (m.from(), m.to());
        match position.piece_on(from).map(|piece| piece.kind()) {
            Some(PieceKind::Pawn) => {
                let sideways = to.file().cmp(&from.file());
                let group = match sideways {
                    Ordering::Equal => 6,
                    Ordering::Less => 7,
                    Ordering::Greater => 8,
                };
                (group, public_index(to), 0)
            }
            kind => (kind.map_or(9, PieceKind::index), public_index(from), public_index(to)),
        }
    });
    moves
}

/// Unknown moves of queried positions, by the position after the move. If that position is queried next, the move was
/// played and should be searched.
pub type RecentUnknown = Mutex<RecentMap<Key, KeyedMove>>;

/// Writes and unknown moves collected while a query is answered.
#[derive(Debug, Default)]
pub struct PendingWrites {
    /// Unknown moves that lead to known positions, to be added to the known moves.
    pub links: Vec<Edge>,
    /// Unknown moves that lead to unknown positions, with the position after the move.
    pub unknown: Vec<(Key, KeyedMove)>,
    tasks: Vec<Task>,
}

impl PendingWrites {
    /// Requests scores for the known moves that do not end the game and have no known replies.
    pub fn request_scores(
        &mut self,
        board: &QueriedPosition,
        known: &[KnownMove],
        priority: Priority,
    ) {
        let is_leaf = |known: &&KnownMove| known.replies == 0 && !known.is_final;
        let leaves = known.iter().filter(is_leaf);
        let moves: Vec<Move> = leaves.map(|known| board.view.stored(known.played)).collect();
        if !moves.is_empty() && is_eligible(&board.position) {
            let key = board.view.key.clone();
            self.tasks.push(Task::scoring(key, moves, priority));
        }
    }

    /// Requests an expansion if more moves are needed (see [`needs_moves`]), but not for a position without known
    /// moves, which is expanded only on request, for example by `queue`.
    pub fn request_expansion(&mut self, board: &QueriedPosition, known: usize, priority: Priority) {
        let needs_moves = known > 0 && needs_moves(&board.position, known);
        if needs_moves && is_eligible(&board.position) {
            let key = board.view.key.clone();
            self.tasks.push(Task::expansion(key, priority));
        }
    }

    /// If the position was reached by an unknown move, requests a score for that move.
    pub fn request_played(&mut self, unknown: &RecentUnknown, board: &QueriedPosition) {
        let played = unknown.lock().remove(&board.view.key);
        if let Some((parent, m)) = played.filter(|_| is_eligible(&board.position)) {
            self.tasks.push(Task::scoring(parent, vec![m], Priority::Urgent));
        }
    }

    /// Remembers the unknown moves and posts the writes without waiting for them.
    pub fn post(self, store: &Store, unknown: &RecentUnknown) {
        let mut memory = unknown.lock();
        self.unknown.into_iter().for_each(|(key, m)| memory.insert(key, m));
        drop(memory);
        if self.links.is_empty() && self.tasks.is_empty() {
            return;
        }
        store.post(move |batch| {
            for edge in &self.links {
                batch.link_move(edge)?;
            }
            for task in &self.tasks {
                batch.add_task(task)?;
            }
            Ok(())
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloud::fen;

    fn list(position: &Position) -> String {
        let moves = ordered_moves(position);
        moves.iter().map(|m| format!("{m} ")).collect()
    }

    #[test]
    fn the_order_is_that_of_the_public_library() {
        let start = "e0e1 f0e1 d0e1 g0i2 g0e2 c0e2 c0a2 h0i2 h0g2 b0c2 b0a2 i0i1 i0i2 a0a1 a0a2 h2h1 \
                     h2i2 h2g2 h2f2 h2e2 h2d2 h2c2 h2h3 h2h4 h2h5 h2h6 h2h9 b2b1 b2g2 b2f2 b2e2 b2d2 \
                     b2c2 b2a2 b2b3 b2b4 b2b5 b2b6 b2b9 i3i4 g3g4 e3e4 c3c4 a3a4 ";
        assert_eq!(list(&Position::startpos()), start);
        let pawns = fen::parse("3k5/9/9/2P3P2/9/9/9/9/9/4K4 w").unwrap();
        assert_eq!(list(&pawns), "e0f0 e0e1 g6g7 c6c7 g6f6 c6b6 g6h6 c6d6 ");
    }
}
