//! Which pieces a side truly threatens, as the Asian rules mean it.

use crate::board::{Bitboard, Color, PieceKind, Position, Square};

/// The enemy pieces among `targets` that `side` threatens to take with profit, whoever's move it
/// is: the set whose growth is a chase.
///
/// Kings and pawns threaten nothing, for they may chase for ever; kings and pawns that have not
/// crossed the river are no targets. See [`is_threat`] for what else counts.
pub fn threats(position: &Position, side: Color, targets: Bitboard) -> Bitboard {
    let mut threatened = Bitboard::EMPTY;
    for target in targets & chaseable(position, !side) {
        let mut chasers = attackers(position, side, target).into_iter();
        if chasers.any(|from| is_threat(position, side, from, target)) {
            threatened = threatened.with(target);
        }
    }
    threatened
}

/// The pieces of `side` that threaten the enemy piece on `target`.
pub fn chasers(position: &Position, side: Color, target: Square) -> Bitboard {
    if !chaseable(position, !side).contains(target) {
        return Bitboard::EMPTY;
    }
    attackers(position, side, target)
        .into_iter()
        .filter(|from| is_threat(position, side, *from, target))
        .collect()
}

/// The pieces of `owner` that can be chased: all but the king and the pawns at home.
fn chaseable(position: &Position, owner: Color) -> Bitboard {
    let exempt = position.kind(PieceKind::King)
        | position.kind(PieceKind::Pawn) & Bitboard::home_half(owner);
    position.color(owner) & !exempt
}

/// The pieces of `side` that attack `target` and may not do so for ever.
fn attackers(position: &Position, side: Color, target: Square) -> Bitboard {
    let free = position.kind(PieceKind::King) | position.kind(PieceKind::Pawn);
    position.attackers_to(target, side, position.occupied()) & !free
}

/// Whether `side` threatens the piece on `to`, which its piece on `from` attacks.
///
/// The capture must be legal, and either win the more valuable piece (knight or cannon for a rook;
/// advisor or bishop for a rook, cannon or knight) or be safe from every legal recapture. Pieces of
/// one kind that could as well take each other do not threaten each other.
fn is_threat(position: &Position, side: Color, from: Square, to: Square) -> bool {
    let (Some(chaser), Some(chased)) = (position.piece_on(from), position.piece_on(to)) else {
        return false;
    };
    if !is_king_safe(position, side, from, to, position.occupied()) {
        return false;
    }
    if wins_material(chaser.kind(), chased.kind()) {
        return true;
    }
    if chaser.kind() == chased.kind() && can_take_back(position, !side, to, from) {
        return false;
    }
    !is_protected(position, !side, from, to)
}

/// Whether the first kind threatens the second even when it is protected.
const fn wins_material(chaser: PieceKind, chased: PieceKind) -> bool {
    use PieceKind::{Advisor, Bishop, Cannon, Knight, Rook};
    match chaser {
        Knight | Cannon => matches!(chased, Rook),
        Advisor | Bishop => matches!(chased, Rook | Cannon | Knight),
        _ => false,
    }
}

/// Whether the threatened piece of `owner` on `from` could itself legally take its chaser on `to`.
fn can_take_back(position: &Position, owner: Color, from: Square, to: Square) -> bool {
    let occupied = position.occupied();
    position.attackers_to(to, owner, occupied).contains(from)
        && is_king_safe(position, owner, from, to, occupied)
}

/// Whether `owner` has a legal recapture on `target` once the piece on `chaser` has taken there.
fn is_protected(position: &Position, owner: Color, chaser: Square, target: Square) -> bool {
    let occupied = position.occupied().without(chaser);
    position
        .attackers_to(target, owner, occupied)
        .into_iter()
        .any(|from| is_king_safe(position, owner, from, target, occupied))
}

/// Whether the king of `side` is attacked by nobody after its piece goes from `from` to `to` on a
/// board occupied by `occupied`, whatever stood on `to` being taken.
fn is_king_safe(
    position: &Position,
    side: Color,
    from: Square,
    to: Square,
    occupied: Bitboard,
) -> bool {
    let king = if from == position.king(side) {
        to
    } else {
        position.king(side)
    };
    let after = occupied.without(from).with(to);
    let attackers = position.king_attackers(king, !side, after);
    attackers.without(to).is_empty()
}
