//! Bounded look-ahead: a node budget, piece values, exchanges and forced mates.

use crate::board::{Move, Piece, PieceKind, Position, Square};
use crate::movegen::legal_moves;

/// The number of positions that may still be visited.
#[derive(Clone, Copy, Debug)]
pub struct NodeBudget(u32);

impl NodeBudget {
    /// A budget of `positions`.
    pub const fn new(positions: u32) -> Self {
        Self(positions)
    }

    /// Spends one position; `false` if none is left.
    pub fn spend(&mut self) -> bool {
        let left = self.0.checked_sub(1);
        self.0 = left.unwrap_or(0);
        left.is_some()
    }
}

/// A gain or loss of material; a knight is 9.
pub type PieceValue = i32;

/// The value of a mate, greater than all material.
pub const MATE: PieceValue = 1000;

/// The cost of offering a pawn: more than a knight and a guard, less than a rook. So a pawn given for
/// one or two pieces is an even exchange, and a pawn given for a rook is a gain.
pub const OFFERED_PAWN: PieceValue = 14;

/// The value of a piece on `square`. A rook is two knights or cannons, and one of these is more than two
/// guards. A pawn at home has no value; one across the river counts only if nothing is given for it.
pub fn piece_value(piece: Piece, square: Square) -> PieceValue {
    match piece.kind() {
        PieceKind::King => MATE,
        PieceKind::Rook => 18,
        PieceKind::Knight | PieceKind::Cannon => 9,
        PieceKind::Advisor | PieceKind::Bishop => 4,
        PieceKind::Pawn => PieceValue::from(square.is_across_river(piece.color())),
    }
}

/// The value of the piece on `square`, 0 if the square is empty.
pub fn value_on(position: &Position, square: Square) -> PieceValue {
    position
        .piece_on(square)
        .map_or(0, |piece| piece_value(piece, square))
}

/// The legal moves of the side to move, except those that take the king, which is possible in the
/// imagined positions of this module.
pub fn moves_of(position: &Position) -> impl Iterator<Item = Move> + use<> {
    let king = position.king(!position.side_to_move());
    legal_moves(position)
        .into_iter()
        .filter(move |m| m.to() != king)
}

/// Whether [`moves_of`] contains a move.
pub fn has_move(position: &Position, m: Move) -> bool {
    moves_of(position).any(|other| other == m)
}

/// The gain of a capture if both sides then recapture on its square for as long as that pays.
pub fn exchange(position: &Position, m: Move, budget: &mut NodeBudget) -> PieceValue {
    let won = value_on(position, m.to());
    let mut position = position.clone();
    position.make(m);
    won - recapture(&mut position, m.to(), budget)
}

fn recapture(position: &mut Position, square: Square, budget: &mut NodeBudget) -> PieceValue {
    if !budget.spend() {
        return 0;
    }
    let won = value_on(position, square);
    let mut best = 0;
    for m in moves_of(position).filter(|m| m.to() == square) {
        let undo = position.make(m);
        best = best.max(won - recapture(position, square, budget));
        position.unmake(m, undo);
    }
    best
}

/// The first move of a mate that the side to move forces by at most `moves` checks.
pub fn forced_mate(position: &mut Position, moves: u32, budget: &mut NodeBudget) -> Option<Move> {
    if moves == 0 || !budget.spend() {
        return None;
    }
    moves_of(position).find(|m| begins_mate(position, *m, moves, budget))
}

/// Whether a legal move is the first of a mate by at most `moves` checks.
pub fn begins_mate(position: &mut Position, m: Move, moves: u32, budget: &mut NodeBudget) -> bool {
    let undo = position.make(m);
    let mates = position.in_check() && is_mated(position, moves - 1, budget);
    position.unmake(m, undo);
    mates
}

/// Whether the side not to move could force mate by at most `moves` checks if it moved next. The side
/// to move must not be in check.
pub fn threatens_mate(position: &Position, moves: u32, budget: &mut NodeBudget) -> bool {
    let mut reversed = position.clone();
    reversed.make_null();
    forced_mate(&mut reversed, moves, budget).is_some()
}

/// Whether the side to move, which is in check, is mated by at most `moves` more checks after every
/// answer.
fn is_mated(position: &mut Position, moves: u32, budget: &mut NodeBudget) -> bool {
    moves_of(position).all(|m| {
        let undo = position.make(m);
        let mates = forced_mate(position, moves, budget).is_some();
        position.unmake(m, undo);
        mates
    })
}
