//! The names of the evaluation's terms, in the order of the weights.

use crate::board::{Color, Piece, PieceKind, RANKS, Square};

/// A run of weights that belong together.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// Its name in the weights file.
    pub name: &'static str,
    /// Index of its first weight.
    pub start: usize,
    /// How many weights it has.
    pub len: usize,
    /// How many of them are written on a line.
    pub row: usize,
}

impl Group {
    /// The index of weight `index` of the group; the last one stands for all that are past it.
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

/// Ranks that a piece can be from a king, counted from two behind it to nine before it.
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
            name: stringify!($name),
            start: start_of(Order::$name as usize),
            len: $rows * $row,
            row: $row,
        };)+

        /// Every group, in the order of the weights.
        pub const GROUPS: &[Group] = &[$($name),+];
    };
}

groups! {
    /// By kind.
    MATERIAL: 1, PieceKind::COUNT;
    /// By kind, rank as the owner counts, and file from the edge (a or i 0, e 4).
    PIECE_SQUARE: PieceKind::COUNT * RANKS, 5;
    /// By squares a knight can go to, those that enemy pawns attack left out.
    KNIGHT_MOBILITY: 1, 9;
    /// By squares a rook can go to, those that enemy pawns, knights, bishops and advisors attack left
    /// out.
    ROOK_MOBILITY: 1, 18;
    /// By empty squares a cannon can go to.
    CANNON_MOBILITY: 1, 18;
    /// By squares a bishop can go to.
    BISHOP_MOBILITY: 1, 5;
    /// By squares the king can go to that the enemy does not attack.
    KING_MOBILITY: 1, 5;
    /// Two pawns hand in hand, by rank.
    PAWN_PAIR: 1, RANKS;
    /// A pawn right before an enemy pawn, by rank.
    PAWN_BLOCKED: 1, RANKS;
    /// By number of pawns across the river.
    PAWNS_ACROSS: 1, 6;
    /// By enemy knight, rook, cannon, pawn (per piece), and advisors left.
    ADVISORS_AGAINST: 4, 3;
    /// By enemy knight, rook, cannon, pawn (per piece), and bishops left.
    BISHOPS_AGAINST: 4, 3;
    /// By kind and kind: how a pair of own pieces work together. Only half of the table counts, the
    /// second kind no earlier than the first.
    OWN_PAIR: 6, 6;
    /// By own kind and enemy kind: how a piece fares against another. Only half of the table counts, the
    /// enemy's kind later than one's own: the other way round it is the enemy's.
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
    /// By kind (knight, rook, cannon, pawn), ranks before the enemy king (from two behind it), and
    /// files beside it.
    BY_ENEMY_KING: 4 * KING_RANKS, 9;
    /// By kind (knight, rook, cannon), ranks before the own king, and files beside it.
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
    /// A knight's leg blocked by a piece of its own, or of the enemy.
    KNIGHT_LEG: 1, 2;
    /// By own pieces on a cannon's file beside itself, before and behind it.
    CANNON_SCREENS: 1, 4;
    /// Having the move.
    TEMPO: 1, 1;
}

/// How many weights there are.
pub const COUNT: usize = {
    let last = GROUPS[GROUPS.len() - 1];
    last.start + last.len
};

/// The weight of a piece of `color` standing on `square`.
#[inline]
pub const fn piece_square(kind: PieceKind, color: Color, square: Square) -> usize {
    let file = if square.file() < 5 {
        square.file()
    } else {
        8 - square.file()
    };
    PIECE_SQUARE.start + (kind as usize * RANKS + square.relative_rank(color)) * 5 + file
}

/// The weight of `piece` on `square` as it stands to the king of `side` on `king`: a knight, rook,
/// cannon or pawn by the enemy king, a knight, rook or cannon by its own; `None` for others. The weight
/// counts for the owner.
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
    // Counted from two ranks behind the king.
    let rank = square.relative_rank(side) + 2 - king.relative_rank(side);
    let cell = (row * KING_RANKS + rank) * 9 + king.file().abs_diff(square.file());
    if cell < group.len {
        Some(group.start + cell)
    } else {
        None
    }
}

/// The kinds that can hurt a king, in the order of the groups that list four.
pub const ATTACKERS: [PieceKind; 4] = [
    PieceKind::Knight,
    PieceKind::Rook,
    PieceKind::Cannon,
    PieceKind::Pawn,
];
