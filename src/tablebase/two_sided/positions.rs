//! Positions that no mate decides.

use super::graph::{GameGraph, Goals, Node, Offences};
use super::mates::{Mates, captures};
use super::node_bytes::NodeBytes;
use crate::tablebase::value::{ILLEGAL, Value};

/// The class with its mates known. A legal position without a mate is open.
pub struct OpenPositions<'a> {
    pub game: &'a GameGraph<'a>,
    mates: &'a Mates,
    /// Offences that all non-losing moves of a node commit. After the losses by rule are known,
    /// reused for their depth (see [`depth`](super::depth)).
    pub offences: NodeBytes,
    /// Goals that some move reaches without losing by mate. Unless the byte is stale, moves that lose by rule are left
    /// out as well.
    pub goals: NodeBytes,
}

impl<'a> OpenPositions<'a> {
    /// Examines each open position once.
    pub fn new(
        game: &'a GameGraph<'a>,
        mates: &'a Mates,
        threads: usize,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Self {
        let positions = Self {
            game,
            mates,
            offences: NodeBytes::new(game.len()),
            goals: NodeBytes::new(game.len()),
        };
        let examine = |node| {
            if positions.is_open(node) {
                let (goals, offences) = positions.goals_and_offences(node);
                positions.goals.set(node, goals.0);
                positions.offences.set(node, offences.0);
            }
        };
        game.for_each_node(threads, examine, |indices| progress(indices / 4));
        positions
    }

    pub fn is_legal(&self, node: Node) -> bool {
        self.mates.values.get(node) != ILLEGAL
    }

    /// Whether a position is legal and no mate decides it.
    pub fn is_open(&self, node: Node) -> bool {
        self.mates.values.get(node) == Value::DRAW.0
    }

    /// Value of a legal position if a mate decides it, else a draw.
    pub fn mate(&self, node: Node) -> Value {
        Value(self.mates.values.get(node))
    }

    /// Whether captures of an open position have a result of [`captures`].
    pub fn has_capture(&self, node: Node, bit: u8) -> bool {
        self.mates.captures.get(node) & bit != 0
    }

    /// Whether some quiet move of an open position is not known to lose.
    pub fn has_move(&self, node: Node) -> bool {
        self.mates.moves.get(node) != 0
    }

    /// Counts one more losing quiet move of an open position. Returns whether it was the last one.
    pub fn take_last_move(&self, node: Node) -> bool {
        self.mates.moves.decrement(node) == 1
    }

    /// Sets the number of quiet moves of a position lost by rule that are not counted yet.
    pub fn set_moves(&self, node: Node, count: u8) {
        self.mates.moves.set(node, count);
    }

    /// Goals that some move reaches and offences that all moves commit, without moves that allow a
    /// mate.
    fn goals_and_offences(&self, node: Node) -> (Goals, Offences) {
        let mut goals = if self.has_capture(node, captures::HOLD) {
            Goals::BOTH
        } else {
            Goals::NONE
        };
        let mut offences = self.offences_of_captures(node);
        if (goals, offences) == (Goals::BOTH, Offences::NONE)
            || self.has_peaceful_move(node, |to| !self.mate(to).is_won())
        {
            (goals, offences) = (Goals::BOTH, Offences::NONE);
        } else {
            self.game.quiet_moves(node, |m| {
                if !self.mate(m.to).is_won() {
                    let threats = m.threats();
                    goals = goals.with(Goals::of(threats));
                    offences = offences.and(m.offences(threats));
                }
                (goals, offences) != (Goals::BOTH, Offences::NONE)
            });
        }
        (goals, offences)
    }

    /// Offences that all moves of an open position commit, without moves to nodes with `is_out`.
    pub fn offences_of(&self, node: Node, is_out: impl Fn(Node) -> bool) -> Offences {
        let mut offences = self.offences_of_captures(node);
        if offences != Offences::NONE && self.has_peaceful_move(node, |to| !is_out(to)) {
            return Offences::NONE;
        }
        if offences != Offences::NONE {
            self.game.quiet_moves(node, |m| {
                if !is_out(m.to) {
                    offences = offences.and(m.offences(m.threats()));
                }
                offences != Offences::NONE
            });
        }
        offences
    }

    /// Whether a quiet move that threatens nothing leads to a node with `is_wanted`. May miss some
    /// such moves.
    pub fn has_peaceful_move(&self, node: Node, is_wanted: impl Fn(Node) -> bool) -> bool {
        let mover = self.game.mover(node);
        mover.is_some_and(|mover| mover.has_peaceful_move(is_wanted))
    }

    /// No offence if a capture does not lose, else all.
    fn offences_of_captures(&self, node: Node) -> Offences {
        if self.has_capture(node, captures::ESCAPE) {
            Offences::NONE
        } else {
            Offences::NO_MOVE
        }
    }
}
