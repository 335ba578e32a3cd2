//! The terms of the evaluation, in the order of their weights.

use crate::board::{Color, Piece, PieceKind, RANKS, Square};

/// A group of consecutive weights.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// Index of its first weight.
    pub start: usize,
    /// Number of weights.
    pub len: usize,
}

impl Group {
    /// The weight index of entry `index` of the group, clamped to the last one.
    #[inline]
    pub const fn at(&self, index: usize) -> usize {
        debug_assert!(self.len > 0);
        self.start
            + if index < self.len {
                index
            } else {
                self.len - 1
            }
    }
}

/// Rank distances of a piece from a king: two ranks back to nine ranks ahead.
pub const KING_RANKS: usize = 12;

macro_rules! groups {
    ($($(#[$meta:meta])* $name:ident: $rows:expr, $row:expr;)+) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Order { $($name),+ }

        const LENGTHS: &[usize] = &[$($rows * $row),+];

        const fn start_of(order: usize) -> usize {
            let mut start = 0;
            let mut group = 0;
            while group < order {
                start += LENGTHS[group];
                group += 1;
            }
            start
        }

        $($(#[$meta])* pub const $name: Group = Group {
            start: start_of(Order::$name as usize),
            len: $rows * $row,
        };)+
    };
}

groups! {
    /// By kind.
    MATERIAL: 1, PieceKind::COUNT;
    /// By kind, rank as the owner counts, and file from the edge (a or i 0, e 4).
    PIECE_SQUARE: PieceKind::COUNT * RANKS, 5;
    /// By squares a knight can go to, except squares that enemy pawns attack.
    KNIGHT_MOBILITY: 1, 9;
    /// By squares a rook can go to, except squares that enemy pawns, knights, bishops and advisors attack.
    ROOK_MOBILITY: 1, 18;
    /// By empty squares a cannon can go to.
    CANNON_MOBILITY: 1, 18;
    /// By squares a bishop can go to.
    BISHOP_MOBILITY: 1, 5;
    /// By squares the king can go to that the enemy does not attack.
    KING_MOBILITY: 1, 5;
    /// Two pawns side by side, by rank.
    PAWN_PAIR: 1, RANKS;
    /// A pawn directly facing an enemy pawn, by rank.
    PAWN_BLOCKED: 1, RANKS;
    /// By number of pawns across the river.
    PAWNS_ACROSS: 1, 6;
    /// By enemy knight, rook, cannon, pawn (per piece), and advisors left.
    ADVISORS_AGAINST: 4, 3;
    /// By enemy knight, rook, cannon, pawn (per piece), and bishops left.
    BISHOPS_AGAINST: 4, 3;
    /// Pairs of own pieces, by both kinds. Only entries whose second kind is not before the first are used.
    OWN_PAIR: 6, 6;
    /// Pairs of an own and an enemy piece, by both kinds. Only entries whose enemy kind is after the own kind are
    /// used; the others belong to the enemy.
    ENEMY_PAIR: 6, 6;
    /// Rook on the file of the enemy king, by pieces between.
    ROOK_ON_KING_FILE: 1, 5;
    /// Rook on the rank of the enemy king, by pieces between.
    ROOK_ON_KING_RANK: 1, 5;
    /// Cannon on the file of the enemy king, by pieces between (0: 空头炮).
    CANNON_ON_KING_FILE: 1, 5;
    /// Cannon on the rank of the enemy king, by pieces between.
    CANNON_ON_KING_RANK: 1, 5;
    /// Bare cannon (空头炮) by ranks between it and the king.
    BARE_CANNON: 1, 9;
    /// Bottom cannon (沉底炮): on the enemy's back rank, by bishops the enemy has left.
    BOTTOM_CANNON: 1, 3;
    /// By kind (knight, rook, cannon, pawn), rank distance ([`KING_RANKS`]) and file distance to the enemy king.
    BY_ENEMY_KING: 4 * KING_RANKS, 9;
    /// By kind (knight, rook, cannon), rank distance and file distance to the own king.
    BY_OWN_KING: 3 * KING_RANKS, 9;
    /// The only piece between a rook and the enemy king, by owner (rook's side, king's side) and
    /// kind.
    ROOK_LINE_BLOCKER: 2, PieceKind::COUNT;
    /// Each of two pieces between a cannon and the enemy king, by owner and kind.
    CANNON_LINE_BLOCKER: 2, PieceKind::COUNT;
    /// Knight attacks on squares of the enemy palace.
    KNIGHT_ON_PALACE: 1, 5;
    /// Rook attacks on squares of the enemy palace.
    ROOK_ON_PALACE: 1, 7;
    /// Cannon attacks on squares of the enemy palace, over a screen.
    CANNON_ON_PALACE: 1, 7;
    /// Pawn attacks on squares of the enemy palace.
    PAWN_ON_PALACE: 1, 4;
    /// By danger to the enemy king: attackers, safe checks, unguarded palace squares.
    KING_DANGER: 4, 8;
    /// A check that costs nothing, by knight, rook, cannon, pawn.
    SAFE_CHECK: 1, 4;
    /// By attacker and unguarded victim.
    THREAT_UNGUARDED: PieceKind::COUNT, PieceKind::COUNT;
    /// By attacker and guarded victim.
    THREAT_GUARDED: PieceKind::COUNT, PieceKind::COUNT;
    /// Guarded by a pawn, by kind.
    GUARDED_BY_PAWN: 1, PieceKind::COUNT;
    /// Guarded by something, by kind.
    GUARDED: 1, PieceKind::COUNT;
    /// Rook on a file without pawns, and without own pawns.
    ROOK_FILE: 1, 2;
    /// A knight's leg blocked by an own piece, or by an enemy piece.
    KNIGHT_LEG: 1, 2;
    /// By other own pieces on a cannon's file.
    CANNON_SCREENS: 1, 4;
    /// The advantage of having the move.
    TEMPO: 1, 1;
}

/// Number of weights.
pub const COUNT: usize = {
    // The last group.
    TEMPO.start + TEMPO.len
};

/// The piece-square weight of a piece of `color` on `square`.
#[inline]
pub const fn piece_square(kind: PieceKind, color: Color, square: Square) -> usize {
    let file = if square.file() < 5 {
        square.file()
    } else {
        8 - square.file()
    };
    PIECE_SQUARE.start + (kind as usize * RANKS + square.relative_rank(color)) * 5 + file
}

/// The weight of `piece` on `square` relative to the king of `side` on `king`: of a knight, rook, cannon or pawn
/// to the enemy king, of a knight, rook or cannon to its own; `None` for other pieces. The weight counts for
/// the owner of the piece.
#[inline]
pub const fn by_king(king: Square, side: Color, piece: Piece, square: Square) -> Option<usize> {
    let group = if piece.color() as usize == side as usize {
        BY_OWN_KING
    } else {
        BY_ENEMY_KING
    };
    let row = match piece.kind() {
        PieceKind::Knight => 0,
        PieceKind::Rook => 1,
        PieceKind::Cannon => 2,
        PieceKind::Pawn => 3,
        _ => return None,
    };
    let rank = square.relative_rank(side) + 2 - king.relative_rank(side);
    let cell = (row * KING_RANKS + rank) * 9 + king.file().abs_diff(square.file());
    if cell < group.len {
        Some(group.start + cell)
    } else {
        None
    }
}

/// The attacking kinds, in the order of the groups with four entries.
pub const ATTACKERS: [PieceKind; 4] = [
    PieceKind::Knight,
    PieceKind::Rook,
    PieceKind::Cannon,
    PieceKind::Pawn,
];
