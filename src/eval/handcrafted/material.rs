//! Material, piece-square and king-relative values, and a cache of the terms that depend only on the material.

use std::cell::Cell;

use super::features::{
    ADVISORS_AGAINST, ATTACKERS, BISHOPS_AGAINST, ENEMY_PAIR, MATERIAL, OWN_PAIR, TermSum, WEIGHTS,
    by_king, piece_square,
};
use super::tapered::Tapered;
use crate::board::{ByColor, Color, Piece, PieceKind, Position, Square};

type PieceSquareTable = [[Tapered; Square::COUNT]; Piece::COUNT];

/// Material and piece-square value by piece and square, positive for red.
static PIECE_SQUARE: PieceSquareTable = piece_square_table();

/// The share of each piece in the game phase, by kind.
const PHASE: [i32; PieceKind::COUNT] = [0, 0, 0, 2, 4, 2, 0];

const fn piece_square_table() -> PieceSquareTable {
    let mut table = [[Tapered::ZERO; Square::COUNT]; Piece::COUNT];
    let mut index = 0;
    while index < Piece::COUNT * Square::COUNT {
        let piece = Piece::ALL[index / Square::COUNT];
        let square = Square::ALL[index % Square::COUNT];
        let square_value = WEIGHTS[piece_square(piece.kind(), piece.color(), square)];
        let value = WEIGHTS[MATERIAL.at(piece.kind() as usize)].plus(square_value);
        table[piece.index()][square.index()] = for_red(value, piece);
        index += 1;
    }
    table
}

const PALACE_SQUARES: usize = 9;

/// King-relative value of every piece on every square, by side and palace square of the king; positive for red.
static BY_KING: ByColor<[PieceSquareTable; PALACE_SQUARES]> =
    ByColor::new(king_tables(Color::Red), king_tables(Color::Black));

/// The index of a king's square within its palace, 0 to 8, from the owner's point of view.
#[inline]
const fn palace_index(king: Square, side: Color) -> usize {
    king.relative_rank(side) * 3 + king.file() - 3
}

const fn king_tables(side: Color) -> [PieceSquareTable; PALACE_SQUARES] {
    let mut tables = [[[Tapered::ZERO; Square::COUNT]; Piece::COUNT]; PALACE_SQUARES];
    let mut king = 0;
    while king < Square::COUNT {
        let king_square = Square::ALL[king];
        king += 1;
        if king_square.file() < 3 || king_square.file() > 5 || king_square.relative_rank(side) > 2 {
            continue;
        }
        let table = &mut tables[palace_index(king_square, side)];
        let mut index = 0;
        while index < Piece::COUNT * Square::COUNT {
            let piece = Piece::ALL[index / Square::COUNT];
            let square = Square::ALL[index % Square::COUNT];
            if let Some(feature) = by_king(king_square, side, piece, square) {
                table[piece.index()][square.index()] = for_red(WEIGHTS[feature], piece);
            }
            index += 1;
        }
    }
    tables
}

/// Converts a value from the point of view of the owner of a piece to that of red.
const fn for_red(value: Tapered, piece: Piece) -> Tapered {
    match piece.color() {
        Color::Red => value,
        Color::Black => Tapered::new(-value.middlegame(), -value.endgame()),
    }
}

/// The game phase: 32 with the rooks, knights and cannons of both sets on the board, 0 with none.
#[inline]
pub fn phase(position: &Position) -> i32 {
    let kinds = PieceKind::ALL.into_iter().zip(PHASE);
    kinds.map(|(kind, weight)| weight * position.kind(kind).len() as i32).sum()
}

/// Sums over the pieces of a position, from red's point of view.
#[derive(Default)]
pub struct PieceSums {
    /// Material and piece-square value.
    pub piece_squares: Tapered,
    /// The values relative to both kings.
    pub king_relative: Tapered,
    /// The number of pieces of each kind and side, four bits each.
    pub counts: u64,
}

impl PieceSums {
    #[inline]
    pub fn new(position: &Position) -> Self {
        let [red_king, black_king] =
            Color::ALL.map(|side| &BY_KING[side][palace_index(position.king(side), side)]);
        let mut sums = Self::default();
        for square in position.occupied() {
            if let Some(piece) = position.piece_on(square) {
                let (row, column) = (piece.index(), square.index());
                sums.piece_squares += PIECE_SQUARE[row][column];
                sums.king_relative += red_king[row][column] + black_king[row][column];
                sums.counts += 1 << (4 * row);
            }
        }
        sums
    }
}

/// The material terms of a position, from red's point of view: defenders against attackers, and pairs of pieces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MaterialValue {
    /// The [`PieceSums::counts`] of the position.
    counts: u64,
    /// See [`defenders`].
    pub defenders: Tapered,
    /// See [`pairs`].
    pub pairs: Tapered,
}

impl MaterialValue {
    fn new(position: &Position, counts: u64) -> Self {
        let mut value = Self { counts, ..Self::default() };
        for us in Color::ALL {
            let (mut defender_terms, mut pair_terms) = (TermSum::default(), TermSum::default());
            defenders(position, us, &mut defender_terms);
            pairs(position, us, &mut pair_terms);
            value.defenders += defender_terms.0 * us.sign();
            value.pairs += pair_terms.0 * us.sign();
        }
        value
    }
}

/// A cache of material terms, which change only with captures and promotions.
#[derive(Clone, Debug)]
pub struct MaterialTable(Box<[Cell<MaterialValue>]>);

impl MaterialTable {
    const LEN: usize = 1 << 13;

    /// The value for the pieces of a position with these [`PieceSums::counts`].
    #[inline]
    pub fn value(&self, position: &Position, counts: u64) -> MaterialValue {
        // Fibonacci hashing: the golden ratio as a fraction of 2^64.
        let hash = (counts.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize;
        let cell = &self.0[hash % Self::LEN];
        let known = cell.get();
        if known.counts == counts {
            return known;
        }
        let value = MaterialValue::new(position, counts);
        cell.set(value);
        value
    }
}

impl Default for MaterialTable {
    fn default() -> Self {
        Self(vec![Cell::default(); Self::LEN].into())
    }
}

/// Own advisors and bishops against the remaining attackers of the enemy (缺士怕车, 缺象怕炮).
fn defenders(position: &Position, us: Color, terms: &mut TermSum) {
    let advisors = count(position, us, PieceKind::Advisor) as usize;
    let bishops = count(position, us, PieceKind::Bishop) as usize;
    for (row, kind) in ATTACKERS.into_iter().enumerate() {
        let count = count(position, !us, kind);
        if count > 0 {
            terms.add(ADVISORS_AGAINST.at(3 * row + advisors), count);
            terms.add(BISHOPS_AGAINST.at(3 * row + bishops), count);
        }
    }
}

/// Products of piece counts, a quadratic form in the material of both sides.
fn pairs(position: &Position, us: Color, terms: &mut TermSum) {
    let counts = |color: Color| -> [i32; 6] {
        std::array::from_fn(|i| count(position, color, PieceKind::ALL[i + 1]))
    };
    let (own, theirs) = (counts(us), counts(!us));
    for a in 0..6 {
        if own[a] == 0 {
            continue;
        }
        for b in a..6 {
            let pairs = if a == b { own[a] * (own[a] - 1) / 2 } else { own[a] * own[b] };
            if pairs != 0 {
                terms.add(OWN_PAIR.at(6 * a + b), pairs);
            }
            if a != b && theirs[b] != 0 {
                terms.add(ENEMY_PAIR.at(6 * a + b), own[a] * theirs[b]);
            }
        }
    }
}

/// The number of pieces of a kind, at most that of a full set, for which the weights are tuned.
fn count(position: &Position, color: Color, kind: PieceKind) -> i32 {
    position.pieces(color, kind).len().min(kind.max_per_side()) as i32
}
