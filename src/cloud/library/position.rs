//! Queried positions with their known moves.

use crate::board::{Move, Position};
use crate::cloud::Edge;
use crate::cloud::key::{Key, View, text_order};
use crate::cloud::reply::ApiReply;
use crate::cloud::row::Row;
use crate::cloud::score::Class;
use crate::cloud::score::{score_of, value};
use crate::cloud::store::{Snapshot, StoreError};

/// A known move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownMove {
    /// A move of the queried position.
    pub played: Move,
    /// For the side that plays the move.
    pub score: i32,
    /// Whether the move ends the game.
    pub is_final: bool,
    /// Number of known replies.
    pub replies: usize,
    pub good_replies: usize,
}

/// A position with its key.
#[derive(Clone, Debug)]
pub struct QueriedPosition {
    pub position: Position,
    pub view: View,
    rounding: Rounding,
}

/// Which of two mirrored moves determines the rounding of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Rounding {
    /// The stored move: every client gets the same score.
    #[default]
    Stored,
    /// The move of the queried position, as in the public library: scores of mirrored positions may differ by 1.
    Requested,
}

impl QueriedPosition {
    pub fn new(position: Position, rounding: Rounding) -> Self {
        let view = View::of(&position);
        Self {
            position,
            view,
            rounding,
        }
    }

    pub fn edge(&self, played: Move) -> Edge {
        Edge::of(&self.position, &self.view, played)
    }

    /// The key of the position after a move.
    pub fn key_after(&self, played: Move) -> Key {
        self.after(played).view.key
    }

    /// The position after a move.
    pub fn after(&self, played: Move) -> Self {
        let mut position = self.position.clone();
        position.make(played);
        Self::new(position, self.rounding)
    }

    pub fn row(&self, snapshot: &Snapshot<'_>) -> Result<Row, StoreError> {
        Ok(snapshot.get(&self.view.key)?.unwrap_or_default())
    }

    /// Distance from the starting position, if known.
    pub fn ply(&self, row: &Row) -> Option<u16> {
        row.plies[usize::from(self.view.swaps_colors())]
    }

    /// The known moves, best first; equal scores are ordered by fewer good replies, then more replies, then text.
    /// In a symmetric position only one of two mirrored moves is returned.
    pub fn known(&self, snapshot: &Snapshot<'_>, row: &Row) -> Result<Vec<KnownMove>, StoreError> {
        snapshot.prefetch(|| {
            let open = row.moves.iter().filter(|entry| !entry.is_final());
            let played = open.map(|entry| self.view.played(entry.m));
            let legal = played.filter(|m| crate::movegen::is_legal(&self.position, *m));
            legal.map(|m| self.key_after(m)).collect()
        })?;
        let mut moves = Vec::with_capacity(row.moves.len());
        for entry in &row.moves {
            let played = self.view.played(entry.m);
            if !crate::movegen::is_legal(&self.position, played) {
                log::warn!(
                    "position {}: the stored move {} is illegal",
                    self.view.key,
                    entry.m
                );
                continue;
            }
            let mut scores = Vec::new();
            if !entry.is_final() || snapshot.hides_private() {
                let child = self.key_after(played);
                if snapshot.is_hidden(&child)? {
                    continue;
                }
                scores = snapshot.scores(&child)?.unwrap_or_default();
            }
            let best = scores.iter().copied().max().unwrap_or(0);
            let requested = match self.rounding {
                Rounding::Stored => None,
                Rounding::Requested => value(&mut scores, &self.view.key, played),
            };
            moves.push(KnownMove {
                played,
                score: requested.map_or(entry.score(), score_of),
                is_final: entry.is_final(),
                replies: scores.len(),
                good_replies: count_good(&scores, best),
            });
        }
        sort(&mut moves);
        Ok(moves)
    }

    /// Adds the mirrored moves in a symmetric position.
    pub fn add_mirror_images(&self, moves: &mut Vec<KnownMove>) {
        if !self.view.is_symmetric {
            return;
        }
        let images: Vec<KnownMove> = (moves.iter())
            .map(|known| KnownMove {
                played: known.played.flip_file(),
                ..known.clone()
            })
            .filter(|image| moves.iter().all(|known| known.played != image.played))
            .collect();
        moves.extend(images);
        sort(moves);
    }
}

/// The reply for a position without legal moves.
pub fn without_moves(position: &Position) -> ApiReply {
    ApiReply::Status(if position.in_check() {
        "checkmate"
    } else {
        "stalemate"
    })
}

fn count_good(scores: &[i32], best: i32) -> usize {
    let is_good = |score: &&i32| Class::Good.contains(**score, best);
    scores.iter().filter(is_good).count()
}

fn sort(moves: &mut [KnownMove]) {
    moves.sort_by_key(|known| {
        let replies = std::cmp::Reverse(known.replies);
        let score = std::cmp::Reverse(known.score);
        (score, known.good_replies, replies, text_order(known.played))
    });
}
