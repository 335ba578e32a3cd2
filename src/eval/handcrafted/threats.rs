//! Attacks on pieces, by kind, and guarded pieces.

use super::attack_map::AttackMap;
use super::features::{GUARDED, GUARDED_BY_PAWN, THREAT_GUARDED, THREAT_UNGUARDED};
use super::terms::Terms;
use crate::board::{Color, PieceKind, Position};

#[inline]
pub(super) fn threats(position: &Position, us: Color, map: &AttackMap, terms: &mut impl Terms) {
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
