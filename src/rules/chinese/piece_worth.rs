//! What pieces are worth when the referee counts a gain.

use crate::board::{Piece, PieceKind, Square};

/// A gain or a loss, in units of which a knight has nine.
pub(super) type Worth = i32;

/// Being mated outweighs everything else.
pub(super) const MATE: Worth = 1000;

/// What it costs to offer a pawn: no gain is worth it, for a pawn given for pieces is an even
/// exchange however many they are.
pub(super) const PAWN_OFFERED: Worth = 50;

/// What the loss of a piece on `square` means: a rook is two knights or cannons, and one of these
/// more than two guards. A pawn at home is nothing; one across the river is a gain only where
/// nothing is given for it.
pub(super) fn worth(piece: Piece, square: Square) -> Worth {
    match piece.kind() {
        PieceKind::King => MATE,
        PieceKind::Rook => 18,
        PieceKind::Knight | PieceKind::Cannon => 9,
        PieceKind::Advisor | PieceKind::Bishop => 4,
        PieceKind::Pawn => Worth::from(square.is_across_river(piece.color())),
    }
}
