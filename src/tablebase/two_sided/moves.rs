//! What the moves of a position lead to and what they are by themselves.

use super::arena::{Arena, ArenaNode};
use crate::board::{Bitboard, PieceKind, Position};
use crate::movegen::legal_moves;
use crate::rules::{MoveThreats, Ply, RuleSet, move_threats};

/// Ways in which all moves of a side can be forbidden, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Faults(pub u8);

impl Faults {
    pub(super) const NONE: Self = Self(0);
    /// It gives check.
    pub(super) const CHECK: Self = Self(1);
    /// It chases the attacker, an advisor, a bishop.
    pub(super) const CHASES: [Self; 3] = [Self(2), Self(4), Self(8)];
    /// It chases something.
    pub(super) const CHASE: Self = Self(14);
    /// What two aims avoid between them where no other is asked for: checks, and all chases.
    pub(super) const APART: [Self; 2] = [Self::CHECK, Self::CHASE];
    /// All ways, and that there is no move: what nothing is left of but moves that lose.
    pub(super) const NO_MOVE: Self = Self(31);

    /// Each way by itself.
    pub(super) const EACH: [Self; 4] = [Self(1), Self(2), Self(4), Self(8)];

    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// What a side that holds the other one to this fault must do again and again so as to be better: moves
    /// without these faults.
    pub(super) const fn answers(self) -> &'static [Self] {
        match self {
            Self::CHECK => &[Self::CHECK],
            _ => &Self::APART,
        }
    }

    /// These faults as bits, and all others that a move may have.
    pub(super) const fn shared_out(bits: u8) -> [Self; 2] {
        [Self(bits), Self((Self::CHECK.0 | Self::CHASE.0) & !bits)]
    }

    /// Whether none of some faults is among these.
    pub(super) const fn is_free_of(self, others: Self) -> bool {
        self.0 & others.0 == 0
    }
}

/// What a side must do again and again so as not to be found at fault, as bits: a move that gives no check,
/// and one that chases nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Aims(pub u8);

impl Aims {
    pub(super) const NONE: Self = Self(0);
    pub(super) const NO_CHECK: Self = Self(1);
    pub(super) const NO_CHASE: Self = Self(2);
    pub(super) const BOTH: Self = Self(3);
    /// Each by itself.
    pub(super) const EACH: [Self; 2] = [Self::NO_CHECK, Self::NO_CHASE];

    /// The aims that a move reaches.
    pub(super) fn of(threats: MoveThreats) -> Self {
        let no_check = if threats.gives_check { 0 } else { 1 };
        let no_chase = if threats.chased.any() { 0 } else { 2 };
        Self(no_check | no_chase)
    }

    pub(super) const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// A quiet move: the node that it leads to.
pub(super) struct QuietMove<'a> {
    pub to: ArenaNode,
    after: &'a Position,
    ply: Ply,
    rules: RuleSet,
}

impl QuietMove<'_> {
    /// The move itself.
    #[cfg(test)]
    pub(super) fn played(&self) -> crate::board::Move {
        self.ply.played
    }

    /// What the move is by itself.
    pub(super) fn threats(&self) -> MoveThreats {
        move_threats(self.after, &self.ply, self.rules)
            .expect("other rules than those that judge moves by themselves are refused")
    }

    /// The faults that the move has for certain. Only a piece that is the only one of its kind is known from
    /// one move to the next; under the `computer` rules a check undoes every chase.
    pub(super) fn faults(&self, threats: MoveThreats) -> Faults {
        self.faults_against(threats, |pieces| !pieces.more_than_one())
    }

    /// The faults that the move may have, whichever of two pieces of a kind was chased before.
    pub(super) fn possible_faults(&self, threats: MoveThreats) -> Faults {
        self.faults_against(threats, |_| true)
    }

    /// The faults of the move, those left out against pieces of one kind that are not `counted`.
    fn faults_against(&self, threats: MoveThreats, counted: fn(Bitboard) -> bool) -> Faults {
        let chaser = !self.after.side_to_move();
        let defenders = [PieceKind::Advisor, PieceKind::Bishop];
        let [advisors, bishops] = defenders.map(|kind| self.after.pieces(!chaser, kind));
        let kings = Bitboard::from(self.after.king(!chaser));
        let attackers = self.after.color(!chaser) & !(advisors | bishops | kings);
        let mut faults = if threats.gives_check {
            Faults::CHECK.0
        } else {
            0
        };
        if self.rules == RuleSet::Computer && threats.gives_check {
            return Faults(faults);
        }
        for (pieces, fault) in [attackers, advisors, bishops]
            .into_iter()
            .zip(Faults::CHASES)
        {
            if counted(pieces) && (pieces & threats.chased).any() {
                faults |= fault.0;
            }
        }
        Faults(faults)
    }
}

impl Arena<'_> {
    /// Visits the legal quiet moves of a node, until `visit` says that it has seen enough.
    pub(super) fn quiet_moves(
        &self,
        node: ArenaNode,
        mut visit: impl FnMut(QuietMove<'_>) -> bool,
    ) {
        let Some(mut position) = self.position(node) else {
            return;
        };
        let cell = self.indexer.cell(node.index);
        for played in legal_moves(&position) {
            if position.taken_by(played).is_some() {
                continue;
            }
            let undo = position.make(played);
            let goes_on = visit(QuietMove {
                to: self.node_after(cell, played, &position),
                after: &position,
                ply: Ply { played, undo },
                rules: self.rules,
            });
            position.unmake(played, undo);
            if !goes_on {
                return;
            }
        }
    }
}
