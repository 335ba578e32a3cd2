//! Where a move is stored: in the row of the position it is played in, under its canonical form.

use super::key::{Key, View};
use crate::board::{Move, Position};
use crate::movegen::has_legal_move;

/// A legal move of a position, with the positions before and after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The position before the move.
    pub parent: Key,
    /// The move as it is stored.
    pub m: Move,
    /// The position after the move.
    pub child: Key,
    /// Whether colors are exchanged between what the two keys call canonical.
    pub turns_colors: bool,
    /// Whether the move mates or leaves no move, and so ends the game.
    pub ends_game: bool,
}

impl Place {
    /// The place of a legal move of a position.
    pub fn of(position: &Position, view: &View, played: Move) -> Self {
        let mut after = position.clone();
        after.make(played);
        let child = View::of(&after);
        Self {
            parent: view.key.clone(),
            m: view.stored(played),
            turns_colors: child.turns_colors() != view.turns_colors(),
            child: child.key,
            ends_game: !has_legal_move(&after),
        }
    }

    /// The places of stored moves of a position; those that are not legal are left out.
    pub fn of_stored(parent: &Key, moves: impl IntoIterator<Item = Move>) -> Vec<Self> {
        let Some(position) = parent.position() else {
            return Vec::new();
        };
        let view = View::of(&position);
        let legal = |m: &Move| crate::movegen::is_legal(&position, *m);
        let place = |m| Self::of(&position, &view, m);
        moves.into_iter().filter(legal).map(place).collect()
    }
}
