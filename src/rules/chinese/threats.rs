//! The captures and checks by which a side could win material if it moved next, and joint chases (联合捉子).

use super::lookahead::{
    CaptureSequence, MATE, MATE_CHECKS, NodeBudget, PieceValue, Scope, captures, captures_on,
    exchange, forced_mate, has_move, is_king_or_pawn_move, moves_of, value_on,
};
use crate::board::{Bitboard, Move, MoveList, PieceKind, Position, Square};

/// The result of a capture or check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreatResult {
    /// None of the others. A capture of a valuable piece by the king or a pawn always has this result.
    Nothing,
    /// An even exchange.
    Even,
    /// A capture that wins material, or a check that takes nothing valuable and wins material later.
    Win,
}

/// A restriction of a capture sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restriction {
    None,
    /// Captures by the other side that only the first move makes possible do not count, except on its destination.
    IgnoresUncovered,
    /// Of the side that begins, only the piece that makes the first move may take.
    Alone,
}

/// Finds the captures and checks that win material for the side to move, which is not in check. Holds
/// the data that is the same for every move.
pub struct ThreatFinder<'a> {
    position: &'a Position,
    /// The captures of the other side if it moved next.
    enemy_captures: MoveList,
    /// See [`CaptureSequence::lost`].
    lost: Bitboard,
    /// See [`CaptureSequence::mutual`].
    mutual: Vec<Move>,
    /// See [`CaptureSequence::hanging`].
    hanging: Option<Square>,
}

impl<'a> ThreatFinder<'a> {
    /// A finder for a position. `hanging` is the square of a piece of the side to move that the other side may take
    /// instead of recapturing.
    pub fn new(position: &'a Position, hanging: Option<Square>, budget: &mut NodeBudget) -> Self {
        let mut reversed = position.clone();
        reversed.make_null();
        let enemy_captures = captures(&reversed);
        let mut lost = Bitboard::EMPTY;
        let own = captures(position).into_iter().map(|m| (position, m));
        for (board, m) in own.chain(enemy_captures.iter().map(|m| (&reversed, *m))) {
            if !lost.contains(m.to()) && exchange(board, m, budget) > 0 {
                lost = lost.with(m.to());
            }
        }
        let mutual = mutual_captures(position, &enemy_captures);
        Self { position, enemy_captures, lost, mutual, hanging }
    }

    /// The moves that win material or exchange evenly, except captures by the king or a pawn, which may chase forever.
    pub fn results(&self, budget: &mut NodeBudget) -> Vec<(Move, ThreatResult)> {
        moves_of(self.position)
            .into_iter()
            .map(|m| (m, self.result(m, budget)))
            .filter(|(_, result)| *result != ThreatResult::Nothing)
            .collect()
    }

    /// The result of a move, [`ThreatResult::Nothing`] if it is illegal.
    pub fn try_result(&self, m: Move, budget: &mut NodeBudget) -> ThreatResult {
        if has_move(self.position, m) { self.result(m, budget) } else { ThreatResult::Nothing }
    }

    /// Whether the piece on a square has a check that takes nothing valuable and wins material later.
    pub fn wins_by_check(
        &self,
        from: Square,
        restriction: Restriction,
        budget: &mut NodeBudget,
    ) -> bool {
        moves_of(self.position)
            .into_iter()
            .filter(|m| m.from() == from && !takes_value(self.position, *m))
            .any(|m| self.wins(m, restriction, budget))
    }

    fn wins(&self, m: Move, restriction: Restriction, budget: &mut NodeBudget) -> bool {
        self.gain(m, restriction, budget).is_some_and(|gain| gain > 0)
    }

    fn result(&self, m: Move, budget: &mut NodeBudget) -> ThreatResult {
        if !takes_value(self.position, m) {
            return if self.wins(m, Restriction::None, budget) {
                ThreatResult::Win
            } else {
                ThreatResult::Nothing
            };
        }
        if is_king_or_pawn_move(self.position, m) {
            return ThreatResult::Nothing;
        }
        if self.mutual.contains(&m) {
            return ThreatResult::Even;
        }
        match self.gain(m, Restriction::None, budget) {
            Some(gain) if gain > 0 => ThreatResult::Win,
            // A capture that is even only because of the captures that it uncovers for the other side still wins.
            Some(0) if self.wins(m, Restriction::IgnoresUncovered, budget) => ThreatResult::Win,
            Some(0) => ThreatResult::Even,
            _ => ThreatResult::Nothing,
        }
    }

    /// The gain of a capture or check. `None` for other moves, for captures without check after which the
    /// other side can force mate, and for moves that force mate, which are not chases.
    fn gain(
        &self,
        m: Move,
        restriction: Restriction,
        budget: &mut NodeBudget,
    ) -> Option<PieceValue> {
        let is_capture = takes_value(self.position, m);
        let gives_check = self.position.gives_check(m);
        if !is_capture && !gives_check {
            return None;
        }
        let mut position = self.position.after(m);
        if !gives_check && forced_mate(&mut position, MATE_CHECKS, budget).is_some() {
            return None;
        }
        let is_pawn = self.position.piece_on(m.from()).is_some_and(|p| p.kind() == PieceKind::Pawn);
        let offers_pawn = !is_capture && is_pawn;
        let uncovered = captures(&position)
            .into_iter()
            .filter(|answer| restriction != Restriction::IgnoresUncovered && answer.to() != m.to())
            .filter(|answer| !self.enemy_captures.contains(answer))
            .collect();
        let mut sequence = CaptureSequence {
            position,
            chaser: self.position.side_to_move(),
            scope: Scope::after_move_to(m.to(), restriction == Restriction::Alone),
            offered: offers_pawn.then_some(m.to()),
            hanging: self.hanging,
            lost: self.lost,
            uncovered,
            by_check: !is_capture,
            mutual: &self.mutual,
            budget,
        };
        let won = value_on(self.position, m.to());
        Some(won + sequence.gain()).filter(|gain| *gain < MATE / 2)
    }
}

/// The captures of the side to move between pieces of the same kind that can take each other. `enemy_captures` are
/// the captures of the other side if it moved next.
fn mutual_captures(position: &Position, enemy_captures: &[Move]) -> Vec<Move> {
    let kind = |square| position.piece_on(square).map(|piece| piece.kind());
    captures(position)
        .into_iter()
        .filter(|m| kind(m.from()) == kind(m.to()))
        .filter(|m| enemy_captures.contains(&Move::new(m.to(), m.from())))
        .collect()
}

/// Whether a capture is legal and wins material on its square.
pub fn wins_exchange(position: &Position, m: Move, budget: &mut NodeBudget) -> bool {
    has_move(position, m) && exchange(position, m, budget) > 0
}

/// Whether a move takes a valuable piece: any piece except a pawn that has not crossed the river.
pub fn takes_value(position: &Position, m: Move) -> bool {
    value_on(position, m.to()) > 0
}

/// Whether one of the most valuable chased pieces is chased jointly: no capture of it wins by the strength of
/// the capturing piece alone.
pub fn is_joint_chase(position: &Position, chases: &[Move]) -> bool {
    let highest = chases.iter().map(|m| value_on(position, m.to())).max();
    let most_valuable = chases.iter().filter(|m| Some(value_on(position, m.to())) == highest);
    most_valuable.clone().any(|m| {
        let mut same_target = most_valuable.clone().filter(|other| other.to() == m.to());
        same_target.all(|other| is_joint(position, *other))
    })
}

/// Whether a winning capture needs more than the capturing piece:
///
/// - another piece gives a discovered check,
/// - another piece makes every recapture illegal, by a pin or by guarding the square against the king,
/// - a screen takes part in the chase (see [`has_involved_screen`]), or
/// - the capture gives no check and takes a protected piece that is not more valuable, so that it wins only because
///   another piece recaptures or the protector is overloaded.
fn is_joint(position: &Position, m: Move) -> bool {
    let Some(taken) = position.piece_on(m.to()) else {
        return false;
    };
    let after = position.after(m);
    let discovers = after.checkers().without(m.to()).any();
    let protectors = after.attackers_to(m.to(), taken.color(), after.occupied());
    let is_protected = !captures_on(&after, m.to()).is_empty();
    let takes_more = value_on(position, m.from()) < value_on(position, m.to());
    let is_recapture_illegal = protectors.any() && !is_protected;
    discovers
        || is_recapture_illegal
        || is_protected && !takes_more && !after.in_check()
        || has_involved_screen(position, m)
}

/// Whether a cannon captures over a rook, knight or cannon of its own side that takes part in the chase. If the screen
/// can take the target as well, it takes part if the target is protected. Otherwise it takes part if the target could
/// take it, is worth more, and could then be retaken by a rook, knight or cannon.
fn has_involved_screen(position: &Position, m: Move) -> bool {
    let us = position.side_to_move();
    let is_cannon = position.kind(PieceKind::Cannon).contains(m.from());
    let screen = Bitboard::between(m.from(), m.to()) & position.color(us) & major_pieces(position);
    let Some(screen) = screen.first().filter(|_| is_cannon) else {
        return false;
    };
    let by_screen = Move::new(screen, m.to());
    if has_move(position, by_screen) {
        let after = position.after(by_screen);
        return !captures_on(&after, m.to()).is_empty();
    }
    let takes_screen = Move::new(m.to(), screen);
    let mut reversed = position.clone();
    reversed.make_null();
    if value_on(position, screen) >= value_on(position, m.to())
        || !has_move(&reversed, takes_screen)
    {
        return false;
    }
    reversed.make(takes_screen);
    let protectors = major_pieces(&reversed);
    captures_on(&reversed, screen).iter().any(|back| protectors.contains(back.from()))
}

/// Rooks, knights and cannons.
fn major_pieces(position: &Position) -> Bitboard {
    position.kind(PieceKind::Rook)
        | position.kind(PieceKind::Knight)
        | position.kind(PieceKind::Cannon)
}
