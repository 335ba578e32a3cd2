//! The nodes of the search: principal variation search of a node and its moves, quiescence search.

use super::repetition::{Disputed, PathVerdict};
use super::score::{MovesResult, NodeScore};
use super::state::{NodeType, NonPv, Pv, Search};
use crate::board::{Legality, Move};
use crate::movegen::has_legal_move;
use crate::search::event::Bound;
use crate::search::ordering::{MovePicker, PickerMode, QuietContext};
use crate::search::parameters::values;
use crate::search::request::Driver;
use crate::search::score::{MAX_PLY, Score};
use crate::search::tt::TtEntry;

/// After this many nodes, the iteration of depth 1 searches no more captures if a limit was reached or a stop was
/// requested. In positions from games this iteration has about 50 nodes.
const FIRST_ITERATION_NODES: u64 = 2000;

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
        let entry = self.probe_node::<N>(ply);
        if let Some(entry) = entry.filter(|_| !N::PV)
            && let Some(score) = entry.cutoff(depth, alpha, beta, ply)
        {
            if score >= beta {
                self.update_hash_move(ply, depth, entry.best);
            }
            return NodeScore::of_position(score);
        }
        let mut node = self.open_node::<N>(ply, depth, cut_node, entry);
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
        let mut found = MovesResult::default();
        if let Err(multi_cut) = self.search_moves::<N>(&node, alpha, beta, &mut found) {
            return NodeScore::of_position(multi_cut);
        }
        if self.stopped {
            return NodeScore::STOPPED;
        }
        found.settle_at(ply);
        if excluded.is_none() && (!N::ROOT || self.searches_every_root_move()) {
            self.close_node(&node, &found, alpha, beta);
        }
        if N::PV {
            found.node_score(beta)
        } else {
            found.node_score(beta).averaged_fail_high(beta, node.depth)
        }
    }

    /// Searches a node that repeats a position to the disadvantage of one side. The node is not pruned, but its moves
    /// may be. Scores from the transposition table are ignored, because they belong to the first occurrence, and the
    /// result is not stored.
    fn search_disputed<N: NodeType>(
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
        let entry = self.probe_node::<N>(ply);
        let mut node = self.open_node::<N>(ply, depth, false, entry);
        if let Some(entry) = &mut node.entry {
            entry.bound = None;
        }
        let mut found = MovesResult::default();
        if let Err(score) = self.search_moves::<N>(&node, alpha, beta, &mut found) {
            // Without a bound of the entry there is no multi-cut.
            found.set_score(score);
        }
        if self.stopped {
            return NodeScore::STOPPED;
        }
        found.settle_at(ply);
        disputed.limit(found.node_score(beta), draw)
    }

    /// The first steps of every node except the root. The node is final if the search was stopped, if the rules or an
    /// endgame tablebase decide it, and at the maximum ply.
    fn enter<N: NodeType>(&mut self, ply: usize) -> PathVerdict {
        self.poll();
        if N::PV {
            self.stack.at_mut(ply).pv.clear();
        }
        // MTD has no PV nodes below the root.
        if N::PV || self.techniques.driver == Driver::Mtd {
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

    /// The hash entry of the node at `ply`; none at the root or if a move is excluded.
    fn probe_node<N: NodeType>(&self, ply: usize) -> Option<TtEntry> {
        let excluded = self.stack.at(ply).excluded;
        if N::ROOT || excluded.is_some() { None } else { self.probe() }
    }

    /// Evaluates the position, and clears the killers and the excluded move of later plies.
    fn open_node<N: NodeType>(
        &mut self,
        ply: usize,
        depth: i32,
        cut_node: bool,
        entry: Option<TtEntry>,
    ) -> Node {
        let excluded = self.stack.at(ply).excluded;
        let in_check = self.position.in_check();
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
}

/// A move that is about to be searched.
#[derive(Clone, Copy)]
struct TriedMove {
    m: Move,
    /// Number among the legal moves, from 1.
    number: usize,
    /// Extension in plies; negative for a reduction.
    extension: i32,
    /// The best score so far.
    best: Score,
    alpha: Score,
    beta: Score,
}

impl Search<'_> {
    /// Searches the moves of a node, adds their scores to `found`, and updates the histories with the result.
    ///
    /// # Errors
    /// The score of a multi-cut. It comes from a search of about half the depth, so it is not stored for the node.
    fn search_moves<N: NodeType>(
        &mut self,
        node: &Node,
        mut alpha: Score,
        beta: Score,
        found: &mut MovesResult,
    ) -> Result<(), Score> {
        let ply = node.ply;
        let excluded = self.stack.at(ply).excluded;
        let mut picker = self.move_picker::<N>(node);
        let legality = Legality::new(&self.position);
        let context = self.set_quiet_context(ply);
        let (first_alpha, mut number) = (alpha, 0);
        while let Some(m) = picker.next(&self.position, &legality, self.histories, &context) {
            if m == excluded || !legality.allows(&self.position, m) {
                continue;
            }
            number += 1;
            self.prefetch_after(m);
            let may_prune = !N::ROOT && number > 1 && !found.best.score.is_proven_loss();
            if may_prune && self.prune_move(node, m, number, alpha, &mut picker) {
                continue;
            }
            let extension = self.extension::<N>(node, m, beta)?;
            if self.stopped {
                return Ok(());
            }
            let tried = TriedMove { m, number, extension, best: found.best.score, alpha, beta };
            let score = self.search_move::<N>(node, tried);
            if self.stopped {
                return Ok(());
            }
            found.add(score);
            let score = score.score;
            if N::ROOT {
                self.update_root_move(number, score, alpha, Bound::of(score, first_alpha, beta));
            }
            if score > alpha {
                found.best_move = m;
                if N::PV {
                    self.stack.update_pv(ply, m);
                }
                if score >= beta {
                    self.update_histories(node, found, &context);
                    return Ok(());
                }
                alpha = score;
            } else {
                found.add_failure(m, &self.position);
            }
        }
        if number == 0 {
            // Mate or stalemate, both a loss; or the only move is excluded.
            let lost = Score::mated_in(ply);
            found.set_score(if excluded.is_some() { alpha } else { lost });
            return Ok(());
        }
        if found.best_move.is_some() {
            self.update_histories(node, found, &context);
        }
        Ok(())
    }

    /// The moves of a node, most promising first; at the root in the order of the last iteration.
    fn move_picker<N: NodeType>(&self, node: &Node) -> MovePicker {
        if N::ROOT {
            return MovePicker::in_order(self.root_moves_left());
        }
        let killers = self.stack.at(node.ply).killers;
        MovePicker::new(&self.position, PickerMode::All, node.hash_move, killers)
    }

    /// Plays and searches one move with [`Self::play_and_search`]. The score of a root move includes its random bonus.
    fn search_move<N: NodeType>(&mut self, node: &Node, mut tried: TriedMove) -> NodeScore {
        if !N::ROOT {
            return self.play_and_search::<N>(node, tried);
        }
        let (noise, m) = (self.shared.noise, tried.m);
        for score in [&mut tried.best, &mut tried.alpha, &mut tried.beta] {
            *score = noise.remove(m, *score);
        }
        let mut score = self.play_and_search::<N>(node, tried);
        score.score = noise.add(m, score.score);
        score
    }

    /// Plays one move and searches it. Late moves are searched with reduced depth and with a null window first
    /// (principal variation search: Marsland and Campbell, "Parallel search of strongly ordered game trees", 1982).
    fn play_and_search<N: NodeType>(&mut self, node: &Node, tried: TriedMove) -> NodeScore {
        let Node { ply, depth, .. } = *node;
        let TriedMove { m, number, extension, best, alpha, beta } = tried;
        let lower = match self.techniques.driver {
            Driver::AlphaBeta => -beta,
            Driver::NegaScout | Driver::Mtd => -alpha - 1,
        };
        let is_open = N::PV && self.techniques.driver != Driver::Mtd;
        let mut new_depth = depth - 1 + extension;
        let nodes_before = self.nodes;
        if N::ROOT {
            self.report_current_move(m, number);
        }
        let mut reduction = self.reduction::<N>(node, m, number);
        self.play(ply, m);
        if self.position.in_check() {
            // A check is reduced less, and extended unless the singular search has changed the depth (Chessprogramming
            // wiki, "Check Extensions").
            reduction -= 1;
            new_depth += i32::from(extension == 0 && self.may_extend(ply));
        }
        let mut score = NodeScore::STOPPED;
        let mut at_full_depth = !is_open || number > 1;
        if reduction > 0 {
            let reduced = (new_depth - reduction).clamp(1.min(new_depth), new_depth);
            self.stack.at_mut(ply).reduction = new_depth - reduced;
            score = -self.search::<NonPv>(ply + 1, lower, -alpha, reduced, true);
            self.stack.at_mut(ply).reduction = 0;
            at_full_depth = score.score > alpha && reduced < new_depth;
            // The re-search is deeper if the reduced search was far above the best score, and shallower if it was
            // hardly above it (Chessprogramming wiki, "Late Move Reductions", re-search at a changed depth).
            if at_full_depth && score.score > best + values::research_deeper() {
                new_depth += 1;
            } else if at_full_depth && score.score < best + values::research_shallower() {
                new_depth -= 1;
            }
        }
        if at_full_depth {
            score = -self.search::<NonPv>(ply + 1, lower, -alpha, new_depth, !node.cut_node);
        }
        // Only a `Pv` search records the line. With `Driver::AlphaBeta` the `NonPv` search above had the same window;
        // it refutes most moves at a lower cost, because `Pv` nodes have no cutoffs before their moves are searched.
        if is_open && (number == 1 || score.score > alpha) && !self.stopped {
            score = -self.search::<Pv>(ply + 1, -beta, -alpha, new_depth, false);
        }
        self.take_back();
        if N::ROOT {
            self.count_root_move(number, nodes_before);
        }
        score
    }
}

/// A quiescence node and the result of its moves so far.
struct QuiescenceNode {
    ply: usize,
    in_check: bool,
    entry: Option<TtEntry>,
    /// The evaluation without corrections; `None` in check.
    raw: Option<Score>,
    /// The best score so far. It starts at the static evaluation (stand pat) or, in check, at the score of being mated.
    best: NodeScore,
    best_move: Move,
}

impl Search<'_> {
    /// Searches the node at `ply` with captures that lose nothing by static exchange evaluation (Chessprogramming wiki,
    /// "Quiescence Search", standing pat). In check it searches all captures, and quiet moves until a move does not
    /// lose, or all quiet moves if pruning of moves is off.
    pub fn quiescence<N: NodeType>(&mut self, ply: usize, alpha: Score, beta: Score) -> NodeScore {
        match self.enter::<N>(ply) {
            PathVerdict::Open => {}
            PathVerdict::Final(score) => return score,
            // A search of depth 1 shows whether the next move continues the repetition or leaves it.
            PathVerdict::Disputed(disputed) => {
                return self.search_disputed::<N>(ply, alpha, beta, 1, disputed);
            }
        }
        let entry = self.probe();
        if let Some(entry) = entry
            && !N::PV
            && let Some(score) = entry.cutoff(0, alpha, beta, ply)
        {
            return NodeScore::of_position(score);
        }
        if self.shared.request.limits.mate.is_some()
            && !self.position.in_check()
            && !has_legal_move(&self.position)
        {
            // A search for a mate must also find stalemates, which lose.
            return NodeScore::of_position(Score::mated_in(ply));
        }
        let mut node = self.open_quiescence(ply, entry);
        let standing = node.best.score;
        if standing >= beta {
            return if N::PV { node.best } else { node.best.averaged_fail_high(beta, 1) };
        }
        // The first iteration is completed even if the search must end, but without further captures if it is large: in
        // a position with fifteen rooks on each side they would take too long.
        if self.must_end && !node.in_check && self.nodes > FIRST_ITERATION_NODES {
            return node.best;
        }
        self.search_quiescence_moves::<N>(&mut node, alpha.max(standing), beta);
        if self.stopped {
            return NodeScore::STOPPED;
        }
        node.best = node.best.settled_at(ply);
        self.close_quiescence::<N>(&node, alpha, beta);
        node.best
    }

    /// Evaluates the position, unless the side to move is in check.
    fn open_quiescence(&mut self, ply: usize, entry: Option<TtEntry>) -> QuiescenceNode {
        let in_check = self.position.in_check();
        let raw = (!in_check).then(|| self.raw_evaluation(entry, false));
        let best = raw.map_or(Score::mated_in(ply), |raw| self.corrected(ply, raw));
        QuiescenceNode {
            ply,
            in_check,
            entry,
            raw,
            best: NodeScore::of_position(best),
            best_move: Move::NONE,
        }
    }

    /// Searches the moves of a quiescence node and updates its best score.
    fn search_quiescence_moves<N: NodeType>(
        &mut self,
        node: &mut QuiescenceNode,
        mut alpha: Score,
        beta: Score,
    ) {
        let mode =
            if node.in_check { PickerMode::All } else { PickerMode::Captures { min_see: 0 } };
        let hash_move = node.entry.map_or(Move::NONE, |e| e.best);
        let mut picker = MovePicker::new(&self.position, mode, hash_move, [Move::NONE; 2]);
        let legality = Legality::new(&self.position);
        let context =
            if node.in_check { self.set_quiet_context(node.ply) } else { QuietContext::default() };
        while let Some(m) = picker.next(&self.position, &legality, self.histories, &context) {
            self.prefetch_after(m);
            if !legality.allows(&self.position, m) {
                continue;
            }
            if node.in_check && self.skips_evasion(node.best.score, m) {
                picker.skip_quiets();
                continue;
            }
            self.play(node.ply, m);
            let score = -self.quiescence::<N>(node.ply + 1, -beta, -alpha);
            self.take_back();
            if self.stopped {
                return;
            }
            node.best.raise_to(score);
            let score = score.score;
            if score > alpha {
                node.best_move = m;
                alpha = score;
                if N::PV {
                    self.stack.update_pv(node.ply, m);
                }
                if score >= beta {
                    return;
                }
            }
        }
    }

    /// Whether a move out of check is skipped: it is quiet, and the `best` score so far shows that another move does
    /// not lose.
    fn skips_evasion(&self, best: Score, m: Move) -> bool {
        self.pruning.of_moves && !best.is_proven_loss() && self.position.taken_by(m).is_none()
    }

    /// Stores the result in the transposition table. A score that depends on the path is stored only if it is a lower
    /// or upper bound and not proven.
    fn close_quiescence<N: NodeType>(&mut self, node: &QuiescenceNode, alpha: Score, beta: Score) {
        let best = node.best.score;
        let bound = Bound::of(best, alpha, beta);
        let keeps = !node.best.is_path_dependent() || (bound != Bound::Exact && !best.is_proven());
        self.store(
            node.ply,
            TtEntry {
                best: node.best_move,
                score: best,
                bound: keeps.then_some(bound),
                depth: 0,
                evaluation: node.raw,
                was_pv: N::PV || node.entry.is_some_and(|e| e.was_pv),
            },
        );
    }
}
