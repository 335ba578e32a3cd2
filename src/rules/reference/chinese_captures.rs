//! Captures, mates and values for the slow Chinese rules, one move after another on a board of its own.

use crate::board::{Move, Piece, PieceKind, Position, Square};
use crate::movegen::legal_moves;

use super::chinese::MATED;

/// What the first capture wins when both sides go on taking on its square while it pays.
pub(super) fn exchange(board: &Position, m: Move) -> i32 {
    let after = made(board, m);
    let back = moves(&after).into_iter().filter(|back| back.to() == m.to());
    let lost = back.map(|back| exchange(&after, back)).fold(0, i32::max);
    value_on(board, m.to()) - lost
}

/// Whether the side to move forces mate by so many checks.
pub(super) fn mates(board: &Position, checks: u32) -> bool {
    checks > 0 && moves(board).iter().any(|m| begins_mate(board, *m, checks))
}

/// Whether a move is the first of a mate by so many checks.
pub(super) fn begins_mate(board: &Position, m: Move, checks: u32) -> bool {
    let after = made(board, m);
    let mut answers = moves(&after).into_iter();
    after.in_check() && answers.all(|answer| mates(&made(&after, answer), checks - 1))
}

/// The legal moves, kings not taken.
pub(super) fn moves(board: &Position) -> Vec<Move> {
    let king = board.king(!board.side_to_move());
    let mut moves = legal_moves(board).to_vec();
    moves.retain(|m| m.to() != king);
    moves
}

pub(super) fn made(board: &Position, m: Move) -> Position {
    let mut after = board.clone();
    after.make(m);
    after
}

pub(super) fn passed(board: &Position) -> Position {
    let mut after = board.clone();
    after.make_null();
    after
}

pub(super) fn kind_on(board: &Position, square: Square) -> Option<PieceKind> {
    board.piece_on(square).map(Piece::kind)
}

/// Whether it is a king or a pawn, which may attack for ever.
pub(super) fn kind_is_free(board: &Position, square: Square) -> bool {
    matches!(
        kind_on(board, square),
        Some(PieceKind::King | PieceKind::Pawn)
    )
}

/// What it is worth to take what stands on a square.
pub(super) fn value_on(board: &Position, square: Square) -> i32 {
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
