//! Mates forced by checks.

use super::budget::NodeBudget;
use super::moves::moves_of;
use crate::board::{Move, Position};

/// The first move of a mate that the side to move forces by at most `moves` checks.
pub(super) fn forced_mate(
    position: &mut Position,
    moves: u32,
    budget: &mut NodeBudget,
) -> Option<Move> {
    if moves == 0 || !budget.spend() {
        return None;
    }
    moves_of(position).find(|m| begins_mate(position, *m, moves, budget))
}

/// Whether a legal move is the first of a mate that [`forced_mate`] would find.
pub(super) fn begins_mate(
    position: &mut Position,
    m: Move,
    moves: u32,
    budget: &mut NodeBudget,
) -> bool {
    let undo = position.make(m);
    let mates = position.in_check() && is_mated(position, moves - 1, budget);
    position.unmake(m, undo);
    mates
}

/// Whether the side that is not to move would force mate by at most `moves` checks if it were its
/// turn. The side to move is not in check.
pub(super) fn threatens_mate(position: &Position, moves: u32, budget: &mut NodeBudget) -> bool {
    let mut reversed = position.clone();
    reversed.make_null();
    forced_mate(&mut reversed, moves, budget).is_some()
}

/// Whether the side to move, which is in check, is mated by at most `moves` more checks whatever it
/// answers.
fn is_mated(position: &mut Position, moves: u32, budget: &mut NodeBudget) -> bool {
    moves_of(position).all(|m| {
        let undo = position.make(m);
        let mates = forced_mate(position, moves, budget).is_some();
        position.unmake(m, undo);
        mates
    })
}
