//! Joint chases (联合捉子) and chases of partly protected pieces (少根子).

use super::lookahead::{has_move, moves_of, value_on};
use crate::board::{Bitboard, Move, PieceKind, Position};

/// Whether the most valuable chased piece is chased jointly: no capture of it wins by the strength of
/// the capturing piece alone.
pub fn is_joint_chase(position: &Position, chases: &[Move]) -> bool {
    let most = chases.iter().map(|m| value_on(position, m.to())).max();
    let heaviest = chases
        .iter()
        .filter(|m| Some(value_on(position, m.to())) == most);
    heaviest.clone().any(|m| {
        let mut same = heaviest.clone().filter(|other| other.to() == m.to());
        same.all(|other| is_joint(position, *other))
    })
}

/// Whether a winning capture needs more than the capturing piece: another piece recaptures after it,
/// pins the protector, is its screen or gives a discovered check; or the recapturing piece is
/// overloaded.
fn is_joint(position: &Position, m: Move) -> bool {
    let Some(taken) = position.piece_on(m.to()) else {
        return false;
    };
    let mut after = position.clone();
    after.make(m);
    let discovers = after.checkers().without(m.to()).any();
    let protectors = after.attackers_to(m.to(), taken.color(), after.occupied());
    let is_protected = moves_of(&after).any(|back| back.to() == m.to());
    let is_bargain = value_on(position, m.from()) < value_on(position, m.to());
    let is_pinned = protectors.any() && !is_protected;
    discovers
        || is_pinned
        || is_protected && !is_bargain && !after.in_check()
        || has_involved_screen(position, m)
}

/// Whether a cannon captures over a screen of its own side that takes part in the chase: the screen
/// attacks the same, protected piece, or is protected only by a third piece against being taken by it.
fn has_involved_screen(position: &Position, m: Move) -> bool {
    let us = position.side_to_move();
    let is_cannon = position.kind(PieceKind::Cannon).contains(m.from());
    let screen = Bitboard::between(m.from(), m.to()) & position.color(us) & fighters(position);
    let Some(screen) = screen.first().filter(|_| is_cannon) else {
        return false;
    };
    let direct = Move::new(screen, m.to());
    if has_move(position, direct) {
        let mut after = position.clone();
        after.make(direct);
        return moves_of(&after).any(|back| back.to() == m.to());
    }
    let revenge = Move::new(m.to(), screen);
    let mut reversed = position.clone();
    reversed.make_null();
    if value_on(position, screen) >= value_on(position, m.to()) || !has_move(&reversed, revenge) {
        return false;
    }
    reversed.make(revenge);
    let protectors = fighters(&reversed);
    moves_of(&reversed).any(|back| back.to() == screen && protectors.contains(back.from()))
}

/// Rooks, knights and cannons.
fn fighters(position: &Position) -> Bitboard {
    position.kind(PieceKind::Rook)
        | position.kind(PieceKind::Knight)
        | position.kind(PieceKind::Cannon)
}
