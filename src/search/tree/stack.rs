//! The search stack: what each ply of the line under search keeps for its children and siblings.

use crate::board::Move;
use crate::search::ordering::PieceTo;
use crate::search::score::{MAX_PLY, Score};

/// Entries before the root, so that looking back never leaves the stack.
const ENTRIES_BEFORE_ROOT: usize = 6;
/// Entries past the deepest ply, for what a node resets below it.
const PAST_DEEPEST: usize = 4;

/// One ply of the line under search.
#[derive(Clone, Debug, Default)]
pub(super) struct StackEntry {
    /// Corrected static evaluation; `None` in check.
    pub evaluation: Option<Score>,
    /// The move played from here, as histories index it.
    pub played: Option<PieceTo>,
    /// The move left out by a singular search.
    pub excluded: Move,
    /// Quiet moves that caused cut-offs in nodes at this ply that have a grandparent in common.
    pub killers: [Move; 2],
    /// The principal variation from here.
    pub pv: Vec<Move>,
}

/// The entries of all plies, some before the root included.
#[derive(Debug)]
pub(super) struct Stack {
    entries: Vec<StackEntry>,
}

impl Stack {
    pub(super) fn new() -> Self {
        Self {
            entries: vec![StackEntry::default(); ENTRIES_BEFORE_ROOT + MAX_PLY + PAST_DEEPEST],
        }
    }

    /// Empties every entry.
    pub(super) fn clear(&mut self) {
        self.entries.fill(StackEntry::default());
    }

    #[inline]
    pub(super) fn at(&self, ply: usize) -> &StackEntry {
        &self.entries[ply + ENTRIES_BEFORE_ROOT]
    }

    #[inline]
    pub(super) fn at_mut(&mut self, ply: usize) -> &mut StackEntry {
        &mut self.entries[ply + ENTRIES_BEFORE_ROOT]
    }

    /// The entry `back` plies before `ply`, which may lie before the root.
    #[inline]
    pub(super) fn back(&self, ply: usize, back: usize) -> &StackEntry {
        &self.entries[ply + ENTRIES_BEFORE_ROOT - back]
    }

    /// The moves one, two and four plies ago, for continuation histories.
    #[inline]
    pub(super) fn before(&self, ply: usize) -> [Option<PieceTo>; 3] {
        [1, 2, 4].map(|back| self.back(ply, back).played)
    }

    /// The moves one and two plies ago, for the correction history.
    #[inline]
    pub(super) fn last_two(&self, ply: usize) -> [Option<PieceTo>; 2] {
        [1, 2].map(|back| self.back(ply, back).played)
    }

    /// The principal variation from `ply` becomes `first` and then that of the next ply.
    pub(super) fn update_pv(&mut self, ply: usize, first: Move) {
        let (head, tail) = self.entries.split_at_mut(ply + ENTRIES_BEFORE_ROOT + 1);
        if let (Some(here), Some(next)) = (head.last_mut(), tail.first()) {
            here.pv.clear();
            here.pv.push(first);
            here.pv.extend_from_slice(&next.pv);
        }
    }
}
