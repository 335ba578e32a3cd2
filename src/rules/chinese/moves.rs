//! The moves that the judgement looks at.

use crate::board::{Move, Position};
use crate::movegen::legal_moves;

/// The legal moves of the side to move, kings not taken: a position may be looked at in which one
/// could be.
pub(super) fn moves_of(position: &Position) -> impl Iterator<Item = Move> + use<> {
    let king = position.king(!position.side_to_move());
    legal_moves(position)
        .into_iter()
        .filter(move |m| m.to() != king)
}

/// Whether [`moves_of`] has a move. In a position whose checks are ignored that is not the same as
/// being legal.
pub(super) fn has_move(position: &Position, m: Move) -> bool {
    moves_of(position).any(|other| other == m)
}
