//! Iterative deepening: one iteration after another, alone or with other threads.

use super::iteration::{Iteration, NOT_OVERTAKEN, Stability};
use super::search::{Search, ThreadData};
use super::shared::SharedState;
use crate::search::request::{Driver, MAX_DEPTH};
use crate::search::score::MAX_PLY;

/// Runs one request in one thread.
pub fn search(thread: &mut ThreadData, shared: &SharedState) -> Iteration {
    let mut search = Search::new(thread, shared);
    search.iterate();
    search.count_nodes();
    search.iteration
}

impl Search<'_> {
    /// Searches with increasing depth until a limit or a stop. `iteration` is then the last finished iteration,
    /// updated with the results of the interrupted one. Only the first thread reports.
    ///
    /// All threads search the same depth. When another thread finishes it first, this thread takes over its result.
    fn iterate(&mut self) {
        let shared = self.shared;
        let depth_limit = shared
            .request
            .limits
            .depth
            .map_or(MAX_DEPTH, |d| d.clamp(1, MAX_DEPTH)) as i32;
        self.order_root_moves();
        let lines = shared
            .request
            .settings
            .multipv
            .min(self.iteration.moves.len());
        let mut progress = Stability::new();
        while self.iteration.depth < depth_limit {
            let reported = self.iteration.moves[0].summary();
            self.deepen(lines, self.next_depth(depth_limit));
            if self.stopped {
                let Some(overtaking) = self.overtaking() else {
                    self.iteration.sort_interrupted();
                    if self.iteration.moves[0].summary() != reported {
                        (0..lines).for_each(|line| self.report(line));
                    }
                    break;
                };
                self.iteration = overtaking;
                self.stopped = false;
            }
            (0..lines).for_each(|line| self.report(line));
            if self.id != 0 {
                continue;
            }
            progress.update(&self.iteration);
            if self.is_decided(lines)
                || self.is_out_of_time(&progress)
                || self.is_past_soft_nodes()
                || self.is_only_move()
            {
                break;
            }
        }
        self.wait_while_pondering();
    }

    /// The depth of the next iteration: one ply more, or the depth limit at once without iterative deepening.
    fn next_depth(&self, depth_limit: i32) -> i32 {
        let jumps = !self.techniques.iterative && self.shared.request.limits.depth.is_some();
        match self.iteration.depth {
            1.. if jumps => depth_limit,
            depth => depth + 1,
        }
    }

    /// Runs the iteration of this depth, unless it is interrupted.
    fn deepen(&mut self, lines: usize, depth: i32) {
        self.root_depth = depth;
        self.overtaken_at = depth;
        self.iteration.begin_next(lines);
        let start_nodes = self.nodes;
        for line in 0..lines {
            self.line = line;
            self.selective_depth = 0;
            match self.techniques.driver {
                Driver::NegaScout | Driver::AlphaBeta => self.aspiration(),
                Driver::Mtd => self.mtd_f(),
            }
            if self.stopped {
                return;
            }
            self.iteration.moves[..=line].sort_by_key(|m| std::cmp::Reverse(m.score));
        }
        let nodes = (self.nodes - start_nodes).max(1);
        self.iteration.effort = self.iteration.moves[0].nodes as f64 / nodes as f64;
        self.iteration.depth = depth;
        self.overtaken_at = NOT_OVERTAKEN;
        if let Some(team) = &self.shared.team {
            team.publish(&self.iteration);
        }
    }

    /// Whether another thread has finished the current iteration.
    pub fn is_overtaken(&self) -> bool {
        let team = self.shared.team.as_ref();
        team.is_some_and(|team| team.is_past(self.overtaken_at))
    }

    /// The result of the thread that has overtaken this one.
    fn overtaking(&mut self) -> Option<Iteration> {
        let depth = std::mem::replace(&mut self.overtaken_at, NOT_OVERTAKEN);
        self.shared.team.as_ref()?.finished(depth)
    }
}

/// The deepest line fits the stack.
const _: () = assert!((MAX_DEPTH as usize) < MAX_PLY);
