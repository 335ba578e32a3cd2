//! What one move of a repetition is.

use super::super::deed::Deed;
use super::budget::Budget;
use super::mate::forced_mate;
use super::threats::{Threats, is_joint, threats, wins_exchange};
use crate::board::{Move, Position, Square};

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
        let budget = &mut Budget::new(POSITIONS);
        let before = self.before;
        let mut after = before.clone();
        after.make(self.played);
        if after.in_check() {
            return Act::new(Deed::Check);
        }
        if before.in_check() && self.played.from() == before.king(before.side()) {
            // What a king that has to move leaves behind is the checker's doing.
            return Act::new(Deed::Idle);
        }
        let mut now = after;
        now.make_null();
        let mut then = self.before_in_peace();
        let threatens_mate = forced_mate(&mut now, MATE_MOVES, budget).is_some();
        if threatens_mate && forced_mate(&mut then, MATE_MOVES, budget).is_none() {
            return Act::new(Deed::MateThreat);
        }
        let old = threats(&then, Some(self.played.from()), budget);
        let new = threats(&now, None, budget);
        self.compare((&then, &old), (&now, &new), budget)
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

    /// What the mover could do after the move and not before it.
    fn compare(
        &self,
        (then, old): (&Position, &Threats),
        (now, new): (&Position, &Threats),
        budget: &mut Budget,
    ) -> Act {
        let earlier = |m: Move| Move::new(self.origin(m.from()), m.to());
        let mut chases = new.wins.clone();
        chases.retain(|m| {
            let m = earlier(*m);
            // A piece that goes on attacking what it attacked does nothing new.
            let goes_on = m.from() == self.played.from() && wins_exchange(then, m, budget);
            !goes_on && !old.wins.contains(&m)
        });
        let was_striker = |m: &Move| {
            let from = self.origin(m.from());
            old.checks.iter().any(|check| check.from() == from)
        };
        let mut strikers: Vec<Square> = new
            .checks
            .iter()
            .filter(|m| !was_striker(m))
            .map(|m| m.from())
            .collect();
        strikers.dedup();
        if !chases.is_empty() || !strikers.is_empty() {
            return Act {
                deed: Deed::Chase,
                is_joint: chases.iter().any(|m| is_joint(now, *m)),
                chases,
                strikers,
            };
        }
        let is_new = |m: &Move| {
            let m = earlier(*m);
            !old.even.contains(&m) && !old.wins.contains(&m)
        };
        match new.even.iter().any(is_new) {
            true => Act::new(Deed::Exchange),
            false => Act::new(Deed::Idle),
        }
    }

    /// Where the piece on a square after the move stood before it.
    fn origin(&self, square: Square) -> Square {
        match square == self.played.to() {
            true => self.played.from(),
            false => square,
        }
    }
}
