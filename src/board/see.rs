//! Static exchange evaluation: what a run of captures on one square wins.

use super::bitboard::Bitboard;
use super::moves::Move;
use super::piece::PieceKind;
use super::position::Position;
use super::square::Square;

/// What each kind is worth in an exchange, by kind index, in units of the evaluation. The king
/// outweighs all, so that it takes last.
pub const SEE_VALUES: [i32; PieceKind::COUNT] = [20_000, 200, 200, 450, 950, 480, 130];

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
/// least valuable piece and stopping when it pleases, gain the mover at least `threshold`.
///
/// Attackers are found anew after each capture, for a cannon wins or loses its screen by it. Pins
/// are not looked at.
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
    let mut holds = true;
    loop {
        side = !side;
        let attackers = position.attackers_to(target, side, occupied);
        let Some((from, kind)) = least_valuable(position, attackers) else {
            return holds;
        };
        occupied = occupied.without(from);
        holds = !holds;
        if kind == PieceKind::King {
            // A king may not take what is still guarded.
            let guarded = position.attackers_to(target, !side, occupied).any();
            return holds != guarded;
        }
        swap = SEE_VALUES[kind.index()] - swap;
        if swap < i32::from(holds) {
            return holds;
        }
    }
}

fn least_valuable(position: &Position, attackers: Bitboard) -> Option<(Square, PieceKind)> {
    if attackers.is_empty() {
        return None;
    }
    EXCHANGE_ORDER
        .into_iter()
        .find_map(|kind| Some(((attackers & position.kind(kind)).first()?, kind)))
}
