//! Terms of single pieces: mobility, placement, pawn structure, threats.

use super::attack_map::AttackMap;
use super::features::{
    BISHOP_MOBILITY, CANNON_MOBILITY, CANNON_SCREENS, GUARDED, GUARDED_BY_PAWN, KNIGHT_LEG,
    KNIGHT_MOBILITY, PAWN_BLOCKED, PAWN_PAIR, PAWNS_ACROSS, ROOK_FILE, ROOK_MOBILITY,
    THREAT_GUARDED, THREAT_UNGUARDED,
};
use super::weights::TermSum;
use crate::board::{Bitboard, Color, PieceKind, Position, attacks};

/// Mobility of knights, rooks, cannons and bishops.
#[inline]
pub fn mobility(position: &Position, us: Color, map: &AttackMap, terms: &mut TermSum) {
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
pub fn placement(position: &Position, us: Color, terms: &mut TermSum) {
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

/// Pawn pairs, blocked pawns and pawns across the river.
#[inline]
pub fn pawn_structure(position: &Position, us: Color, terms: &mut TermSum) {
    let own = position.pieces(us, PieceKind::Pawn);
    let theirs = position.pieces(!us, PieceKind::Pawn);
    let across = own & Bitboard::home_half(!us);
    terms.add(PAWNS_ACROSS.at(across.len() as usize), 1);
    let beside = own & Bitboard::from_bits((own & !Bitboard::file(0)).bits() >> 1);
    for square in beside {
        terms.add(PAWN_PAIR.at(square.relative_rank(us)), 1);
    }
    let [forward, ..] = attacks::pawn_steps(!us, theirs);
    for square in own & forward {
        terms.add(PAWN_BLOCKED.at(square.relative_rank(us)), 1);
    }
}

/// Attacked enemy pieces and guarded own pieces.
#[inline]
pub fn threats(position: &Position, us: Color, map: &AttackMap, terms: &mut TermSum) {
    let enemy_guarded = map.all(!us);
    let targets = position.color(!us);
    for kind in PieceKind::ALL {
        let hits = map.by(us, kind) & targets;
        for square in hits {
            let Some(victim) = position.piece_on(square) else {
                continue;
            };
            let group = if enemy_guarded.contains(square) {
                THREAT_GUARDED
            } else {
                THREAT_UNGUARDED
            };
            let cell = kind.index() * PieceKind::COUNT + victim.kind().index();
            terms.add(group.at(cell), 1);
        }
    }
    let guarded = map.all(us);
    let by_pawn = map.by(us, PieceKind::Pawn);
    for kind in &PieceKind::ALL[1..] {
        let pieces = position.pieces(us, *kind);
        let count = (pieces & guarded).len() as i32;
        if count > 0 {
            terms.add(GUARDED.at(kind.index()), count);
            let count = (pieces & by_pawn).len() as i32;
            if count > 0 {
                terms.add(GUARDED_BY_PAWN.at(kind.index()), count);
            }
        }
    }
}
