//! Iterative deepening: one iteration after another, alone or with other threads.

use super::iteration::{Iteration, NOT_OVERTAKEN, Progress};
use super::search::Search;
use super::shared::SharedState;
use super::thread_data::ThreadData;
use crate::search::request::{MAX_DEPTH, Randomness};
use crate::search::score::{MAX_PLY, Score};

/// Runs one request in one thread.
pub(in crate::search) fn search(thread: &mut ThreadData, shared: &SharedState) -> Iteration {
    let mut search = Search::new(thread, shared);
    let iteration = search.iterate();
    search.count_nodes();
    iteration
}

impl Search<'_> {
    /// Searches deeper and deeper until the limits or a stop end it: the last iteration
    /// that was finished, and what is known of the moves since. Only the first thread reports.
    ///
    /// Threads go from depth to depth together: one that is overtaken takes over the other's result.
    fn iterate(&mut self) -> Iteration {
        let shared = self.shared;
        let depth_limit = shared
            .limits
            .depth
            .map_or(MAX_DEPTH, |d| d.clamp(1, MAX_DEPTH)) as i32;
        let mut iteration = Iteration::new(&shared.root_moves);
        let lines = self.lines().min(iteration.moves.len());
        let mut progress = Progress::new();
        while iteration.depth < depth_limit {
            let reported = iteration.moves[0].summary();
            self.deepen(&mut iteration, lines);
            if self.stopped {
                let Some(overtaking) = self.overtaking() else {
                    iteration.settle_unfinished();
                    let moves = &iteration.moves;
                    if moves[0].summary() != reported {
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
        self.overtaken_at = NOT_OVERTAKEN;
        if let Some(team) = &self.shared.team {
            team.publish(iteration);
        }
    }

    /// Whether another thread has finished the iteration that this one is at.
    pub(super) fn is_overtaken(&self) -> bool {
        let team = self.shared.team.as_ref();
        team.is_some_and(|team| team.is_past(self.overtaken_at))
    }

    /// What the thread that has overtaken this one has found.
    fn overtaking(&mut self) -> Option<Iteration> {
        let depth = std::mem::replace(&mut self.overtaken_at, NOT_OVERTAKEN);
        self.shared.team.as_ref()?.finished(depth)
    }

    /// How many best lines are looked for.
    pub(super) fn lines(&self) -> usize {
        let settings = &self.shared.settings;
        let random_choice = match settings.randomness {
            Randomness::None => 1,
            Randomness::Tiny | Randomness::Small | Randomness::Medium => 6,
            Randomness::Large => 9,
            Randomness::Huge => 14,
        };
        settings.multipv.max(random_choice)
    }
}

/// The deepest line fits the stack.
const _: () = assert!((MAX_DEPTH as usize) < MAX_PLY);
