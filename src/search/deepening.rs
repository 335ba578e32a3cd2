//! Iterative deepening: one iteration after another, alone or with other threads.

use super::event::Bound;
use super::request::Randomness;
use super::root::RootMove;
use super::score::{MAX_PLY, Score};
use super::worker::Worker;
use crate::board::Move;

/// Iterations run to this depth unless told otherwise.
pub(super) const MAX_DEPTH: i32 = 128;
/// What no thread reaches: between iterations nobody is overtaken.
pub(super) const NEVER: i32 = i32::MAX;

/// What an iteration came to.
#[derive(Clone, Debug)]
pub(super) struct Iteration {
    /// In plies; 0 before the first.
    pub depth: i32,
    /// The moves of the root, the best first.
    pub moves: Vec<RootMove>,
    /// The share of the iteration's nodes that the best move took.
    pub effort: f64,
}

impl Iteration {
    fn new(root_moves: &[Move]) -> Self {
        Self {
            depth: 0,
            moves: root_moves.iter().map(|m| RootMove::new(*m)).collect(),
            effort: 0.0,
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

    fn update(&mut self, iteration: &Iteration) {
        let best = &iteration.moves[0];
        self.stable = if best.played == self.best {
            self.stable + 1
        } else {
            0
        };
        self.drop = self.score - best.score;
        self.best = best.played;
        self.score = best.score;
        self.effort = iteration.effort;
    }
}

impl Worker {
    /// Searches deeper and deeper until the job's limits, or somebody, stop it: the last iteration
    /// that was finished, and what is known of the moves since. Only the first thread reports.
    ///
    /// Threads go from depth to depth together: who is overtaken takes over the other's result.
    pub(super) fn iterate(&mut self) -> Iteration {
        let job = self.job.clone();
        let depth_limit = job
            .limits
            .depth
            .map_or(MAX_DEPTH, |d| d.clamp(1, MAX_DEPTH as u32) as i32);
        let mut iteration = Iteration::new(&job.root_moves);
        let lines = self.lines().min(iteration.moves.len());
        let mut progress = Progress::new();
        while iteration.depth < depth_limit {
            let reported = iteration.moves[0].gist();
            self.deepen(&mut iteration, lines);
            if self.stopped {
                let Some(overtaking) = self.overtaking() else {
                    settle_unfinished(&mut iteration);
                    let moves = &iteration.moves;
                    if moves[0].gist() != reported {
                        (0..lines).for_each(|line| self.report(moves, line));
                    }
                    break;
                };
                iteration = overtaking;
                self.stopped = false;
            }
            (0..lines).for_each(|line| self.report(&iteration.moves, line));
            if self.id != 0 {
                continue;
            }
            progress.update(&iteration);
            if self.is_decided(&iteration.moves, iteration.depth, lines)
                || self.is_out_of_time(&progress)
                || self.is_past_soft_nodes()
                || self.is_only_move(&iteration.moves, iteration.depth)
            {
                break;
            }
        }
        self.wait_while_pondering();
        iteration
    }

    /// The next iteration, unless it is broken off.
    fn deepen(&mut self, iteration: &mut Iteration, lines: usize) {
        let Iteration { moves, .. } = iteration;
        let depth = iteration.depth + 1;
        self.root_depth = depth;
        self.overtaken_at = depth;
        for root_move in moves.iter_mut() {
            root_move.previous = root_move.score;
            root_move.score = -Score::INFINITE;
        }
        let nodes_before: Vec<_> = moves.iter().map(|m| (m.played, m.nodes)).collect();
        let start_nodes = self.nodes;
        for line in 0..lines {
            self.selective_depth = 0;
            self.aspiration(moves, line, depth);
            if self.stopped {
                return;
            }
            moves[..=line].sort_by_key(|m| std::cmp::Reverse(m.score));
        }
        let earlier = nodes_before
            .iter()
            .find(|n| n.0 == moves[0].played)
            .map_or(0, |n| n.1);
        iteration.effort =
            (moves[0].nodes - earlier) as f64 / (self.nodes - start_nodes).max(1) as f64;
        iteration.depth = depth;
        self.overtaken_at = NEVER;
        if let Some(team) = &self.job.team {
            team.tell(iteration);
        }
    }

    /// Whether another thread has finished the iteration that this one is at.
    pub(super) fn is_overtaken(&self) -> bool {
        let team = self.job.team.as_ref();
        team.is_some_and(|team| team.is_past(self.overtaken_at))
    }

    /// What the thread that has overtaken this one has found.
    fn overtaking(&mut self) -> Option<Iteration> {
        let depth = std::mem::replace(&mut self.overtaken_at, NEVER);
        self.job.team.as_ref()?.finished(depth)
    }

    /// How many best lines are looked for.
    pub(super) fn lines(&self) -> usize {
        let settings = &self.job.settings;
        let random_choice = match settings.randomness {
            Randomness::None => 1,
            Randomness::Tiny | Randomness::Small | Randomness::Medium => 6,
            Randomness::Large => 9,
            Randomness::Huge => 14,
        };
        settings.multipv.max(random_choice)
    }
}

/// Puts the moves of an iteration that was broken off in order: the best that was found first, and
/// those that were not searched any more with what the iteration before found.
fn settle_unfinished(iteration: &mut Iteration) {
    let Iteration { depth, moves, .. } = iteration;
    let searched = moves
        .iter()
        .any(|m| m.score > -Score::INFINITE && m.bound != Bound::Upper);
    for root_move in moves.iter_mut() {
        if !searched || root_move.score == -Score::INFINITE {
            root_move.score = root_move.previous;
            root_move.bound = Bound::Exact;
            root_move.depth = *depth;
        }
    }
    let unsettled = &mut moves[usize::from(searched)..];
    unsettled.sort_by_key(|m| std::cmp::Reverse(m.score));
}

/// The deepest line fits the frames.
const _: () = assert!((MAX_DEPTH as usize) < MAX_PLY);
