//! Pawns: pairs, blocks, how many have crossed.

use super::Terms;
use crate::board::{Bitboard, Color, PieceKind, Position, attacks};
use crate::eval::features::{PAWN_BLOCKED, PAWN_PAIR, PAWNS_ACROSS};

#[inline]
pub(super) fn structure(position: &Position, us: Color, terms: &mut impl Terms) {
    let own = position.pieces(us, PieceKind::Pawn);
    let theirs = position.pieces(!us, PieceKind::Pawn);
    let across = own & Bitboard::home_half(!us);
    terms.add(PAWNS_ACROSS.at(across.len() as usize), 1);
    for square in own {
        let rank = square.relative_rank(us);
        if square.file() < 8 && square.offset(1, 0).is_some_and(|s| own.contains(s)) {
            terms.add(PAWN_PAIR.at(rank), 1);
        }
        let forward = attacks::pawn(us, square) & Bitboard::file(square.file());
        if (forward & theirs).any() {
            terms.add(PAWN_BLOCKED.at(rank), 1);
        }
    }
}
