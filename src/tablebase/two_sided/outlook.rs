//! What the side to move can do in the positions that no mate decides.

use super::arena::{Arena, ArenaNode};
use super::marks::Marks;
use super::mates::{Mates, captures};
use super::moves::{Aims, Faults};
use crate::board::Color;
use crate::tablebase::parallel::for_each_part;
use crate::tablebase::value::{ILLEGAL, Value};

/// What is open in a class once its mates are known.
pub(super) struct Outlook<'a> {
    pub arena: &'a Arena<'a>,
    mates: &'a Mates,
    /// The faults that all moves have which do not lose; once all is marked that is lost by the rules, for that
    /// the plies to it ([`lengths`](super::lengths)).
    pub faults: Marks,
    /// The aims that some move reaches without losing: by mate, and once what is lost by the rules is marked,
    /// by these as well for those that are not stale.
    pub aims: Marks,
}

impl<'a> Outlook<'a> {
    /// Looks at every open position once.
    pub(super) fn new(
        arena: &'a Arena<'a>,
        mates: &'a Mates,
        threads: usize,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Self {
        let outlook = Self {
            arena,
            mates,
            faults: Marks::new(arena.len()),
            aims: Marks::new(arena.len()),
        };
        let slice = arena.indexer.slice();
        for_each_part(threads, arena.len() / slice, |part| {
            for index in part * slice..(part + 1) * slice {
                for side in Color::ALL {
                    let node = ArenaNode { index, side };
                    if outlook.is_open(node) {
                        let (aims, faults) = outlook.look(node);
                        outlook.aims.set(node, aims.0);
                        outlook.faults.set(node, faults.0);
                    }
                }
            }
            progress(slice as u64 / 4);
        });
        outlook
    }

    /// Whether a position is legal.
    pub(super) fn is_legal(&self, node: ArenaNode) -> bool {
        self.mates.values.get(node) != ILLEGAL
    }

    /// Whether a position is legal and no mate decides it.
    pub(super) fn is_open(&self, node: ArenaNode) -> bool {
        self.mates.values.get(node) == Value::DRAW.0
    }

    /// The mate that decides a legal position, if one does; else a draw.
    pub(super) fn mate(&self, node: ArenaNode) -> Value {
        Value(self.mates.values.get(node))
    }

    /// Whether captures of an open position lead to something.
    pub(super) fn has_capture(&self, node: ArenaNode, bit: u8) -> bool {
        self.mates.captures.get(node) & bit != 0
    }

    /// Whether some quiet move of an open position is not known to lose.
    pub(super) fn has_move(&self, node: ArenaNode) -> bool {
        self.mates.moves.get(node) != 0
    }

    /// Counts that one more quiet move of an open position loses for its side; whether it was the last one
    /// that did not.
    pub(super) fn take_last_move(&self, node: ArenaNode) -> bool {
        self.mates.moves.take_one(node) == 1
    }

    /// Sets how many quiet moves of a position that is lost by the rules are left to be counted.
    pub(super) fn set_moves(&self, node: ArenaNode, count: u8) {
        self.mates.moves.set(node, count);
    }

    /// The aims that some move of an open position reaches and the faults that all its moves have, those
    /// left out that allow a mate.
    fn look(&self, node: ArenaNode) -> (Aims, Faults) {
        let mut aims = match self.has_capture(node, captures::HOLD) {
            true => Aims::BOTH,
            false => Aims::NONE,
        };
        let mut faults = self.faults_of_captures(node);
        if (aims, faults) == (Aims::BOTH, Faults::NONE)
            || self.has_peaceful_move(node, |to| !self.mate(to).is_won())
        {
            (aims, faults) = (Aims::BOTH, Faults::NONE);
        } else {
            self.arena.quiet_moves(node, |m| {
                if !self.mate(m.to).is_won() {
                    let threats = m.threats();
                    aims = aims.with(Aims::of(threats));
                    faults = faults.and(m.faults(threats));
                }
                (aims, faults) != (Aims::BOTH, Faults::NONE)
            });
        }
        (aims, faults)
    }

    /// The faults that all moves of an open position have, those left out that lead to nodes which are `out`.
    pub(super) fn faults_of(&self, node: ArenaNode, is_out: impl Fn(ArenaNode) -> bool) -> Faults {
        let mut faults = self.faults_of_captures(node);
        if faults != Faults::NONE && self.has_peaceful_move(node, |to| !is_out(to)) {
            return Faults::NONE;
        }
        if faults != Faults::NONE {
            self.arena.quiet_moves(node, |m| {
                if !is_out(m.to) {
                    faults = faults.and(m.faults(m.threats()));
                }
                faults != Faults::NONE
            });
        }
        faults
    }

    /// Whether some quiet move of an open position that threatens nothing leads to a node that is wanted.
    /// There may be such moves that are not found.
    pub(super) fn has_peaceful_move(
        &self,
        node: ArenaNode,
        is_wanted: impl Fn(ArenaNode) -> bool,
    ) -> bool {
        let mover = self.arena.mover(node);
        mover.is_some_and(|mover| mover.has_peaceful_move(is_wanted))
    }

    /// None where a capture of an open position may not lose, else all.
    fn faults_of_captures(&self, node: ArenaNode) -> Faults {
        match self.has_capture(node, captures::ESCAPE) {
            true => Faults::NONE,
            false => Faults::NO_MOVE,
        }
    }
}
