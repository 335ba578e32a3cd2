//! What a side could do if it were its turn.

use super::budget::Budget;
use super::combat::{Combat, exchange, may_attack_for_ever};
use super::mate::forced_mate;
use super::moves_of;
use super::worth::{MATE, worth};
use crate::board::{Bitboard, Move, PieceKind, Position, Square};
use crate::movegen::is_legal;

/// Checks by which he who takes a piece may be mated for it.
const REVENGE: u32 = 4;

/// What the side to move could win.
#[derive(Clone, Debug, Default)]
pub(super) struct Threats {
    /// Captures that win material.
    pub(super) wins: Vec<Move>,
    /// Captures that leave both sides with as much as before.
    pub(super) even: Vec<Move>,
    /// Checks that take nothing and win material later.
    pub(super) checks: Vec<Move>,
}

/// A position with what holds for all captures in it.
struct Scene<'a> {
    position: &'a Position,
    /// See [`Combat::lost`].
    lost: Bitboard,
    /// See [`Combat::mutual`].
    mutual: Vec<Move>,
    /// See [`Combat::hanging`].
    hanging: Option<Square>,
}

/// What the side to move, which is not in check, could win. If its piece on `hanging` can be taken,
/// it cannot take anything else meanwhile.
pub(super) fn threats(
    position: &Position,
    hanging: Option<Square>,
    budget: &mut Budget,
) -> Threats {
    let scene = Scene::new(position, hanging, budget);
    let us = position.side();
    let mut threats = Threats::default();
    for m in moves_of(position) {
        let Some(taken) = position.piece_on(m.to()) else {
            if scene.run(m, budget).is_some_and(|gain| gain > 0) {
                threats.checks.push(m);
            }
            continue;
        };
        if may_attack_for_ever(position, m) || worth(taken, m.to()) == 0 {
            continue;
        }
        debug_assert_ne!(taken.color(), us);
        if scene.mutual.contains(&m) {
            threats.even.push(m);
            continue;
        }
        match scene.run(m, budget) {
            Some(gain) if gain > 0 => threats.wins.push(m),
            Some(0) => threats.even.push(m),
            _ => {}
        }
    }
    threats
}

impl<'a> Scene<'a> {
    fn new(position: &'a Position, hanging: Option<Square>, budget: &mut Budget) -> Self {
        let mut reversed = position.clone();
        reversed.make_null();
        let mut lost = Bitboard::EMPTY;
        for board in [position, &reversed] {
            for m in captures(board) {
                if !lost.contains(m.to()) && exchange(board, m, budget) > 0 {
                    lost = lost.with(m.to());
                }
            }
        }
        let is_mutual = |m: &Move| {
            let kind = |square| position.piece_on(square).map(|piece| piece.kind());
            kind(m.from()) == kind(m.to()) && is_legal(&reversed, Move::new(m.to(), m.from()))
        };
        Self {
            position,
            lost,
            mutual: captures(position).filter(is_mutual).collect(),
            hanging,
        }
    }

    /// What a capture or check wins; `None` for any other move, for one that gets its side mated,
    /// and for one that mates: that is no chase.
    fn run(&self, m: Move, budget: &mut Budget) -> Option<i32> {
        let taken = self.position.piece_on(m.to());
        let mut position = self.position.clone();
        position.make(m);
        if !position.in_check() {
            taken?;
            if forced_mate(&mut position, REVENGE, budget).is_some() {
                return None;
            }
        }
        let offers_pawn = taken.is_none() && may_attack_for_ever(self.position, m);
        let combat = Combat {
            position,
            reached: m.to().into(),
            offered: offers_pawn.then_some(m.to()),
            hanging: self.hanging,
            lost: self.lost,
            mutual: &self.mutual,
            budget,
        };
        let won = taken.map_or(0, |piece| worth(piece, m.to()));
        Some(won + { combat }.gain()).filter(|gain| *gain < MATE / 2)
    }
}

/// The captures of the side to move.
fn captures(position: &Position) -> impl Iterator<Item = Move> + use<> {
    let enemies = position.color(!position.side());
    moves_of(position).filter(move |m| enemies.contains(m.to()))
}

/// Whether the side to move can make a capture that wins something on its square.
pub(super) fn wins_exchange(position: &Position, m: Move, budget: &mut Budget) -> bool {
    is_legal(position, m) && exchange(position, m, budget) > 0
}

/// Whether a capture that wins does so by more than the strength of the piece that takes: another
/// one takes after it, carries it as its screen, or checks as it leaves; or whoever takes back is
/// missing elsewhere (联合捉子, 少根子).
pub(super) fn is_joint(position: &Position, m: Move) -> bool {
    let (Some(taker), Some(taken)) = (position.piece_on(m.from()), position.piece_on(m.to()))
    else {
        return false;
    };
    let screen = Bitboard::between(m.from(), m.to()) & position.color(taker.color());
    let is_carried = taker.kind() == PieceKind::Cannon
        && screen
            .first()
            .and_then(|square| position.piece_on(square))
            .is_some_and(|piece| {
                matches!(
                    piece.kind(),
                    PieceKind::Rook | PieceKind::Knight | PieceKind::Cannon
                )
            });
    let mut after = position.clone();
    after.make(m);
    let discovers = after.checkers().without(m.to()).any();
    let is_protected = moves_of(&after).any(|back| back.to() == m.to());
    let is_bargain = worth(taker, m.from()) < worth(taken, m.to());
    is_carried || discovers || is_protected && !is_bargain
}
