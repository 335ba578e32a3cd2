//! What the search leaves out: nodes that are cut off without a move, and moves that are not tried.

use super::event::Bound;
use super::margins;
use super::node::Node;
use super::picker::{Picker, Wanted};
use super::score::Score;
use super::table::Record;
use super::worker::Worker;
use crate::board::Move;

impl Worker {
    /// Cut-offs that need no move: razoring, reverse futility, null move, probcut.
    pub(super) fn prune_node<const PV: bool>(
        &mut self,
        node: &Node,
        alpha: Score,
        beta: Score,
    ) -> Option<Score> {
        let excluded = self.frame(node.ply).excluded;
        if PV || node.in_check || excluded.is_some() {
            return None;
        }
        let Node {
            ply,
            depth,
            evaluation,
            ..
        } = *node;
        if self.pruning.by_evaluation && !alpha.is_decisive() {
            if evaluation + margins::razoring(depth) < alpha {
                let score = self.quiescence::<false>(ply, alpha, alpha + 1);
                if score <= alpha || self.stopped {
                    return Some(score);
                }
                self.path_dependent = false;
            }
            if depth <= margins::REVERSE_FUTILITY_DEPTH
                && !evaluation.is_win()
                && !beta.is_decisive()
                && evaluation - margins::reverse_futility(depth, node.improving) >= beta
            {
                return Some(beta + margins::reverse_futility_share(evaluation - beta));
            }
        }
        if let Some(score) = self.null_move(node, beta) {
            return Some(score);
        }
        if self.pruning.by_evaluation && depth >= 5 && !beta.is_decisive() {
            return self.probcut(node, beta);
        }
        None
    }

    /// The null move: if the opponent to move twice cannot bring the score under beta, the node is
    /// cut off. In thin endings, where passing may be the best move there is, and in deep nodes the
    /// cut-off must be confirmed by a search without null moves.
    pub(super) fn null_move(&mut self, node: &Node, beta: Score) -> Option<Score> {
        let Node {
            ply,
            depth,
            evaluation,
            ..
        } = *node;
        let after_null = self.path.last().is_some_and(|p| p.played.is_none());
        if !self.pruning.null_move
            || depth < 3
            || after_null
            || ply < self.null_move_floor
            || evaluation < beta
            || beta.is_loss()
            || !self.position.has_attackers(self.position.side_to_move())
        {
            return None;
        }
        let reduction = margins::null_move_reduction(depth, evaluation - beta);
        self.play_null(ply);
        let score =
            -self.search::<false>(ply + 1, -beta, -beta + 1, depth - reduction, !node.cut_node);
        self.take_back_null();
        self.path_dependent = false;
        if self.stopped {
            return Some(Score::ZERO);
        }
        if score < beta {
            return None;
        }
        let score = if score.is_win() { beta } else { score };
        let thin = self.frame(ply).sum.phase <= 6;
        if self.null_move_floor > 0 || (depth < margins::NULL_MOVE_VERIFICATION_DEPTH && !thin) {
            return Some(score);
        }
        self.null_move_floor = ply + 3 * (depth - reduction).max(1) as usize / 4;
        let verified = self.search::<false>(ply, beta - 1, beta, depth - reduction, false);
        self.null_move_floor = 0;
        self.path_dependent = false;
        (verified >= beta || self.stopped).then_some(score)
    }

    /// Probcut: a good capture that stays well above beta in a shallow search will stay above it in
    /// a deep one.
    pub(super) fn probcut(&mut self, node: &Node, beta: Score) -> Option<Score> {
        let Node { ply, depth, .. } = *node;
        let target = beta + margins::probcut(node.improving);
        let refuted = node.record.is_some_and(|r| {
            r.depth >= depth - 3 && r.bound.is_some() && r.score.from_table(ply) < target
        });
        if refuted || target.is_decisive() {
            return None;
        }
        let standing = self.frame(ply).evaluation.unwrap_or(Score::ZERO);
        let wanted = Wanted::Captures(target - standing);
        let mut picker = Picker::new(&self.position, wanted, node.hash_move, [Move::NONE; 2]);
        let legality = self.legality();
        let before = self.before(ply);
        while let Some(m) = picker.next(&self.position, &self.histories, &before) {
            if !legality.allows(&self.position, m) {
                continue;
            }
            self.play(ply, m);
            let mut score = -self.quiescence::<false>(ply + 1, -target, -target + 1);
            if score >= target {
                let cut = !node.cut_node;
                score = -self.search::<false>(ply + 1, -target, -target + 1, depth - 4, cut);
            }
            self.take_back();
            self.path_dependent = false;
            if self.stopped {
                return Some(Score::ZERO);
            }
            if score >= target {
                self.table.store(
                    self.position.key(),
                    Record {
                        best: m,
                        score: score.to_table(ply),
                        bound: Some(Bound::Lower),
                        depth: depth - 3,
                        evaluation: node.raw,
                        was_pv: node.was_pv,
                    },
                );
                return Some(score);
            }
        }
        None
    }

    /// Whether a move after the first is left out, or all quiet moves from here on. Captures never
    /// are.
    pub(super) fn prune_move(
        &self,
        node: &Node,
        m: Move,
        number: usize,
        picker: &mut Picker,
    ) -> bool {
        let quiet = self.position.taken_by(m).is_none();
        let first_reply = node.ply == 1 && self.root_depth < margins::REPLIES_PRUNED_DEPTH;
        if !quiet || !self.pruning.by_order || first_reply {
            return false;
        }
        if number > margins::late_move_count(node.depth, node.improving) {
            picker.skip_quiets();
        }
        let reduction = margins::late_move_reduction(node.depth, number) / margins::PLY;
        if node.depth - reduction > margins::HISTORY_FLOOR_DEPTH {
            return false;
        }
        let before = self.before(node.ply);
        let history = self.histories.quiet(&self.position, m, &before[..2]);
        history < margins::history_floor(node.depth)
    }
}
