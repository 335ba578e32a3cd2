//! The root node: aspiration windows around it, its moves, reports of them.

use super::iteration::RootMove;
use super::node::Found;
use super::node_score::NodeScore;
use super::search::Search;
use crate::board::Move;
use crate::search::event::{Bound, Event};
use crate::search::parameters::{formulas, values};
use crate::search::score::Score;
use crate::search::table::TtEntry;

/// The search reports the move it is at once it has taken this long, in milliseconds.
const CURRENT_MOVE_AFTER: u128 = 1000;

impl Search<'_> {
    /// One line of one iteration: a narrow window around the last score, widened when it fails
    /// (Chessprogramming wiki, "Aspiration Windows").
    pub(super) fn aspiration(&mut self, moves: &mut [RootMove], line: usize, depth: i32) {
        let previous = moves[line].previous;
        let mut delta = values::aspiration_window();
        let (mut alpha, mut beta) = if depth >= 4 && !previous.is_decisive() {
            (previous - delta, previous + delta)
        } else {
            (-Score::INFINITE, Score::INFINITE)
        };
        let mut fail_highs = 0;
        loop {
            let score = self.search_root(moves, line, alpha, beta, (depth - fail_highs).max(1));
            // The sort is stable: moves below alpha keep their order.
            moves[line..].sort_by_key(|m| std::cmp::Reverse(m.score));
            if self.stopped {
                return;
            }
            if score <= alpha {
                beta = Score::from_units((alpha.units() + beta.units()) / 2);
                alpha = score - delta;
                fail_highs = 0;
            } else if score >= beta {
                beta = score + delta;
                // Unsound, for what fails high may be shallower than it seems.
                fail_highs = (fail_highs + i32::from(self.pruning.reductions)).min(3);
            } else {
                return;
            }
            if self.id == 0 && self.shared.control.elapsed().as_millis() > CURRENT_MOVE_AFTER {
                self.report(moves, line);
            }
            delta += delta / 2 + values::aspiration_growth();
            if delta > values::aspiration_limit() {
                (alpha, beta) = (-Score::INFINITE, Score::INFINITE);
            }
            alpha = alpha.max(-Score::INFINITE);
            beta = beta.min(Score::INFINITE);
        }
    }

    /// The root node: every root move from `line` on within (`alpha`, `beta`).
    fn search_root(
        &mut self,
        moves: &mut [RootMove],
        line: usize,
        mut alpha: Score,
        beta: Score,
        depth: i32,
    ) -> Score {
        let old_alpha = alpha;
        let raw = (!self.position.in_check()).then(|| self.evaluate());
        let evaluation = raw.map(|raw| self.corrected(raw));
        self.stack.at_mut(0).evaluation = evaluation;
        self.stack.at_mut(1).killers = [Move::NONE; 2];
        self.stack.at_mut(1).excluded = Move::NONE;
        let mut found = Found::default();
        for (number, root_move) in (1..).zip(&mut moves[line..]) {
            let m = root_move.played;
            self.announce(m, number + line);
            let nodes = self.nodes;
            let score = self.search_root_move(m, number, alpha, beta, depth);
            root_move.nodes += self.nodes - nodes;
            if self.stopped {
                return found.best.score;
            }
            found.add(score);
            let score = score.score;
            root_move.score = -Score::INFINITE;
            if number == 1 || score > alpha {
                root_move.score = score;
                root_move.depth = self.root_depth;
                root_move.bound = Bound::of(score, old_alpha, beta);
                root_move.selective_depth = self.selective_depth;
                root_move.pv.clear();
                root_move.pv.push(m);
                root_move.pv.extend_from_slice(&self.stack.at(1).pv);
            }
            if score > alpha {
                found.best_move = m;
                alpha = score;
                if score >= beta {
                    break;
                }
            }
        }
        if line == 0 && self.shared.root_moves.len() == self.legal_count() {
            self.store_root(&found, old_alpha, beta, depth, raw);
        }
        found.best.score
    }

    fn legal_count(&self) -> usize {
        crate::movegen::count_legal(&self.position) as usize
    }

    fn store_root(
        &mut self,
        found: &Found,
        alpha: Score,
        beta: Score,
        depth: i32,
        raw: Option<Score>,
    ) {
        let bound = found.table_bound(Bound::of(found.best.score, alpha, beta));
        let entry = TtEntry {
            best: found.best_move,
            score: found.best.score,
            bound,
            depth: if bound.is_some() { depth } else { 0 },
            evaluation: raw,
            was_pv: true,
        };
        self.store(0, entry);
    }

    fn search_root_move(
        &mut self,
        m: Move,
        number: usize,
        alpha: Score,
        beta: Score,
        depth: i32,
    ) -> NodeScore {
        let new_depth = depth - 1;
        let mut reduction = 0;
        if self.pruning.reductions && number > 2 && depth >= 3 {
            reduction = formulas::late_move_reduction(depth, number) / formulas::PLY - 1;
        }
        self.play(0, m);
        self.stack.at_mut(1).pv.clear();
        let mut score = NodeScore::of_position(alpha + 1);
        if number > 1 {
            let reduced = (new_depth - reduction.max(0)).clamp(1.min(new_depth), new_depth);
            score = -self.search::<false>(1, -alpha - 1, -alpha, reduced, true);
            if score.score > alpha && reduced < new_depth {
                score = -self.search::<false>(1, -alpha - 1, -alpha, new_depth, false);
            }
        }
        if score.score > alpha && !self.stopped {
            score = -self.search::<true>(1, -beta, -alpha, new_depth, false);
        }
        self.take_back();
        score
    }

    fn announce(&self, m: Move, number: usize) {
        if self.shared.control.elapsed().as_millis() > CURRENT_MOVE_AFTER {
            self.send_event(Event::CurrentMove {
                depth: self.root_depth as u32,
                played: m,
                number,
            });
        }
    }

    /// Reports the line in place `index`.
    pub(super) fn report(&self, moves: &[RootMove], index: usize) {
        let Some(root_move) = moves.get(index) else {
            return;
        };
        if index >= self.shared.settings.multipv {
            return;
        }
        let (nodes, time) = (self.total_nodes(), self.shared.control.elapsed());
        let info = root_move.info(index + 1, nodes, time, self.table.hashfull());
        self.send_event(Event::Info(info));
    }
}
