//! What one move of a repetition is.

use super::super::move_class::MoveClass;
use super::budget::NodeBudget;
use super::joint::is_joint_chase;
use super::mate::{begins_mate, forced_mate, threatens_mate};
use super::moves::{has_move, moves_of};
use super::threats::{CaptureResult, ThreatFinder, wins_exchange, worthy_target};
use crate::board::{Bitboard, Move, PieceKind, Position, Square};

/// Checks in a row by which a threatened mate may be forced.
const MATE_MOVES: u32 = 4;

/// Positions that the judgement of one move may look at. What it has not found by then is not
/// there.
const POSITIONS: u32 = 5_000;

/// A move of a repetition in its surroundings.
#[derive(Clone, Copy)]
pub(super) struct MoveContext<'a> {
    /// Before the enemy move that led to `before`.
    pub(super) earlier: &'a Position,
    /// Before the move.
    pub(super) before: &'a Position,
    pub(super) played: Move,
}

/// What a move is, with the reasons.
#[derive(Clone, Debug)]
pub(in crate::rules) struct Classification {
    /// The class.
    pub(in crate::rules) class: MoveClass,
    /// The captures that it newly threatens, if it is a chase.
    pub(in crate::rules) chases: Vec<Move>,
    /// Where pieces stand that newly threaten to win something by a check.
    pub(in crate::rules) check_threats: Vec<Square>,
    /// Whether it chases a piece jointly, or one that is partly protected.
    pub(in crate::rules) is_joint: bool,
}

impl Classification {
    fn new(class: MoveClass) -> Self {
        Self {
            class,
            chases: Vec::new(),
            check_threats: Vec::new(),
            is_joint: false,
        }
    }

    /// Whether advisors and bishops (士象) are all that it chases on the board given.
    fn chases_guards_only(&self, now: &Position) -> bool {
        let is_guard = |m: &Move| {
            let kind = now.piece_on(m.to()).map(|piece| piece.kind());
            matches!(kind, Some(PieceKind::Advisor | PieceKind::Bishop))
        };
        self.class == MoveClass::Chase
            && self.check_threats.is_empty()
            && self.chases.iter().all(is_guard)
    }
}

impl MoveContext<'_> {
    /// Identifies all that the judgement depends on.
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
    pub(super) fn judge(&self) -> Classification {
        self.judge_within(&mut NodeBudget::new(POSITIONS))
    }

    /// As [`Self::judge`], with another budget.
    pub(super) fn judge_within(&self, budget: &mut NodeBudget) -> Classification {
        let before = self.before;
        let mut after = before.clone();
        after.make(self.played);
        if after.in_check() {
            return Classification::new(MoveClass::Check);
        }
        if before.in_check() && self.played.from() == before.king(before.side_to_move()) {
            // What a king that has to move leaves behind is the checker's doing.
            return Classification::new(MoveClass::Idle);
        }
        let mut now = after.clone();
        now.make_null();
        let mut then = self.before_in_peace();
        if self.threatens_new_mate(&mut then, &mut now, budget) {
            return Classification::new(MoveClass::MateThreat);
        }
        let classification = self.compare(&then, &now, budget);
        match classification.chases_guards_only(&now) && self.parries_mate(&after, budget) {
            true => Classification::new(MoveClass::Idle),
            false => classification,
        }
    }

    /// Whether the mover could force mate if it played again after the move, `now`, and could not
    /// before it, `then`; if a check came between, by a move that did not mate before.
    fn threatens_new_mate(
        &self,
        then: &mut Position,
        now: &mut Position,
        budget: &mut NodeBudget,
    ) -> bool {
        if forced_mate(now, MATE_MOVES, budget).is_none() {
            return false;
        }
        if !self.before.in_check() {
            return forced_mate(then, MATE_MOVES, budget).is_none();
        }
        moves_of(now).any(|m| {
            let old = Move::new(self.origin(m.from()), m.to());
            begins_mate(now, m, MATE_MOVES, budget)
                && !(has_move(then, old) && begins_mate(then, old, MATE_MOVES, budget))
        })
    }

    /// The board before the move with the mover to play and not in check: if it stood in check, as
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

    /// What the mover could do if it were its turn after the move, `now`, and not before it, `then`.
    fn compare(&self, then: &Position, now: &Position, budget: &mut NodeBudget) -> Classification {
        let present = ThreatFinder::new(now, None, budget);
        let found = present.outcomes(budget);
        if found.is_empty() {
            return Classification::new(MoveClass::Idle);
        }
        let past = ThreatFinder::new(then, Some(self.played.from()), budget);
        let flees = self.flees_mate(budget);
        let mut classification = Classification::new(MoveClass::Idle);
        for (m, outcome) in found {
            let before = Move::new(self.origin(m.from()), m.to());
            if worthy_target(now, m).is_none() {
                let is_known = classification.check_threats.contains(&m.from());
                if !is_known && !past.wins_by_check(before.from(), budget) {
                    classification.check_threats.push(m.from());
                }
            } else if outcome == CaptureResult::Win {
                let is_known = flees && has_move(then, before)
                    || past.try_outcome(before, budget) == CaptureResult::Win
                    || self.is_nothing_new(then, now, m, budget);
                if !is_known {
                    classification.chases.push(m);
                }
            } else if past.try_outcome(before, budget) == CaptureResult::Nothing {
                classification.class = MoveClass::Exchange;
            }
        }
        let Classification {
            chases,
            check_threats,
            ..
        } = &classification;
        if chases.is_empty() && check_threats.is_empty() {
            return classification;
        }
        let mut checkers = check_threats.iter();
        classification.is_joint = match chases.is_empty() {
            true => !checkers.any(|from| present.wins_by_check_alone(*from, budget)),
            false => is_joint_chase(now, chases),
        };
        classification.class = MoveClass::Chase;
        classification
    }

    /// Whether a capture that wins `now` is no chase although it did not win `then`.
    fn is_nothing_new(
        &self,
        then: &Position,
        now: &Position,
        m: Move,
        budget: &mut NodeBudget,
    ) -> bool {
        let before = Move::new(self.origin(m.from()), m.to());
        // A piece that goes on attacking what it attacked.
        let goes_on = m.from() == self.played.to() && wins_exchange(then, before, budget);
        // One that could take it instead of answering the check.
        let answers = || self.before.in_check();
        if goes_on || answers() && wins_exchange(self.before, before, budget) {
            return true;
        }
        if !self.is_outside(then, now, m) || !self.wins_without_mover(now, m, budget) {
            return false;
        }
        // Outside the moves that are repeated it counts what it wins on its square, unless mate was
        // threatened, or what it won if nothing else hung.
        let is_free = answers() || !threatens_mate(self.before, MATE_MOVES, budget);
        let at_rest = ThreatFinder::new(then, None, budget);
        is_free && wins_exchange(then, before, budget)
            || at_rest.try_outcome(before, budget) == CaptureResult::Win
    }

    /// Whether a capture has nothing to do with the moves that are repeated: taker and target stand still,
    /// it was there before the last two moves, and neither the taker nor the screen that it takes over
    /// protects the piece that moves or is protected by it.
    fn is_outside(&self, then: &Position, now: &Position, m: Move) -> bool {
        let us = now.side_to_move();
        let attackers = |board: &Position, square| board.attackers_to(square, us, board.occupied());
        let was_there = |board: &Position| {
            let stands_still = board.piece_on(m.to()) == now.piece_on(m.to());
            stands_still && attackers(board, m.to()).contains(m.from())
        };
        let mover = self.played.to();
        if m.from() == mover || mover == now.king(us) {
            return false;
        }
        if !was_there(self.earlier) || !was_there(then) {
            return false;
        }
        let screen = Bitboard::between(m.from(), m.to()) & now.color(us);
        let is_linked = |board: &Position, piece: Square, square: Square| {
            attackers(board, square).contains(piece) || attackers(board, piece).contains(square)
        };
        !screen.with(m.from()).into_iter().any(|square| {
            is_linked(now, mover, square) || is_linked(then, self.played.from(), square)
        })
    }

    /// Whether a capture wins something on its square if the piece that moved is taken off the board, or
    /// that piece does no more than to cover its king.
    fn wins_without_mover(&self, now: &Position, m: Move, budget: &mut NodeBudget) -> bool {
        let mut setup = now.setup();
        setup.squares[self.played.to().index()] = None;
        Position::try_from(&setup)
            .is_ok_and(|rest| rest.in_check() || wins_exchange(&rest, m, budget))
    }

    /// Whether the king escapes a threatened mate. Captures that were possible before, at the price of being
    /// mated, are then not new.
    fn flees_mate(&self, budget: &mut NodeBudget) -> bool {
        let before = self.before;
        self.played.from() == before.king(before.side_to_move())
            && !before.in_check()
            && threatens_mate(before, MATE_MOVES, budget)
    }

    /// Whether the enemy threatened mate before the move and does not after it.
    fn parries_mate(&self, after: &Position, budget: &mut NodeBudget) -> bool {
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
