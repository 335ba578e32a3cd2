//! Pawns: pairs, blocks, how many have crossed.

use super::features::{PAWN_BLOCKED, PAWN_PAIR, PAWNS_ACROSS};
use super::terms::Terms;
use crate::board::{Bitboard, Color, PieceKind, Position, attacks};

#[inline]
pub(super) fn structure(position: &Position, us: Color, terms: &mut impl Terms) {
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
