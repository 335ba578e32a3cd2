//! When the iterations end before their limit: a proven mate, the clock, an only move.

use std::time::Duration;

use super::iteration::{Iteration, Stability};
use super::node_type::NonPv;
use super::search::Search;
use crate::board::Move;
use crate::search::event::Bound;
use crate::search::parameters::{Pruning, values};
use crate::search::request::Degree;
use crate::search::score::Score;

impl Search<'_> {
    /// Whether a mate settles the search: on the clock any that wins, else one that was looked at twice
    /// as deep as it is long, for pruning may hide a shorter one for a while.
    pub(super) fn is_decided(&self, lines: usize) -> bool {
        let Iteration { moves, depth, .. } = &self.iteration;
        if lines > 1 || !moves[0].score.is_decisive() || moves[0].bound != Bound::Exact {
            return false;
        }
        let score = moves[0].score;
        let plies = Score::MATE.units() - score.units().abs();
        let on_the_clock =
            self.shared.limits.clock.is_some() || self.shared.limits.move_time.is_some();
        // A search for a mate in so many moves goes on where it has found a longer one.
        let wanted = self.shared.limits.mate;
        let is_short = wanted.is_none_or(|moves| plies as u32 <= moves.saturating_mul(2));
        (score.is_win() && on_the_clock && is_short) || *depth >= 2 * plies
    }

    pub(super) fn is_out_of_time(&self, progress: &Stability) -> bool {
        let Some(time) = self.shared.time else {
            return false;
        };
        let soft = time.scaled_soft(
            progress.stable,
            progress.drop,
            progress.effort,
            progress.changes,
        );
        let control = &self.shared.control;
        let thought = match time.flexible {
            true => control.elapsed(),
            false => control.clock_elapsed(),
        };
        !control.is_pondering() && thought >= soft
    }

    /// Whether the search has taken so many nodes that no further iteration is begun.
    pub(super) fn is_past_soft_nodes(&self) -> bool {
        let nodes = self.total_nodes();
        let limit = self.shared.limits.soft_nodes;
        limit.is_some_and(|limit| nodes >= limit) && !self.shared.control.is_pondering()
    }

    /// The only-move check: on the clock, whether every root move but the best loses by force. Then
    /// there is nothing to think about.
    pub(super) fn is_only_move(&mut self) -> bool {
        let depth = self.iteration.depth;
        let best = self.iteration.moves[0].score;
        let limits = &self.shared.limits;
        if limits.mate.is_some()
            || limits.clock.is_none()
            || self.shared.control.is_pondering()
            || self.lines() > 1
        {
            return false;
        }
        if self.shared.root_moves.len() == 1 && depth >= values::only_move_depth() {
            return true;
        }
        if depth < values::only_move_depth() || best.is_proven() {
            return false;
        }
        // What is not far behind is no loss; pruning makes this cheap, but could not prove a mate.
        let far_behind = Score::evaluation(best.units() - values::only_move_far_behind());
        let others: Vec<_> = self.iteration.moves[1..].iter().map(|m| m.played).collect();
        self.all_fail(&others, far_behind, depth / 2) && {
            let pruning = std::mem::replace(&mut self.pruning, Pruning::new(Degree::None));
            let mated = self.all_fail(
                &others,
                -Score::WIN,
                (depth / 2).min(values::only_move_mated_within()),
            );
            self.pruning = pruning;
            mated
        }
    }

    /// Whether a search to `depth` after each of these moves finds no more than `alpha`.
    fn all_fail(&mut self, moves: &[Move], alpha: Score, depth: i32) -> bool {
        moves.iter().all(|m| {
            self.play(0, *m);
            let score = (-self.search::<NonPv>(1, -alpha - 1, -alpha, depth, true)).score;
            self.take_back();
            !self.stopped && score <= alpha
        })
    }

    /// Waits in a ponder search that has nothing left to search: it ends only after the ponder hit.
    pub(super) fn wait_while_pondering(&self) {
        let control = &self.shared.control;
        while self.id == 0 && control.is_pondering() && !control.is_stopped() {
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}
