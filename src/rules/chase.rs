//! What each move of a line newly threatens, found while the line is taken back.

use arrayvec::ArrayVec;

use super::game::Ply;
use super::names::Names;
use super::rule_set::RuleSet;
use super::threat::{chaseable, chasers, cuts_root};
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
pub(super) struct Rewind {
    board: Position,
    names: Names,
    rules: RuleSet,
}

impl Rewind {
    /// Begins at the end of the line.
    pub(super) fn new(end: &Position, rules: RuleSet) -> Self {
        Self {
            board: end.clone(),
            names: Names::new(),
            rules,
        }
    }

    /// The board as it stands after the moves not yet taken back.
    pub(super) fn board(&self) -> &Position {
        &self.board
    }

    /// The side that played the next move to be taken back.
    pub(super) fn mover(&self) -> Color {
        !self.board.side()
    }

    /// Takes a move back and tells which of the pieces named in `among` it newly threatened.
    ///
    /// Pieces named in `excused` do not threaten anything by the cutting of a root.
    pub(super) fn take_back(
        &mut self,
        ply: &Ply,
        among: Bitboard,
        excused: Bitboard,
    ) -> NewThreats {
        let mover = self.mover();
        let excused = self.names.squares(excused);
        let targets = self.names.squares(among) & chaseable(&self.board, !mover);
        let mut threats = NewThreats::new();
        for target in targets {
            let chasers = chasers(&self.board, mover, target);
            if chasers.any() {
                let name = self.names.name(target);
                threats.push(NewThreat {
                    name,
                    target,
                    chasers,
                });
            }
        }
        let after = (excused.any() && !threats.is_empty()).then(|| self.board.clone());
        self.board.unmake(ply.played, ply.undo);
        self.names.step_back(ply.played);
        threats.retain(|threat| self.is_new(threat, mover, ply.played));
        if let Some(after) = after {
            threats.retain(|threat| {
                threat.chasers = threat
                    .chasers
                    .into_iter()
                    .filter(|chaser| {
                        !excused.contains(*chaser)
                            || !cuts_root(&self.board, &after, *chaser, threat.target, |square| {
                                origin(square, ply.played)
                            })
                    })
                    .collect();
                threat.chasers.any()
            });
        }
        threats
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
