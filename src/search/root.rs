//! The root node: aspiration windows around it, its moves, reports of them.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::event::{Bound, Event, Info};
use super::margins;
use super::node::Found;
use super::score::Score;
use super::table::{Record, Table};
use super::worker::Worker;
use crate::board::Move;

/// The search reports the move it is at once it has taken this long, in milliseconds.
const CURRENT_MOVE_AFTER: u128 = 1000;

/// A move of the root and what is known of it.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub played: Move,
    /// Score in this iteration; below every score while it is only known not to be the best.
    pub score: Score,
    pub previous: Score,
    /// The iteration in which the score was found.
    pub depth: i32,
    pub bound: Bound,
    pub pv: Vec<Move>,
    pub nodes: u64,
    pub selective_depth: usize,
}

impl RootMove {
    pub(super) fn new(played: Move) -> Self {
        Self {
            played,
            score: -Score::INFINITE,
            previous: -Score::INFINITE,
            depth: 0,
            bound: Bound::Exact,
            pv: vec![played],
            nodes: 0,
            selective_depth: 0,
        }
    }

    /// The report of it as line number `multipv`; the caller says what was spent on all of them.
    pub(super) fn info(&self, multipv: usize, nodes: u64, time: Duration, table: &Table) -> Info {
        Info {
            depth: self.depth as u32,
            selective_depth: (self.selective_depth + 1) as u32,
            multipv,
            score: self.score,
            bound: self.bound,
            nodes,
            time,
            hash_permille: table.permille_used(),
            pv: self.pv.clone(),
        }
    }

    /// What a report of it tells.
    pub(super) fn gist(&self) -> (Move, Score, Bound, i32) {
        (self.played, self.score, self.bound, self.depth)
    }
}

impl Worker {
    /// One line of one iteration: a narrow window around the last score, widened when it fails.
    pub(super) fn aspiration(&mut self, moves: &mut [RootMove], line: usize, depth: i32) {
        let previous = moves[line].previous;
        let mut delta = margins::ASPIRATION;
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
            if self.id == 0 && self.job.control.elapsed().as_millis() > CURRENT_MOVE_AFTER {
                self.report(moves, line);
            }
            delta += delta / 2 + 5;
            if delta > 900 {
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
        self.path_dependent = false;
        let raw = (!self.position.in_check()).then(|| self.evaluate(0));
        let evaluation = raw.map(|raw| self.corrected(raw));
        self.frame_mut(0).evaluation = evaluation;
        self.frame_mut(1).killers = [Move::NONE; 2];
        self.frame_mut(1).excluded = Move::NONE;
        let mut found = Found::default();
        for (number, root_move) in (1..).zip(&mut moves[line..]) {
            let m = root_move.played;
            self.announce(m, number + line);
            let nodes = self.nodes;
            let score = self.search_root_move(m, number, alpha, beta, depth);
            root_move.nodes += self.nodes - nodes;
            if self.stopped {
                return found.best;
            }
            found.note(score, std::mem::take(&mut self.path_dependent));
            root_move.score = -Score::INFINITE;
            if number == 1 || score > alpha {
                root_move.score = score;
                root_move.depth = self.root_depth;
                root_move.bound = Bound::of(score, old_alpha, beta);
                root_move.selective_depth = self.selective_depth;
                root_move.pv.clear();
                root_move.pv.push(m);
                root_move.pv.extend_from_slice(&self.frame(1).pv);
            }
            if score > alpha {
                found.best_move = m;
                alpha = score;
                if score >= beta {
                    break;
                }
            }
        }
        if line == 0 && self.job.root_moves.len() == self.legal_count() {
            self.store_root(&found, old_alpha, beta, depth, raw);
        }
        found.best
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
        let bound = found.table_bound(Bound::of(found.best, alpha, beta));
        let record = Record {
            best: found.best_move,
            score: found.best.to_table(0),
            bound,
            depth: if bound.is_some() { depth } else { 0 },
            evaluation: raw,
            was_pv: true,
        };
        self.table.store(self.position.key(), record);
    }

    fn search_root_move(
        &mut self,
        m: Move,
        number: usize,
        alpha: Score,
        beta: Score,
        depth: i32,
    ) -> Score {
        let new_depth = depth - 1;
        let mut reduction = 0;
        if self.pruning.reductions && number > 2 && depth >= 3 {
            reduction = margins::late_move_reduction(depth, number) / margins::PLY - 1;
        }
        self.play(0, m);
        self.frame_mut(1).pv.clear();
        let mut score = alpha + 1;
        if number > 1 {
            let reduced = (new_depth - reduction.max(0)).clamp(1.min(new_depth), new_depth);
            score = -self.search::<false>(1, -alpha - 1, -alpha, reduced, true);
            if score > alpha && reduced < new_depth {
                self.path_dependent = false;
                score = -self.search::<false>(1, -alpha - 1, -alpha, new_depth, false);
            }
        }
        if score > alpha && !self.stopped {
            self.path_dependent = false;
            score = -self.search::<true>(1, -beta, -alpha, new_depth, false);
        }
        self.take_back();
        score
    }

    fn announce(&self, m: Move, number: usize) {
        if self.job.control.elapsed().as_millis() > CURRENT_MOVE_AFTER {
            self.tell(Event::CurrentMove {
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
        if index >= self.job.settings.multipv {
            return;
        }
        let nodes = self.job.nodes.load(Ordering::Relaxed) + self.uncounted_nodes();
        let time = self.job.control.elapsed();
        let info = root_move.info(index + 1, nodes, time, &self.table);
        self.tell(Event::Info(info));
    }
}
