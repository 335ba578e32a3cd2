//! Captures, mates and piece values for the reference Chinese rules.

use crate::board::{Move, Piece, PieceKind, Position, Square};
use crate::movegen::legal_moves;

use super::chinese::MATED;

/// The gain of a capture if both sides recapture on its square while that pays.
pub fn exchange(board: &Position, m: Move) -> i32 {
    let after = made(board, m);
    let back = moves(&after).into_iter().filter(|back| back.to() == m.to());
    let lost = back.map(|back| exchange(&after, back)).fold(0, i32::max);
    value_on(board, m.to()) - lost
}

/// Whether the side to move forces mate by at most `checks` checks.
pub fn mates(board: &Position, checks: u32) -> bool {
    checks > 0 && moves(board).iter().any(|m| begins_mate(board, *m, checks))
}

/// Whether a move is the first of a mate by at most `checks` checks.
pub fn begins_mate(board: &Position, m: Move, checks: u32) -> bool {
    let after = made(board, m);
    let mut answers = moves(&after).into_iter();
    after.in_check() && answers.all(|answer| mates(&made(&after, answer), checks - 1))
}

/// The legal moves, except those that take the king.
pub fn moves(board: &Position) -> Vec<Move> {
    let king = board.king(!board.side_to_move());
    let mut moves = legal_moves(board).to_vec();
    moves.retain(|m| m.to() != king);
    moves
}

pub fn made(board: &Position, m: Move) -> Position {
    let mut after = board.clone();
    after.make(m);
    after
}

pub fn passed(board: &Position) -> Position {
    let mut after = board.clone();
    after.make_null();
    after
}

pub fn kind_on(board: &Position, square: Square) -> Option<PieceKind> {
    board.piece_on(square).map(Piece::kind)
}

/// Whether the piece is a king or a pawn, which may attack perpetually.
pub fn kind_is_free(board: &Position, square: Square) -> bool {
    matches!(
        kind_on(board, square),
        Some(PieceKind::King | PieceKind::Pawn)
    )
}

/// The value of the piece on a square.
pub fn value_on(board: &Position, square: Square) -> i32 {
    let Some(piece) = board.piece_on(square) else {
        return 0;
    };
    match piece.kind() {
        PieceKind::King => MATED,
        PieceKind::Rook => 18,
        PieceKind::Cannon | PieceKind::Knight => 9,
        PieceKind::Bishop | PieceKind::Advisor => 4,
        PieceKind::Pawn if square.is_across_river(piece.color()) => 1,
        PieceKind::Pawn => 0,
    }
}
