//! Explains why a move is illegal.

use std::fmt;

use super::{is_legal, is_pseudo_legal};
use crate::board::attacks::{diagonals, knight_legs};
use crate::board::{Bitboard, Color, Move, PieceKind, Position, Square};
use crate::text::{fill, texts};

/// The reason why a move is illegal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IllegalReason {
    /// There is no piece to move.
    NoPiece(Square),
    /// The piece belongs to the other side.
    OtherSide(Square),
    /// The destination is occupied by a piece of the same side.
    OwnPiece(Square),
    /// The king or an advisor would leave its palace.
    LeavesPalace(PieceKind),
    /// A bishop would cross the river.
    CrossesRiver,
    /// A piece next to the knight blocks it (蹩马腿).
    HobbledLeg(Square),
    /// A piece between the bishop and its destination blocks it (塞象眼).
    BlockedEye(Square),
    /// A piece blocks a rook, or a cannon that does not capture.
    Blocked(Square),
    /// A cannon that captures must jump over exactly one piece (炮架), not this number.
    Screens(u32),
    /// A pawn moves sideways before it has crossed the river.
    SidewaysTooEarly,
    /// A pawn moves backward.
    Backward,
    /// In the promotion variant, an advisor or bishop may promote only on its back rank, and neither in check nor while
    /// its side has five pawns.
    NoPromotion,
    /// The piece does not move like this.
    WrongStep(PieceKind),
    /// The kings would face each other on an open file (对面笑).
    KingsFace,
    /// The king would be in check.
    InCheck,
}

impl std::error::Error for IllegalReason {}

impl fmt::Display for IllegalReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts = texts();
        let with = |text: &str, value: &dyn fmt::Display| fill(text, &[&value.to_string()]);
        let text = match self {
            Self::NoPiece(square) => with(texts.no_piece, square),
            Self::OtherSide(square) => with(texts.other_side, square),
            Self::OwnPiece(square) => with(texts.own_piece, square),
            Self::LeavesPalace(kind) => with(texts.leaves_palace, &kind.local_name()),
            Self::CrossesRiver => texts.crosses_river.to_owned(),
            Self::HobbledLeg(square) => with(texts.hobbled_leg, square),
            Self::BlockedEye(square) => with(texts.blocked_eye, square),
            Self::Blocked(square) => with(texts.in_the_way, square),
            Self::Screens(count) => with(texts.screens, count),
            Self::SidewaysTooEarly => texts.sideways_too_early.to_owned(),
            Self::Backward => texts.backward.to_owned(),
            Self::NoPromotion => texts.no_promotion.to_owned(),
            Self::WrongStep(kind) => with(texts.wrong_step, &kind.local_name()),
            Self::KingsFace => texts.kings_face.to_owned(),
            Self::InCheck => texts.king_in_check.to_owned(),
        };
        f.write_str(&text)
    }
}

/// The reason why a move is illegal; `None` if it is legal.
///
/// ```
/// use chuhe::board::Position;
/// use chuhe::movegen::{IllegalReason, why_illegal};
///
/// let start = Position::startpos();
/// let blocked = why_illegal(&start, "a0a5".parse()?).unwrap();
/// assert_eq!(blocked.to_string(), "the piece on a3 is in the way");
/// assert_eq!(why_illegal(&start, "h2e2".parse()?), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn why_illegal(position: &Position, played: Move) -> Option<IllegalReason> {
    if is_legal(position, played) {
        return None;
    }
    let (from, to) = (played.from(), played.to());
    let side = position.side_to_move();
    let Some(piece) = position.piece_on(from) else {
        return Some(IllegalReason::NoPiece(from));
    };
    if piece.color() != side {
        return Some(IllegalReason::OtherSide(from));
    }
    Some(if is_pseudo_legal(position, played) {
        exposed_king(position, played)
    } else {
        violated_rule(position, piece.kind(), side, from, to)
    })
}

/// Whether a move has the shape of the moves of a piece. Other pieces, the palace, the river and the direction of
/// pawns are not checked.
fn is_step(kind: PieceKind, from: Square, to: Square) -> bool {
    let files = from.file().abs_diff(to.file());
    let ranks = from.rank().abs_diff(to.rank());
    matches!(
        (kind, files.min(ranks), files.max(ranks)),
        (PieceKind::King | PieceKind::Pawn, 0, 1)
            | (PieceKind::Advisor, 1, 1)
            | (PieceKind::Bishop, 2, 2)
            | (PieceKind::Knight, 1, 2)
            | (PieceKind::Rook | PieceKind::Cannon, 0, 1..)
    )
}

/// The movement rule that a move violates.
fn violated_rule(
    position: &Position,
    kind: PieceKind,
    side: Color,
    from: Square,
    to: Square,
) -> IllegalReason {
    let occupied = position.occupied();
    match kind {
        PieceKind::Advisor | PieceKind::Bishop if from == to && position.has_promotion() => {
            IllegalReason::NoPromotion
        }
        _ if !is_step(kind, from, to) => IllegalReason::WrongStep(kind),
        _ if position.color(side).contains(to) => IllegalReason::OwnPiece(to),
        PieceKind::King | PieceKind::Advisor => IllegalReason::LeavesPalace(kind),
        PieceKind::Bishop => match (diagonals(from) & diagonals(to)).first() {
            Some(eye) if occupied.contains(eye) => IllegalReason::BlockedEye(eye),
            _ => IllegalReason::CrossesRiver,
        },
        PieceKind::Knight => match (knight_legs(from) & diagonals(to)).first() {
            Some(leg) => IllegalReason::HobbledLeg(leg),
            None => IllegalReason::WrongStep(kind),
        },
        PieceKind::Rook | PieceKind::Cannon => {
            let between = Bitboard::between(from, to) & occupied;
            match (kind, occupied.contains(to), between.first()) {
                (PieceKind::Cannon, true, _) => IllegalReason::Screens(between.len()),
                (_, _, Some(square)) => IllegalReason::Blocked(square),
                _ => IllegalReason::WrongStep(kind),
            }
        }
        PieceKind::Pawn if from.rank() == to.rank() => IllegalReason::SidewaysTooEarly,
        PieceKind::Pawn => IllegalReason::Backward,
    }
}

/// The reason why a pseudo-legal move leaves the king unsafe.
fn exposed_king(position: &Position, played: Move) -> IllegalReason {
    let side = position.side_to_move();
    let after = position.after(played);
    let attackers = after.king_attackers(after.king(side), !side, after.occupied());
    if attackers.contains(after.king(!side)) {
        IllegalReason::KingsFace
    } else {
        IllegalReason::InCheck
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(fen: &str, played: &str) -> Option<IllegalReason> {
        why_illegal(&fen.parse().unwrap(), played.parse().unwrap())
    }

    fn square(text: &str) -> Square {
        text.parse().unwrap()
    }

    #[test]
    fn reasons_of_illegal_moves() {
        let start = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w";
        let open = "3k5/9/9/9/9/2B6/P3P4/4C4/3NA4/R3KA2r w";
        for (fen, played, expected) in [
            (start, "e5e6", IllegalReason::NoPiece(square("e5"))),
            (start, "h7e7", IllegalReason::OtherSide(square("h7"))),
            (start, "a0b0", IllegalReason::OwnPiece(square("b0"))),
            (start, "h0a3", IllegalReason::WrongStep(PieceKind::Knight)),
            (start, "b0d1", IllegalReason::HobbledLeg(square("c0"))),
            (start, "a0a5", IllegalReason::Blocked(square("a3"))),
            (start, "h2h8", IllegalReason::Blocked(square("h7"))),
            (start, "b2b7", IllegalReason::Screens(0)),
            (start, "a3b3", IllegalReason::SidewaysTooEarly),
            (start, "a3a2", IllegalReason::Backward),
            (start, "a3a5", IllegalReason::WrongStep(PieceKind::Pawn)),
            (start, "a0b1", IllegalReason::WrongStep(PieceKind::Rook)),
            (open, "c4e6", IllegalReason::CrossesRiver),
            (open, "f0g1", IllegalReason::LeavesPalace(PieceKind::Advisor)),
        ] {
            assert_eq!(reason(fen, played), Some(expected), "{played}");
        }
        let promoting = |fen: &str| {
            let mut setup = fen.parse::<Position>().unwrap().setup();
            setup.promotion = true;
            why_illegal(&Position::try_from(&setup).unwrap(), "c0c0".parse().unwrap())
        };
        assert_eq!(promoting("3k5/9/9/9/9/9/9/9/9/2B1K4 w"), None);
        assert_eq!(promoting("3k5/4r4/9/9/9/9/9/9/9/2B1K4 w"), Some(IllegalReason::NoPromotion));
        let facing = "4k4/9/9/9/9/9/9/9/4A4/4K4 w";
        assert_eq!(reason(facing, "e1d2"), Some(IllegalReason::KingsFace));
        let pinned = "3k5/9/4r4/9/9/9/9/9/4A4/4K4 w";
        assert_eq!(reason(pinned, "e1d2"), Some(IllegalReason::InCheck));
    }
}
