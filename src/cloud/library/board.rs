//! A position that is asked for, with what the library holds of it.

use crate::board::{Move, Position};
use crate::cloud::classes::Class;
use crate::cloud::key::{Key, View, text_order};
use crate::cloud::place::Place;
use crate::cloud::row::Row;
use crate::cloud::store::{Snapshot, StoreError};
use crate::cloud::value::{score_of, value};

/// A move that the library holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KnownMove {
    /// The move, as it is played in the position that was asked for.
    pub(super) played: Move,
    /// For the side that plays it.
    pub(super) score: i32,
    /// Whether the move ends the game.
    pub(super) is_final: bool,
    /// Known replies.
    pub(super) replies: usize,
    pub(super) good_replies: usize,
}

/// A position with the way it is stored.
#[derive(Clone, Debug)]
pub(super) struct QueriedPosition {
    pub(super) position: Position,
    pub(super) view: View,
    rounding: Rounding,
}

/// For which of two mirror images of a move its value is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Rounding {
    /// The one that is stored: all who ask get the same.
    #[default]
    Stored,
    /// The one that is asked for, as in the public library: answers to mirror images may differ by 1.
    Asked,
}

impl QueriedPosition {
    pub(super) fn new(position: Position, rounding: Rounding) -> Self {
        let view = View::of(&position);
        Self {
            position,
            view,
            rounding,
        }
    }

    pub(super) fn place(&self, played: Move) -> Place {
        Place::of(&self.position, &self.view, played)
    }

    /// The key of the position after a move.
    pub(super) fn key_after(&self, played: Move) -> Key {
        let mut position = self.position.clone();
        position.make(played);
        View::of(&position).key
    }

    /// The position after a move.
    pub(super) fn after(&self, played: Move) -> Self {
        let mut position = self.position.clone();
        position.make(played);
        Self::new(position, self.rounding)
    }

    pub(super) fn row(&self, snapshot: &Snapshot<'_>) -> Result<Row, StoreError> {
        Ok(snapshot.get(&self.view.key)?.unwrap_or_default())
    }

    /// The distance of the position from the start, where it is known.
    pub(super) fn ply(&self, row: &Row) -> Option<u16> {
        row.plies[usize::from(self.view.turns_colors())]
    }

    /// The known moves, the best first: of equal scores the one with fewer good replies, with more known
    /// ones, with the smaller text. Of two mirror images in a symmetric position only one is given.
    pub(super) fn known(
        &self,
        snapshot: &Snapshot<'_>,
        row: &Row,
    ) -> Result<Vec<KnownMove>, StoreError> {
        snapshot.read_ahead(|| {
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
                    "{}: the stored move {} is not legal",
                    self.view.key,
                    entry.m
                );
                continue;
            }
            let mut scores = Vec::new();
            if !entry.is_final() {
                scores = snapshot
                    .scores(&self.key_after(played))?
                    .unwrap_or_default();
            }
            let best = scores.iter().copied().max().unwrap_or(0);
            let asked = match self.rounding {
                Rounding::Stored => None,
                Rounding::Asked => value(&mut scores, &self.view.key, played),
            };
            moves.push(KnownMove {
                played,
                score: asked.map_or(entry.score(), score_of),
                is_final: entry.is_final(),
                replies: scores.len(),
                good_replies: count_good(&scores, best),
            });
        }
        sort(&mut moves);
        Ok(moves)
    }

    /// Adds the mirror images of the known moves of a symmetric position.
    pub(super) fn add_mirror_images(&self, moves: &mut Vec<KnownMove>) {
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
