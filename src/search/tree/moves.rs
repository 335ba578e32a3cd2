//! The moves of a node: which of them are searched, and how deep.

use super::node::Node;
use super::score::{MovesResult, NodeScore};
use super::search::{NodeType, NonPv, Pv, Search};
use crate::board::{Legality, Move, see_at_least};
use crate::search::event::Bound;
use crate::search::ordering::{MovePicker, PickerMode};
use crate::search::parameters::formulas::{self, PLY};
use crate::search::parameters::values;
use crate::search::request::Driver;
use crate::search::score::Score;

struct TriedMove {
    m: Move,
    /// Number among the legal moves, from 1.
    number: usize,
    /// Extension in plies; negative for a reduction.
    extension: i32,
}

impl Search<'_> {
    /// Searches the moves of a node.
    ///
    /// # Errors
    /// The score of a multi-cut. It comes from a search of half the depth, so the node stores nothing.
    pub fn search_moves<N: NodeType>(
        &mut self,
        node: &Node,
        mut alpha: Score,
        beta: Score,
    ) -> Result<MovesResult, Score> {
        let ply = node.ply;
        let excluded = self.stack.at(ply).excluded;
        let mut found = MovesResult::default();
        let mut picker = self.move_picker::<N>(node);
        let legality = Legality::new(&self.position);
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
            // Mate or stalemate, both a loss; or the only move is excluded.
            return Ok(MovesResult::of_score(if excluded.is_some() {
                alpha
            } else {
                Score::mated_in(ply)
            }));
        }
        if found.best_move.is_some() {
            self.update_histories(node, &found, &before);
        }
        Ok(found)
    }

    /// The moves of a node, most promising first; at the root in the order of the last iteration.
    fn move_picker<N: NodeType>(&self, node: &Node) -> MovePicker {
        if N::ROOT {
            return MovePicker::in_order(self.root_moves_left());
        }
        let killers = self.stack.at(node.ply).killers;
        MovePicker::new(&self.position, PickerMode::All, node.hash_move, killers)
    }

    /// As [`Self::play_and_search`]; the score of a root move includes its random bonus.
    fn search_move<N: NodeType>(
        &mut self,
        node: &Node,
        tried: &TriedMove,
        best: Score,
        alpha: Score,
        beta: Score,
    ) -> NodeScore {
        if !N::ROOT {
            return self.play_and_search::<N>(node, tried, best, alpha, beta);
        }
        let (noise, m) = (self.shared.noise, tried.m);
        let [best, alpha, beta] = [best, alpha, beta].map(|score| noise.remove(m, score));
        let mut score = self.play_and_search::<N>(node, tried, best, alpha, beta);
        score.score = noise.add(m, score.score);
        score
    }

    /// Plays one move and searches it; `best` is the best score so far. Late moves are searched with reduced
    /// depth and with a null window first (principal variation search: Marsland and Campbell, "Parallel search
    /// of strongly ordered game trees", 1982).
    fn play_and_search<N: NodeType>(
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
        let is_open = N::PV && self.techniques.driver != Driver::Mtd;
        let mut new_depth = depth - 1 + extension;
        let nodes_before = self.nodes;
        if N::ROOT {
            self.report_current_move(m, number);
        }
        let mut reduction = self.reduction::<N>(node, m, number);
        self.play(ply, m);
        if self.position.in_check() {
            // A check is reduced less, and extended unless the move has another extension (Chessprogramming wiki,
            // "Check Extensions").
            reduction -= 1;
            new_depth += i32::from(extension == 0 && self.may_extend(ply));
        }
        let mut score = NodeScore::STOPPED;
        let mut full = !is_open || number > 1;
        if reduction > 0 {
            let reduced = (new_depth - reduction).clamp(1.min(new_depth), new_depth);
            self.stack.at_mut(ply).reduction = new_depth - reduced;
            score = -self.search::<NonPv>(ply + 1, lower, -alpha, reduced, true);
            self.stack.at_mut(ply).reduction = 0;
            full = score.score > alpha && reduced < new_depth;
            // The re-search is deeper if the reduced search was far above the best score, and shallower if it was
            // hardly above it (Chessprogramming wiki, "Late Move Reductions", re-search at a changed depth).
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

    /// Whether to skip a move after the first. May also make the picker skip all later quiet moves. Checks are
    /// never skipped because of evaluation or exchange.
    fn prune_move(
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
                && !self.position.gives_check(m);
        }
        if number > formulas::late_move_count(depth, node.improving) {
            picker.skip_quiets();
        }
        let reduced = depth - formulas::late_move_reduction(depth, number) / PLY;
        reduced <= values::history_pruning_depth() && self.has_bad_history(node, m)
            || reduced <= values::quiet_pruning_depth()
                && !node.in_check
                && self.is_futile(node, m, reduced.max(1), alpha)
                && !self.position.gives_check(m)
    }

    /// Whether the depth limit of the request is so low that replies to root moves are not pruned.
    fn is_shallow(&self) -> bool {
        let limit = self.shared.request.limits.depth;
        limit.is_some_and(|depth| (depth as i32) < values::replies_pruned_depth())
    }

    /// Whether a quiet move has a bad history (Chessprogramming wiki, "History Leaf Pruning").
    fn has_bad_history(&self, node: &Node, m: Move) -> bool {
        let before = self.stack.before(node.ply);
        let history = self.histories.quiet(&self.position, m, &before[..2]);
        history < formulas::history_pruning(node.depth)
    }

    /// Whether a quiet move is not expected to reach alpha, or loses material at once (Chessprogramming wiki,
    /// "Futility Pruning", "Static Exchange Evaluation").
    fn is_futile(&self, node: &Node, m: Move, depth: i32, alpha: Score) -> bool {
        !alpha.is_proven() && node.evaluation + formulas::futility(depth) <= alpha
            || !see_at_least(&self.position, m, formulas::quiet_exchange(depth))
    }

    /// Whether a move at `ply` may be extended: the line must not get much longer than the depth of the
    /// iteration.
    fn may_extend(&self, ply: usize) -> bool {
        (ply as i32) < values::extension_depth_factor() * self.root_depth
    }

    /// Extension of the hash move in plies, 0 for other moves: 1 if it is singular, that is if all other moves are well
    /// below it (Anantharaman, Campbell and Hsu, "Singular extensions: adding selectivity to brute-force searching",
    /// 1988); -1 if it is not and the node is expected to fail high.
    ///
    /// # Errors
    /// The score of a cut-off, if another move also fails high (Björnsson and Marsland, "Multi-cut alpha-beta
    /// pruning in game-tree search", 2001).
    fn extension<N: NodeType>(&mut self, node: &Node, m: Move, beta: Score) -> Result<i32, Score> {
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
        // The hash move is not needed for the expected cut-off: negative extension (Chessprogramming wiki,
        // "Singular Extensions").
        if score >= beta || node.cut_node {
            return Ok(-1);
        }
        Ok(0)
    }

    /// Reduction of a late move in plies (Chessprogramming wiki, "Late Move Reductions").
    fn reduction<N: NodeType>(&self, node: &Node, m: Move, number: usize) -> i32 {
        let first = if N::PV {
            values::lmr_first_pv()
        } else {
            values::lmr_first()
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
