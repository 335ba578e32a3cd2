//! The terms of the evaluation in groups, their middlegame and endgame weights in units of the evaluation, and sums of
//! terms.

use super::tapered::Tapered;
use crate::board::{Color, Piece, PieceKind, RANKS, Square};

/// A group of terms, which have consecutive weights.
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
        self.start + if index < self.len { index } else { self.len - 1 }
    }
}

/// The number of possible rank distances of a piece from a king, -2 to 9 ranks ahead of it.
pub const KING_RANKS: usize = 12;

/// Defines groups of `rows` × `row` weights, in the order of [`WEIGHTS`]. In a group with one index, the rows only
/// divide its part of that list.
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
    /// By kind, rank from the owner's point of view, and distance of the file from the edge (0 for a and i, 4 for e).
    PIECE_SQUARE: PieceKind::COUNT * RANKS, 5;
    /// By number of squares a knight can go to, except squares that enemy pawns attack.
    KNIGHT_MOBILITY: 1, 9;
    /// By number of squares a rook can go to, except squares that enemy pawns, knights, bishops and advisors attack.
    ROOK_MOBILITY: 1, 18;
    /// By number of empty squares a cannon can go to.
    CANNON_MOBILITY: 1, 18;
    /// By number of squares a bishop can go to.
    BISHOP_MOBILITY: 1, 5;
    /// By number of squares the king can go to that the enemy does not attack.
    KING_MOBILITY: 1, 5;
    /// Two pawns side by side, by rank.
    PAWN_PAIR: 1, RANKS;
    /// A pawn directly facing an enemy pawn, by rank.
    PAWN_BLOCKED: 1, RANKS;
    /// By number of pawns across the river.
    PAWNS_ACROSS: 1, 6;
    /// For each enemy piece, by its kind (knight, rook, cannon, pawn) and the number of own advisors.
    ADVISORS_AGAINST: 4, 3;
    /// For each enemy piece, by its kind (knight, rook, cannon, pawn) and the number of own bishops.
    BISHOPS_AGAINST: 4, 3;
    /// Pairs of own pieces other than the king, by both kinds. Only entries whose second kind is not before the first
    /// are used.
    OWN_PAIR: 6, 6;
    /// Pairs of an own and an enemy piece other than kings, by both kinds. Only entries whose enemy kind is after the
    /// own kind are used; the other pairs are terms of the enemy, or cancel out if both kinds are equal.
    ENEMY_PAIR: 6, 6;
    /// Rook on the file of the enemy king, by number of pieces between.
    ROOK_ON_KING_FILE: 1, 5;
    /// Rook on the rank of the enemy king, by number of pieces between.
    ROOK_ON_KING_RANK: 1, 5;
    /// Cannon on the file of the enemy king, by number of pieces between (0: 空头炮).
    CANNON_ON_KING_FILE: 1, 5;
    /// Cannon on the rank of the enemy king, by number of pieces between.
    CANNON_ON_KING_RANK: 1, 5;
    /// Bare cannon (空头炮), by number of ranks between it and the king.
    BARE_CANNON: 1, 9;
    /// Bottom cannon (沉底炮): on the enemy's back rank, by number of bishops the enemy has left.
    BOTTOM_CANNON: 1, 3;
    /// By kind (knight, rook, cannon, pawn), rank distance ([`KING_RANKS`]) and file distance to the enemy king.
    BY_ENEMY_KING: 4 * KING_RANKS, 9;
    /// By kind (knight, rook, cannon), rank distance and file distance to the own king.
    BY_OWN_KING: 3 * KING_RANKS, 9;
    /// The only piece between a rook and the enemy king, by its owner (first the side of the rook, then the side of the
    /// king) and its kind.
    ROOK_LINE_BLOCKER: 2, PieceKind::COUNT;
    /// Each of two pieces between a cannon and the enemy king, by its owner and kind as above.
    CANNON_LINE_BLOCKER: 2, PieceKind::COUNT;
    /// Knight, by number of attacked squares of the enemy palace.
    KNIGHT_ON_PALACE: 1, 5;
    /// Rook, by number of attacked squares of the enemy palace.
    ROOK_ON_PALACE: 1, 7;
    /// Cannon, by number of squares of the enemy palace attacked over a screen.
    CANNON_ON_PALACE: 1, 7;
    /// Pawn, by number of attacked squares of the enemy palace.
    PAWN_ON_PALACE: 1, 4;
    /// By danger units. Each attacker of the enemy palace and each kind of piece that has a safe check counts one to
    /// four units; each attacked palace square that no piece except the king guards counts one.
    KING_DANGER: 4, 8;
    /// The possibility of a check from a square that the enemy does not attack, by knight, rook, cannon, pawn.
    SAFE_CHECK: 1, 4;
    /// An attack on an enemy piece that is not guarded, by the kinds of attacker and victim. Several attackers of one
    /// kind count once.
    THREAT_UNGUARDED: PieceKind::COUNT, PieceKind::COUNT;
    /// An attack on a guarded enemy piece, counted in the same way.
    THREAT_GUARDED: PieceKind::COUNT, PieceKind::COUNT;
    /// A piece guarded by a pawn, by its kind.
    GUARDED_BY_PAWN: 1, PieceKind::COUNT;
    /// A piece guarded by any piece, by its kind.
    GUARDED: 1, PieceKind::COUNT;
    /// Rook on an open file (without pawns), or on a half-open one (without own pawns).
    ROOK_FILE: 1, 2;
    /// A knight's leg blocked by an own piece, or by an enemy piece (蹩马腿).
    KNIGHT_LEG: 1, 2;
    /// By number of other own pieces on a cannon's file.
    CANNON_SCREENS: 1, 4;
    /// The advantage of having the move.
    TEMPO: 1, 1;
}

/// The number of weights. [`TEMPO`] is the last group.
pub const COUNT: usize = TEMPO.start + TEMPO.len;

/// The index of the piece-square weight of a piece of `color` on `square`.
#[inline]
pub const fn piece_square(kind: PieceKind, color: Color, square: Square) -> usize {
    let file = if square.file() < 5 { square.file() } else { 8 - square.file() };
    PIECE_SQUARE.start + (kind as usize * RANKS + square.relative_rank(color)) * 5 + file
}

/// The index of the weight of `piece` on `square` by its distances from `king`, the king of `side`. Knights, rooks and
/// cannons have weights for both kings, pawns only for the enemy king; `None` for other pieces. The weight counts for
/// the owner of the piece.
#[inline]
pub const fn by_king(king: Square, side: Color, piece: Piece, square: Square) -> Option<usize> {
    let group = if piece.color() as usize == side as usize { BY_OWN_KING } else { BY_ENEMY_KING };
    let row = match piece.kind() {
        PieceKind::Knight => 0,
        PieceKind::Rook => 1,
        PieceKind::Cannon => 2,
        PieceKind::Pawn => 3,
        _ => return None,
    };
    let rank = square.relative_rank(side) + 2 - king.relative_rank(side);
    let cell = (row * KING_RANKS + rank) * 9 + king.file().abs_diff(square.file());
    if cell < group.len { Some(group.start + cell) } else { None }
}

/// The attacking kinds, in the order of their entries in the groups.
pub const ATTACKERS: [PieceKind; 4] =
    [PieceKind::Knight, PieceKind::Rook, PieceKind::Cannon, PieceKind::Pawn];

const fn w(middlegame: i32, endgame: i32) -> Tapered {
    Tapered::new(middlegame, endgame)
}

/// A sum of weighted terms of one side.
#[derive(Clone, Copy, Debug, Default)]
pub struct TermSum(pub Tapered);

impl TermSum {
    /// Adds the weight of `feature` `count` times.
    #[inline]
    pub fn add(&mut self, feature: usize, count: i32) {
        self.0 += WEIGHTS[feature] * count;
    }
}

/// Every weight, in the order of the groups above.
#[rustfmt::skip]
pub static WEIGHTS: [Tapered; COUNT] = [
    // MATERIAL
    w(0, 0), w(263, 1), w(149, 32), w(699, 175), w(1556, 732), w(510, 150), w(134, 187),
    // PIECE_SQUARE
    w(0, 0), w(0, 0), w(0, 0), w(18, 9), w(88, -4),
    w(0, 0), w(0, 0), w(0, 0), w(-13, 8), w(49, -1),
    w(0, 0), w(0, 0), w(0, 0), w(-91, -3), w(-52, -8),
    w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0),
    w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0),
    w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0),
    w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0),
    w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0),
    w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0),
    w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0),
    w(0, 0), w(0, 0), w(0, 0), w(-8, 1), w(0, 0),
    w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(39, 0),
    w(0, 0), w(0, 0), w(0, 0), w(-31, -1), w(0, 0),
    w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0),
    w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0),
    w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0),
    w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0),
    w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0),
    w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0),
    w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0),
    w(0, 0), w(0, 0), w(10, 2), w(0, 0), w(0, 0),
    w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0),
    w(-30, -3), w(0, 0), w(0, 0), w(0, 0), w(58, 0),
    w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0),
    w(0, 0), w(0, 0), w(-38, 2), w(0, 0), w(0, 0),
    w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0),
    w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0),
    w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0),
    w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0),
    w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0),
    w(-48, -7), w(-60, -36), w(-19, -8), w(-14, -13), w(-24, 0),
    w(-35, -56), w(-17, -8), w(-53, -27), w(-30, 2), w(-16, -42),
    w(-15, -40), w(-24, 8), w(-16, -21), w(19, 10), w(7, -9),
    w(-31, 5), w(-15, -13), w(-19, 10), w(-14, 2), w(43, 17),
    w(-9, 4), w(-20, 11), w(52, 14), w(1, 4), w(29, 11),
    w(12, 8), w(21, 6), w(-5, 16), w(34, 17), w(38, 6),
    w(-28, 1), w(52, 19), w(-8, 2), w(67, 6), w(-20, -1),
    w(45, 14), w(-2, 15), w(21, 10), w(33, 4), w(46, 0),
    w(-19, 8), w(-20, 11), w(93, -19), w(7, -3), w(12, 19),
    w(13, 17), w(-21, -6), w(-31, 10), w(-24, 7), w(8, 15),
    w(-28, -43), w(-6, -1), w(-10, -10), w(-16, 0), w(-13, -8),
    w(-4, -14), w(-8, 6), w(12, -26), w(-6, -24), w(-56, -6),
    w(-35, 0), w(9, 10), w(-3, 1), w(-17, 6), w(-39, 26),
    w(-3, 19), w(27, 3), w(46, -5), w(5, 6), w(-9, 3),
    w(2, -1), w(21, 0), w(22, -12), w(6, -4), w(-9, 4),
    w(-11, 19), w(2, 9), w(11, 16), w(11, -10), w(-13, 8),
    w(-1, 15), w(20, 10), w(47, -9), w(11, 8), w(-7, 11),
    w(-32, 17), w(-9, -2), w(18, -5), w(-23, 19), w(-3, 11),
    w(-6, -1), w(40, -17), w(10, -19), w(-7, 8), w(45, 4),
    w(-1, -9), w(-2, -11), w(-10, -9), w(6, 3), w(20, 6),
    w(-19, 3), w(21, -4), w(-18, -5), w(24, 11), w(46, 12),
    w(7, -3), w(1, -2), w(5, -4), w(-9, 12), w(22, 6),
    w(22, -4), w(-21, -2), w(9, 9), w(5, 12), w(45, 4),
    w(10, -12), w(-26, -4), w(5, -9), w(-18, 10), w(21, 8),
    w(-15, -1), w(20, -18), w(2, -3), w(-26, 0), w(13, 9),
    w(1, -19), w(-35, -7), w(-16, -8), w(-26, -2), w(54, -9),
    w(-1, -11), w(2, -2), w(-5, -7), w(-8, 8), w(6, 9),
    w(3, 12), w(-5, 6), w(-32, -15), w(-19, 18), w(-49, 16),
    w(1, -10), w(-7, -8), w(-16, -4), w(-3, -1), w(-11, 17),
    w(35, 6), w(34, -2), w(-15, 3), w(-6, 9), w(-11, -22),
    w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0),
    w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0),
    w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0),
    w(-61, -5), w(0, 0), w(-54, -33), w(0, 0), w(15, -2),
    w(-70, -6), w(0, 0), w(-31, -18), w(0, 0), w(-9, 4),
    w(-73, 23), w(-26, 31), w(-8, 40), w(33, 50), w(27, 50),
    w(-54, 16), w(-22, 37), w(37, 26), w(9, 50), w(-22, 48),
    w(-37, 6), w(50, -13), w(36, 21), w(20, 61), w(27, 20),
    w(-27, -14), w(77, -18), w(78, 7), w(123, -3), w(45, -7),
    w(-7, -82), w(-2, -84), w(-26, -67), w(-22, -67), w(-28, -72),
    // KNIGHT_MOBILITY
    w(-20, -110), w(-13, -36), w(-8, -5), w(-6, 24), w(1, 28), w(9, 28), w(12, 27), w(16, 21), w(39, 11),
    // ROOK_MOBILITY
    w(-49, -23), w(-42, -79), w(-36, -85), w(-31, -45), w(-16, -17), w(-6, 0), w(-6, 6), w(-3, 18), w(4, 18), w(10, 17), w(9, 21), w(12, 22), w(19, 25), w(23, 28), w(28, 21), w(39, 21), w(32, 21), w(24, 20),
    // CANNON_MOBILITY
    w(-52, -21), w(-33, -25), w(-18, -21), w(-15, -22), w(-14, -5), w(-4, -2), w(-1, -5), w(0, 3), w(3, 2), w(5, 10), w(11, 5), w(16, 7), w(22, 6), w(16, 8), w(17, 13), w(18, 12), w(17, 9), w(23, 2),
    // BISHOP_MOBILITY
    w(9, 0), w(9, -1), w(3, -4), w(-9, -2), w(-19, -4),
    // KING_MOBILITY
    w(-31, -9), w(-24, 8), w(-8, 1), w(32, -1), w(33, -4),
    // PAWN_PAIR
    w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(-4, 6), w(-2, 0), w(7, 10), w(6, 9), w(-3, -3),
    // PAWN_BLOCKED
    w(0, 0), w(0, 0), w(0, 0), w(19, 16), w(0, 0), w(-19, -16), w(0, 0), w(0, 0), w(0, 0), w(0, 0),
    // PAWNS_ACROSS
    w(-72, 10), w(-9, -36), w(37, -22), w(23, 41), w(20, 9), w(0, 0),
    // ADVISORS_AGAINST
    w(-49, 14), w(36, -22), w(-10, 13),
    w(-15, -5), w(-17, -9), w(29, 26),
    w(57, 18), w(-34, 3), w(-34, 4),
    w(5, -20), w(2, -4), w(3, 17),
    // BISHOPS_AGAINST
    w(-43, 3), w(13, -17), w(4, 22),
    w(14, -15), w(-17, -19), w(-3, 51),
    w(-1, 5), w(-11, -10), w(4, 25),
    w(3, -21), w(11, 6), w(-6, 10),
    // OWN_PAIR
    w(-58, -38), w(-6, -10), w(9, -9), w(36, -76), w(-7, 46), w(-5, -1),
    w(0, 0), w(-63, -63), w(-4, -26), w(36, -117), w(-30, -18), w(25, -6),
    w(0, 0), w(0, 0), w(74, 56), w(14, 178), w(-35, 208), w(-18, 78),
    w(0, 0), w(0, 0), w(0, 0), w(-111, -21), w(-22, 125), w(-90, 251),
    w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(-76, 78), w(-13, 88),
    w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 22),
    // ENEMY_PAIR
    w(0, 0), w(-33, 4), w(7, 10), w(40, 45), w(-106, 13), w(4, 31),
    w(0, 0), w(0, 0), w(13, 34), w(-27, 81), w(-11, 43), w(-3, 24),
    w(0, 0), w(0, 0), w(0, 0), w(-66, -114), w(-24, 20), w(-13, 67),
    w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(-39, 140), w(-65, 225),
    w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(-24, 62),
    w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0),
    // ROOK_ON_KING_FILE
    w(0, 0), w(49, 19), w(15, 12), w(5, -3), w(-4, -5),
    // ROOK_ON_KING_RANK
    w(0, 0), w(26, 23), w(-30, -15), w(22, 14), w(0, 0),
    // CANNON_ON_KING_FILE
    w(90, -24), w(0, 0), w(82, 47), w(-34, 29), w(-31, 3),
    // CANNON_ON_KING_RANK
    w(6, -17), w(0, 0), w(37, 31), w(-41, -22), w(0, 0),
    // BARE_CANNON
    w(-56, -4), w(-33, -3), w(12, -32), w(78, -29), w(85, -16), w(0, 18), w(-33, 9), w(22, 13), w(18, 12),
    // BOTTOM_CANNON
    w(1, -4), w(14, -4), w(20, 1),
    // BY_ENEMY_KING
    w(10, 10), w(2, 3), w(19, 15), w(6, 11), w(0, 1), w(0, 6), w(0, 0), w(0, 0), w(0, 0),
    w(4, 8), w(16, 15), w(6, 13), w(-1, 6), w(5, 0), w(-7, -6), w(0, 0), w(0, 0), w(0, 0),
    w(0, 0), w(21, 21), w(46, -3), w(0, 5), w(3, 8), w(-11, -2), w(0, 0), w(0, 0), w(0, 0),
    w(35, -21), w(51, 0), w(88, 10), w(16, 2), w(-4, -5), w(-14, -15), w(0, 0), w(0, 0), w(0, 0),
    w(40, 3), w(60, 15), w(-6, 0), w(34, -6), w(-2, -6), w(-5, -10), w(0, 0), w(0, 0), w(0, 0),
    w(31, 1), w(23, 9), w(23, -2), w(22, 10), w(-25, -5), w(-7, -10), w(0, 0), w(0, 0), w(0, 0),
    w(7, 11), w(22, 8), w(-3, 6), w(-9, -4), w(-5, -11), w(-28, -11), w(0, 0), w(0, 0), w(0, 0),
    w(5, 8), w(-12, 8), w(20, 6), w(-13, 3), w(-10, 5), w(-11, -6), w(0, 0), w(0, 0), w(0, 0),
    w(-6, 8), w(-17, 17), w(-20, 11), w(-26, 5), w(-17, 1), w(13, -15), w(0, 0), w(0, 0), w(0, 0),
    w(2, -2), w(-11, 3), w(-18, -8), w(-27, 10), w(-22, -11), w(-30, 6), w(0, 0), w(0, 0), w(0, 0),
    w(-11, -1), w(-17, -6), w(-9, -10), w(-18, -26), w(-26, -31), w(-25, -17), w(0, 0), w(0, 0), w(0, 0),
    w(-24, -18), w(-15, 1), w(-38, 11), w(-13, -13), w(-23, -6), w(-2, -11), w(0, 0), w(0, 0), w(0, 0),
    w(4, 4), w(26, 37), w(22, 20), w(9, 14), w(2, 4), w(-2, 2), w(0, 0), w(0, 0), w(0, 0),
    w(0, 0), w(43, -8), w(11, -17), w(6, -13), w(-2, -20), w(-2, -4), w(0, 0), w(0, 0), w(0, 0),
    w(0, 0), w(0, 0), w(21, 25), w(15, 3), w(-6, 2), w(-11, -9), w(0, 0), w(0, 0), w(0, 0),
    w(0, 0), w(11, 14), w(17, -6), w(-1, -5), w(8, -12), w(-13, -3), w(0, 0), w(0, 0), w(0, 0),
    w(22, 6), w(30, 20), w(7, 19), w(1, 9), w(-3, 5), w(-2, 0), w(0, 0), w(0, 0), w(0, 0),
    w(27, -2), w(20, 15), w(2, 7), w(-1, 0), w(-15, -4), w(-21, -7), w(0, 0), w(0, 0), w(0, 0),
    w(8, 1), w(13, 4), w(11, -4), w(-17, -8), w(-17, -15), w(-28, -9), w(0, 0), w(0, 0), w(0, 0),
    w(23, -14), w(17, -2), w(10, -4), w(-5, -4), w(-20, -7), w(4, -12), w(0, 0), w(0, 0), w(0, 0),
    w(25, -4), w(10, 7), w(-9, 6), w(-9, 3), w(-14, -3), w(3, -15), w(0, 0), w(0, 0), w(0, 0),
    w(-9, 21), w(7, 19), w(2, 9), w(-14, 1), w(-16, -7), w(-51, 3), w(0, 0), w(0, 0), w(0, 0),
    w(-17, 11), w(-3, 12), w(-22, -4), w(-17, -19), w(-24, -38), w(-47, -17), w(0, 0), w(0, 0), w(0, 0),
    w(-13, 0), w(32, 9), w(14, 6), w(2, -14), w(-10, -28), w(-32, 1), w(0, 0), w(0, 0), w(0, 0),
    w(-4, 1), w(0, -3), w(1, 2), w(-2, -9), w(3, -7), w(-11, -6), w(0, 0), w(0, 0), w(0, 0),
    w(-20, 1), w(-30, -17), w(0, -2), w(-25, -14), w(13, -11), w(-13, -9), w(0, 0), w(0, 0), w(0, 0),
    w(0, 0), w(-12, -13), w(-51, -4), w(-10, 1), w(63, 3), w(15, 6), w(0, 0), w(0, 0), w(0, 0),
    w(-36, -5), w(4, 0), w(-5, 2), w(6, -4), w(14, -12), w(-13, -12), w(0, 0), w(0, 0), w(0, 0),
    w(-27, -3), w(-5, -6), w(0, -9), w(4, -10), w(4, 1), w(-7, -5), w(0, 0), w(0, 0), w(0, 0),
    w(18, 19), w(-2, -4), w(-9, -4), w(4, 5), w(-1, 9), w(-1, -5), w(0, 0), w(0, 0), w(0, 0),
    w(7, 16), w(0, 3), w(-15, 1), w(-1, 5), w(-9, 10), w(-20, 0), w(0, 0), w(0, 0), w(0, 0),
    w(19, 10), w(12, -6), w(-10, -1), w(-5, 3), w(0, 10), w(-5, 1), w(0, 0), w(0, 0), w(0, 0),
    w(46, -14), w(-11, -1), w(7, 3), w(-9, -3), w(-6, 7), w(-1, -1), w(0, 0), w(0, 0), w(0, 0),
    w(34, 19), w(7, 3), w(14, 3), w(10, -2), w(10, 8), w(7, 2), w(0, 0), w(0, 0), w(0, 0),
    w(30, 3), w(-5, -2), w(19, -1), w(-3, 1), w(-3, -1), w(-19, -3), w(0, 0), w(0, 0), w(0, 0),
    w(41, 0), w(9, 6), w(3, 10), w(8, -5), w(-2, 4), w(-10, -2), w(0, 0), w(0, 0), w(0, 0),
    w(-18, -36), w(-18, -41), w(-10, -19), w(-5, -24), w(-2, -31), w(-2, -23), w(0, 0), w(0, 0), w(0, 0),
    w(-9, -21), w(-5, -18), w(19, -8), w(16, -12), w(0, -21), w(-1, -5), w(0, 0), w(0, 0), w(0, 0),
    w(0, 0), w(0, 0), w(78, 4), w(9, 4), w(-10, 9), w(-7, 15), w(0, 0), w(0, 0), w(0, 0),
    w(0, 0), w(145, 5), w(92, 7), w(61, 8), w(4, 18), w(1, 13), w(0, 0), w(0, 0), w(0, 0),
    w(59, 22), w(46, 24), w(33, 17), w(9, 17), w(-4, 18), w(-20, 16), w(0, 0), w(0, 0), w(0, 0),
    w(22, 15), w(6, 20), w(-4, 16), w(-4, 16), w(-20, 23), w(-13, 23), w(0, 0), w(0, 0), w(0, 0),
    w(-9, 2), w(-3, -2), w(1, -8), w(-25, 11), w(-15, 10), w(13, 2), w(0, 0), w(0, 0), w(0, 0),
    w(-33, 8), w(-37, 1), w(-20, -13), w(-18, -2), w(-27, 3), w(-20, 7), w(0, 0), w(0, 0), w(0, 0),
    w(-45, -22), w(-45, -11), w(-29, -14), w(-36, 1), w(-41, -10), w(-48, 6), w(0, 0), w(0, 0), w(0, 0),
    w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0),
    w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0),
    w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0), w(0, 0),
    // BY_OWN_KING
    w(0, 1), w(-9, -6), w(-21, -11), w(-24, -1), w(-5, -8), w(0, 0), w(0, 0), w(0, 0), w(0, 0),
    w(-11, -3), w(-19, -7), w(-47, -11), w(-36, -13), w(-36, -16), w(-4, -5), w(0, 0), w(0, 0), w(0, 0),
    w(0, 0), w(-13, -1), w(-14, -22), w(-24, -19), w(-19, -18), w(-15, 3), w(0, 0), w(0, 0), w(0, 0),
    w(6, -6), w(-6, -7), w(7, -13), w(-22, -4), w(-21, -19), w(-38, 1), w(0, 0), w(0, 0), w(0, 0),
    w(-10, -2), w(24, 1), w(11, -16), w(13, -4), w(2, -1), w(-13, -10), w(0, 0), w(0, 0), w(0, 0),
    w(-7, 0), w(37, -3), w(15, 9), w(4, -2), w(-12, -3), w(-9, -8), w(0, 0), w(0, 0), w(0, 0),
    w(13, 10), w(47, 0), w(19, 8), w(28, -1), w(1, 8), w(13, -2), w(0, 0), w(0, 0), w(0, 0),
    w(4, 7), w(9, 14), w(12, 5), w(10, 10), w(-1, 2), w(-14, -4), w(0, 0), w(0, 0), w(0, 0),
    w(-4, 10), w(33, 14), w(20, 11), w(27, 8), w(10, 2), w(-16, 0), w(0, 0), w(0, 0), w(0, 0),
    w(8, 12), w(46, 11), w(10, 10), w(14, 7), w(-5, 8), w(12, 1), w(0, 0), w(0, 0), w(0, 0),
    w(10, 9), w(27, 10), w(50, 1), w(24, 5), w(0, 6), w(-17, -3), w(0, 0), w(0, 0), w(0, 0),
    w(-2, 0), w(-21, -3), w(-31, 22), w(1, -3), w(-6, 10), w(7, 7), w(0, 0), w(0, 0), w(0, 0),
    w(0, 0), w(-6, -7), w(-11, -4), w(-28, -11), w(-14, -9), w(-9, -6), w(0, 0), w(0, 0), w(0, 0),
    w(-4, -5), w(-6, -9), w(-10, -9), w(-11, -16), w(-22, -19), w(-54, -11), w(0, 0), w(0, 0), w(0, 0),
    w(0, 0), w(-17, -16), w(-13, -30), w(-8, -14), w(-9, -22), w(-29, 5), w(0, 0), w(0, 0), w(0, 0),
    w(21, 23), w(-13, 7), w(-12, 1), w(6, 2), w(-17, 17), w(0, 3), w(0, 0), w(0, 0), w(0, 0),
    w(11, 15), w(10, -2), w(-4, 8), w(2, -4), w(13, -6), w(11, 3), w(0, 0), w(0, 0), w(0, 0),
    w(30, 15), w(5, 8), w(7, -6), w(-10, 8), w(-1, 2), w(-11, 4), w(0, 0), w(0, 0), w(0, 0),
    w(23, 20), w(5, 18), w(1, 9), w(11, 2), w(8, 3), w(-9, -1), w(0, 0), w(0, 0), w(0, 0),
    w(32, 19), w(1, 11), w(8, -2), w(15, -2), w(10, 6), w(-19, 1), w(0, 0), w(0, 0), w(0, 0),
    w(14, 9), w(3, 2), w(17, -6), w(3, -3), w(16, -5), w(-2, 1), w(0, 0), w(0, 0), w(0, 0),
    w(36, 2), w(-17, 6), w(-8, 0), w(-16, 7), w(-9, 8), w(-12, -6), w(0, 0), w(0, 0), w(0, 0),
    w(53, -2), w(6, -3), w(18, -4), w(5, -2), w(-23, 9), w(-17, -11), w(0, 0), w(0, 0), w(0, 0),
    w(37, -5), w(-15, 0), w(3, 1), w(21, -10), w(15, -11), w(-9, 0), w(0, 0), w(0, 0), w(0, 0),
    w(-1, 13), w(-3, 7), w(-8, 1), w(-6, -5), w(5, 11), w(-1, -4), w(0, 0), w(0, 0), w(0, 0),
    w(-10, 3), w(-17, 5), w(16, -3), w(-25, 4), w(7, 3), w(5, 0), w(0, 0), w(0, 0), w(0, 0),
    w(0, 0), w(27, -11), w(12, -11), w(-15, -1), w(-17, -3), w(-22, 2), w(0, 0), w(0, 0), w(0, 0),
    w(19, -2), w(19, 0), w(3, 0), w(7, 0), w(17, -1), w(9, 1), w(0, 0), w(0, 0), w(0, 0),
    w(3, -3), w(23, -5), w(-2, 6), w(12, 12), w(-3, 5), w(15, -8), w(0, 0), w(0, 0), w(0, 0),
    w(7, -12), w(18, -10), w(15, -13), w(12, -11), w(-10, -2), w(-3, -3), w(0, 0), w(0, 0), w(0, 0),
    w(-7, -9), w(11, -4), w(-8, 4), w(-14, 1), w(-8, 8), w(9, 4), w(0, 0), w(0, 0), w(0, 0),
    w(-24, 7), w(6, -8), w(0, 2), w(0, 9), w(16, -2), w(7, 8), w(0, 0), w(0, 0), w(0, 0),
    w(-2, -12), w(-7, -6), w(-3, -6), w(-13, 3), w(5, -9), w(22, 12), w(0, 0), w(0, 0), w(0, 0),
    w(-35, 16), w(-24, -1), w(2, 2), w(-32, -4), w(-1, 1), w(-3, -3), w(0, 0), w(0, 0), w(0, 0),
    w(-1, -14), w(-29, -2), w(-9, -3), w(-15, 4), w(1, 2), w(17, 14), w(0, 0), w(0, 0), w(0, 0),
    w(15, -8), w(-10, -17), w(11, 1), w(19, -5), w(4, -4), w(-6, 1), w(0, 0), w(0, 0), w(0, 0),
    // ROOK_LINE_BLOCKER
    w(0, 0), w(1, 2), w(-1, -1), w(42, 48), w(0, 0), w(55, 23), w(4, 16),
    w(0, 0), w(-25, -7), w(2, -14), w(2, 1), w(25, -2), w(-21, -17), w(-7, -5),
    // CANNON_LINE_BLOCKER
    w(-4, -9), w(34, -23), w(-13, -11), w(67, 17), w(235, 64), w(47, 9), w(-40, 15),
    w(0, 0), w(-29, -17), w(-51, -25), w(34, 42), w(54, 48), w(-29, 51), w(-58, -13),
    // KNIGHT_ON_PALACE
    w(0, 0), w(27, 5), w(7, 21), w(0, 0), w(0, 0),
    // ROOK_ON_PALACE
    w(0, 0), w(-27, 10), w(-18, 17), w(-7, 10), w(21, -4), w(0, 0), w(0, 0),
    // CANNON_ON_PALACE
    w(0, 0), w(8, 4), w(0, 6), w(-7, 18), w(0, 0), w(0, 0), w(0, 0),
    // PAWN_ON_PALACE
    w(0, 0), w(53, -9), w(114, -13), w(73, 12),
    // KING_DANGER
    w(-42, 28), w(1, 8), w(-51, -12), w(-40, -2), w(-46, -9), w(-36, -15), w(-24, -26), w(-26, -26),
    w(-27, -24), w(-15, -18), w(-5, -28), w(18, -37), w(3, -16), w(19, -10), w(27, 3), w(35, 11),
    w(34, 21), w(29, 18), w(43, 45), w(44, 38), w(28, 23), w(24, 15), w(7, 7), w(6, 4),
    w(0, -1), w(-2, -1), w(0, 0), w(0, 0), w(1, 1), w(0, 0), w(0, 0), w(0, 0),
    // SAFE_CHECK
    w(173, -26), w(84, -2), w(37, 23), w(31, -13),
    // THREAT_UNGUARDED
    w(0, 0), w(0, 0), w(0, 0), w(-1, 42), w(0, 0), w(55, 8), w(3, 8),
    w(0, 0), w(0, 0), w(0, 0), w(36, 26), w(57, -7), w(43, 17), w(26, 22),
    w(0, 0), w(0, 0), w(0, 0), w(25, 9), w(13, -4), w(88, 25), w(52, 28),
    w(0, 0), w(20, 20), w(44, 17), w(47, 11), w(54, -14), w(66, 20), w(29, 34),
    w(0, 0), w(52, 4), w(40, 21), w(97, 36), w(15, -14), w(103, 51), w(19, 34),
    w(0, 0), w(18, 21), w(63, 22), w(77, 40), w(99, 51), w(-6, -5), w(19, 50),
    w(0, 0), w(35, 28), w(62, 17), w(77, 51), w(43, 31), w(65, 28), w(29, 26),
    // THREAT_GUARDED
    w(0, 0), w(0, 0), w(0, 0), w(-3, -23), w(0, 0), w(4, 20), w(7, 14),
    w(0, 0), w(0, 0), w(0, 0), w(25, 19), w(3, -3), w(12, 5), w(27, 28),
    w(0, 0), w(0, 0), w(0, 0), w(27, 14), w(16, 5), w(71, 27), w(20, 43),
    w(0, 0), w(-13, -2), w(-3, 5), w(58, 26), w(47, 9), w(78, 28), w(3, 26),
    w(0, 0), w(6, 0), w(2, 4), w(34, 35), w(-16, 13), w(37, 62), w(-1, 32),
    w(0, 0), w(13, 16), w(18, 5), w(37, 86), w(114, 42), w(13, 5), w(4, 27),
    w(0, 0), w(34, -5), w(70, 6), w(145, 74), w(41, 13), w(114, 54), w(19, 54),
    // GUARDED_BY_PAWN
    w(0, 0), w(0, 0), w(-1, -41), w(-33, 40), w(-12, 1), w(11, 12), w(32, -18),
    // GUARDED
    w(0, 0), w(21, 3), w(12, 5), w(18, 2), w(13, 0), w(15, 8), w(-2, 13),
    // ROOK_FILE
    w(14, 2), w(8, 13),
    // KNIGHT_LEG
    w(-11, -9), w(-26, 4),
    // CANNON_SCREENS
    w(-7, -4), w(4, -7), w(10, -10), w(8, 1),
    // TEMPO
    w(73, 3),
];
