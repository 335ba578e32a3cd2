//! What pieces are worth when the referee counts a gain.

use crate::board::{Piece, PieceKind, Square};

/// A gain or a loss, in units of which a knight has nine.
pub(super) type PieceWorth = i32;

/// Being mated outweighs everything else.
pub(super) const MATE: PieceWorth = 1000;

/// What it costs to offer a pawn: a pawn given for a piece or two is an even exchange, given for a rook
/// it is a gain. More than a piece and a guard, less than a rook.
pub(super) const PAWN_OFFERED: PieceWorth = 14;

/// What the loss of a piece on `square` means: a rook is two knights or cannons, and one of these
/// more than two guards. A pawn at home is nothing; one across the river is a gain only where
/// nothing is given for it.
pub(super) fn worth(piece: Piece, square: Square) -> PieceWorth {
    match piece.kind() {
        PieceKind::King => MATE,
        PieceKind::Rook => 18,
        PieceKind::Knight | PieceKind::Cannon => 9,
        PieceKind::Advisor | PieceKind::Bishop => 4,
        PieceKind::Pawn => PieceWorth::from(square.is_across_river(piece.color())),
    }
}
