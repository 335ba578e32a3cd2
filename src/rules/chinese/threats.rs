//! What a side could do if it were its turn.

use super::budget::NodeBudget;
use super::capture_sequence::{CaptureSequence, Scope, exchange, is_king_or_pawn_move};
use super::mate::forced_mate;
use super::moves::{has_move, moves_of};
use super::piece_worth::{MATE, PieceWorth, worth};
use crate::board::{Bitboard, Move, Piece, Position, Square};

/// Checks by which a side that takes a piece may be mated for it.
const REVENGE: u32 = 4;

/// What a move leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CaptureResult {
    /// Nothing of note.
    Nothing,
    /// A capture that leaves both sides with as much as before.
    Even,
    /// A capture that wins material, or a check that takes nothing of worth and wins some later.
    Win,
}

/// What counts in a run of captures and checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RunKind {
    /// All of the run counts.
    Whole,
    /// All but what the first move uncovers.
    Covered,
    /// All, but the piece that makes the first move is the only one of its side that takes.
    Alone,
}

/// A position in which the side to move, not in check, could win something, with what holds for all
/// its moves.
pub(super) struct ThreatFinder<'a> {
    position: &'a Position,
    /// The captures of the other side if it were its turn.
    enemy_captures: Vec<Move>,
    /// See [`CaptureSequence::lost`].
    lost: Bitboard,
    /// See [`CaptureSequence::mutual`].
    mutual: Vec<Move>,
    /// See [`CaptureSequence::hanging`].
    hanging: Option<Square>,
}

impl<'a> ThreatFinder<'a> {
    /// If the piece on `hanging` of the side to move can be taken, that side cannot take anything
    /// else meanwhile.
    pub(super) fn new(
        position: &'a Position,
        hanging: Option<Square>,
        budget: &mut NodeBudget,
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
        let enemy_captures: Vec<Move> = captures(&reversed).collect();
        Self {
            position,
            lost,
            mutual: mutual_captures(position, &enemy_captures),
            enemy_captures,
            hanging,
        }
    }

    /// The moves that win something or exchange evenly.
    pub(super) fn outcomes(&self, budget: &mut NodeBudget) -> Vec<(Move, CaptureResult)> {
        moves_of(self.position)
            .map(|m| (m, self.outcome(m, budget)))
            .filter(|(_, outcome)| *outcome != CaptureResult::Nothing)
            .collect()
    }

    /// What a move leads to; nothing if it cannot be played.
    pub(super) fn try_outcome(&self, m: Move, budget: &mut NodeBudget) -> CaptureResult {
        match has_move(self.position, m) {
            true => self.outcome(m, budget),
            false => CaptureResult::Nothing,
        }
    }

    /// Whether the piece on a square has a check that takes nothing of worth and wins something later.
    pub(super) fn wins_by_check(&self, from: Square, budget: &mut NodeBudget) -> bool {
        moves_of(self.position)
            .filter(|m| m.from() == from && worthy_target(self.position, *m).is_none())
            .any(|m| self.outcome(m, budget) == CaptureResult::Win)
    }

    /// The same where no other piece of its side may take.
    pub(super) fn wins_by_check_alone(&self, from: Square, budget: &mut NodeBudget) -> bool {
        moves_of(self.position)
            .filter(|m| m.from() == from && worthy_target(self.position, *m).is_none())
            .any(|m| self.wins(m, RunKind::Alone, budget))
    }

    fn wins(&self, m: Move, kind: RunKind, budget: &mut NodeBudget) -> bool {
        self.gain(m, kind, budget).is_some_and(|gain| gain > 0)
    }

    fn outcome(&self, m: Move, budget: &mut NodeBudget) -> CaptureResult {
        if worthy_target(self.position, m).is_none() {
            return match self.wins(m, RunKind::Whole, budget) {
                true => CaptureResult::Win,
                false => CaptureResult::Nothing,
            };
        }
        if is_king_or_pawn_move(self.position, m) {
            return CaptureResult::Nothing;
        }
        if self.mutual.contains(&m) {
            return CaptureResult::Even;
        }
        match self.gain(m, RunKind::Whole, budget) {
            Some(gain) if gain > 0 => CaptureResult::Win,
            // What is uncovered makes a capture that wins a bad one, but not an exchange.
            Some(0) if self.wins(m, RunKind::Covered, budget) => CaptureResult::Win,
            Some(0) => CaptureResult::Even,
            _ => CaptureResult::Nothing,
        }
    }

    /// What a capture or check wins; `None` for any other move, for one that gets its side mated,
    /// and for one that mates: that is no chase.
    fn gain(&self, m: Move, kind: RunKind, budget: &mut NodeBudget) -> Option<PieceWorth> {
        let taken = worthy_target(self.position, m);
        let mut position = self.position.clone();
        position.make(m);
        if !position.in_check() {
            taken?;
            if forced_mate(&mut position, REVENGE, budget).is_some() {
                return None;
            }
        }
        let offers_pawn = taken.is_none() && is_king_or_pawn_move(self.position, m);
        let uncovered = captures(&position)
            .filter(|answer| kind != RunKind::Covered && answer.to() != m.to())
            .filter(|answer| !self.enemy_captures.contains(answer))
            .collect();
        let mut sequence = CaptureSequence {
            position,
            chaser: self.position.side_to_move(),
            scope: Scope::after_move_to(m.to(), kind == RunKind::Alone),
            offered: offers_pawn.then_some(m.to()),
            hanging: self.hanging,
            lost: self.lost,
            uncovered,
            by_check: taken.is_none(),
            mutual: &self.mutual,
            budget,
        };
        let won = taken.map_or(0, |piece| worth(piece, m.to()));
        Some(won + sequence.gain()).filter(|gain| *gain < MATE / 2)
    }
}

/// The captures between pieces of one kind that can take each other: `enemy_captures` are those that
/// the other side could make.
fn mutual_captures(position: &Position, enemy_captures: &[Move]) -> Vec<Move> {
    let kind = |square| position.piece_on(square).map(|piece| piece.kind());
    captures(position)
        .filter(|m| kind(m.from()) == kind(m.to()))
        .filter(|m| enemy_captures.contains(&Move::new(m.to(), m.from())))
        .collect()
}

/// Whether the side to move can make a capture that wins something on its square.
pub(super) fn wins_exchange(position: &Position, m: Move, budget: &mut NodeBudget) -> bool {
    has_move(position, m) && exchange(position, m, budget) > 0
}

/// What a move takes, if it is worth anything: a pawn at home is not.
pub(super) fn worthy_target(position: &Position, m: Move) -> Option<Piece> {
    position
        .piece_on(m.to())
        .filter(|piece| worth(*piece, m.to()) > 0)
}

/// The captures of the side to move.
fn captures(position: &Position) -> impl Iterator<Item = Move> + use<> {
    let enemies = position.color(!position.side_to_move());
    moves_of(position).filter(move |m| enemies.contains(m.to()))
}
