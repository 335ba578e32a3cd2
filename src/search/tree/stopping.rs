//! The end of a search: the clock, node limits, a proven mate, an only move. Polling also counts nodes and reports
//! progress.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::iteration::{Iteration, Stability};
use super::search::{NonPv, Search};
use crate::board::Move;
use crate::search::event::{Bound, Event, Report};
use crate::search::parameters::{Pruning, values};
use crate::search::request::{Degree, NODES_BETWEEN_POLLS};
use crate::search::score::Score;

impl Search<'_> {
    /// Whether an exact mate score ends a search of one line. With a clock or a time for the move every win does, in a
    /// search for a mate every win that is short enough. Otherwise the depth must reach twice the length of the mate,
    /// because at lower depths pruning can hide a shorter one.
    pub fn is_decided(&self, lines: usize) -> bool {
        let Iteration { moves, depth, .. } = &self.iteration;
        if lines > 1 || !moves[0].score.is_mate() || moves[0].bound != Bound::Exact {
            return false;
        }
        let score = moves[0].score;
        let plies = Score::MATE.units() - score.units().abs();
        let on_the_clock = self.shared.request.limits.clock.is_some()
            || self.shared.request.limits.move_time.is_some();
        // A search for a mate in N moves continues after a longer one.
        let wanted = self.shared.request.limits.mate;
        let is_short = wanted.is_none_or(|moves| score.is_mate_in(moves));
        (score.is_mating() && (on_the_clock || wanted.is_some()) && is_short) || *depth >= 2 * plies
    }

    pub fn is_out_of_time(&self, stability: &Stability) -> bool {
        let Some(time) = self.shared.time else {
            return false;
        };
        let soft = time.scaled_soft(
            stability.stable,
            stability.drop,
            stability.effort,
            stability.best_move_changes,
        );
        let control = &self.shared.request.control;
        let thought = if time.flexible {
            control.elapsed()
        } else {
            control.clock_elapsed()
        };
        !control.is_pondering() && thought >= soft
    }

    /// Whether the soft limit of nodes is reached, so that no further iteration starts.
    pub fn is_past_soft_nodes(&self) -> bool {
        let nodes = self.total_nodes();
        let limit = self.shared.request.limits.soft_nodes;
        limit.is_some_and(|limit| nodes >= limit)
    }

    /// Whether the search ends because it has a clock and the best move is the only one that does not lose by force.
    /// Most engines only stop if there is a single legal move. This costs null windows at half the depth after each
    /// iteration.
    pub fn is_only_move(&mut self) -> bool {
        let depth = self.iteration.depth;
        let best = self.iteration.moves[0].score;
        let limits = &self.shared.request.limits;
        if limits.mate.is_some()
            || limits.clock.is_none()
            || self.shared.request.control.is_pondering()
            || self.shared.request.settings.multipv > 1
        {
            return false;
        }
        if self.shared.root_moves.len() == 1 && depth >= values::only_move_depth() {
            return true;
        }
        if depth < values::only_move_depth() || best.is_proven() {
            return false;
        }
        // A move that is not far below the best one does not lose by force. This first search is cheap because it
        // prunes; only the second one, without pruning, proves the mates.
        let far_behind = Score::evaluation(best.units() - values::only_move_far_behind());
        let others: Vec<_> = self.iteration.moves[1..].iter().map(|m| m.played).collect();
        self.all_fail(&others, far_behind, depth / 2) && {
            let pruning = std::mem::replace(&mut self.pruning, Pruning::new(Degree::None));
            let mated = self.all_fail(
                &others,
                -Score::LONGEST_MATE,
                (depth / 2).min(values::only_move_mated_within()),
            );
            self.pruning = pruning;
            mated
        }
    }

    /// Whether each of these moves, searched to `depth`, scores at most `alpha`.
    fn all_fail(&mut self, moves: &[Move], alpha: Score, depth: i32) -> bool {
        moves.iter().all(|m| {
            self.play(0, *m);
            let score = (-self.search::<NonPv>(1, -alpha - 1, -alpha, depth, true)).score;
            self.take_back();
            !self.stopped && score <= alpha
        })
    }

    /// Waits for the ponder hit or a stop, if the search is complete while pondering.
    pub fn wait_while_pondering(&self) {
        let control = &self.shared.request.control;
        while self.id == 0 && control.is_pondering() && !control.is_stopped() {
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// Minimum work between two pauses, for the option `idle`.
const MIN_WORK: Duration = Duration::from_millis(2);
/// Maximum pause, which is also the maximum delay of a `stop`.
const MAX_PAUSE: Duration = Duration::from_millis(15);

impl Search<'_> {
    /// Polls if it is time to.
    #[inline]
    pub fn poll(&mut self) {
        if self.nodes >= self.polling.next {
            self.poll_now();
        }
    }

    #[cold]
    fn poll_now(&mut self) {
        let total = self.count_nodes();
        self.polling.next = self.nodes + NODES_BETWEEN_POLLS;
        self.pause();
        self.shared
            .current_lines
            .update(self.id, || self.line_here());
        self.report_progress(total);
        let shared = self.shared;
        let control = &shared.request.control;
        let out_of_nodes = shared.request.limits.nodes.is_some_and(|limit| {
            // The next poll is due at the limit or before it.
            let left = limit.saturating_sub(total).max(1);
            self.polling.next = self.nodes + NODES_BETWEEN_POLLS.min(left);
            total >= limit
        });
        self.must_end = control.is_stopped()
            || shared.finished.load(Ordering::Relaxed)
            || out_of_nodes
            || shared.is_past_hard_limit();
        // The first iteration is always completed, by this thread or by another one whose result is taken over. So
        // even without time the answer comes from a search.
        self.stopped |= self.is_overtaken() || self.must_end && self.root_depth > 1;
    }

    /// Adds the nodes since the last call to those of all threads. Returns the sum.
    pub fn count_nodes(&mut self) -> u64 {
        let fresh = self.uncounted_nodes();
        self.polling.counted_nodes = self.nodes;
        let hits = std::mem::take(&mut self.tb_hits);
        self.shared.tb_hits.fetch_add(hits, Ordering::Relaxed);
        self.shared.nodes.fetch_add(fresh, Ordering::Relaxed) + fresh
    }

    /// The moves from the root to the current node, up to the first null move.
    fn line_here(&self) -> Vec<Move> {
        let path = self
            .path
            .iter()
            .skip(self.shared.request.game.plies().len());
        let moves = path.map(|ply| ply.played);
        moves.take_while(|m| m.is_some()).collect()
    }

    fn uncounted_nodes(&self) -> u64 {
        self.nodes - self.polling.counted_nodes
    }

    /// Nodes of all threads, as of their last polls.
    pub fn total_nodes(&self) -> u64 {
        self.shared.nodes.load(Ordering::Relaxed) + self.uncounted_nodes()
    }

    /// Whether this thread reports and a receiver exists.
    pub fn reports(&self) -> bool {
        self.id == 0 && self.shared.events.is_some()
    }

    /// Sends a report if this thread reports.
    pub fn send_report(&self, report: Report) {
        if let Some(events) = self.shared.events.as_ref().filter(|_| self.id == 0) {
            // Sending fails if the receiver was dropped because the process is exiting.
            let _ = events.send(Event::Report(report));
        }
    }

    /// Reports the progress once a second.
    fn report_progress(&mut self, nodes: u64) {
        if !self.reports() {
            return;
        }
        let time = self.shared.request.control.elapsed();
        if time.as_secs() > self.polling.reported_seconds {
            self.polling.reported_seconds = time.as_secs();
            self.send_report(Report::Progress { nodes, time });
            let lines = self.shared.current_lines.all();
            if !lines.is_empty() {
                self.send_report(Report::CurrentLines(lines));
            }
        }
    }

    /// Pauses for the share of the time that the option `idle` asks for.
    fn pause(&mut self) {
        let pause_per_work = match self.shared.request.settings.idle {
            Degree::None => return,
            Degree::Small => 1.0 / 3.0,
            Degree::Medium => 1.0,
            Degree::Large => 3.0,
        };
        let worked = self.polling.busy_since.elapsed();
        if worked >= MIN_WORK {
            let pause = worked.mul_f64(pause_per_work).min(MAX_PAUSE);
            let control = &self.shared.request.control;
            let left = self.shared.time.map_or(pause, |time| {
                time.hard_after(control.pondered())
                    .saturating_sub(control.clock_elapsed())
            });
            std::thread::sleep(pause.min(left));
            self.polling.busy_since = Instant::now();
        }
    }
}
