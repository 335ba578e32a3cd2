//! How deep a move is searched: extensions and reductions.

use super::node::Node;
use super::node_type::{NodeType, NonPv};
use super::search::Search;
use crate::board::Move;
use crate::search::event::Bound;
use crate::search::parameters::formulas::{self, PLY};
use crate::search::parameters::values;
use crate::search::score::Score;

impl Search<'_> {
    /// Whether a move at `ply` may be extended: not far beyond the depth of the iteration.
    pub(super) fn may_extend(&self, ply: usize) -> bool {
        (ply as i32) < values::extension_depth_factor() * self.root_depth
    }

    /// How much deeper the hash move is searched: a ply when it is singular, that is when
    /// all others stay well below it; less when others would cut off too (Anantharaman, Campbell and Hsu,
    /// "Singular extensions: adding selectivity to brute-force searching", 1988).
    ///
    /// # Errors
    /// The score of a cut-off, when another move is good enough for it (Björnsson and Marsland,
    /// "Multi-cut alpha-beta pruning in game-tree search", 2001).
    pub(super) fn extension<N: NodeType>(
        &mut self,
        node: &Node,
        m: Move,
        beta: Score,
    ) -> Result<i32, Score> {
        let Node { ply, depth, .. } = *node;
        let Some(entry) = node.entry.filter(|_| m == node.hash_move) else {
            return Ok(0);
        };
        let score = entry.score.from_tt(ply);
        let eligible = self.pruning.reductions
            && depth >= values::singular_depth()
            && self.stack.at(ply).excluded.is_none()
            && self.may_extend(ply)
            && entry.depth >= depth - values::singular_entry_depth()
            && matches!(entry.bound, Some(Bound::Lower | Bound::Exact))
            && !score.is_proven();
        if !eligible {
            return Ok(0);
        }
        let target = score - formulas::singular(depth);
        self.stack.at_mut(ply).excluded = m;
        let reduced = (depth - 1) / values::singular_depth_divisor();
        let others = self.search::<NonPv>(ply, target - 1, target, reduced, node.cut_node);
        self.stack.at_mut(ply).excluded = Move::NONE;
        if self.stopped {
            return Ok(0);
        }
        if others.score < target {
            return Ok(1);
        }
        // Another move fails high as well: multi-cut.
        if target >= beta && !N::PV {
            return Err(target);
        }
        // The hash move is not needed for the cut-off that is expected: negative extension
        // (Chessprogramming wiki, "Singular Extensions").
        if score >= beta || node.cut_node {
            return Ok(-1);
        }
        Ok(0)
    }

    /// Plies taken off a late move (Chessprogramming wiki, "Late Move Reductions").
    pub(super) fn reduction<N: NodeType>(&self, node: &Node, m: Move, number: usize) -> i32 {
        let first = match N::PV {
            true => values::lmr_first_pv(),
            false => values::lmr_first(),
        };
        let is_late = number as i32 >= first;
        if !self.pruning.reductions || node.depth < values::lmr_depth() || !is_late {
            return 0;
        }
        let mut reduction = formulas::late_move_reduction(node.depth, number);
        let quiet = self.position.taken_by(m).is_none();
        if quiet {
            let before = self.stack.before(node.ply);
            let history = self.histories.quiet(&self.position, m, &before);
            reduction -= history * PLY / values::lmr_history();
        } else {
            let history = self.histories.capture(&self.position, m);
            reduction -= values::lmr_capture() + history * PLY / values::lmr_capture_history();
        }
        // A cut node fails high early or not at all (Chessprogramming wiki, "Node Types").
        if node.cut_node {
            reduction += values::lmr_cut_node();
        }
        if node.was_pv {
            reduction -= values::lmr_was_pv();
        }
        if node.in_check {
            reduction -= values::lmr_in_check();
        }
        (reduction / PLY).max(0)
    }
}
