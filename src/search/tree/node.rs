//! The inner node of the search: principal variation search with pruning, extensions and reductions.

use super::moves_result::MovesResult;
use super::node_score::NodeScore;
use super::node_type::{NodeType, NonPv, Pv};
use super::repetition::{Disputed, History};
use super::search::Search;
use crate::board::Move;
use crate::search::event::Bound;
use crate::search::ordering::{MovePicker, PickerMode};
use crate::search::parameters::values;
use crate::search::request::Driver;
use crate::search::score::{MAX_PLY, Score};
use crate::search::table::TtEntry;

/// What is found out at a node before its moves.
pub(super) struct Node {
    pub(super) ply: usize,
    pub(super) depth: i32,
    pub(super) cut_node: bool,
    pub(super) in_check: bool,
    /// Corrected evaluation; meaningless in check.
    pub(super) evaluation: Score,
    /// The evaluation as it came from the evaluator.
    pub(super) raw: Option<Score>,
    pub(super) improving: bool,
    pub(super) entry: Option<TtEntry>,
    pub(super) hash_move: Move,
    pub(super) was_pv: bool,
}

/// A move that a node tries.
struct TriedMove {
    m: Move,
    /// Its number among the legal moves, from 1.
    number: usize,
    /// Plies that it is searched deeper.
    extension: i32,
}

impl Search<'_> {
    /// The score of the node at `ply` searched to `depth` within (`alpha`, `beta`); fail-soft, so that it
    /// may lie outside. `cut_node`: a fail high is expected (a cut node; Chessprogramming wiki, "Node
    /// Types").
    pub(super) fn search<N: NodeType>(
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
                History::Open => {}
                History::Final(score) => return score,
                History::Disputed(disputed) => {
                    return self.search_disputed::<N>(ply, alpha, beta, depth, disputed);
                }
            }
        }
        // Mate distance pruning: no line from here is better than the shortest mate (Chessprogramming
        // wiki, "Mate Distance Pruning").
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
            (alpha, beta) = self.narrowed_window(&node, alpha, beta);
        }
        let excluded = self.stack.at(ply).excluded;
        if let Some(score) = self.prune_node::<N>(&node, alpha, beta) {
            return score;
        }
        if self.pruning.reductions
            && node.depth >= values::iir_depth()
            && node.hash_move.is_none()
            && (N::PV || cut_node)
            && !N::ROOT
            && excluded.is_none()
        {
            // Internal iterative reduction: without a hash move the order is poor (Chessprogramming wiki,
            // "Internal Iterative Reductions").
            node.depth -= 1;
        }
        let found = match self.search_moves::<N>(&node, alpha, beta) {
            Ok(found) => found.settled_at(ply),
            Err(multi_cut) => return NodeScore::of_position(multi_cut),
        };
        if self.stopped {
            return NodeScore::STOPPED;
        }
        if excluded.is_none() && (!N::ROOT || self.looks_at_every_root_move()) {
            self.close_node(&node, &found, alpha, beta);
        }
        match N::PV {
            true => found.node_score(beta),
            false => found.node_score(beta).averaged_fail_high(beta, node.depth),
        }
    }

    /// Searches the moves of a node that repeats a position at the cost of one side, without pruning the node and
    /// without scores from the transposition table, which belong to the first occurrence.
    pub(super) fn search_disputed<N: NodeType>(
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

    /// The first steps of every node. It is final if the search was stopped, by the rules, by the tablebases
    /// and at the deepest ply.
    pub(super) fn enter<N: NodeType>(&mut self, ply: usize) -> History {
        self.poll();
        if N::PV {
            self.stack.at_mut(ply).pv.clear();
            self.selective_depth = self.selective_depth.max(ply);
        }
        if self.stopped {
            return History::Final(NodeScore::STOPPED);
        }
        let history = self.history(ply);
        if let History::Final(_) = history {
            return history;
        }
        if let Some(score) = self.table_score(ply) {
            return History::Final(score);
        }
        if ply < MAX_PLY {
            return history;
        }
        History::Final(NodeScore::of_position(if self.position.in_check() {
            self.draw_score(ply)
        } else {
            self.evaluate()
        }))
    }

    /// Looks the position up and evaluates it.
    fn open_node<N: NodeType>(&mut self, ply: usize, depth: i32, cut_node: bool) -> Node {
        let excluded = self.stack.at(ply).excluded;
        let in_check = self.position.in_check();
        let entry = if N::ROOT || excluded.is_some() {
            None
        } else {
            self.probe()
        };
        let was_pv = N::PV || entry.is_some_and(|e| e.was_pv);
        let (raw, evaluation) = if in_check {
            (None, -Score::INFINITE)
        } else if let (true, Some(known)) = (excluded.is_some(), self.stack.at(ply).evaluation) {
            (None, known)
        } else {
            let raw = self.raw_evaluation(entry, was_pv);
            (Some(raw), self.corrected(ply, raw))
        };
        self.stack.at_mut(ply).evaluation = (!in_check).then_some(evaluation);
        // Whether the evaluation has risen since an earlier move of this side (Chessprogramming wiki,
        // "Improving").
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

    /// The window narrowed to where the score lies if a hash entry that is not deep enough for a cut-off
    /// is right, at least two units wide (what `hashadjust` of tsito switches).
    fn narrowed_window(&self, node: &Node, alpha: Score, beta: Score) -> (Score, Score) {
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

    /// Searches the moves of a node.
    ///
    /// # Errors
    /// The score of a multi-cut: it comes of half the depth, so the node has nothing to store or learn.
    fn search_moves<N: NodeType>(
        &mut self,
        node: &Node,
        mut alpha: Score,
        beta: Score,
    ) -> Result<MovesResult, Score> {
        let ply = node.ply;
        let excluded = self.stack.at(ply).excluded;
        let mut found = MovesResult::default();
        let mut picker = self.move_picker::<N>(node);
        let legality = self.legality();
        let before = self.stack.before(ply);
        let (first_alpha, mut number) = (alpha, 0);
        while let Some(m) = picker.next(&self.position, self.histories, &before) {
            if m == excluded || !legality.allows(&self.position, m) {
                continue;
            }
            number += 1;
            let may_prune = !N::ROOT && number > 1 && !found.best.score.is_proven_loss();
            if may_prune && self.prune_move(node, m, number, alpha, &mut picker) {
                continue;
            }
            let extension = self.extension::<N>(node, m, beta)?;
            if self.stopped {
                return Ok(found);
            }
            let tried = TriedMove {
                m,
                number,
                extension,
            };
            let score = self.search_move::<N>(node, &tried, found.best.score, alpha, beta);
            if self.stopped {
                return Ok(found);
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
                    self.update_histories(node, &found, &before);
                    return Ok(found);
                }
                alpha = score;
            } else {
                found.add_failure(m, &self.position);
            }
        }
        if number == 0 {
            // Mate or stalemate, both a loss; or the only move is the one left out.
            return Ok(MovesResult::of_score(match excluded.is_some() {
                true => alpha,
                false => Score::mated_in(ply),
            }));
        }
        if found.best_move.is_some() {
            self.update_histories(node, &found, &before);
        }
        Ok(found)
    }

    /// The moves of a node in the order of their promise; at the root in that of the last iteration.
    fn move_picker<N: NodeType>(&self, node: &Node) -> MovePicker {
        if N::ROOT {
            return MovePicker::in_order(self.root_moves_left());
        }
        let killers = self.stack.at(node.ply).killers;
        MovePicker::new(&self.position, PickerMode::All, node.hash_move, killers)
    }

    /// Plays one move and searches it, the best score so far being `best`: late ones less deep and with a
    /// null window first (Marsland and Campbell, "Parallel search of strongly ordered game trees", 1982:
    /// principal variation search).
    fn search_move<N: NodeType>(
        &mut self,
        node: &Node,
        tried: &TriedMove,
        best: Score,
        alpha: Score,
        beta: Score,
    ) -> NodeScore {
        let Node { ply, depth, .. } = *node;
        let TriedMove {
            m,
            number,
            extension,
        } = *tried;
        let lower = match self.techniques.driver {
            Driver::AlphaBeta => -beta,
            Driver::NegaScout | Driver::Mtd => -alpha - 1,
        };
        let is_open = N::PV && !self.is_driven_by(Driver::Mtd);
        let mut new_depth = depth - 1 + extension;
        let nodes_before = self.nodes;
        if N::ROOT {
            self.announce(m, number);
        }
        let mut reduction = self.reduction::<N>(node, m, number);
        self.play(ply, m);
        if self.position.in_check() {
            // Check extension, unless the move is extended for another reason (Chessprogramming wiki,
            // "Check Extensions").
            reduction -= 1;
            new_depth += i32::from(extension == 0 && self.may_extend(ply));
        }
        let mut score = NodeScore::STOPPED;
        let mut full = !is_open || number > 1;
        if reduction > 0 {
            let reduced = (new_depth - reduction).clamp(1.min(new_depth), new_depth);
            score = -self.search::<NonPv>(ply + 1, lower, -alpha, reduced, true);
            full = score.score > alpha && reduced < new_depth;
            // The further the reduced search came back above the best score, the deeper it is repeated
            // (Chessprogramming wiki, "Late Move Reductions", re-search at a changed depth).
            if full && score.score > best + values::research_deeper() {
                new_depth += 1;
            } else if full && score.score < best + values::research_shallower() {
                new_depth -= 1;
            }
        }
        if full {
            score = -self.search::<NonPv>(ply + 1, lower, -alpha, new_depth, !node.cut_node);
        }
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
