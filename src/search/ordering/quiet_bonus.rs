//! Ordering bonuses of quiet moves: checks and escapes.

use crate::board::{Bitboard, Move, PieceKind, Position, attacks, see_at_least};
use crate::search::parameters::values;

/// Ordering bonuses of the quiet moves of a position: for a check that loses little in the exchange and for
/// a piece that leaves a square attacked by a lesser piece; a malus for entering such a square (Stockfish,
/// "threat by lesser piece").
#[derive(Debug)]
pub struct QuietBonus {
    /// Squares from which a rook, knight, cannon or pawn of the side to move gives check.
    rook_checks: Bitboard,
    knight_checks: Bitboard,
    cannon_checks: Bitboard,
    pawn_checks: Bitboard,
    /// Squares attacked by the opponent's pawns, advisors and bishops.
    by_least: Bitboard,
    /// Squares attacked by the same pieces or by the opponent's knights and cannons.
    by_lesser_than_rook: Bitboard,
}

impl QuietBonus {
    /// The bonuses for the side to move.
    pub fn new(position: &Position) -> Self {
        let (us, them) = (position.side_to_move(), !position.side_to_move());
        let (occupied, king) = (position.occupied(), position.king(them));
        let attacked_by = |kind| {
            position
                .pieces(them, kind)
                .into_iter()
                .map(|square| attacks::of(kind, them, square, occupied))
                .fold(Bitboard::EMPTY, |all, attacked| all | attacked)
        };
        let [ahead, left, right] =
            attacks::pawn_steps(them, position.pieces(them, PieceKind::Pawn));
        let by_least =
            ahead | left | right | attacked_by(PieceKind::Advisor) | attacked_by(PieceKind::Bishop);
        Self {
            rook_checks: attacks::rook(king, occupied),
            knight_checks: attacks::knight_to(king, occupied),
            cannon_checks: attacks::cannon(king, occupied),
            pawn_checks: attacks::pawn_to(us, king),
            by_least,
            by_lesser_than_rook: by_least
                | attacked_by(PieceKind::Knight)
                | attacked_by(PieceKind::Cannon),
        }
    }

    /// The bonus of a pseudo-legal quiet move.
    #[inline]
    pub fn of(&self, position: &Position, m: Move) -> i32 {
        let Some(piece) = position.piece_on(m.from()) else {
            return 0;
        };
        let none = Bitboard::EMPTY;
        let (checks, attacked, escape) = match piece.kind() {
            PieceKind::Rook => (
                self.rook_checks,
                self.by_lesser_than_rook,
                values::rook_escape_bonus(),
            ),
            PieceKind::Knight => (
                self.knight_checks,
                self.by_least,
                values::minor_escape_bonus(),
            ),
            PieceKind::Cannon => (
                self.cannon_checks,
                self.by_least,
                values::minor_escape_bonus(),
            ),
            PieceKind::Pawn => (self.pawn_checks, none, 0),
            PieceKind::King | PieceKind::Advisor | PieceKind::Bishop => return 0,
        };
        let escaped = i32::from(attacked.contains(m.from())) - i32::from(attacked.contains(m.to()));
        let is_check =
            checks.contains(m.to()) && see_at_least(position, m, -values::check_order_exchange());
        escaped * escape + i32::from(is_check) * values::check_order_bonus()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bonus(fen: &str, m: &str) -> i32 {
        let position: Position = fen.parse().expect(fen);
        QuietBonus::new(&position).of(&position, m.parse().expect(m))
    }

    #[test]
    fn sound_checks_get_a_bonus() {
        let check = values::check_order_bonus();
        let fen = "4k4/9/9/9/p8/9/9/R8/9/3K5 w";
        assert_eq!(bonus(fen, "a2e2"), check, "rook");
        assert_eq!(bonus(fen, "a2b2"), 0);
        assert_eq!(
            bonus("4k4/9/9/9/4p4/9/9/C8/9/3K5 w", "a2e2"),
            check,
            "cannon over a pawn"
        );
        assert_eq!(bonus("4k4/9/9/9/9/9/9/C8/9/3K5 w", "a2e2"), 0, "no screen");
        let knight = "4k4/9/9/1N7/9/9/9/9/9/3K5 w";
        assert_eq!(bonus(knight, "b6d7"), check, "knight");
        assert_eq!(bonus(knight, "b6d5"), 0);
        let blocked = "4k4/3n5/9/1N7/9/9/9/9/9/3K5 w";
        assert_eq!(bonus(blocked, "b6d7"), 0, "its leg is blocked");
        assert_eq!(bonus("4k4/3P5/9/9/9/9/9/9/9/3K5 w", "d8e8"), check, "pawn");
        let lost = "4k4/R8/9/9/9/9/9/9/9/3K5 w";
        assert_eq!(bonus(lost, "a8e8"), 0, "the king takes the rook");
    }

    #[test]
    fn escapes_from_lesser_attackers_get_a_bonus() {
        let rook = values::rook_escape_bonus();
        let minor = values::minor_escape_bonus();
        // The knight on c5 attacks b3 and d3, the pawn on g6 attacks g5.
        let fen = "3k5/9/9/6p2/2n6/9/1R5N1/9/9/4K4 w";
        assert_eq!(bonus(fen, "b3a3"), rook, "leaves");
        assert_eq!(bonus(fen, "b3d3"), 0, "from one attacked square to another");
        assert_eq!(bonus(fen, "h3g5"), -minor, "enters");
        assert_eq!(bonus(fen, "h3i5"), 0);
        assert_eq!(bonus(fen, "b3b4"), rook);
    }
}
