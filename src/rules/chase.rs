//! What each move of a line newly threatens, found while the line is taken back.

use arrayvec::ArrayVec;

use super::game::Ply;
use super::piece_tracker::PieceTracker;
use super::rule_set::RuleSet;
use super::threat::{chaseable, chasers, cuts_off_protector};
use super::ucci_league;
use crate::board::{Bitboard, Color, Move, Position, Square};

/// A piece that a move newly threatens.
#[derive(Clone, Copy, Debug)]
pub(super) struct NewThreat {
    /// The name of the piece: where it stands at the end of the line.
    pub(super) name: Square,
    /// Where it stands after the move.
    pub(super) target: Square,
    /// The pieces that threaten it, as they stand after the move.
    pub(super) chasers: Bitboard,
}

/// No side has more pieces that can be chased.
type NewThreats = ArrayVec<NewThreat, 16>;

/// A line of moves without captures, read from its end.
pub(super) struct Retraction {
    board: Position,
    tracker: PieceTracker,
    rules: RuleSet,
}

impl Retraction {
    /// Begins at the end of the line.
    pub(super) fn new(end: &Position, rules: RuleSet) -> Self {
        Self {
            board: end.clone(),
            tracker: PieceTracker::new(),
            rules,
        }
    }

    /// The board as it stands after the moves not yet taken back.
    pub(super) fn board(&self) -> &Position {
        &self.board
    }

    /// The side that played the next move to be taken back.
    pub(super) fn mover(&self) -> Color {
        !self.board.side_to_move()
    }

    /// Takes a move back and tells which of the pieces named in `among` it newly threatened.
    ///
    /// Pieces named in `excused` do not threaten anything by cutting off a protector.
    pub(super) fn take_back(
        &mut self,
        ply: &Ply,
        among: Bitboard,
        excused: Bitboard,
    ) -> NewThreats {
        let mover = self.mover();
        let mut threats = self.threats(ply.played, among);
        let excused = self.tracker.squares(excused);
        let after = (excused.any() && !threats.is_empty()).then(|| self.board.clone());
        self.board.unmake(ply.played, ply.undo);
        self.tracker.step_back(ply.played);
        if self.rules == RuleSet::ElephantEye {
            return threats;
        }
        threats.retain(|threat| self.is_new(threat, mover, ply.played));
        if let Some(after) = after {
            threats.retain(|threat| {
                threat.chasers =
                    self.without_those_cutting_off(threat, excused, &after, ply.played);
                threat.chasers.any()
            });
        }
        threats
    }

    /// What the side that played the last move on the board threatens now, new or not.
    fn threats(&self, played: Move, among: Bitboard) -> NewThreats {
        let mut targets =
            self.tracker.squares(among) & chaseable(&self.board, self.board.side_to_move());
        if self.rules == RuleSet::ElephantEye {
            targets &=
                ucci_league::chased(&self.board, played).map_or(Bitboard::EMPTY, Bitboard::from);
        }
        let mut threats = NewThreats::new();
        for target in targets {
            let chasers = match self.rules {
                RuleSet::ElephantEye => Bitboard::from(played.to()),
                _ => chasers(&self.board, self.mover(), target),
            };
            if chasers.any() {
                threats.push(NewThreat {
                    name: self.tracker.name(target),
                    target,
                    chasers,
                });
            }
        }
        threats
    }

    /// The pieces that threaten, without the `excused` that do so only because a protector has been cut off.
    fn without_those_cutting_off(
        &self,
        threat: &NewThreat,
        excused: Bitboard,
        after: &Position,
        played: Move,
    ) -> Bitboard {
        let by_cut = |chaser: &Square| {
            cuts_off_protector(&self.board, after, *chaser, threat.target, |square| {
                origin(square, played)
            })
        };
        let cutters: Bitboard = (threat.chasers & excused)
            .into_iter()
            .filter(by_cut)
            .collect();
        threat.chasers & !cutters
    }

    /// Whether a threat after a move, on the board before it, has just arisen.
    fn is_new(&self, threat: &NewThreat, mover: Color, played: Move) -> bool {
        let before = chasers(&self.board, mover, threat.target);
        match self.rules {
            RuleSet::Computer => before.is_empty(),
            // When one chaser takes over from another the threat is renewed.
            _ => !threat
                .chasers
                .into_iter()
                .any(|chaser| before.contains(origin(chaser, played))),
        }
    }
}

/// Where the piece on `square` after a move stood before it.
fn origin(square: Square, played: Move) -> Square {
    if square == played.to() {
        played.from()
    } else {
        square
    }
}
