//! What the search leaves out: nodes that are cut off without a move, and moves that are not tried.

use super::node::Node;
use super::node_score::NodeScore;
use super::node_type::{NodeType, NonPv};
use super::search::Search;
use crate::board::{Move, see_at_least};
use crate::search::event::Bound;
use crate::search::ordering::{MovePicker, PickerMode};
use crate::search::parameters::{formulas, values};
use crate::search::score::Score;
use crate::search::table::TtEntry;

impl Search<'_> {
    /// Cut-offs that need no move: razoring, reverse futility, null move, probcut (Chessprogramming
    /// wiki, "Razoring", "Reverse Futility Pruning").
    pub(super) fn prune_node<N: NodeType>(
        &mut self,
        node: &Node,
        alpha: Score,
        beta: Score,
    ) -> Option<NodeScore> {
        let excluded = self.stack.at(node.ply).excluded;
        if N::PV || node.in_check || excluded.is_some() {
            return None;
        }
        let Node {
            ply,
            depth,
            evaluation,
            ..
        } = *node;
        if self.pruning.by_evaluation && !alpha.is_proven() {
            if evaluation + formulas::razoring(depth) < alpha {
                let score = self.quiescence::<NonPv>(ply, alpha, alpha + 1);
                if score.score <= alpha || self.stopped {
                    return Some(score);
                }
            }
            if depth <= values::reverse_futility_depth()
                && !evaluation.is_proven()
                && !beta.is_proven()
                && evaluation - formulas::reverse_futility(depth, node.improving) >= beta
            {
                let share = formulas::reverse_futility_share(evaluation - beta);
                return Some(NodeScore::of_position(beta + share));
            }
        }
        // None of them is a score of the node's own moves: what they depend on is not passed on.
        self.null_move(node, beta)
            .or_else(|| self.probcut(node, beta))
            .or_else(|| self.hash_probcut(node, beta))
            .map(NodeScore::of_position)
    }

    /// The null move: if the opponent to move twice cannot bring the score under beta, the node is
    /// cut off. In thin endings, where zugzwang is frequent, and in deep nodes the cut-off must be confirmed
    /// by a verification search without null moves (Donninger, "Null move and deep search", 1993; Tabibi and
    /// Netanyahu, "Verified null-move pruning", 2002).
    pub(super) fn null_move(&mut self, node: &Node, beta: Score) -> Option<Score> {
        let Node {
            ply,
            depth,
            evaluation,
            ..
        } = *node;
        let after_null = self.path.last().is_some_and(|p| p.played.is_none());
        if !self.pruning.null_move
            || !self.techniques.null_move
            || depth < values::null_move_depth()
            || after_null
            || ply < self.null_move_floor
            || evaluation < beta + formulas::null_move_entry(depth)
            || beta.is_proven_loss()
            || !self.position.has_attackers(self.position.side_to_move())
        {
            return None;
        }
        let reduction = formulas::null_move_reduction(depth, evaluation - beta);
        self.play_null(ply);
        let (reduced, cut_node) = (depth - reduction, !node.cut_node);
        let score = (-self.search::<NonPv>(ply + 1, -beta, -beta + 1, reduced, cut_node)).score;
        self.take_back_null();
        if self.stopped {
            return Some(Score::ZERO);
        }
        if score < beta {
            return None;
        }
        let score = if score > Score::EVALUATION_LIMIT {
            beta
        } else {
            score
        };
        let thin = self.evaluator.phase(&self.position) <= values::null_move_thin_phase();
        let is_trusted = depth < values::null_move_verification_depth() && !thin;
        if self.null_move_floor > 0 || is_trusted || !self.techniques.null_move_verification {
            return Some(score);
        }
        self.null_move_floor = ply
            + values::null_move_floor_quarters() as usize * (depth - reduction).max(1) as usize / 4;
        let verified = self.search::<NonPv>(ply, beta - 1, beta, reduced, false);
        self.null_move_floor = 0;
        (verified.score >= beta || self.stopped).then_some(score)
    }

    /// Probcut: a good capture that stays well above beta in a shallow search will stay above it in
    /// a deep one (Buro, "ProbCut: an effective selective extension of the alpha-beta algorithm", 1995).
    pub(super) fn probcut(&mut self, node: &Node, beta: Score) -> Option<Score> {
        let Node { ply, depth, .. } = *node;
        if !self.pruning.by_evaluation || depth < values::probcut_depth() || beta.is_proven() {
            return None;
        }
        let target = beta + formulas::probcut(node.improving);
        let reduced = depth - values::probcut_reduction();
        let refuted = node.entry.is_some_and(|e| {
            e.depth > reduced && e.bound.is_some() && e.score.from_tt(ply) < target
        });
        if refuted || target.is_proven() {
            return None;
        }
        let standing = self.stack.at(ply).evaluation.unwrap_or(Score::ZERO);
        let wanted = PickerMode::Captures(target - standing);
        let mut picker = MovePicker::new(&self.position, wanted, node.hash_move, [Move::NONE; 2]);
        let legality = self.legality();
        let before = self.stack.before(ply);
        while let Some(m) = picker.next(&self.position, self.histories, &before) {
            if !legality.allows(&self.position, m) {
                continue;
            }
            self.play(ply, m);
            let mut score = -self.quiescence::<NonPv>(ply + 1, -target, -target + 1);
            if score.score >= target {
                let cut = !node.cut_node;
                score = -self.search::<NonPv>(ply + 1, -target, -target + 1, reduced, cut);
            }
            self.take_back();
            if self.stopped {
                return Some(Score::ZERO);
            }
            let score = score.score;
            if score >= target {
                self.store(
                    ply,
                    TtEntry {
                        best: m,
                        score,
                        bound: Some(Bound::Lower),
                        depth: reduced + 1,
                        evaluation: node.raw,
                        was_pv: node.was_pv,
                    },
                );
                return Some(score);
            }
        }
        None
    }

    /// Probcut without a search: a hash entry, not much shallower than the node, whose score is well above
    /// beta (Stockfish, "small ProbCut").
    fn hash_probcut(&self, node: &Node, beta: Score) -> Option<Score> {
        let entry = node.entry.filter(|_| self.pruning.by_evaluation)?;
        let score = entry.score.from_tt(node.ply);
        let target = beta + values::hash_probcut_margin();
        let is_bound = matches!(entry.bound, Some(Bound::Lower | Bound::Exact));
        let is_deep = entry.depth >= node.depth - values::hash_probcut_depth();
        let is_usual = !beta.is_proven() && !score.is_proven();
        (is_bound && is_deep && is_usual && score >= target).then_some(target)
    }

    /// Whether a move after the first is left out, or all quiet moves from here on. No check is left out by
    /// evaluation or exchange.
    pub(super) fn prune_move(
        &mut self,
        node: &Node,
        m: Move,
        number: usize,
        alpha: Score,
        picker: &mut MovePicker,
    ) -> bool {
        if !self.pruning.of_moves || node.ply == 1 && self.is_shallow() {
            return false;
        }
        let depth = node.depth;
        if self.position.taken_by(m).is_some() {
            return depth <= values::capture_exchange_depth()
                && !node.in_check
                && !see_at_least(&self.position, m, formulas::capture_exchange(depth))
                && !self.gives_check(m);
        }
        if number > formulas::late_move_count(depth, node.improving) {
            picker.skip_quiets();
        }
        let reduced = depth - formulas::late_move_reduction(depth, number) / formulas::PLY;
        reduced <= values::history_pruning_depth() && self.has_bad_history(node, m)
            || reduced <= values::quiet_pruning_depth()
                && !node.in_check
                && self.is_futile(node, m, reduced.max(1), alpha)
                && !self.gives_check(m)
    }

    /// Whether the request limits the depth to so little that replies to root moves are not pruned.
    fn is_shallow(&self) -> bool {
        let limit = self.shared.limits.depth;
        limit.is_some_and(|depth| (depth as i32) < values::replies_pruned_depth())
    }

    /// Whether earlier nodes have found a quiet move bad (Chessprogramming wiki, "History Leaf Pruning").
    fn has_bad_history(&self, node: &Node, m: Move) -> bool {
        let before = self.stack.before(node.ply);
        let history = self.histories.quiet(&self.position, m, &before[..2]);
        history < formulas::history_pruning(node.depth)
    }

    /// Whether a quiet move is not expected to come near alpha, or loses material at once
    /// (Chessprogramming wiki, "Futility Pruning", "Static Exchange Evaluation").
    fn is_futile(&self, node: &Node, m: Move, depth: i32, alpha: Score) -> bool {
        !alpha.is_proven() && node.evaluation + formulas::futility(depth) <= alpha
            || !see_at_least(&self.position, m, formulas::quiet_exchange(depth))
    }

    fn gives_check(&mut self, m: Move) -> bool {
        let undo = self.position.make(m);
        let in_check = self.position.in_check();
        self.position.unmake(m, undo);
        in_check
    }
}
