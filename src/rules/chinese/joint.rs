//! Which chases are joint (联合捉子) or of what is partly protected (少根子).

use super::moves::{has_move, moves_of};
use super::piece_worth::{PieceWorth, worth};
use crate::board::{Bitboard, Move, PieceKind, Position, Square};

/// Whether the most valuable piece that is chased is chased jointly: by none of the captures that win
/// it with the strength of the taker alone.
pub(super) fn is_joint_chase(position: &Position, chases: &[Move]) -> bool {
    let most = chases.iter().map(|m| worth_on(position, m.to())).max();
    let heaviest = chases
        .iter()
        .filter(|m| Some(worth_on(position, m.to())) == most);
    heaviest.clone().any(|m| {
        let mut same = heaviest.clone().filter(|other| other.to() == m.to());
        same.all(|other| is_joint(position, *other))
    })
}

/// Whether a capture that wins does so by more than the strength of the piece that takes: another one
/// takes after it, pins the protector, carries it as its screen, or checks as it leaves; or whoever takes
/// back is missing elsewhere.
fn is_joint(position: &Position, m: Move) -> bool {
    let Some(taken) = position.piece_on(m.to()) else {
        return false;
    };
    let mut after = position.clone();
    after.make(m);
    let discovers = after.checkers().without(m.to()).any();
    let protectors = after.attackers_to(m.to(), taken.color(), after.occupied());
    let is_protected = moves_of(&after).any(|back| back.to() == m.to());
    let is_bargain = worth_on(position, m.from()) < worth_on(position, m.to());
    let is_pinned = protectors.any() && !is_protected;
    discovers
        || is_pinned
        || is_protected && !is_bargain && !after.in_check()
        || is_carried(position, m)
}

/// Whether a cannon takes over a piece of its side that has a part in it: one that attacks the same
/// piece, which is protected, or that this piece would take if a third one did not protect it.
fn is_carried(position: &Position, m: Move) -> bool {
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
    if worth_on(position, screen) >= worth_on(position, m.to()) || !has_move(&reversed, revenge) {
        return false;
    }
    reversed.make(revenge);
    let protectors = fighters(&reversed);
    moves_of(&reversed).any(|back| back.to() == screen && protectors.contains(back.from()))
}

/// The rooks, knights and cannons.
fn fighters(position: &Position) -> Bitboard {
    position.kind(PieceKind::Rook)
        | position.kind(PieceKind::Knight)
        | position.kind(PieceKind::Cannon)
}

fn worth_on(position: &Position, square: Square) -> PieceWorth {
    position
        .piece_on(square)
        .map_or(0, |piece| worth(piece, square))
}
