//! Bounded look-ahead: a node budget, piece values, exchanges, forced mates, and sequences of captures and checks.

use crate::board::{
    Bitboard, ByColor, Color, Legality, Move, MoveList, PieceKind, Position, Square,
};
use crate::movegen::{is_pseudo_legal, legal_moves_between};

/// The number of positions that may still be visited.
#[derive(Clone, Copy, Debug)]
pub struct NodeBudget(u32);

impl NodeBudget {
    /// A budget of `positions`.
    pub const fn new(positions: u32) -> Self {
        Self(positions)
    }

    /// Spends one position; `false` if none is left.
    fn spend(&mut self) -> bool {
        let left = self.0.checked_sub(1);
        self.0 = left.unwrap_or(0);
        left.is_some()
    }
}

/// A gain or loss of material; a knight is 9.
pub type PieceValue = i32;

/// The value of a mate, greater than all material.
pub const MATE: PieceValue = 1000;

/// The maximum number of checks of a forced mate.
pub const MATE_CHECKS: u32 = 4;

/// The cost of offering a pawn: more than a knight and an advisor, less than a rook. So the chaser gains if it wins
/// a rook for the pawn, but not if it wins a knight, or a knight and an advisor.
pub const OFFERED_PAWN: PieceValue = 14;

/// The value of the piece on `square`, 0 if the square is empty. A rook is worth two knights or cannons, and one of
/// these more than two advisors or bishops. A pawn has no value before it crosses the river, and after that so little
/// that giving any other piece for it is a loss.
pub fn value_on(position: &Position, square: Square) -> PieceValue {
    let Some(piece) = position.piece_on(square) else {
        return 0;
    };
    match piece.kind() {
        PieceKind::King => MATE,
        PieceKind::Rook => 18,
        PieceKind::Knight | PieceKind::Cannon => 9,
        PieceKind::Advisor | PieceKind::Bishop => 4,
        PieceKind::Pawn => PieceValue::from(square.is_across_river(piece.color())),
    }
}

/// The legal moves of the side to move, except promotions and captures of the king. The king can be captured in the
/// hypothetical positions of this module.
pub fn moves_of(position: &Position) -> MoveList {
    let us = position.side_to_move();
    let king = Bitboard::from(position.king(!us));
    legal_moves_between(position, position.color(us), !king)
}

/// Whether a move is one of [`moves_of`].
pub fn has_move(position: &Position, m: Move) -> bool {
    let takes_king = m.to() == position.king(!position.side_to_move());
    !takes_king
        && !m.is_promotion()
        && is_pseudo_legal(position, m)
        && Legality::new(position).allows(position, m)
}

/// The captures among [`moves_of`], in the same order.
pub fn captures(position: &Position) -> MoveList {
    let us = position.side_to_move();
    let enemies = position.color(!us).without(position.king(!us));
    legal_moves_between(position, position.color(us), enemies)
}

/// The captures on one square among [`moves_of`], in the same order.
pub fn captures_on(position: &Position, square: Square) -> MoveList {
    let us = position.side_to_move();
    let attackers = position.attackers_to(square, us, position.occupied());
    if attackers.is_empty() || square == position.king(!us) {
        return MoveList::new();
    }
    legal_moves_between(position, attackers, square.into())
}

/// The gain of a capture if both sides then recapture on its square for as long as that pays. No recapture counts after
/// the budget has run out.
pub fn exchange(position: &Position, m: Move, budget: &mut NodeBudget) -> PieceValue {
    let won = value_on(position, m.to());
    let mut position = position.after(m);
    won - recapture(&mut position, m.to(), budget)
}

fn recapture(position: &mut Position, square: Square, budget: &mut NodeBudget) -> PieceValue {
    if !budget.spend() {
        return 0;
    }
    let won = value_on(position, square);
    let mut best = 0;
    for m in captures_on(position, square) {
        let undo = position.make(m);
        best = best.max(won - recapture(position, square, budget));
        position.unmake(m, undo);
    }
    best
}

/// The first move by which the side to move forces mate with at most `checks` checks; `None` without such a move, or
/// if the budget runs out.
pub fn forced_mate(position: &mut Position, checks: u32, budget: &mut NodeBudget) -> Option<Move> {
    if checks == 0 || !budget.spend() {
        return None;
    }
    moves_of(position)
        .into_iter()
        .find(|m| position.gives_check(*m) && begins_mate(position, *m, checks, budget))
}

/// Whether a legal move is the first of a mate by at most `checks` checks; `checks` is at least 1.
pub fn begins_mate(position: &mut Position, m: Move, checks: u32, budget: &mut NodeBudget) -> bool {
    let undo = position.make(m);
    let mates = position.in_check() && is_mated(position, checks - 1, budget);
    position.unmake(m, undo);
    mates
}

/// Whether the side not to move could force mate by at most `checks` checks if it moved next. The side
/// to move must not be in check.
pub fn threatens_mate(position: &Position, checks: u32, budget: &mut NodeBudget) -> bool {
    let mut reversed = position.clone();
    reversed.make_null();
    forced_mate(&mut reversed, checks, budget).is_some()
}

/// Whether the side to move, which is in check, is mated by at most `checks` more checks after every
/// answer.
fn is_mated(position: &mut Position, checks: u32, budget: &mut NodeBudget) -> bool {
    moves_of(position).into_iter().all(|m| {
        let undo = position.make(m);
        let mates = forced_mate(position, checks, budget).is_some();
        position.unmake(m, undo);
        mates
    })
}

/// The maximum number of plies of a sequence after its first move. If the last of them gives check, one answer may
/// follow.
const SEQUENCE_LENGTH: u32 = 7;

/// The number of checks that each side may give after the first move. Captures that are part of the sequence and
/// answers to checks do not count.
const SEQUENCE_CHECKS: ByColor<u32> = ByColor::new(2, 2);

/// A sequence of captures and checks by one side, the chaser, with the answers of the other side.
///
/// The chaser may take any piece that is not lost anyway. Its king and pawns may take only on the squares where both
/// sides may take (see [`Scope`]).
///
/// The other side may take:
///
/// - any piece on the squares where both sides may take,
/// - the hanging piece,
/// - with its first answer, what the first move uncovered,
/// - if the sequence starts with a check, the pieces that were lost anyway,
/// - other pieces with check. This gains nothing, but if the chaser recaptures, the value of the piece taken is
///   subtracted from the chaser's gain.
///
/// In check, a side may make any move. A capture of the other side then counts only if it is in this list, and one of
/// the chaser only if [`Scope`] does not leave all captures to another piece.
///
/// Either side may stop when it is not in check.
pub struct CaptureSequence<'a> {
    /// The current position.
    pub position: Position,
    /// The side that tries to win material.
    pub chaser: Color,
    /// The captures that are part of the sequence because of the moves so far.
    pub scope: Scope,
    /// The square of a pawn that the first move offers.
    pub offered: Option<Square>,
    /// The square of a piece of the chaser that the other side may take instead of recapturing.
    pub hanging: Option<Square>,
    /// Squares of pieces of either side that are lost anyway: an exchange on the square wins material. The chaser may
    /// take these pieces only on the squares where both sides may take. The other side may also take them if the
    /// sequence starts with a check.
    pub lost: Bitboard,
    /// Captures by the other side that only the first move made possible, without those on its destination.
    pub uncovered: Vec<Move>,
    /// Whether the sequence starts with a check that takes nothing valuable.
    pub by_check: bool,
    /// Captures by the chaser of a piece of the same kind that could take the capturing piece. They are not part of the
    /// sequence.
    pub mutual: &'a [Move],
    /// The positions that may still be visited.
    pub budget: &'a mut NodeBudget,
}

/// The captures that are part of a sequence because of the moves so far.
#[derive(Clone, Copy)]
pub struct Scope {
    /// Squares on which both sides may take. The chaser has moved to them, or the other side has taken an uncovered
    /// piece there. If the sequence starts with a check, any capture of the other side that is part of it adds its
    /// square.
    reached: Bitboard,
    /// The square of the only piece of the chaser that may take, if the others may not.
    alone: Option<Square>,
    /// The square and value of the last piece that the other side took with check outside the sequence.
    taken_with_check: Option<(Square, PieceValue)>,
}

impl Scope {
    /// The scope after a first move to `square`. With `is_alone`, no other piece of the chaser may take.
    pub fn after_move_to(square: Square, is_alone: bool) -> Self {
        Self { reached: square.into(), alone: is_alone.then_some(square), taken_with_check: None }
    }
}

/// A move of a sequence.
#[derive(Clone, Copy)]
struct Candidate {
    m: Move,
    /// The gain that counts, `None` if the move is not a capture.
    won: Option<PieceValue>,
    /// The value of a piece that the other side takes outside the sequence, which it may only do with check.
    outside: Option<PieceValue>,
}

/// The number of plies and checks that are left.
#[derive(Clone, Copy)]
struct Remaining {
    plies: u32,
    checks: ByColor<u32>,
}

impl Remaining {
    /// Whether the next move answers the first one.
    fn is_first_answer(self) -> bool {
        self.plies == SEQUENCE_LENGTH
    }
}

impl CaptureSequence<'_> {
    /// The gain of the chaser after its first move, which has been made. What that move took is not included.
    pub fn gain(&mut self) -> PieceValue {
        let rest = Remaining { plies: SEQUENCE_LENGTH, checks: SEQUENCE_CHECKS };
        -self.best(-2 * MATE, 2 * MATE, rest)
    }

    /// The greatest gain of the side to move from here on.
    fn best(&mut self, mut alpha: PieceValue, beta: PieceValue, rest: Remaining) -> PieceValue {
        let us = self.position.side_to_move();
        let in_check = self.position.in_check();
        let mut best = if in_check { -MATE } else { 0 };
        if best >= beta || !in_check && rest.plies == 0 || !self.budget.spend() {
            return best.max(0);
        }
        alpha = alpha.max(best);
        for candidate in self.candidates(rest) {
            let Candidate { m, won, outside } = candidate;
            let scope = self.scope;
            self.widen_scope(candidate, rest);
            let undo = self.position.make(m);
            let needs_check = !in_check && (won.is_none() || outside.is_some());
            let mut next = rest;
            next.plies = rest.plies.saturating_sub(1);
            next.checks[us] -= u32::from(needs_check);
            let won = won.unwrap_or(0);
            // An answer to the last check may itself give check, so without this limit there would be no end.
            let score = match rest.plies {
                0 => won,
                _ => won - self.best(won - beta, won - alpha, next),
            };
            self.position.unmake(m, undo);
            self.scope = scope;
            best = best.max(score);
            alpha = alpha.max(best);
            if best >= beta {
                break;
            }
        }
        best
    }

    /// Adds the captures that a move makes part of the sequence.
    fn widen_scope(&mut self, candidate: Candidate, rest: Remaining) {
        let Candidate { m, won, outside } = candidate;
        let is_chaser = self.position.side_to_move() == self.chaser;
        if is_chaser && self.scope.alone == Some(m.from()) {
            self.scope.alone = Some(m.to());
        }
        let takes_elsewhere = won.is_some() && (self.by_check || self.is_uncovered(m, rest));
        if let Some(value) = outside {
            self.scope.taken_with_check = Some((m.to(), value));
        } else if is_chaser || takes_elsewhere {
            self.scope.reached = self.scope.reached.with(m.to());
        }
    }

    /// The moves of the sequence, ordered by the value of the victim, then of the attacker (MVV-LVA).
    fn candidates(&self, rest: Remaining) -> Vec<Candidate> {
        let position = &self.position;
        let us = position.side_to_move();
        let moves = if position.in_check() || rest.checks[us] > 0 {
            moves_of(position)
        } else {
            captures(position)
        };
        let mut candidates: Vec<_> =
            moves.into_iter().filter_map(|m| self.candidate(m, rest)).collect();
        candidates.sort_by_key(|Candidate { m, won, .. }| {
            let risk = value_on(position, m.from());
            won.map_or(MATE, |won| risk.min(20) - 20 * won)
        });
        candidates
    }

    /// A move as part of the sequence; `None` if it is not part of it.
    fn candidate(&self, m: Move, rest: Remaining) -> Option<Candidate> {
        let us = self.position.side_to_move();
        let in_check = self.position.in_check();
        let candidate = |won, outside| Candidate { m, won, outside };
        let may_check = || rest.checks[us] > 0 && self.position.gives_check(m);
        if self.position.piece_on(m.to()).is_none() {
            return (in_check || may_check()).then(|| candidate(None, None));
        }
        let is_part = in_check || self.is_part(m, rest);
        let taken = value_on(&self.position, m.to());
        if us == self.chaser {
            if self.scope.alone.is_some_and(|piece| piece != m.from()) {
                return in_check.then(|| candidate(Some(0), None));
            }
            if let Some((square, lost)) = self.scope.taken_with_check
                && square == m.to()
            {
                return Some(candidate(Some(taken - lost), None));
            }
            return is_part.then(|| candidate(Some(taken), None));
        }
        if !is_part {
            return may_check().then(|| candidate(Some(0), Some(taken)));
        }
        let is_offer = rest.is_first_answer() && self.offered == Some(m.to());
        let offered = if is_offer { OFFERED_PAWN } else { 0 };
        let won = if self.is_in_scope(m, rest) { taken + offered } else { 0 };
        Some(candidate(Some(won), None))
    }

    /// Whether a capture by a side that is not in check is part of the sequence.
    fn is_part(&self, m: Move, rest: Remaining) -> bool {
        !self.mutual.contains(&m)
            && (self.is_in_scope(m, rest)
                || self.position.side_to_move() == self.chaser
                    && !self.lost.contains(m.to())
                    && !is_king_or_pawn_move(&self.position, m))
    }

    /// Whether a capture is on a square where both sides may take, or is one that only the other side
    /// may make.
    fn is_in_scope(&self, m: Move, rest: Remaining) -> bool {
        let is_other = self.position.side_to_move() != self.chaser;
        self.scope.reached.contains(m.to())
            || self.hanging == Some(m.to())
            || is_other && self.by_check && self.lost.contains(m.to())
            || self.is_uncovered(m, rest)
    }

    /// Whether a move answers the first one by taking a piece that it uncovered.
    fn is_uncovered(&self, m: Move, rest: Remaining) -> bool {
        rest.is_first_answer() && self.uncovered.contains(&m)
    }
}

pub fn is_king_or_pawn_move(position: &Position, m: Move) -> bool {
    let kind = position.piece_on(m.from()).map(|piece| piece.kind());
    matches!(kind, Some(PieceKind::King | PieceKind::Pawn))
}
