//! Static exchange evaluation: what a run of captures on one square wins.

use super::attacks;
use super::bitboard::Bitboard;
use super::color::Color;
use super::moves::Move;
use super::piece::PieceKind;
use super::position::Position;
use super::square::Square;

/// What each kind is worth in an exchange, by kind index, in units of the evaluation: what the tuned
/// evaluation changes by on average when such a piece is taken off the board, which a test compares. The
/// king outweighs all, so that it takes last.
pub const SEE_VALUES: [i32; PieceKind::COUNT] = [20_000, 140, 165, 470, 1350, 580, 90];

/// Least valuable first, the order in which pieces are thrown into an exchange.
const EXCHANGE_ORDER: [PieceKind; PieceKind::COUNT] = [
    PieceKind::Pawn,
    PieceKind::Advisor,
    PieceKind::Bishop,
    PieceKind::Knight,
    PieceKind::Cannon,
    PieceKind::Rook,
    PieceKind::King,
];

/// Whether the move and the captures it sets off on its destination, each side taking with its
/// least valuable piece as long as that pays, gain the mover at least `threshold`.
///
/// Attackers are found anew after each capture, for a cannon wins or loses its screen by it. A piece
/// that would leave its king attacked, or face to face with the other, does not take back
/// (Chessprogramming wiki, "SEE - The Swap Algorithm"). The move itself is taken to be legal.
pub fn see_at_least(position: &Position, m: Move, threshold: i32) -> bool {
    if m.is_promotion() {
        return threshold <= 0;
    }
    let value = |square| {
        position
            .piece_on(square)
            .map_or(0, |p| SEE_VALUES[p.kind().index()])
    };
    let target = m.to();
    // What the side about to take back stands to win by it, over what it needs.
    let mut swap = value(target) - threshold;
    if swap < 0 {
        return false;
    }
    swap = value(m.from()) - swap;
    if swap <= 0 {
        return true;
    }
    let mut side = position.side_to_move();
    let mut occupied = position.occupied().without(m.from()).without(target);
    let mut changed = Bitboard::from(m.from()).with(target);
    let mut holds = true;
    loop {
        side = !side;
        let mut attackers = position.attackers_to(target, side, occupied);
        let (from, kind) = loop {
            let Some((from, kind)) = least_valuable(position, attackers) else {
                return holds;
            };
            let rest = occupied.without(from);
            if !exposes_king(position, side, from, target, changed, rest) {
                break (from, kind);
            }
            attackers = attackers.without(from);
        };
        occupied = occupied.without(from);
        changed = changed.with(from);
        holds = !holds;
        if kind == PieceKind::King {
            return holds;
        }
        swap = SEE_VALUES[kind.index()] - swap;
        if swap < i32::from(holds) {
            return holds;
        }
    }
}

/// Whether the king of `side` stands attacked after its piece has taken on `target` from `from`.
/// `occupied` holds neither of the two squares; `changed` are those that the exchange has changed so far.
fn exposes_king(
    position: &Position,
    side: Color,
    from: Square,
    target: Square,
    changed: Bitboard,
    occupied: Bitboard,
) -> bool {
    let king = position.king(side);
    if from == king {
        return position.king_attackers(target, !side, occupied).any();
    }
    // Before the exchange the king was in peace, so what is far off leaves it so.
    let near = attacks::surroundings(king) & changed.with(from);
    near.any()
        && position
            .king_attackers(king, !side, occupied.with(target))
            .without(target)
            .any()
}

fn least_valuable(position: &Position, attackers: Bitboard) -> Option<(Square, PieceKind)> {
    if attackers.is_empty() {
        return None;
    }
    EXCHANGE_ORDER
        .into_iter()
        .find_map(|kind| Some(((attackers & position.kind(kind)).first()?, kind)))
}
