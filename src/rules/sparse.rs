//! Random positions for property tests.

use proptest::prelude::*;

use crate::board::{Color, Piece, PieceKind, Position, Setup, Square};

/// Positions with few pieces, near each other's kings as far as they go.
pub(super) fn sparse_positions() -> impl Strategy<Value = Position> {
    let piece = (0..Piece::COUNT, 0..Square::COUNT);
    let kings = (3..6usize, 0..3usize, 3..6usize, 7..10usize);
    (kings, prop::collection::vec(piece, 2..14), any::<bool>()).prop_filter_map(
        "legal positions",
        |((red_file, red_rank, black_file, black_rank), pieces, black)| {
            let mut setup = Setup::empty();
            setup.side_to_move = if black { Color::Black } else { Color::Red };
            for (piece, square) in pieces {
                setup.squares[square] = Piece::from_index(piece);
            }
            for square in &mut setup.squares {
                if square.is_some_and(|p| p.kind() == PieceKind::King) {
                    *square = None;
                }
            }
            let red = Square::new(red_file, red_rank)?;
            let black = Square::new(black_file, black_rank)?;
            setup.squares[red.index()] = Some(Piece::RedKing);
            setup.squares[black.index()] = Some(Piece::BlackKing);
            for square in Square::all() {
                let piece = setup.squares[square.index()];
                if piece.is_some_and(|p| !can_stand(p, square)) {
                    setup.squares[square.index()] = None;
                }
            }
            Position::try_from(&setup).ok()
        },
    )
}

fn can_stand(piece: Piece, square: Square) -> bool {
    let (file, rank) = (square.file(), square.relative_rank(piece.color()));
    match piece.kind() {
        PieceKind::Advisor => {
            matches!((file, rank), (3 | 5, 0 | 2) | (4, 1))
        }
        PieceKind::Bishop => matches!((file, rank), (2 | 6, 0 | 4) | (0 | 4 | 8, 2)),
        PieceKind::Pawn => rank >= 5 || rank >= 3 && file % 2 == 0,
        _ => true,
    }
}
