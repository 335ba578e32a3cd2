//! Incrementally updated material and piece-square values.

use super::features::WEIGHTS;
use super::features::{MATERIAL, by_king, piece_square};
use super::tapered::Tapered;
use crate::board::{ByColor, Color, Observer, Piece, PieceKind, Position, Square};

type PieceSquareTable = [[Tapered; Square::COUNT]; Piece::COUNT];

/// Material and piece-square value by piece and square, positive for red.
static PIECE_SQUARE: PieceSquareTable = piece_square_table();

/// Game phase weight of each kind.
const PHASE: [i32; PieceKind::COUNT] = [0, 0, 0, 2, 4, 2, 0];

const fn piece_square_table() -> PieceSquareTable {
    let mut table = [[Tapered::ZERO; Square::COUNT]; Piece::COUNT];
    let mut index = 0;
    while index < Piece::COUNT * Square::COUNT {
        let piece = Piece::ALL[index / Square::COUNT];
        let square = square_at(index % Square::COUNT);
        let square_value = WEIGHTS[piece_square(piece.kind(), piece.color(), square)];
        let value = WEIGHTS[MATERIAL.at(piece.kind() as usize)].plus(square_value);
        table[piece.index()][square.index()] = for_red(value, piece);
        index += 1;
    }
    table
}

/// Number of palace squares.
const PALACE: usize = 9;

/// King-relative value of every piece on every square, by side and palace square of the king; positive for red.
static BY_KING: ByColor<[PieceSquareTable; PALACE]> =
    ByColor::new(king_tables(Color::Red), king_tables(Color::Black));

/// Palace index of a king's square, from the owner's point of view.
#[inline]
const fn palace_point(king: Square, side: Color) -> usize {
    king.relative_rank(side) * 3 + king.file() - 3
}

const fn king_tables(side: Color) -> [PieceSquareTable; PALACE] {
    let mut tables = [[[Tapered::ZERO; Square::COUNT]; Piece::COUNT]; PALACE];
    let mut king = 0;
    while king < Square::COUNT {
        let king_square = square_at(king);
        king += 1;
        if king_square.file() < 3 || king_square.file() > 5 || king_square.relative_rank(side) > 2 {
            continue;
        }
        let table = &mut tables[palace_point(king_square, side)];
        let mut index = 0;
        while index < Piece::COUNT * Square::COUNT {
            let piece = Piece::ALL[index / Square::COUNT];
            let square = square_at(index % Square::COUNT);
            if let Some(feature) = by_king(king_square, side, piece, square) {
                table[piece.index()][square.index()] = for_red(WEIGHTS[feature], piece);
            }
            index += 1;
        }
    }
    tables
}

/// A value of the piece's owner from red's point of view.
const fn for_red(value: Tapered, piece: Piece) -> Tapered {
    match piece.color() {
        Color::Red => value,
        Color::Black => Tapered::new(-value.middlegame(), -value.endgame()),
    }
}

const fn square_at(index: usize) -> Square {
    match Square::from_index(index) {
        Some(square) => square,
        None => unreachable!(),
    }
}

/// The game phase: 32 with the rooks, knights and cannons of both sets on the board, 0 with none.
#[inline]
pub fn phase(position: &Position) -> i32 {
    let kinds = PieceKind::ALL.into_iter().zip(PHASE);
    kinds.fold(0, |sum, (kind, weight)| match weight {
        0 => sum,
        _ => sum + weight * position.kind(kind).len() as i32,
    })
}

/// Number of pieces of each kind and side, four bits each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct MaterialKey(u64);

impl MaterialKey {
    const fn unit(piece: Piece) -> u64 {
        1 << (4 * piece.index())
    }

    /// The hash of the key.
    #[inline]
    pub const fn hash(self) -> usize {
        // Fibonacci hashing: the golden ratio as a fraction of 2^64.
        (self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize
    }
}

/// The incremental part of the evaluation, from red's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct PieceSquareAccumulator {
    /// Material and piece-square value.
    pub full: Tapered,
    /// Phase: 32 with all rooks, knights and cannons on the board, 0 with none.
    pub phase: i32,
    /// Piece counts.
    pub counts: MaterialKey,
    /// King-relative values, by king.
    views: ByColor<SideView>,
}

/// Sum of the values relative to one king.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
struct SideView {
    sum: Tapered,
    point: u8,
    /// Recomputes the sum after the king has moved.
    stale: bool,
}

impl SideView {
    fn new(position: &Position, side: Color) -> Self {
        let point = palace_point(position.king(side), side);
        let table = &BY_KING[side][point];
        let sum = position
            .occupied()
            .into_iter()
            .filter_map(|square| Some((position.piece_on(square)?, square)))
            .fold(Tapered::ZERO, |sum, (piece, square)| {
                sum + table[piece.index()][square.index()]
            });
        Self {
            sum,
            point: point as u8,
            stale: false,
        }
    }
}

impl PieceSquareAccumulator {
    /// Computes the sums of a position.
    pub fn new(position: &Position) -> Self {
        let mut sum = Self::default();
        for square in position.occupied() {
            if let Some(piece) = position.piece_on(square) {
                sum.added(piece, square);
            }
        }
        sum.views = ByColor::from_fn(|side| SideView::new(position, side));
        sum
    }

    /// The sum of the king-relative values.
    #[inline]
    pub fn around_kings(&self) -> Tapered {
        self.views[Color::Red].sum + self.views[Color::Black].sum
    }

    #[inline]
    fn views_of(&self, piece: Piece, square: Square) -> ByColor<Tapered> {
        ByColor::from_fn(|side| {
            let point = usize::from(self.views[side].point);
            BY_KING[side][point][piece.index()][square.index()]
        })
    }
}

impl Observer for PieceSquareAccumulator {
    #[inline]
    fn added(&mut self, piece: Piece, square: Square) {
        self.full += PIECE_SQUARE[piece.index()][square.index()];
        self.phase += PHASE[piece.kind().index()];
        self.counts.0 += MaterialKey::unit(piece);
        let seen = self.views_of(piece, square);
        for (view, seen) in self.views.iter_mut().zip(seen.0) {
            view.sum += seen;
        }
        if piece.kind() == PieceKind::King {
            self.views[piece.color()].stale = true;
        }
    }

    #[inline]
    fn removed(&mut self, piece: Piece, square: Square) {
        self.full -= PIECE_SQUARE[piece.index()][square.index()];
        self.phase -= PHASE[piece.kind().index()];
        self.counts.0 -= MaterialKey::unit(piece);
        let seen = self.views_of(piece, square);
        for (view, seen) in self.views.iter_mut().zip(seen.0) {
            view.sum -= seen;
        }
    }

    #[inline]
    fn completed(&mut self, position: &Position) {
        for side in Color::ALL {
            if self.views[side].stale {
                self.views[side] = SideView::new(position, side);
            }
        }
    }
}
