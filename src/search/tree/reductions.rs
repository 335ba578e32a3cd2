//! How deep a move is searched: extensions and reductions.

use super::node::Node;
use super::search::Search;
use crate::board::Move;
use crate::search::event::Bound;
use crate::search::parameters;
use crate::search::score::Score;

impl Search<'_> {
    /// How much deeper the hash move is searched: a ply when it is singular, that is when
    /// all others stay well below it; less when others would cut off too.
    ///
    /// # Errors
    /// The score of a cut-off, when another move is good enough for it (multi-cut).
    pub(super) fn extension<const PV: bool>(
        &mut self,
        node: &Node,
        m: Move,
        beta: Score,
    ) -> Result<i32, Score> {
        let Node { ply, depth, .. } = *node;
        let Some(entry) = node.entry.filter(|_| m == node.hash_move) else {
            return Ok(0);
        };
        let score = entry.score.from_table(ply);
        let eligible = self.pruning.reductions
            && depth >= parameters::SINGULAR_DEPTH
            && self.stack.at(ply).excluded.is_none()
            && ply < 2 * self.root_depth as usize
            && entry.depth >= depth - 3
            && matches!(entry.bound, Some(Bound::Lower | Bound::Exact))
            && !score.is_decisive();
        if !eligible {
            return Ok(0);
        }
        let target = score - parameters::singular(depth);
        self.stack.at_mut(ply).excluded = m;
        let half = (depth - 1) / 2;
        let others = self.search::<false>(ply, target - 1, target, half, node.cut_node);
        self.stack.at_mut(ply).excluded = Move::NONE;
        if self.stopped {
            return Ok(0);
        }
        if others.score < target {
            return Ok(1);
        }
        if target >= beta && !PV {
            return Err(target);
        }
        if score >= beta || node.cut_node {
            return Ok(-1);
        }
        Ok(0)
    }

    /// Plies taken off a late move.
    pub(super) fn reduction<const PV: bool>(&self, node: &Node, m: Move, number: usize) -> i32 {
        if !self.pruning.reductions || node.depth < 2 || number < if PV { 3 } else { 2 } {
            return 0;
        }
        let mut reduction = parameters::late_move_reduction(node.depth, number);
        let quiet = self.position.taken_by(m).is_none();
        if quiet {
            let before = self.stack.before(node.ply);
            let history = self.histories.quiet(&self.position, m, &before);
            reduction -= history * parameters::PLY / 9000;
        } else {
            reduction -= parameters::PLY
                + self.histories.capture(&self.position, m) * parameters::PLY / 8000;
        }
        if node.cut_node {
            reduction += parameters::PLY + parameters::PLY / 2;
        }
        if node.was_pv {
            reduction -= parameters::PLY * 3 / 5;
        }
        if node.in_check {
            reduction -= parameters::PLY;
        }
        (reduction / parameters::PLY).max(0)
    }
}
