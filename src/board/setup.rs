//! Unchecked board descriptions.

use super::color::Color;
use super::piece::{Piece, PieceKind};
use super::square::{FILES, Square};

/// A description of a board, legal or not. [`Position::try_from`](super::Position) checks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The piece on each square, by square index.
    pub squares: [Option<Piece>; Square::COUNT],
    /// The side to move.
    pub side_to_move: Color,
    /// Plies since the last capture.
    pub halfmove_clock: u16,
    /// Number of the move, from 1, incremented after black's move.
    pub fullmove_number: u16,
    /// Whether advisors and bishops may promote to pawns on their own back rank (a variant that also
    /// allows pawns on the squares ahead of those).
    pub promotion: bool,
}

impl Setup {
    /// An empty board, red to move.
    pub const fn empty() -> Self {
        Self {
            squares: [None; Square::COUNT],
            side_to_move: Color::Red,
            halfmove_clock: 0,
            fullmove_number: 1,
            promotion: false,
        }
    }

    /// The starting position of a game (开局).
    pub fn startpos() -> Self {
        use PieceKind::{Advisor, Bishop, Cannon, King, Knight, Pawn, Rook};
        const BACK_RANK: [PieceKind; FILES] = [
            Rook, Knight, Bishop, Advisor, King, Advisor, Bishop, Knight, Rook,
        ];
        let on_rank = |rank: usize, kinds: [Option<PieceKind>; FILES]| {
            (0..FILES).filter_map(move |file| Some((Square::new(file, rank)?, kinds[file]?)))
        };
        let mut cannons = [None; FILES];
        let mut pawns = [None; FILES];
        (cannons[1], cannons[7]) = (Some(Cannon), Some(Cannon));
        for file in (0..FILES).step_by(2) {
            pawns[file] = Some(Pawn);
        }
        let mut setup = Self::empty();
        for (square, kind) in on_rank(0, BACK_RANK.map(Some))
            .chain(on_rank(2, cannons))
            .chain(on_rank(3, pawns))
        {
            setup.squares[square.index()] = Some(Piece::new(kind, Color::Red));
            setup.squares[square.flip_rank().index()] = Some(Piece::new(kind, Color::Black));
        }
        setup
    }

    /// The pieces with their squares, a0 to i9.
    pub fn pieces(&self) -> impl Iterator<Item = (Square, Piece)> + '_ {
        Square::all().filter_map(|square| Some((square, self.squares[square.index()]?)))
    }
}
