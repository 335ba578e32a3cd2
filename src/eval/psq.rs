//! Material and piece-square sums, kept up while moves are played.

use super::features::{MATERIAL, piece_square};
use super::tapered::Tapered;
use super::weights::WEIGHTS;
use crate::board::{Color, Observer, Piece, PieceKind, Position, Square};

type Table = [[Tapered; Square::COUNT]; Piece::COUNT];

/// Material and piece-square value by piece and square, positive for red.
static PIECE_SQUARE: Table = table(true);
/// Material alone.
static MATERIAL_ONLY: Table = table(false);

/// What each kind adds to the phase of the game.
const PHASE: [i32; PieceKind::COUNT] = [0, 0, 0, 2, 4, 2, 0];

const fn table(with_squares: bool) -> Table {
    let mut table = [[Tapered::ZERO; Square::COUNT]; Piece::COUNT];
    let mut index = 0;
    while index < Piece::COUNT * Square::COUNT {
        let piece = Piece::ALL[index / Square::COUNT];
        let square = match Square::from_index(index % Square::COUNT) {
            Some(square) => square,
            None => unreachable!(),
        };
        let mut value = WEIGHTS[MATERIAL.at(piece.kind() as usize)];
        if with_squares {
            value = value.plus(WEIGHTS[piece_square(piece.kind(), piece.color(), square)]);
        }
        table[piece.index()][square.index()] = match piece.color() {
            Color::Red => value,
            Color::Black => Tapered::new(-value.middlegame(), -value.endgame()),
        };
        index += 1;
    }
    table
}

/// The incremental part of the evaluation, from red's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct PieceSquareSum {
    /// Material and squares.
    pub full: Tapered,
    /// Material.
    pub material: Tapered,
    /// Phase: 32 with all rooks, knights and cannons on the board, 0 with none.
    pub phase: i32,
}

impl PieceSquareSum {
    /// The sums of a position.
    pub fn new(position: &Position) -> Self {
        let mut sum = Self::default();
        for square in position.occupied() {
            if let Some(piece) = position.piece_on(square) {
                sum.added(piece, square);
            }
        }
        sum
    }
}

impl Observer for PieceSquareSum {
    #[inline]
    fn added(&mut self, piece: Piece, square: Square) {
        self.full += PIECE_SQUARE[piece.index()][square.index()];
        self.material += MATERIAL_ONLY[piece.index()][square.index()];
        self.phase += PHASE[piece.kind().index()];
    }

    #[inline]
    fn removed(&mut self, piece: Piece, square: Square) {
        self.full -= PIECE_SQUARE[piece.index()][square.index()];
        self.material -= MATERIAL_ONLY[piece.index()][square.index()];
        self.phase -= PHASE[piece.kind().index()];
    }
}
