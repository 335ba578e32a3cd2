//! How deep a move is searched: extensions and reductions.

use super::event::Bound;
use super::margins;
use super::node::Node;
use super::score::Score;
use super::worker::Worker;
use crate::board::Move;

impl Worker {
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
        let Some(record) = node.record.filter(|_| m == node.hash_move) else {
            return Ok(0);
        };
        let score = record.score.from_table(ply);
        let eligible = self.pruning.reductions
            && depth >= margins::SINGULAR_DEPTH
            && self.frame(ply).excluded.is_none()
            && ply < 2 * self.root_depth as usize
            && record.depth >= depth - 3
            && matches!(record.bound, Some(Bound::Lower | Bound::Exact))
            && !score.is_decisive();
        if !eligible {
            return Ok(0);
        }
        let target = score - margins::singular(depth);
        self.frame_mut(ply).excluded = m;
        let others = self.search::<false>(ply, target - 1, target, (depth - 1) / 2, node.cut_node);
        self.frame_mut(ply).excluded = Move::NONE;
        self.path_dependent = false;
        if self.stopped {
            return Ok(0);
        }
        if others < target {
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
        let mut reduction = margins::late_move_reduction(node.depth, number);
        let quiet = self.position.taken_by(m).is_none();
        if quiet {
            let before = self.before(node.ply);
            let history = self.histories.quiet(&self.position, m, &before);
            reduction -= history * margins::PLY / 9000;
        } else {
            reduction -=
                margins::PLY + self.histories.capture(&self.position, m) * margins::PLY / 8000;
        }
        if node.cut_node {
            reduction += margins::PLY + margins::PLY / 2;
        }
        if node.was_pv {
            reduction -= margins::PLY * 3 / 5;
        }
        if node.in_check {
            reduction -= margins::PLY;
        }
        (reduction / margins::PLY).max(0)
    }
}
