//! What one move of a repetition is.

use super::super::deed::Deed;
use super::budget::Budget;
use super::mate::{forced_mate, threatens_mate};
use super::threats::{Outcome, Stage, is_joint, prize, wins_exchange};
use crate::board::{Move, PieceKind, Position, Square};
use crate::movegen::is_legal;

/// Checks in a row by which a threatened mate may be forced.
const MATE_MOVES: u32 = 4;

/// Positions that the judgement of one move may look at. What it has not found by then is not
/// there.
const POSITIONS: u32 = 5_000;

/// A move of a repetition in its surroundings.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    /// Before the enemy move that led to `before`.
    pub(super) earlier: &'a Position,
    /// Before the move.
    pub(super) before: &'a Position,
    /// The move.
    pub(super) played: Move,
}

/// What a move is, with the reasons.
#[derive(Clone, Debug)]
pub(in crate::rules) struct Act {
    /// What it is.
    pub(in crate::rules) deed: Deed,
    /// The captures that it newly threatens, if it is a chase.
    pub(in crate::rules) chases: Vec<Move>,
    /// Where pieces stand that newly threaten to win something by a check.
    pub(in crate::rules) strikers: Vec<Square>,
    /// Whether it chases a piece jointly, or one that is partly protected.
    pub(in crate::rules) is_joint: bool,
}

impl Act {
    fn new(deed: Deed) -> Self {
        Self {
            deed,
            chases: Vec::new(),
            strikers: Vec::new(),
            is_joint: false,
        }
    }

    /// Whether advisors and bishops (士象) are all that it chases on the board given.
    fn chases_guards_only(&self, now: &Position) -> bool {
        let is_guard = |m: &Move| {
            let kind = now.piece_on(m.to()).map(|piece| piece.kind());
            matches!(kind, Some(PieceKind::Advisor | PieceKind::Bishop))
        };
        self.deed == Deed::Chase && self.strikers.is_empty() && self.chases.iter().all(is_guard)
    }
}

impl Scene<'_> {
    /// Names all that the judgement depends on.
    pub(super) fn key(&self) -> u64 {
        let parts = [
            self.before.key(),
            self.earlier.key(),
            u64::from(self.played.bits()),
            u64::from(self.before.has_promotion()),
        ];
        // Mixed after each part: neighbouring positions differ in little more than a move.
        parts.iter().fold(0, |key: u64, part| {
            let mixed = (key ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            mixed ^ mixed >> 29
        })
    }

    /// What the move is: the heaviest of all that it does.
    pub(super) fn judge(&self) -> Act {
        self.judge_within(&mut Budget::new(POSITIONS))
    }

    /// As [`Self::judge`], with another budget.
    pub(super) fn judge_within(&self, budget: &mut Budget) -> Act {
        let before = self.before;
        let mut after = before.clone();
        after.make(self.played);
        if after.in_check() {
            return Act::new(Deed::Check);
        }
        if before.in_check() && self.played.from() == before.king(before.side_to_move()) {
            // What a king that has to move leaves behind is the checker's doing.
            return Act::new(Deed::Idle);
        }
        let mut now = after.clone();
        now.make_null();
        let mut then = self.before_in_peace();
        let can_mate = forced_mate(&mut now, MATE_MOVES, budget).is_some();
        if can_mate && forced_mate(&mut then, MATE_MOVES, budget).is_none() {
            return Act::new(Deed::MateThreat);
        }
        let act = self.compare(&then, &now, budget);
        match act.chases_guards_only(&now) && self.parries_mate(&after, budget) {
            true => Act::new(Deed::Idle),
            false => act,
        }
    }

    /// The board before the move with the mover to play and not in check: if he stood in check, as
    /// it was before that.
    fn before_in_peace(&self) -> Position {
        if !self.before.in_check() {
            return self.before.clone();
        }
        if self.earlier.in_check() {
            return self.before.ignoring_checks();
        }
        let mut earlier = self.earlier.clone();
        earlier.make_null();
        earlier
    }

    /// What the mover could do if it were his turn after the move, `now`, and not before it, `then`.
    fn compare(&self, then: &Position, now: &Position, budget: &mut Budget) -> Act {
        let found = Stage::new(now, None, budget).outcomes(budget);
        if found.is_empty() {
            return Act::new(Deed::Idle);
        }
        let past = Stage::new(then, Some(self.played.from()), budget);
        let flees = self.flees_mate(budget);
        let earlier = |m: Move| Move::new(self.origin(m.from()), m.to());
        let mut act = Act::new(Deed::Idle);
        for (m, outcome) in found {
            let before = earlier(m);
            if prize(now, m).is_none() {
                let is_known = act.strikers.contains(&m.from());
                if !is_known && !past.wins_by_check(before.from(), budget) {
                    act.strikers.push(m.from());
                }
            } else if outcome == Outcome::Win {
                // A piece that goes on attacking what it attacked does nothing new.
                let goes_on = m.from() == self.played.to() && wins_exchange(then, before, budget);
                let is_known = goes_on
                    || flees && is_legal(then, before)
                    || self.before.in_check() && wins_exchange(self.before, before, budget);
                if !is_known && past.try_outcome(before, budget) != Outcome::Win {
                    act.is_joint |= is_joint(now, m);
                    act.chases.push(m);
                }
            } else if past.try_outcome(before, budget) == Outcome::Nothing {
                act.deed = Deed::Exchange;
            }
        }
        if !act.chases.is_empty() || !act.strikers.is_empty() {
            act.deed = Deed::Chase;
        }
        act
    }

    /// Whether the king moves out of a mate that was threatened. What could be taken before, at the
    /// price of being mated, is taken no more by that than it was.
    fn flees_mate(&self, budget: &mut Budget) -> bool {
        let before = self.before;
        self.played.from() == before.king(before.side_to_move())
            && !before.in_check()
            && threatens_mate(before, MATE_MOVES, budget)
    }

    /// Whether the enemy threatened mate before the move and does not after it.
    fn parries_mate(&self, after: &Position, budget: &mut Budget) -> bool {
        !self.before.in_check()
            && threatens_mate(self.before, MATE_MOVES, budget)
            && forced_mate(&mut after.clone(), MATE_MOVES, budget).is_none()
    }

    /// Where the piece on a square after the move stood before it.
    fn origin(&self, square: Square) -> Square {
        match square == self.played.to() {
            true => self.played.from(),
            false => square,
        }
    }
}
