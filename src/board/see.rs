//! Static exchange evaluation (SEE): the gain of a sequence of captures on one square.

use super::attacks;
use super::bitboard::Bitboard;
use super::color::Color;
use super::moves::Move;
use super::piece::PieceKind;
use super::position::Position;
use super::square::Square;

/// The value of each kind in an exchange, by kind index, in units of the evaluation. A test checks that it is near the
/// average change of the handcrafted evaluation when such a piece is removed. A king is never captured; its value only
/// has to exceed all others.
pub const SEE_VALUES: [i32; PieceKind::COUNT] = [20_000, 140, 165, 470, 1350, 580, 90];

/// The order in which pieces capture, least valuable first.
const EXCHANGE_ORDER: [PieceKind; PieceKind::COUNT] = [
    PieceKind::Pawn,
    PieceKind::Advisor,
    PieceKind::Bishop,
    PieceKind::Knight,
    PieceKind::Cannon,
    PieceKind::Rook,
    PieceKind::King,
];

/// Whether the move gains at least `threshold`, if both sides then recapture on its destination with
/// their least valuable piece for as long as that pays.
///
/// Attackers are computed again after each capture, because the capturing piece no longer blocks other pieces on its
/// old square, and is no longer a screen there. A piece whose capture would leave its king attacked does not recapture.
/// The move itself must be legal; a promotion gains nothing. The algorithm is that of the Chessprogramming wiki, "SEE -
/// The Swap Algorithm".
pub fn see_at_least(position: &Position, m: Move, threshold: i32) -> bool {
    if m.is_promotion() {
        return threshold <= 0;
    }
    let value = |square| position.piece_on(square).map_or(0, |p| SEE_VALUES[p.kind().index()]);
    let target = m.to();
    // The result minus the threshold if the next capture ends the exchange, from the point of view of the side that
    // makes this capture.
    let mut swap = i32::saturating_sub(value(target), threshold);
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
    // Whether the threshold is reached if the exchange ends here.
    let mut is_reached = true;
    loop {
        side = !side;
        let mut attackers = position.attackers_to(target, side, occupied);
        let (from, kind) = loop {
            let Some((from, kind)) = least_valuable(position, attackers) else {
                return is_reached;
            };
            let rest = occupied.without(from);
            if !exposes_king(position, side, from, target, changed, rest) {
                break (from, kind);
            }
            attackers = attackers.without(from);
        };
        occupied = occupied.without(from);
        changed = changed.with(from);
        is_reached = !is_reached;
        if kind == PieceKind::King {
            return is_reached;
        }
        swap = SEE_VALUES[kind.index()] - swap;
        if swap < i32::from(is_reached) {
            return is_reached;
        }
    }
}

/// Whether the king of `side` is attacked after the piece on `from` has captured on `target`. `occupied`
/// contains neither of the two squares; `changed` are the squares that the exchange has changed so far.
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
    // Only changes in the surroundings of the king can expose it. A king in check before the exchange is always
    // examined, because the legal move that ended the check has changed a square there.
    let relevant = attacks::surroundings(king) & changed.with(from);
    relevant.any()
        && position.king_attackers(king, !side, occupied.with(target)).without(target).any()
}

fn least_valuable(position: &Position, attackers: Bitboard) -> Option<(Square, PieceKind)> {
    if attackers.is_empty() {
        return None;
    }
    EXCHANGE_ORDER
        .into_iter()
        .find_map(|kind| Some(((attackers & position.kind(kind)).first()?, kind)))
}
