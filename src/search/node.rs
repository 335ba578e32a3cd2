//! The inner node of the search: principal variation search with everything that spares work.

use arrayvec::ArrayVec;

use super::event::Bound;
use super::history::PieceTo;
use super::margins;
use super::picker::{Picker, Wanted};
use super::quiescence::{better_evaluation, usable_score};
use super::score::{MAX_PLY, Score};
use super::table::Record;
use super::worker::Worker;
use crate::board::{Move, see_at_least};

/// The moves a node tried without success, for their histories.
type Tried = ArrayVec<Move, 64>;

/// What a node knows before it looks at moves.
struct Node {
    ply: usize,
    depth: i32,
    cut_node: bool,
    in_check: bool,
    /// Corrected evaluation, or the hash score where it says more; meaningless in check.
    evaluation: Score,
    /// The evaluation as it came from the evaluator.
    raw: Option<Score>,
    improving: bool,
    record: Option<Record>,
    hash_move: Move,
    was_pv: bool,
}

/// What the moves of a node came to.
struct Found {
    best: Score,
    best_move: Move,
    /// Whether the best move's score hangs on how the position was reached.
    best_tainted: bool,
    /// Whether any move's score does.
    any_tainted: bool,
}

impl Found {
    fn bound(&self, alpha: Score, beta: Score) -> Bound {
        debug_assert!(self.best_move.is_some() || self.best <= alpha || self.best >= beta);
        if self.best >= beta {
            Bound::Lower
        } else if self.best_move.is_some() {
            Bound::Exact
        } else {
            Bound::Upper
        }
    }

    /// What the hash table may be told: nothing exact, and no proven win or loss, that holds only
    /// for the way the position was reached. A best move that does not hang on it still bounds the
    /// score from below.
    fn table_bound(&self, bound: Bound) -> Option<Bound> {
        let decisive = self.best.is_decisive();
        match bound {
            Bound::Lower => (!self.best_tainted || !decisive).then_some(Bound::Lower),
            Bound::Upper => (!self.any_tainted || !decisive).then_some(Bound::Upper),
            Bound::Exact if !self.any_tainted => Some(Bound::Exact),
            Bound::Exact => (!self.best_tainted).then_some(Bound::Lower),
        }
    }
}

impl Worker {
    /// The score of the node at `ply` searched to `depth` within (`alpha`, `beta`). `cut_node` says
    /// that a fail high is expected.
    pub(super) fn search<const PV: bool>(
        &mut self,
        ply: usize,
        mut alpha: Score,
        mut beta: Score,
        depth: i32,
        cut_node: bool,
    ) -> Score {
        if depth <= 0 {
            return self.quiescence::<PV>(ply, alpha, beta);
        }
        self.poll();
        if PV {
            self.frame_mut(ply).pv.clear();
            self.selective_depth = self.selective_depth.max(ply);
        }
        if self.stopped {
            return Score::ZERO;
        }
        if let Some(score) = self.path_score(ply) {
            return score;
        }
        if ply >= MAX_PLY {
            let in_check = self.position.in_check();
            return if in_check {
                self.draw_score(ply)
            } else {
                self.evaluate(ply)
            };
        }
        alpha = alpha.max(Score::mated_in(ply));
        beta = beta.min(Score::mate_in(ply + 1));
        if alpha >= beta {
            return alpha;
        }
        let mut node = self.open_node::<PV>(ply, depth, cut_node);
        if let Some(score) = self.hash_cutoff::<PV>(&node, alpha, beta) {
            return score;
        }
        let excluded = self.frame(ply).excluded;
        if let Some(score) = self.prune_node::<PV>(&node, alpha, beta) {
            return score;
        }
        if self.pruning.reductions
            && node.depth >= 4
            && node.hash_move.is_none()
            && (PV || cut_node)
            && excluded.is_none()
        {
            // Internal iterative reduction: without a hash move the order is poor.
            node.depth -= 1;
        }
        let found = self.search_moves::<PV>(&node, alpha, beta);
        if self.stopped {
            return Score::ZERO;
        }
        self.path_dependent = if found.best >= beta {
            found.best_tainted
        } else {
            found.any_tainted
        };
        if excluded.is_none() {
            self.close_node(&node, &found, alpha, beta);
        }
        found.best
    }

    /// Looks the position up and evaluates it.
    fn open_node<const PV: bool>(&mut self, ply: usize, depth: i32, cut_node: bool) -> Node {
        let excluded = self.frame(ply).excluded;
        let in_check = self.position.in_check();
        let record = if excluded.is_some() {
            None
        } else {
            self.table.probe(self.position.key())
        };
        let was_pv = PV || record.is_some_and(|r| r.was_pv);
        let (raw, evaluation) = if in_check {
            (None, -Score::INFINITE)
        } else if let (true, Some(known)) = (excluded.is_some(), self.frame(ply).evaluation) {
            (None, known)
        } else {
            let raw = record
                .and_then(|r| r.evaluation)
                .unwrap_or_else(|| self.evaluate(ply));
            (Some(raw), self.corrected(raw))
        };
        self.frame_mut(ply).evaluation = (!in_check).then_some(evaluation);
        let improving = !in_check
            && [2, 4]
                .iter()
                .find_map(|back| self.frame_back(ply, *back).evaluation)
                .is_some_and(|earlier| evaluation > earlier);
        let evaluation = match record {
            Some(record) if !in_check => better_evaluation(evaluation, &record, ply),
            _ => evaluation,
        };
        self.frame_mut(ply + 1).killers = [Move::NONE; 2];
        self.frame_mut(ply + 1).excluded = Move::NONE;
        self.frame_mut(ply + 2).cutoffs = 0;
        let hash_move = record.map_or(Move::NONE, |r| r.best);
        Node {
            ply,
            depth,
            cut_node,
            in_check,
            evaluation,
            raw,
            improving,
            record,
            hash_move,
            was_pv,
        }
    }

    fn hash_cutoff<const PV: bool>(&self, node: &Node, alpha: Score, beta: Score) -> Option<Score> {
        // Near the no-capture limit the same position is worth something else.
        if PV || self.position.clock().counted() > 100 {
            return None;
        }
        usable_score(&node.record?, node.depth, alpha, beta, node.ply)
    }

    /// Cut-offs that need no move: razoring, reverse futility, null move, probcut.
    fn prune_node<const PV: bool>(
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
                return Some(beta + (evaluation - beta) / 3);
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
    fn null_move(&mut self, node: &Node, beta: Score) -> Option<Score> {
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
            || !self.position.has_attackers(self.position.side())
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
        (verified >= beta || self.stopped).then_some(score)
    }

    /// Probcut: a good capture that stays well above beta in a shallow search will stay above it in
    /// a deep one.
    fn probcut(&mut self, node: &Node, beta: Score) -> Option<Score> {
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

    fn search_moves<const PV: bool>(
        &mut self,
        node: &Node,
        mut alpha: Score,
        beta: Score,
    ) -> Found {
        let ply = node.ply;
        let excluded = self.frame(ply).excluded;
        let mut found = Found {
            best: -Score::INFINITE,
            best_move: Move::NONE,
            best_tainted: false,
            any_tainted: false,
        };
        let killers = self.frame(ply).killers;
        let mut picker = Picker::new(&self.position, Wanted::All, node.hash_move, killers);
        let legality = self.legality();
        let before = self.before(ply);
        let (mut quiets, mut captures) = (Tried::new(), Tried::new());
        let mut number = 0;
        while let Some(m) = picker.next(&self.position, &self.histories, &before) {
            if m == excluded || !legality.allows(&self.position, m) {
                continue;
            }
            number += 1;
            let quiet = self.position.piece_on(m.to()).is_none();
            if number > 1
                && !found.best.is_loss()
                && self.prune_move(node, m, number, &mut picker, alpha)
            {
                continue;
            }
            let extension = if m == node.hash_move {
                match self.extension::<PV>(node, m, beta) {
                    Ok(extension) => extension,
                    Err(multi_cut) => {
                        return Found {
                            best: multi_cut,
                            ..found
                        };
                    }
                }
            } else {
                0
            };
            if self.stopped {
                return found;
            }
            let score = self.search_move::<PV>(node, m, number, extension, alpha, beta);
            if self.stopped {
                return found;
            }
            let tainted = std::mem::take(&mut self.path_dependent);
            found.any_tainted |= tainted;
            if score > found.best {
                found.best = score;
                found.best_tainted = tainted;
                if score > alpha {
                    found.best_move = m;
                    if PV {
                        self.update_pv(ply, m);
                    }
                    if score >= beta {
                        self.frame_mut(ply).cutoffs += 1;
                        self.reward(node, m, &quiets, &captures, &before);
                        return found;
                    }
                    alpha = score;
                }
            }
            if m != found.best_move {
                let tried = if quiet { &mut quiets } else { &mut captures };
                // Past the sixty-fourth, moves are not worth punishing.
                let _ = tried.try_push(m);
            }
        }
        if number == 0 {
            // Mate or stalemate, both a loss; or the only move is the one left out.
            found.best = if excluded.is_some() {
                alpha
            } else {
                Score::mated_in(ply)
            };
        } else if found.best_move.is_some() {
            self.reward(node, found.best_move, &quiets, &captures, &before);
        }
        found
    }

    /// Whether a move after the first is left out, or all quiet moves from here on.
    fn prune_move(
        &mut self,
        node: &Node,
        m: Move,
        number: usize,
        picker: &mut Picker,
        alpha: Score,
    ) -> bool {
        let quiet = self.position.piece_on(m.to()).is_none();
        let reduced =
            (node.depth - margins::late_move_reduction(node.depth, number) / margins::PLY).max(1);
        if !quiet {
            return self.pruning.by_order
                && !see_at_least(
                    &self.position,
                    m,
                    margins::capture_exchange_floor(node.depth)
                        - self.histories.capture(&self.position, m).max(0) / 64,
                );
        }
        if self.pruning.by_order && number > margins::late_move_count(node.depth, node.improving) {
            picker.skip_quiets();
        }
        if self.pruning.by_evaluation
            && !node.in_check
            && reduced <= margins::FUTILITY_DEPTH
            && node.evaluation + margins::futility(reduced) <= alpha
        {
            picker.skip_quiets();
            return true;
        }
        if !self.pruning.by_order {
            return false;
        }
        let before = self.before(node.ply);
        let history = self.histories.quiet(&self.position, m, &before[..2]);
        (reduced <= 4 && history < margins::history_floor(node.depth))
            || !see_at_least(&self.position, m, margins::quiet_exchange_floor(reduced))
    }

    /// How much deeper the hash move is searched: one or two plies when it is singular, that is when
    /// all others stay well below it; less when others would cut off too.
    ///
    /// # Errors
    /// The score of a cut-off, when another move is good enough for it (multi-cut).
    fn extension<const PV: bool>(
        &mut self,
        node: &Node,
        m: Move,
        beta: Score,
    ) -> Result<i32, Score> {
        let Node { ply, depth, .. } = *node;
        let Some(record) = node.record else {
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
            let doubled = !PV
                && others < target - margins::DOUBLE_EXTENSION
                && self.frame(ply).double_extensions < 8;
            return Ok(if doubled { 2 } else { 1 });
        }
        if target >= beta && !PV {
            return Err(target);
        }
        if score >= beta || node.cut_node {
            return Ok(-1);
        }
        Ok(0)
    }

    /// Plays one move and searches it: late ones less deep and with a null window first.
    fn search_move<const PV: bool>(
        &mut self,
        node: &Node,
        m: Move,
        number: usize,
        extension: i32,
        alpha: Score,
        beta: Score,
    ) -> Score {
        let Node { ply, depth, .. } = *node;
        let mut new_depth = depth - 1 + extension;
        let mut reduction = self.reduction::<PV>(node, m, number);
        self.frame_mut(ply + 1).double_extensions =
            self.frame(ply).double_extensions + u32::from(extension > 1);
        self.play(ply, m);
        if self.position.in_check() {
            // A check is searched deeper, once for whatever reason.
            reduction -= 1;
            new_depth += i32::from(extension == 0 && ply < 2 * self.root_depth as usize);
        }
        let mut score = Score::ZERO;
        let mut full = !PV || number > 1;
        if reduction > 0 {
            let reduced = (new_depth - reduction).clamp(1.min(new_depth), new_depth);
            score = -self.search::<false>(ply + 1, -alpha - 1, -alpha, reduced, true);
            full = score > alpha && reduced < new_depth;
            if full {
                let deeper = i32::from(score > alpha + 60 && reduced + 2 < new_depth);
                let shallower = i32::from(score < alpha + 8 && new_depth > 1);
                let again = new_depth + deeper - shallower;
                score = -self.search::<false>(ply + 1, -alpha - 1, -alpha, again, !node.cut_node);
            }
        } else if full {
            score = -self.search::<false>(ply + 1, -alpha - 1, -alpha, new_depth, !node.cut_node);
        }
        if PV && (number == 1 || score > alpha) && !self.stopped {
            score = -self.search::<true>(ply + 1, -beta, -alpha, new_depth, false);
        }
        self.take_back();
        score
    }

    /// Plies taken off a late move.
    fn reduction<const PV: bool>(&self, node: &Node, m: Move, number: usize) -> i32 {
        if !self.pruning.reductions || node.depth < 2 || number < if PV { 3 } else { 2 } {
            return 0;
        }
        let mut reduction = margins::late_move_reduction(node.depth, number);
        let quiet = self.position.piece_on(m.to()).is_none();
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
            reduction -= margins::PLY;
        }
        if !node.improving {
            reduction += margins::PLY / 2;
        }
        if self.frame(node.ply + 1).cutoffs > 3 {
            reduction += margins::PLY / 2;
        }
        if self.frame(node.ply).killers.contains(&m) {
            reduction -= margins::PLY;
        }
        if node.in_check {
            reduction -= margins::PLY;
        }
        (reduction / margins::PLY).max(0)
    }

    /// Lets the histories learn which move was good and which were not.
    fn reward(
        &mut self,
        node: &Node,
        best: Move,
        quiets: &[Move],
        captures: &[Move],
        before: &[Option<PieceTo>; 3],
    ) {
        let bonus = margins::history_bonus(node.depth);
        let malus = -margins::history_malus(node.depth);
        if self.position.piece_on(best.to()).is_none() {
            let killers = &mut self.frame_mut(node.ply).killers;
            if killers[0] != best {
                *killers = [best, killers[0]];
            }
            self.histories
                .update_quiet(&self.position, best, before, bonus);
            for quiet in quiets {
                self.histories
                    .update_quiet(&self.position, *quiet, before, malus);
            }
        } else {
            self.histories.update_capture(&self.position, best, bonus);
        }
        for capture in captures {
            self.histories
                .update_capture(&self.position, *capture, malus);
        }
    }

    /// When every move here failed, the quiet move that led here was good as the answer to those
    /// before it.
    fn reward_refutation(&mut self, node: &Node, bound: Bound) {
        if bound == Bound::Upper
            && self.position.captured().is_none()
            && let Some(refutation) = self.frame_back(node.ply, 1).played
        {
            let earlier = [2, 3, 5].map(|back| self.frame_back(node.ply, back).played);
            let bonus = margins::history_bonus(node.depth);
            self.histories
                .update_continuation(refutation, &earlier, bonus);
        }
    }

    /// Writes what was found to the hash table and corrects the evaluation by it.
    fn close_node(&mut self, node: &Node, found: &Found, alpha: Score, beta: Score) {
        let bound = found.bound(alpha, beta);
        let kept = found.table_bound(bound);
        self.table.store(
            self.position.key(),
            Record {
                best: found.best_move,
                score: found.best.to_table(node.ply),
                bound: kept,
                depth: if kept.is_some() { node.depth } else { 0 },
                evaluation: node.raw,
                was_pv: node.was_pv,
            },
        );
        self.reward_refutation(node, bound);
        let Some(evaluation) = self.frame(node.ply).evaluation else {
            return;
        };
        let quiet =
            found.best_move.is_none() || self.position.piece_on(found.best_move.to()).is_none();
        let says_more = match bound {
            Bound::Exact => true,
            Bound::Lower => found.best > evaluation,
            Bound::Upper => found.best < evaluation,
        };
        if quiet && says_more && kept == Some(bound) && !found.best.is_decisive() {
            let error = found.best - evaluation;
            self.histories
                .update_correction(&self.position, error, node.depth);
        }
    }
}
