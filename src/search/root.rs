//! The root: iterative deepening, aspiration windows, several best lines, when to stop.

use std::sync::atomic::Ordering;

use crossbeam_channel::Sender;

use super::clock::TimeBudget;
use super::event::{Bound, Event, Info};
use super::margins;
use super::request::Randomness;
use super::score::{MAX_PLY, Score};
use super::table::Record;
use super::worker::Worker;
use crate::board::Move;

/// Iterations run to this depth unless told otherwise.
pub(super) const MAX_DEPTH: i32 = 128;
/// Lines that are looked at when the choice among them is random.
const RANDOM_LINES: usize = 6;
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
    fn new(played: Move) -> Self {
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

/// How the iterations went: what the time budget bends with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    pub(super) best: Move,
    /// For how many iterations the best move has been the same.
    pub(super) stable: u32,
    pub(super) score: Score,
    /// How far the score fell in the last iteration, in units of the evaluation.
    pub(super) drop: i32,
    /// The share of the last iteration's nodes that the best move took.
    pub(super) effort: f64,
}

impl Progress {
    fn new() -> Self {
        Self {
            best: Move::NONE,
            stable: 0,
            score: Score::ZERO,
            drop: 0,
            effort: 0.0,
        }
    }

    fn update(&mut self, best: &RootMove) {
        self.stable = if best.played == self.best {
            self.stable + 1
        } else {
            0
        };
        self.drop = self.score - best.score;
        self.best = best.played;
        self.score = best.score;
    }
}

/// What the thread came to.
pub(super) struct RootResult {
    pub moves: Vec<RootMove>,
    /// The last iteration that was finished.
    pub depth: i32,
}

impl Worker {
    /// Searches deeper and deeper until the job's limits, or somebody, stop it. Only the first
    /// thread reports.
    pub(super) fn iterate(&mut self, events: Option<&Sender<Event>>) -> RootResult {
        let job = self.job.clone();
        let mut moves: Vec<RootMove> = job.root_moves.iter().map(|m| RootMove::new(*m)).collect();
        let budget = TimeBudget::new(&job.limits, &job.settings);
        let depth_limit = job
            .limits
            .depth
            .map_or(MAX_DEPTH, |d| d.clamp(1, MAX_DEPTH as u32) as i32);
        let lines = self.lines().min(moves.len());
        let mut progress = Progress::new();
        let mut finished = 0;
        for depth in 1..=depth_limit {
            self.root_depth = depth;
            for root_move in &mut moves {
                root_move.previous = root_move.score;
                root_move.score = -Score::INFINITE;
            }
            let nodes_before: Vec<_> = moves.iter().map(|m| (m.played, m.nodes)).collect();
            let start_nodes = self.nodes;
            for line in 0..lines {
                self.selective_depth = 0;
                self.aspiration(&mut moves, line, depth, events);
                if self.stopped {
                    break;
                }
                moves[..=line].sort_by_key(|m| std::cmp::Reverse(m.score));
            }
            if self.stopped {
                self.settle_unfinished(&mut moves);
                break;
            }
            finished = depth;
            (0..lines).for_each(|line| self.report(&moves, line, events));
            if self.id != 0 {
                continue;
            }
            let earlier = nodes_before
                .iter()
                .find(|n| n.0 == moves[0].played)
                .map_or(0, |n| n.1);
            progress.update(&moves[0]);
            progress.effort =
                (moves[0].nodes - earlier) as f64 / (self.nodes - start_nodes).max(1) as f64;
            if self.is_decided(&moves, depth, lines)
                || self.is_out_of_time(budget.as_ref(), &progress)
                || self.is_only_move(&moves, depth)
            {
                break;
            }
        }
        self.wait_while_pondering();
        RootResult {
            moves,
            depth: finished,
        }
    }

    /// How many best lines are looked for.
    pub(super) fn lines(&self) -> usize {
        let settings = &self.job.settings;
        let random = settings.randomness != Randomness::None;
        settings.multipv.max(if random { RANDOM_LINES } else { 1 })
    }

    /// One line of one iteration: a narrow window around the last score, widened when it fails.
    fn aspiration(
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
        self.frame_mut(2).cutoffs = 0;
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
    fn report(&self, moves: &[RootMove], index: usize, events: Option<&Sender<Event>>) {
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

    /// Puts the moves of an iteration that was broken off in order: those that were searched by
    /// what was found, the rest by the iteration before.
    fn settle_unfinished(&self, moves: &mut [RootMove]) {
        let searched = moves
            .iter()
            .any(|m| m.score > -Score::INFINITE && m.bound != Bound::Upper);
        for root_move in moves.iter_mut() {
            if !searched || root_move.score == -Score::INFINITE {
                root_move.score = root_move.previous;
            }
        }
        if !searched {
            moves.sort_by_key(|m| std::cmp::Reverse(m.score));
        }
    }
}

/// The deepest line fits the frames.
const _: () = assert!((MAX_DEPTH as usize) < MAX_PLY);
