//! A node of the search, and its cut-offs before any move is searched.

use super::repetition::{Disputed, PathVerdict};
use super::score::NodeScore;
use super::search::{NodeType, NonPv, Search};
use crate::board::{Legality, Move};
use crate::search::event::Bound;
use crate::search::ordering::{MovePicker, PickerMode};
use crate::search::parameters::{formulas, values};
use crate::search::score::{MAX_PLY, Score};
use crate::search::tt::TtEntry;

/// The data of a node that is known before its moves are searched.
pub struct Node {
    pub ply: usize,
    pub depth: i32,
    pub cut_node: bool,
    pub in_check: bool,
    /// Corrected evaluation; meaningless in check.
    pub evaluation: Score,
    /// The evaluation without corrections; `None` in check, and if a move is excluded and the evaluation is known from
    /// the search of all moves.
    pub raw: Option<Score>,
    pub improving: bool,
    pub entry: Option<TtEntry>,
    pub hash_move: Move,
    pub was_pv: bool,
}

impl Search<'_> {
    /// Searches the node at `ply` to `depth` within (`alpha`, `beta`). The score is fail-soft: it may be
    /// outside the window. With `cut_node` a fail high is expected (Chessprogramming wiki, "Node Types").
    pub fn search<N: NodeType>(
        &mut self,
        ply: usize,
        mut alpha: Score,
        mut beta: Score,
        depth: i32,
        cut_node: bool,
    ) -> NodeScore {
        if depth <= 0 {
            return self.quiescence::<N>(ply, alpha, beta);
        }
        if !N::ROOT {
            match self.enter::<N>(ply) {
                PathVerdict::Open => {}
                PathVerdict::Final(score) => return score,
                PathVerdict::Disputed(disputed) => {
                    return self.search_disputed::<N>(ply, alpha, beta, depth, disputed);
                }
            }
        }
        // Mate distance pruning: no line from here can beat a shorter mate that is already known
        // (Chessprogramming wiki, "Mate Distance Pruning").
        alpha = alpha.max(Score::mated_in(ply));
        beta = beta.min(Score::mate_in(ply + 1));
        if alpha >= beta {
            return NodeScore::of_position(alpha);
        }
        let mut node = self.open_node::<N>(ply, depth, cut_node);
        if let Some(entry) = node.entry.filter(|_| !N::PV)
            && let Some(score) = entry.cutoff(node.depth, alpha, beta, ply)
        {
            if score >= beta {
                self.update_hash_move(&node);
            }
            return NodeScore::of_position(score);
        }
        if !N::ROOT {
            self.update_by_evaluation_swing(&node);
        }
        if self.techniques.hash_window {
            (alpha, beta) = self.window_by_hash_score(&node, alpha, beta);
        }
        let excluded = self.stack.at(ply).excluded;
        if !N::ROOT && excluded.is_none() {
            node.depth += self.hindsight(&node);
        }
        if let Some(score) = self.prune_node::<N>(&node, alpha, beta) {
            return score;
        }
        if excluded.is_none() && self.is_poorly_ordered::<N>(&node) {
            // Internal iterative reduction (Chessprogramming wiki, "Internal Iterative Reductions").
            node.depth -= 1;
        }
        let found = match self.search_moves::<N>(&node, alpha, beta) {
            Ok(found) => found.settled_at(ply),
            Err(multi_cut) => return NodeScore::of_position(multi_cut),
        };
        if self.stopped {
            return NodeScore::STOPPED;
        }
        if excluded.is_none() && (!N::ROOT || self.searches_every_root_move()) {
            self.close_node(&node, &found, alpha, beta);
        }
        if N::PV {
            found.node_score(beta)
        } else {
            found.node_score(beta).averaged_fail_high(beta, node.depth)
        }
    }

    /// Searches a node that repeats a position to the disadvantage of one side. It is not pruned, and scores
    /// from the transposition table are ignored, because they belong to the first occurrence.
    pub fn search_disputed<N: NodeType>(
        &mut self,
        ply: usize,
        alpha: Score,
        beta: Score,
        depth: i32,
        disputed: Disputed,
    ) -> NodeScore {
        let draw = self.draw_score(ply);
        let Some((alpha, beta)) = disputed.narrow(alpha, beta, draw) else {
            return NodeScore::of_path(draw, disputed.first);
        };
        let mut node = self.open_node::<N>(ply, depth, false);
        if let Some(entry) = &mut node.entry {
            entry.bound = None;
        }
        let found = match self.search_moves::<N>(&node, alpha, beta) {
            Ok(found) => found.settled_at(ply),
            Err(multi_cut) => return NodeScore::of_path(multi_cut, disputed.first),
        };
        if self.stopped {
            return NodeScore::STOPPED;
        }
        disputed.limit(found.node_score(beta), draw)
    }

    /// The first steps of every node. The node is final if the search was stopped, if the rules or an endgame
    /// table decide it, and at the deepest ply.
    pub fn enter<N: NodeType>(&mut self, ply: usize) -> PathVerdict {
        self.poll();
        if N::PV {
            self.stack.at_mut(ply).pv.clear();
            self.selective_depth = self.selective_depth.max(ply);
        }
        if self.stopped {
            return PathVerdict::Final(NodeScore::STOPPED);
        }
        let verdict = self.judge_path(ply);
        if let PathVerdict::Final(_) = verdict {
            return verdict;
        }
        if let Some(score) = self.tablebase_score(ply) {
            return PathVerdict::Final(score);
        }
        if ply < MAX_PLY {
            return verdict;
        }
        PathVerdict::Final(NodeScore::of_position(if self.position.in_check() {
            self.draw_score(ply)
        } else {
            self.evaluator.evaluate(&self.position)
        }))
    }

    /// Probes the transposition table and evaluates the position.
    fn open_node<N: NodeType>(&mut self, ply: usize, depth: i32, cut_node: bool) -> Node {
        let excluded = self.stack.at(ply).excluded;
        let in_check = self.position.in_check();
        let entry = if N::ROOT || excluded.is_some() {
            None
        } else {
            self.probe()
        };
        let was_pv = if excluded.is_some() {
            self.stack.at(ply).was_pv
        } else {
            N::PV || entry.is_some_and(|e| e.was_pv)
        };
        let (raw, evaluation) = if in_check {
            (None, -Score::INFINITE)
        } else if let (true, Some(known)) = (excluded.is_some(), self.stack.at(ply).evaluation) {
            (None, known)
        } else {
            let raw = self.raw_evaluation(entry, was_pv);
            (Some(raw), self.corrected(ply, raw))
        };
        self.stack.at_mut(ply).evaluation = (!in_check).then_some(evaluation);
        // Whether the evaluation is higher than two plies earlier, or than four plies earlier if the side was in check
        // two plies earlier (Chessprogramming wiki, "Improving").
        let improving = !in_check
            && [2, 4]
                .iter()
                .find_map(|back| self.stack.back(ply, *back).evaluation)
                .is_some_and(|earlier| evaluation > earlier);
        self.stack.at_mut(ply + 2).killers = [Move::NONE; 2];
        self.stack.at_mut(ply + 1).excluded = Move::NONE;
        let hash_move = entry.map_or(Move::NONE, |e| e.best);
        Node {
            ply,
            depth,
            cut_node,
            in_check,
            evaluation,
            raw,
            improving,
            entry,
            hash_move,
            was_pv,
        }
    }

    /// The change of depth after a reduced move, when the evaluation after the move is known: one ply more if the move
    /// lost nothing, and one ply less if it lost much (hindsight depth, as in Stockfish).
    fn hindsight(&self, node: &Node) -> i32 {
        let earlier = self.stack.back(node.ply, 1);
        let Some(before) = earlier.evaluation.filter(|_| !node.in_check) else {
            return 0;
        };
        // Both are scores for the side to move, so the sum is what the move lost.
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

    /// Whether the move order is poor, because the node has no hash move or only that of a much shallower search.
    fn is_poorly_ordered<N: NodeType>(&self, node: &Node) -> bool {
        let is_shallow = |entry: TtEntry| entry.depth + values::iir_entry_depth() <= node.depth;
        self.pruning.reductions
            && node.depth >= values::iir_depth()
            && (node.hash_move.is_none() || node.entry.is_some_and(is_shallow))
            && (N::PV || node.cut_node)
            && !N::ROOT
    }

    /// The window narrowed around the score of a hash entry that is too shallow for a cut-off, at least two
    /// units wide (the option `hashadjust` of tsito).
    fn window_by_hash_score(&self, node: &Node, alpha: Score, beta: Score) -> (Score, Score) {
        let Some(entry) = node.entry.filter(|_| beta - alpha > 1) else {
            return (alpha, beta);
        };
        let score = entry.score.from_tt(node.ply);
        let raised = alpha.max((score - 1).min(beta - 2));
        let lowered = beta.min((score + 1).max(alpha + 2));
        match entry.bound {
            Some(Bound::Lower) => (raised, beta),
            Some(Bound::Upper) => (alpha, lowered),
            Some(Bound::Exact) if raised < lowered => (raised, lowered),
            Some(Bound::Exact) | None => (alpha, beta),
        }
    }

    /// Cut-offs before the moves are searched: razoring, reverse futility pruning, null move, probcut
    /// (Chessprogramming wiki, "Razoring", "Reverse Futility Pruning").
    fn prune_node<N: NodeType>(
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
                && evaluation - formulas::reverse_futility(depth) >= beta
            {
                let share = formulas::reverse_futility_share(evaluation - beta);
                return Some(NodeScore::of_position(beta + share));
            }
        }
        // These scores are only estimates, so their dependency on the path is dropped.
        self.null_move(node, beta)
            .or_else(|| self.probcut(node, beta))
            .or_else(|| self.hash_probcut(node, beta))
            .map(NodeScore::of_position)
    }

    /// Null-move pruning: if the score reaches beta although the opponent moves twice, the node is cut off. In endings
    /// with few pieces, where zugzwang is frequent, and in deep nodes the cut-off is verified by a search without
    /// null moves (Donninger, "Null move and deep search", 1993; Tabibi and Netanyahu, "Verified null-move pruning",
    /// 2002).
    fn null_move(&mut self, node: &Node, beta: Score) -> Option<Score> {
        let Node {
            ply,
            depth,
            evaluation,
            ..
        } = *node;
        let after_null = self.path.last().is_some_and(|p| p.played.is_none());
        if !self.pruning.null_move
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
        let is_ending = self.evaluator.phase(&self.position) <= values::null_move_ending_phase();
        let is_accepted = depth < values::null_move_verification_depth() && !is_ending;
        if self.null_move_floor > 0 || is_accepted || !self.techniques.null_move_verification {
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
        let target = beta + formulas::probcut(node.improving);
        let reduced = depth - values::probcut_reduction();
        let refuted = node.entry.is_some_and(|e| {
            e.depth > reduced && e.bound.is_some() && e.score.from_tt(ply) < target
        });
        if refuted || target.is_proven() {
            return None;
        }
        let min_see = target - node.evaluation;
        let wanted = PickerMode::Captures { min_see };
        let mut picker = MovePicker::new(&self.position, wanted, node.hash_move, [Move::NONE; 2]);
        let legality = Legality::new(&self.position);
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
}
