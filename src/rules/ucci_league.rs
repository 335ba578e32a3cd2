//! Chases by the rules of the UCCI league: only the piece that has just moved chases, and only one
//! piece at a time.

use crate::board::{Bitboard, Move, PieceKind, Position, Square, attacks};

/// The piece that is chased by `played`, the move that led to `position`. A move that gives check
/// chases nothing.
///
/// Pins are ignored, and pieces of the same kind never chase each other. A rook or cannon chases only
/// at right angles to its move, because it attacked the pieces along its move before.
pub fn chased(position: &Position, played: Move) -> Option<Square> {
    let mover = position.piece_on(played.to())?;
    if position.in_check() || played.is_promotion() {
        return None;
    }
    let from = played.to();
    let attacked = attacks::of(mover.kind(), mover.color(), from, position.occupied());
    let along = if played.from().file() == from.file() {
        Bitboard::file(from.file())
    } else {
        Bitboard::rank(from.rank())
    };
    let attacked = match mover.kind() {
        PieceKind::Knight => attacked,
        PieceKind::Rook | PieceKind::Cannon => attacked & !along,
        _ => return None,
    };
    let owner = !mover.color();
    first_in_order(
        (attacked & position.color(owner))
            .into_iter()
            .filter(|target| counts(position, mover.kind(), *target)),
        mover.kind(),
    )
}

/// Whether an attack by a knight, rook or cannon on the piece on `target` is a chase.
fn counts(position: &Position, chaser: PieceKind, target: Square) -> bool {
    let Some(chased) = position.piece_on(target) else {
        return false;
    };
    let owner = chased.color();
    let is_unprotected = || {
        position
            .attackers_to(target, owner, position.occupied())
            .is_empty()
    };
    match chased.kind() {
        PieceKind::Rook => chaser != PieceKind::Rook,
        PieceKind::Knight | PieceKind::Cannon => chaser != chased.kind() && is_unprotected(),
        PieceKind::Pawn => target.is_across_river(owner) && is_unprotected(),
        _ => false,
    }
}

/// Selects the one target that counts. For a knight: the highest rank first, then the lowest file. For a
/// rook or cannon: the lowest rank first, then the highest file.
fn first_in_order(targets: impl Iterator<Item = Square>, chaser: PieceKind) -> Option<Square> {
    targets.min_by_key(|square| {
        let (file, rank) = (square.file() as isize, square.rank() as isize);
        match chaser {
            PieceKind::Knight => (-rank, file),
            _ => (rank, -file),
        }
    })
}
