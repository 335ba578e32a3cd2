//! Iterative deepening: one iteration after another, alone or with other threads.

use super::iteration::{Iteration, NOT_OVERTAKEN, Stability};
use super::search::Search;
use super::shared::SharedState;
use super::thread_data::ThreadData;
use crate::search::request::{Driver, MAX_DEPTH, Randomness};
use crate::search::score::MAX_PLY;

/// Runs one request in one thread.
pub(in crate::search) fn search(thread: &mut ThreadData, shared: &SharedState) -> Iteration {
    let mut search = Search::new(thread, shared);
    search.iterate();
    search.count_nodes();
    search.iteration
}

impl Search<'_> {
    /// Searches deeper and deeper until the limits or a stop end it. `iteration` then holds the last one that
    /// was finished, with what is known of the moves since. Only the first thread reports.
    ///
    /// Threads go from depth to depth together: one that is overtaken takes over the other's result.
    fn iterate(&mut self) {
        let shared = self.shared;
        let depth_limit = shared
            .limits
            .depth
            .map_or(MAX_DEPTH, |d| d.clamp(1, MAX_DEPTH)) as i32;
        self.order_root_moves();
        let lines = self.lines().min(self.iteration.moves.len());
        let mut progress = Stability::new();
        while self.iteration.depth < depth_limit {
            let reported = self.iteration.moves[0].summary();
            self.deepen(lines, self.next_depth(depth_limit));
            if self.stopped {
                let Some(overtaking) = self.overtaking() else {
                    self.iteration.settle_unfinished();
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

    /// The depth of the next iteration: a ply more, or the last one at once where depths are not
    /// searched one after another.
    fn next_depth(&self, depth_limit: i32) -> i32 {
        let jumps = !self.techniques.iterative && self.shared.limits.depth.is_some();
        match self.iteration.depth {
            1.. if jumps => depth_limit,
            depth => depth + 1,
        }
    }

    /// The next iteration, unless it is broken off.
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
                Driver::Mtd => self.close_in(),
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
