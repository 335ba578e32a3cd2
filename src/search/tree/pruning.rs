//! Selectivity: cutoffs before the moves of a node, moves that are skipped, extensions and reductions.

use super::node::Node;
use super::score::NodeScore;
use super::state::{NodeType, NonPv, Search};
use crate::board::{Legality, Move, see_at_least};
use crate::eval::phase;
use crate::search::event::Bound;
use crate::search::ordering::{MovePicker, PickerMode, QuietContext};
use crate::search::parameters::{self, PLY, values};
use crate::search::score::Score;
use crate::search::tt::TtEntry;

impl Search<'_> {
    /// The change of depth after a reduced move: one ply more if the static evaluation of the side that moved has not
    /// fallen, one ply less if it has fallen a lot (Stockfish, hindsight adjustment). 0 if one of the two positions has
    /// no evaluation, because its side to move is in check.
    pub fn hindsight(&self, node: &Node) -> i32 {
        let earlier = self.stack.back(node.ply, 1);
        let Some(before) = earlier.evaluation.filter(|_| !node.in_check) else {
            return 0;
        };
        // Each evaluation is for the side to move in its own position, so their sum is what the move lost.
        let lost = node.evaluation.units() + before.units();
        if earlier.reduction >= values::hindsight_deeper() && lost <= 0 {
            1
        } else if earlier.reduction >= values::hindsight_shallower()
            && node.depth >= 2
            && lost > values::hindsight_loss()
        {
            -1
        } else {
            0
        }
    }

    /// Whether a deep PV node or expected cut node probably has a poor move order, because it has no hash move or only
    /// that of a much shallower search. Its depth is then reduced (internal iterative reduction).
    pub fn is_poorly_ordered<N: NodeType>(&self, node: &Node) -> bool {
        let is_shallow = |entry: TtEntry| entry.depth + values::iir_entry_depth() <= node.depth;
        self.pruning.reductions
            && node.depth >= values::iir_depth()
            && (node.hash_move.is_none() || node.entry.is_some_and(is_shallow))
            && (N::PV || node.cut_node)
            && !N::ROOT
    }

    /// An open window narrowed around the score of a hash entry that gave no cutoff, to a width of at least two units
    /// (the option `hashadjust` of tsito).
    pub fn window_by_hash_score(&self, node: &Node, alpha: Score, beta: Score) -> (Score, Score) {
        let Some(entry) = node.entry.filter(|_| beta - alpha > 1) else {
            return (alpha, beta);
        };
        let score = entry.score.from_tt(node.ply);
        let raised = alpha.max((score - 1).min(beta - 2));
        let lowered = beta.min((score + 1).max(alpha + 2));
        match entry.bound {
            Some(Bound::Lower) => (raised, beta),
            Some(Bound::Upper) => (alpha, lowered),
            Some(Bound::Exact) => (raised, lowered),
            None => (alpha, beta),
        }
    }

    /// Cutoffs before the moves are searched: razoring, reverse futility pruning, null move, probcut (Chessprogramming
    /// wiki, "Razoring", "Reverse Futility Pruning"). None in PV nodes, in check, or if a move is excluded.
    pub fn prune_node<N: NodeType>(
        &mut self,
        node: &Node,
        alpha: Score,
        beta: Score,
    ) -> Option<NodeScore> {
        let excluded = self.stack.at(node.ply).excluded;
        if N::PV || node.in_check || excluded.is_some() {
            return None;
        }
        let Node { ply, depth, evaluation, .. } = *node;
        if self.pruning.by_evaluation && !alpha.is_proven() {
            let razoring = values::razoring_base() + values::razoring_factor() * depth * depth;
            if evaluation + razoring < alpha {
                let score = self.quiescence::<NonPv>(ply, alpha, alpha + 1);
                if score.score <= alpha || self.stopped {
                    return Some(score);
                }
            }
            if depth <= values::reverse_futility_depth()
                && !evaluation.is_proven()
                && !beta.is_proven()
                && evaluation - values::reverse_futility_margin() * (depth - 1) >= beta
            {
                let share = (evaluation - beta) / values::reverse_futility_divisor();
                return Some(NodeScore::of_position(beta + share));
            }
        }
        // These scores are only estimates, so their dependency on the path is dropped.
        self.null_move(node, beta)
            .or_else(|| self.probcut(node, beta))
            .or_else(|| self.hash_probcut(node, beta))
            .map(NodeScore::of_position)
    }

    /// Null-move pruning: if the score reaches beta although the opponent moves twice, the node is cut off (Donninger,
    /// "Null move and deep search", 1993). In deep nodes, and in endings with few pieces, where zugzwang is frequent,
    /// the cutoff is verified by a search without null moves in its first plies (Tabibi and Netanyahu, "Verified
    /// null-move pruning", 2002).
    fn null_move(&mut self, node: &Node, beta: Score) -> Option<Score> {
        let Node { ply, depth, evaluation, .. } = *node;
        let after_null = self.path.last().is_some_and(|p| p.played.is_none());
        if !self.pruning.null_move
            || depth < values::null_move_depth()
            || after_null
            || ply < self.null_move_floor
            || evaluation < beta + parameters::null_move_threshold(depth)
            || beta.is_proven_loss()
            || !self.position.has_attackers(self.position.side_to_move())
        {
            return None;
        }
        let reduction = parameters::null_move_reduction(depth, evaluation - beta);
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
        // A win that begins with a pass is not proven, because a pass is not a legal move.
        let score = if score > Score::EVALUATION_LIMIT { beta } else { score };
        let is_ending = phase(&self.position) <= values::null_move_ending_phase();
        let needs_verification = self.techniques.null_move_verification
            && (depth >= values::null_move_verification_depth() || is_ending);
        if self.null_move_floor > 0 || !needs_verification {
            return Some(score);
        }
        self.null_move_floor = ply
            + values::null_move_floor_quarters() as usize * (depth - reduction).max(1) as usize / 4;
        let verified = self.search::<NonPv>(ply, beta - 1, beta, reduced, false);
        self.null_move_floor = 0;
        (verified.score >= beta || self.stopped).then_some(score)
    }

    /// Probcut: a good capture whose score is well above beta in a shallow search is expected to stay above
    /// beta in a deep one (Buro, "ProbCut: an effective selective extension of the alpha-beta algorithm",
    /// 1995).
    fn probcut(&mut self, node: &Node, beta: Score) -> Option<Score> {
        let Node { ply, depth, .. } = *node;
        if !self.pruning.by_evaluation || depth < values::probcut_depth() || beta.is_proven() {
            return None;
        }
        let improving = values::probcut_improving() * i32::from(node.improving);
        let target = beta + (values::probcut_margin() - improving);
        let reduced = depth - values::probcut_reduction();
        let refuted = node.entry.is_some_and(|e| {
            e.depth > reduced && e.bound.is_some() && e.score.from_tt(ply) < target
        });
        if refuted || target.is_proven() {
            return None;
        }
        let min_see = target - node.evaluation;
        let mode = PickerMode::Captures { min_see };
        let mut picker = MovePicker::new(&self.position, mode, node.hash_move, [Move::NONE; 2]);
        let legality = Legality::new(&self.position);
        let context = QuietContext::default();
        while let Some(m) = picker.next(&self.position, &legality, self.histories, &context) {
            self.prefetch_after(m);
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
            if score.is_path_dependent() && score.score.is_proven() {
                // A win by repetition on this path: the search of the moves returns it with its dependency.
                continue;
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

    /// Probcut without a search, by a hash entry that is not much shallower than the node and whose score is
    /// well above beta (Stockfish, "small ProbCut").
    fn hash_probcut(&self, node: &Node, beta: Score) -> Option<Score> {
        let entry = node.entry.filter(|_| self.pruning.by_evaluation)?;
        let score = entry.score.from_tt(node.ply);
        let target = beta + values::hash_probcut_margin();
        let is_bound = matches!(entry.bound, Some(Bound::Lower | Bound::Exact));
        let is_deep = entry.depth >= node.depth - values::hash_probcut_depth();
        let is_unproven = !beta.is_proven() && !score.is_proven();
        (is_bound && is_deep && is_unproven && score >= target).then_some(target)
    }

    /// Whether to skip a move after the first. May also make the picker skip all later quiet moves. Checks are
    /// never skipped because of evaluation or exchange.
    pub fn prune_move(
        &mut self,
        node: &Node,
        m: Move,
        number: usize,
        alpha: Score,
        picker: &mut MovePicker,
    ) -> bool {
        if !self.pruning.of_moves || node.ply == 1 && self.has_low_depth_limit() {
            return false;
        }
        let depth = node.depth;
        if self.position.taken_by(m).is_some() {
            return depth <= values::capture_exchange_depth()
                && !node.in_check
                && !see_at_least(&self.position, m, -values::capture_exchange_margin() * depth)
                && !self.position.gives_check(m);
        }
        if number > parameters::late_move_count(depth, node.improving) {
            picker.skip_quiets();
        }
        // The quiet history without its part for the move four plies ago.
        let mut context = self.stack.at(node.ply).quiet_context;
        context.before[2] = None;
        let history = self.histories.quiet(&self.position, m, &context);
        let reduced = depth - parameters::late_move_reduction(depth, number) / PLY;
        // History pruning (Chessprogramming wiki, "History Leaf Pruning").
        if reduced <= values::history_pruning_depth()
            && history < -values::history_pruning_margin() * depth
        {
            return true;
        }
        let reduced = reduced + history / values::lmr_history();
        reduced <= values::quiet_pruning_depth()
            && !node.in_check
            && self.is_futile(node, m, reduced.max(1), alpha)
            && !self.position.gives_check(m)
    }

    /// Whether the depth limit of the request is so low that replies to root moves are not pruned.
    fn has_low_depth_limit(&self) -> bool {
        let limit = self.shared.request.limits.depth;
        limit.is_some_and(|depth| depth < values::replies_pruned_depth().unsigned_abs())
    }

    /// Whether a quiet move is not expected to raise alpha, or loses more in the exchange than `depth` allows
    /// (Chessprogramming wiki, "Futility Pruning", "Static Exchange Evaluation").
    fn is_futile(&self, node: &Node, m: Move, depth: i32, alpha: Score) -> bool {
        let margin = values::futility_base() + values::futility_factor() * depth;
        let accepted_loss = values::quiet_exchange_margin() * depth * depth;
        !alpha.is_proven() && node.evaluation + margin <= alpha
            || !see_at_least(&self.position, m, -accepted_loss)
    }

    /// Whether a move at `ply` may be extended: the line must not get much longer than the depth of the
    /// iteration.
    pub fn may_extend(&self, ply: usize) -> bool {
        (ply as i32) < values::extension_depth_factor() * self.root_depth
    }

    /// Extension of the hash move in plies, 0 for other moves: 1 if it is singular, that is, if all other moves score
    /// well below it (Anantharaman, Campbell and Hsu, "Singular extensions: adding selectivity to brute-force
    /// searching", 1988); -1 if it is not, and its hash score reaches beta or the node is an expected cut node.
    ///
    /// # Errors
    /// The score of a cutoff, if another move also fails high (Björnsson and Marsland, "Multi-cut alpha-beta
    /// pruning in game-tree search", 2001).
    pub fn extension<N: NodeType>(
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
        let target = score - depth * values::singular_margin() / 100;
        self.stack.at_mut(ply).excluded = m;
        self.stack.at_mut(ply).was_pv = node.was_pv;
        let reduced = (depth - 1) / values::singular_depth_divisor();
        let others = self.search::<NonPv>(ply, target - 1, target, reduced, node.cut_node);
        self.stack.at_mut(ply).excluded = Move::NONE;
        if self.stopped {
            return Ok(0);
        }
        if others.score < target {
            return Ok(1);
        }
        if target >= beta && !N::PV {
            return Err(target);
        }
        // The hash move is not needed for the expected cutoff: negative extension (Chessprogramming wiki,
        // "Singular Extensions").
        if score >= beta || node.cut_node {
            return Ok(-1);
        }
        Ok(0)
    }

    /// Reduction of a late move in plies (Chessprogramming wiki, "Late Move Reductions").
    pub fn reduction<N: NodeType>(&self, node: &Node, m: Move, number: usize) -> i32 {
        let first = if N::PV { values::lmr_first_pv() } else { values::lmr_first() };
        let is_late = number as i32 >= first;
        if !self.pruning.reductions || node.depth < values::lmr_depth() || !is_late {
            return 0;
        }
        let mut reduction = parameters::late_move_reduction(node.depth, number);
        let quiet = self.position.taken_by(m).is_none();
        if quiet {
            let context = &self.stack.at(node.ply).quiet_context;
            let history = self.histories.quiet(&self.position, m, context);
            reduction -= history * PLY / values::lmr_history();
        } else {
            let history = self.histories.capture(&self.position, m);
            reduction -= values::lmr_capture() + history * PLY / values::lmr_capture_history();
        }
        // A cut node fails high early or never (Chessprogramming wiki, "Node Types").
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
