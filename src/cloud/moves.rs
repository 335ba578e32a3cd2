//! Legal moves in the order of the public library.

use crate::board::{Move, PieceKind, Position, Square};
use crate::movegen::legal_moves;

/// Square index in this order: i0 is 0, a9 is 89.
const fn number(square: Square) -> usize {
    9 * square.rank() + 8 - square.file()
}

/// Legal moves grouped by piece: king, advisors, bishops, knights, rooks, cannons, pawns forward, pawns towards
/// file a, pawns towards file i. Each group is sorted by origin, then by destination, starting at i0; pawn moves by
/// destination only.
pub fn ordered_moves(position: &Position) -> Vec<Move> {
    let mut moves: Vec<Move> = legal_moves(position).into_iter().collect();
    moves.sort_by_key(|m| {
        let (from, to) = (m.from(), m.to());
        match position.piece_on(from).map(|piece| piece.kind()) {
            Some(PieceKind::Pawn) => {
                let sideways = to.file().cmp(&from.file());
                let group = match sideways {
                    std::cmp::Ordering::Equal => 6,
                    std::cmp::Ordering::Less => 7,
                    std::cmp::Ordering::Greater => 8,
                };
                (group, number(to), 0)
            }
            kind => (kind.map_or(9, PieceKind::index), number(from), number(to)),
        }
    });
    moves
}

/// Whether workers search a position: it needs at least ten pieces, at least four of them rooks, knights or
/// cannons.
pub fn is_eligible(position: &Position) -> bool {
    let major = position.kind(PieceKind::Rook)
        | position.kind(PieceKind::Knight)
        | position.kind(PieceKind::Cannon);
    position.occupied().len() >= 10 && major.len() >= 4
}

#[cfg(test)]
mod tests {
    use super::super::fen;
    use super::*;

    fn list(position: &Position) -> String {
        let moves = ordered_moves(position);
        moves.iter().map(|m| format!("{m} ")).collect()
    }

    #[test]
    fn the_order_is_that_of_the_public_library() {
        let start = "e0e1 f0e1 d0e1 g0i2 g0e2 c0e2 c0a2 h0i2 h0g2 b0c2 b0a2 i0i1 i0i2 a0a1 a0a2 h2h1 \
                     h2i2 h2g2 h2f2 h2e2 h2d2 h2c2 h2h3 h2h4 h2h5 h2h6 h2h9 b2b1 b2g2 b2f2 b2e2 b2d2 \
                     b2c2 b2a2 b2b3 b2b4 b2b5 b2b6 b2b9 i3i4 g3g4 e3e4 c3c4 a3a4 ";
        assert_eq!(list(&Position::startpos()), start);
        let pawns = fen::parse("3k5/9/9/2P3P2/9/9/9/9/9/4K4 w").unwrap();
        assert_eq!(list(&pawns), "e0f0 e0e1 g6g7 c6c7 g6f6 c6b6 g6h6 c6d6 ");
    }

    #[test]
    fn positions_with_few_pieces_are_not_eligible() {
        assert!(is_eligible(&Position::startpos()));
        for (fen, kept) in [
            ("2bakab2/9/9/4c4/4n4/9/9/4C4/4N4/3K5 w", true),
            ("2bakab2/9/9/4c4/4n4/9/9/4C4/9/3KP4 w", false),
            ("3k5/9/9/4c4/4n4/9/9/4C4/4N4/R3K3R w", false),
        ] {
            let position = fen::parse(fen);
            assert_eq!(
                position.as_ref().map(is_eligible),
                position.as_ref().map(|_| kept),
                "{fen}"
            );
        }
    }
}
