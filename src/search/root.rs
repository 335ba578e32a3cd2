//! The root node: aspiration windows around it, its moves, reports of them.

use std::sync::atomic::Ordering;

use crossbeam_channel::Sender;

use super::event::{Bound, Event, Info};
use super::margins;
use super::score::Score;
use super::table::Record;
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
            bound: Bound::Exact,
            pv: vec![played],
            nodes: 0,
            selective_depth: 0,
        }
    }
}

impl Worker {
    /// One line of one iteration: a narrow window around the last score, widened when it fails.
    pub(super) fn aspiration(
        &mut self,
        moves: &mut [RootMove],
        line: usize,
        depth: i32,
        events: Option<&Sender<Event>>,
    ) {
        let previous = moves[line].previous;
        let mut delta = margins::ASPIRATION;
        let (mut alpha, mut beta) = if depth >= 4 && !previous.is_decisive() {
            (previous - delta, previous + delta)
        } else {
            (-Score::INFINITE, Score::INFINITE)
        };
        let mut fail_highs = 0;
        loop {
            let score = self.search_root(
                moves,
                line,
                alpha,
                beta,
                (depth - fail_highs).max(1),
                events,
            );
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
                fail_highs = (fail_highs + 1).min(3);
            } else {
                return;
            }
            if self.id == 0 && self.job.control.elapsed().as_millis() > CURRENT_MOVE_AFTER {
                self.report(moves, line, events);
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
        events: Option<&Sender<Event>>,
    ) -> Score {
        let old_alpha = alpha;
        let raw = (!self.position.in_check()).then(|| self.evaluate(0));
        let evaluation = raw.map(|raw| self.corrected(raw));
        self.frame_mut(0).evaluation = evaluation;
        self.frame_mut(1).killers = [Move::NONE; 2];
        self.frame_mut(1).excluded = Move::NONE;
        let mut best = -Score::INFINITE;
        let mut best_move = Move::NONE;
        for (number, root_move) in (1..).zip(&mut moves[line..]) {
            let m = root_move.played;
            self.announce(m, number + line, depth, events);
            let nodes = self.nodes;
            self.path_dependent = false;
            let score = self.search_root_move(m, number, alpha, beta, depth);
            root_move.nodes += self.nodes - nodes;
            if self.stopped {
                return best;
            }
            root_move.score = -Score::INFINITE;
            if number == 1 || score > alpha {
                root_move.score = score;
                root_move.bound = if score >= beta {
                    Bound::Lower
                } else if score <= old_alpha {
                    Bound::Upper
                } else {
                    Bound::Exact
                };
                root_move.selective_depth = self.selective_depth;
                root_move.pv.clear();
                root_move.pv.push(m);
                root_move.pv.extend_from_slice(&self.frame(1).pv);
            }
            if score > best {
                best = score;
                if score > alpha {
                    best_move = m;
                    alpha = score;
                }
                if score >= beta {
                    break;
                }
            }
        }
        let restricted = line > 0 || self.job.root_moves.len() != self.legal_count();
        if !restricted && !std::mem::take(&mut self.path_dependent) {
            self.store_root(best_move, best, old_alpha, beta, depth, raw);
        }
        best
    }

    fn legal_count(&self) -> usize {
        crate::movegen::count_legal(&self.position) as usize
    }

    fn store_root(
        &mut self,
        best_move: Move,
        best: Score,
        alpha: Score,
        beta: Score,
        depth: i32,
        raw: Option<Score>,
    ) {
        let bound = if best >= beta {
            Bound::Lower
        } else if best <= alpha {
            Bound::Upper
        } else {
            Bound::Exact
        };
        let record = Record {
            best: best_move,
            score: best.to_table(0),
            bound: Some(bound),
            depth,
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
                score = -self.search::<false>(1, -alpha - 1, -alpha, new_depth, false);
            }
        }
        if score > alpha && !self.stopped {
            score = -self.search::<true>(1, -beta, -alpha, new_depth, false);
        }
        self.take_back();
        score
    }

    fn announce(&self, m: Move, number: usize, depth: i32, events: Option<&Sender<Event>>) {
        if let Some(events) = events
            && self.job.control.elapsed().as_millis() > CURRENT_MOVE_AFTER
        {
            let event = Event::CurrentMove {
                depth: depth as u32,
                played: m,
                number,
            };
            // The receiver may be gone while the process ends.
            let _ = events.send(event);
        }
    }

    /// Reports the line in place `index`.
    pub(super) fn report(&self, moves: &[RootMove], index: usize, events: Option<&Sender<Event>>) {
        let (Some(events), Some(root_move)) = (events, moves.get(index)) else {
            return;
        };
        if index >= self.job.settings.multipv {
            return;
        }
        let info = Info {
            depth: self.root_depth as u32,
            selective_depth: (root_move.selective_depth + 1) as u32,
            multipv: index + 1,
            score: root_move.score,
            bound: root_move.bound,
            nodes: self.job.nodes.load(Ordering::Relaxed) + self.uncounted_nodes(),
            time: self.job.control.elapsed(),
            hash_permille: self.table.permille_used(),
            pv: root_move.pv.clone(),
        };
        // The receiver may be gone while the process ends.
        let _ = events.send(Event::Info(info));
    }
}
