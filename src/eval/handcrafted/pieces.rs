//! How well the pieces stand: mobility, files, legs, screens.

use super::attack_map::AttackMap;
use super::features::{
    BISHOP_MOBILITY, CANNON_MOBILITY, CANNON_SCREENS, KNIGHT_LEG, KNIGHT_MOBILITY, ROOK_FILE,
    ROOK_MOBILITY,
};
use super::terms::Terms;
use crate::board::{Bitboard, Color, PieceKind, Position, attacks};

/// How many squares each piece can go to.
#[inline]
pub(super) fn mobility(position: &Position, us: Color, map: &AttackMap, terms: &mut impl Terms) {
    let free = !position.color(us);
    let unpawned = free & !map.by(!us, PieceKind::Pawn);
    let safe_for_rook = unpawned
        & !map.by(!us, PieceKind::Knight)
        & !map.by(!us, PieceKind::Bishop)
        & !map.by(!us, PieceKind::Advisor);
    for piece in map.pieces(us) {
        let (group, squares) = match piece.kind {
            PieceKind::Knight => (KNIGHT_MOBILITY, piece.attacks & unpawned),
            PieceKind::Rook => (ROOK_MOBILITY, piece.attacks & safe_for_rook),
            PieceKind::Bishop => (BISHOP_MOBILITY, piece.attacks & free),
            _ => continue,
        };
        terms.add(group.at(squares.len() as usize), 1);
    }
    for steps in map.cannon_steps(us) {
        terms.add(CANNON_MOBILITY.at(steps.len() as usize), 1);
    }
}

/// Rooks on files, knights' legs, cannons' screens.
#[inline]
pub(super) fn placement(position: &Position, us: Color, terms: &mut impl Terms) {
    let pawns = position.kind(PieceKind::Pawn);
    let own = position.color(us);
    for square in position.pieces(us, PieceKind::Rook) {
        let on_file = pawns & Bitboard::file(square.file());
        if on_file.is_empty() {
            terms.add(ROOK_FILE.at(0), 1);
        } else if (on_file & own).is_empty() {
            terms.add(ROOK_FILE.at(1), 1);
        }
    }
    for square in position.pieces(us, PieceKind::Knight) {
        let legs = attacks::knight_legs(square);
        terms.add(KNIGHT_LEG.at(0), (legs & own).len() as i32);
        terms.add(KNIGHT_LEG.at(1), (legs & position.color(!us)).len() as i32);
    }
    for square in position.pieces(us, PieceKind::Cannon) {
        let screens = Bitboard::file(square.file()) & own;
        terms.add(CANNON_SCREENS.at(screens.len() as usize - 1), 1);
    }
}
