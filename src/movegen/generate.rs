//! Listing and counting moves.

use crate::board::{
    Bitboard, Color, Legality, Move, MoveList, PieceKind, Position, RANKS, Square, attacks,
    leaves_king_safe,
};

/// Which moves a stage of the search wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Targets {
    /// Captures only.
    Captures,
    /// Everything but captures.
    Quiets,
    /// Both.
    All,
}

/// Where the piece of the side to move on `from` can go, its own king's safety aside.
#[inline]
fn destinations(position: &Position, kind: PieceKind, from: Square) -> Bitboard {
    let us = position.side();
    let occupied = position.occupied();
    match kind {
        PieceKind::Cannon => {
            attacks::rook(from, occupied) & !occupied
                | attacks::cannon(from, occupied) & position.color(!us)
        }
        _ => attacks::of(kind, us, from, occupied) & !position.color(us),
    }
}

/// Advisors and bishops that may become pawns (the promotion variant).
fn promotions(position: &Position) -> Bitboard {
    let us = position.side();
    let pawns = position.pieces(us, PieceKind::Pawn).len();
    if !position.has_promotion() || position.in_check() || pawns >= PieceKind::Pawn.max_per_side() {
        return Bitboard::EMPTY;
    }
    let back_rank = Bitboard::rank(if us == Color::Red { 0 } else { RANKS - 1 });
    (position.pieces(us, PieceKind::Advisor) | position.pieces(us, PieceKind::Bishop)) & back_rank
}

/// Appends the pseudo-legal moves of the side to move: those that may leave its king attacked.
#[inline]
pub fn generate(position: &Position, targets: Targets, moves: &mut MoveList) {
    let us = position.side();
    let wanted = match targets {
        Targets::Captures => position.color(!us),
        Targets::Quiets => !position.occupied(),
        Targets::All => Bitboard::ALL,
    };
    for kind in PieceKind::ALL {
        for from in position.pieces(us, kind) {
            for to in destinations(position, kind, from) & wanted {
                moves.push(Move::new(from, to));
            }
        }
    }
    if targets != Targets::Captures {
        for square in promotions(position) {
            moves.push(Move::new(square, square));
        }
    }
}

/// The legal moves of the side to move.
pub fn legal_moves(position: &Position) -> MoveList {
    let legality = Legality::new(position);
    let mut moves = MoveList::new();
    generate(position, Targets::All, &mut moves);
    moves.retain(|m| legality.allows(position, *m));
    moves
}

/// How many legal moves the side to move has: counted from attack sets, not listed.
pub fn count_legal(position: &Position) -> u64 {
    if position.in_check() {
        return legal_moves(position).len() as u64;
    }
    let us = position.side();
    let legality = Legality::new(position);
    let mut count = promotions(position).len();
    for kind in &PieceKind::ALL[1..] {
        for from in position.pieces(us, *kind) {
            count += (destinations(position, *kind, from) & legality.destinations(from)).len();
        }
    }
    let king = position.king(us);
    for to in destinations(position, PieceKind::King, king) {
        count += u32::from(leaves_king_safe(position, Move::new(king, to)));
    }
    u64::from(count)
}

/// Whether the side to move has a legal move; without one it has lost (mate or stalemate, 困毙).
pub fn has_legal_move(position: &Position) -> bool {
    let legality = Legality::new(position);
    let us = position.side();
    promotions(position).any()
        || PieceKind::ALL.into_iter().any(|kind| {
            position.pieces(us, kind).into_iter().any(|from| {
                destinations(position, kind, from)
                    .into_iter()
                    .any(|to| legality.allows(position, Move::new(from, to)))
            })
        })
}

/// Whether the side to move could play `m` if kings did not matter: for moves from a hash table.
#[inline]
pub fn is_pseudo_legal(position: &Position, m: Move) -> bool {
    let Some(piece) = position.piece_on(m.from()) else {
        return false;
    };
    if piece.color() != position.side() || m.is_none() {
        return false;
    }
    if m.is_promotion() {
        return promotions(position).contains(m.from());
    }
    destinations(position, piece.kind(), m.from()).contains(m.to())
}

/// Whether `m`, wherever it comes from, is a legal move.
pub fn is_legal(position: &Position, m: Move) -> bool {
    is_pseudo_legal(position, m) && leaves_king_safe(position, m)
}
