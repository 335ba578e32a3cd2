//! What a side could do if it were its turn.

use super::budget::Budget;
use super::combat::{Combat, exchange, may_attack_for_ever};
use super::mate::forced_mate;
use super::moves_of;
use super::worth::{MATE, Worth, worth};
use crate::board::{Bitboard, Move, Piece, PieceKind, Position, Square};
use crate::movegen::is_legal;

/// Checks by which he who takes a piece may be mated for it.
const REVENGE: u32 = 4;

/// What a move leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Nothing of note.
    Nothing,
    /// A capture that leaves both sides with as much as before.
    Even,
    /// A capture that wins material, or a check that takes nothing of worth and wins some later.
    Win,
}

/// A position in which the side to move, not in check, could win something, with what holds for all
/// its moves.
pub(super) struct Stage<'a> {
    position: &'a Position,
    /// See [`Combat::lost`].
    lost: Bitboard,
    /// See [`Combat::mutual`].
    mutual: Vec<Move>,
    /// See [`Combat::hanging`].
    hanging: Option<Square>,
}

impl<'a> Stage<'a> {
    /// If the piece on `hanging` of the side to move can be taken, that side cannot take anything
    /// else meanwhile.
    pub(super) fn new(
        position: &'a Position,
        hanging: Option<Square>,
        budget: &mut Budget,
    ) -> Self {
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

    /// The moves that win something or exchange evenly.
    pub(super) fn outcomes(&self, budget: &mut Budget) -> Vec<(Move, Outcome)> {
        moves_of(self.position)
            .map(|m| (m, self.outcome(m, budget)))
            .filter(|(_, outcome)| *outcome != Outcome::Nothing)
            .collect()
    }

    /// What a move leads to; nothing if it cannot be played.
    pub(super) fn try_outcome(&self, m: Move, budget: &mut Budget) -> Outcome {
        match is_legal(self.position, m) {
            true => self.outcome(m, budget),
            false => Outcome::Nothing,
        }
    }

    /// Whether the piece on a square has a check that takes nothing of worth and wins something later.
    pub(super) fn wins_by_check(&self, from: Square, budget: &mut Budget) -> bool {
        moves_of(self.position)
            .filter(|m| m.from() == from && prize(self.position, *m).is_none())
            .any(|m| self.outcome(m, budget) == Outcome::Win)
    }

    fn outcome(&self, m: Move, budget: &mut Budget) -> Outcome {
        if prize(self.position, m).is_none() {
            return match self.gain(m, budget) {
                Some(gain) if gain > 0 => Outcome::Win,
                _ => Outcome::Nothing,
            };
        }
        if may_attack_for_ever(self.position, m) {
            return Outcome::Nothing;
        }
        if self.mutual.contains(&m) {
            return Outcome::Even;
        }
        match self.gain(m, budget) {
            Some(gain) if gain > 0 => Outcome::Win,
            Some(0) => Outcome::Even,
            _ => Outcome::Nothing,
        }
    }

    /// What a capture or check wins; `None` for any other move, for one that gets its side mated,
    /// and for one that mates: that is no chase.
    fn gain(&self, m: Move, budget: &mut Budget) -> Option<Worth> {
        let taken = prize(self.position, m);
        let mut position = self.position.clone();
        position.make(m);
        if !position.in_check() {
            taken?;
            if forced_mate(&mut position, REVENGE, budget).is_some() {
                return None;
            }
        }
        let offers_pawn = taken.is_none() && may_attack_for_ever(self.position, m);
        let mut combat = Combat {
            position,
            reached: m.to().into(),
            offered: offers_pawn.then_some(m.to()),
            hanging: self.hanging,
            lost: self.lost,
            mutual: &self.mutual,
            budget,
        };
        let won = taken.map_or(0, |piece| worth(piece, m.to()));
        Some(won + combat.gain()).filter(|gain| *gain < MATE / 2)
    }
}

/// Whether the side to move can make a capture that wins something on its square.
pub(super) fn wins_exchange(position: &Position, m: Move, budget: &mut Budget) -> bool {
    is_legal(position, m) && exchange(position, m, budget) > 0
}

/// What a move takes, if it is worth anything: a pawn at home is not.
pub(super) fn prize(position: &Position, m: Move) -> Option<Piece> {
    position
        .piece_on(m.to())
        .filter(|piece| worth(*piece, m.to()) > 0)
}

/// The captures of the side to move.
fn captures(position: &Position) -> impl Iterator<Item = Move> + use<> {
    let enemies = position.color(!position.side_to_move());
    moves_of(position).filter(move |m| enemies.contains(m.to()))
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
