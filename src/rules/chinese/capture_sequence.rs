//! What a run of captures and checks wins.

use super::budget::NodeBudget;
use super::moves::moves_of;
use super::piece_worth::{MATE, PAWN_OFFERED, PieceWorth, worth};
use crate::board::{Bitboard, ByColor, Color, Move, PieceKind, Position, Square};

/// Moves after the first one that a run is followed for, answers to checks aside.
const LENGTH: u32 = 7;

/// Checks that take nothing, by each side, in one run after its first move.
const CHECKS: ByColor<u32> = ByColor::new(2, 2);

/// A run of captures and checks by one side, the chaser, and what the other side does about it.
///
/// The chaser may take what it does not win anyhow, but with its king and pawns only where a piece has
/// been taken already. The other side may take back wherever the chaser has moved to, take the
/// piece that hangs, and with its first answer what the first move has uncovered. Against a run that
/// begins with a check it may take all that it could take with profit before. What else it could take
/// while the chaser is busy does not count, but with check it may take it all the same, and if the chaser
/// takes back there, that costs what was taken. Either side may stop when it is not in check.
pub(super) struct CaptureSequence<'a> {
    /// The board.
    pub(super) position: Position,
    /// The side whose run it is.
    pub(super) chaser: Color,
    /// What the moves so far let either side take.
    pub(super) scope: Scope,
    /// A pawn that the first move offers.
    pub(super) offered: Option<Square>,
    /// A piece of the chaser that the other side would take instead.
    pub(super) hanging: Option<Square>,
    /// What is lost anyhow, by either side: no part of the run, but see [`Self::by_check`].
    pub(super) lost: Bitboard,
    /// Captures of the other side that the first move has made possible, by leaving a line.
    pub(super) uncovered: Vec<Move>,
    /// Whether the run begins with a check that takes nothing of worth.
    pub(super) by_check: bool,
    /// Captures between pieces of one kind that attack each other: no part of the run.
    pub(super) mutual: &'a [Move],
    /// How much may still be looked at.
    pub(super) budget: &'a mut NodeBudget,
}

/// What the moves of a run let either side take.
#[derive(Clone, Copy)]
pub(super) struct Scope {
    /// Where the chaser has moved to, and where the other side has taken elsewhere.
    reached: Bitboard,
    /// If one piece of the chaser alone may take, where that stands.
    alone: Option<Square>,
    /// Where the other side has last taken with check outside the run, and what that was worth.
    taken_with_check: Option<(Square, PieceWorth)>,
}

impl Scope {
    /// After the first move of a run, by a piece that stands on `square` now: with `is_alone` it is the
    /// only one of the chaser that may take.
    pub(super) fn after_move_to(square: Square, is_alone: bool) -> Self {
        Self {
            reached: square.into(),
            alone: is_alone.then_some(square),
            taken_with_check: None,
        }
    }
}

/// A move of a run.
#[derive(Clone, Copy)]
struct Candidate {
    m: Move,
    /// What it takes, if it takes anything: what counts of it.
    won: Option<PieceWorth>,
    /// The worth of a piece that the other side takes outside the run, which it may with check alone.
    outside: Option<PieceWorth>,
}

/// Where a run stands: what may still be done.
#[derive(Clone, Copy)]
struct Rest {
    moves: u32,
    checks: ByColor<u32>,
}

impl Rest {
    /// Whether the next move answers the first one.
    fn is_first_answer(self) -> bool {
        self.moves == LENGTH
    }
}

impl CaptureSequence<'_> {
    /// What the run wins for the chaser, whose first move has just been made.
    pub(super) fn gain(&mut self) -> PieceWorth {
        let rest = Rest {
            moves: LENGTH,
            checks: CHECKS,
        };
        -self.best(-2 * MATE, 2 * MATE, rest)
    }

    /// The most that the side to move wins from here on.
    fn best(&mut self, mut alpha: PieceWorth, beta: PieceWorth, rest: Rest) -> PieceWorth {
        let us = self.position.side_to_move();
        let in_check = self.position.in_check();
        let mut best = if in_check { -MATE } else { 0 };
        if best >= beta || !in_check && rest.moves == 0 || !self.budget.spend() {
            return best.max(0);
        }
        alpha = alpha.max(best);
        for candidate in self.candidates(rest) {
            let Candidate { m, won, outside } = candidate;
            let scope = self.scope;
            self.widen_scope(candidate, rest);
            let undo = self.position.make(m);
            let needs_check = !in_check && (won.is_none() || outside.is_some());
            let score = if needs_check && !self.position.in_check() {
                None
            } else {
                let mut next = rest;
                next.moves = rest.moves.saturating_sub(1);
                next.checks[us] -= u32::from(needs_check);
                let won = won.unwrap_or(0);
                // Answers to a last check that check as well could go on for ever.
                Some(match rest.moves {
                    0 => won,
                    _ => won - self.best(won - beta, won - alpha, next),
                })
            };
            self.position.unmake(m, undo);
            self.scope = scope;
            best = best.max(score.unwrap_or(best));
            alpha = alpha.max(best);
            if best >= beta {
                break;
            }
        }
        best
    }

    /// Notes what a move lets either side take from then on.
    fn widen_scope(&mut self, candidate: Candidate, rest: Rest) {
        let Candidate { m, won, outside } = candidate;
        let is_chaser = self.position.side_to_move() == self.chaser;
        if is_chaser && self.scope.alone == Some(m.from()) {
            self.scope.alone = Some(m.to());
        }
        let takes_elsewhere = won.is_some() && (self.by_check || self.is_uncovered(m, rest));
        if let Some(worth) = outside {
            self.scope.taken_with_check = Some((m.to(), worth));
        } else if is_chaser || takes_elsewhere {
            self.scope.reached = self.scope.reached.with(m.to());
        }
    }

    /// The moves to look at, the best bargains first.
    fn candidates(&self, rest: Rest) -> Vec<Candidate> {
        let position = &self.position;
        let mut candidates: Vec<_> = moves_of(position)
            .filter_map(|m| self.candidate(m, rest))
            .collect();
        candidates.sort_by_key(|Candidate { m, won, .. }| {
            let risk = position
                .piece_on(m.from())
                .map_or(0, |p| worth(p, m.from()));
            won.map_or(MATE, |won| risk.min(20) - 20 * won)
        });
        candidates
    }

    /// A move as part of the run; `None` where it is none.
    fn candidate(&self, m: Move, rest: Rest) -> Option<Candidate> {
        let us = self.position.side_to_move();
        let in_check = self.position.in_check();
        let candidate = |won, outside| Some(Candidate { m, won, outside });
        let Some(taken) = self.position.piece_on(m.to()) else {
            return candidate(None, None).filter(|_| in_check || rest.checks[us] > 0);
        };
        let is_part = in_check || self.is_part(m, rest);
        let taken = worth(taken, m.to());
        if us == self.chaser {
            if self.scope.alone.is_some_and(|piece| piece != m.from()) {
                return candidate(Some(0), None).filter(|_| in_check);
            }
            if let Some((square, price)) = self.scope.taken_with_check
                && square == m.to()
            {
                return candidate(Some(taken - price), None);
            }
            return candidate(Some(taken), None).filter(|_| is_part);
        }
        if !is_part {
            return candidate(Some(0), Some(taken)).filter(|_| rest.checks[us] > 0);
        }
        let is_offer = rest.is_first_answer() && self.offered == Some(m.to());
        let offered = if is_offer { PAWN_OFFERED } else { 0 };
        match self.is_part_for_both(m, rest) {
            true => candidate(Some(taken + offered), None),
            false => candidate(Some(0), None),
        }
    }

    /// Whether a capture by a side that is not in check is part of the run.
    fn is_part(&self, m: Move, rest: Rest) -> bool {
        !self.mutual.contains(&m)
            && (self.is_part_for_both(m, rest)
                || self.position.side_to_move() == self.chaser
                    && !self.lost.contains(m.to())
                    && !is_king_or_pawn_move(&self.position, m))
    }

    /// Whether a capture is on a square on which both sides may take, or one that the other side may
    /// make elsewhere.
    fn is_part_for_both(&self, m: Move, rest: Rest) -> bool {
        let is_other = self.position.side_to_move() != self.chaser;
        self.scope.reached.contains(m.to())
            || self.hanging == Some(m.to())
            || is_other && self.by_check && self.lost.contains(m.to())
            || self.is_uncovered(m, rest)
    }

    /// Whether a move answers the first one by taking what that has uncovered.
    fn is_uncovered(&self, m: Move, rest: Rest) -> bool {
        rest.is_first_answer() && self.uncovered.contains(&m)
    }
}

/// Whether it is a king or a pawn that moves.
pub(super) fn is_king_or_pawn_move(position: &Position, m: Move) -> bool {
    let kind = position.piece_on(m.from()).map(|piece| piece.kind());
    matches!(kind, Some(PieceKind::King | PieceKind::Pawn))
}

/// What a capture wins when both sides go on taking on its square alone, for as long as it pays.
pub(super) fn exchange(position: &Position, m: Move, budget: &mut NodeBudget) -> PieceWorth {
    let won = position.piece_on(m.to()).map_or(0, |p| worth(p, m.to()));
    let mut position = position.clone();
    position.make(m);
    won - recapture(&mut position, m.to(), budget)
}

fn recapture(position: &mut Position, square: Square, budget: &mut NodeBudget) -> PieceWorth {
    if !budget.spend() {
        return 0;
    }
    let won = position.piece_on(square).map_or(0, |p| worth(p, square));
    let mut best = 0;
    for m in moves_of(position).filter(|m| m.to() == square) {
        let undo = position.make(m);
        best = best.max(won - recapture(position, square, budget));
        position.unmake(m, undo);
    }
    best
}
