//! What an iteration of iterative deepening finds: the root moves and their scores.

use std::time::Duration;

use crate::board::Move;
use crate::search::event::{Bound, Info};
use crate::search::score::Score;

/// Between iterations no thread is overtaken.
pub(super) const NOT_OVERTAKEN: i32 = i32::MAX;

/// What an iteration came to.
#[derive(Clone, Debug)]
pub(in crate::search) struct Iteration {
    /// In plies; 0 before the first.
    pub depth: i32,
    /// The moves of the root, the best first.
    pub moves: Vec<RootMove>,
    /// The share of the iteration's nodes that the best move took.
    pub effort: f64,
}

impl Iteration {
    pub(super) fn new(root_moves: &[Move]) -> Self {
        Self {
            depth: 0,
            moves: root_moves.iter().map(|m| RootMove::new(*m)).collect(),
            effort: 0.0,
        }
    }

    /// Begins the next iteration. The moves behind those that have lines of their own come in the order of
    /// what they cost, for what is hard to refute may be best.
    pub(super) fn begin_next(&mut self, lines: usize) {
        if self.depth > 0 {
            self.moves[lines..].sort_by_key(|m| std::cmp::Reverse(m.nodes));
        }
        for root_move in &mut self.moves {
            root_move.previous = root_move.score;
            root_move.score = -Score::INFINITE;
            root_move.nodes = 0;
        }
    }

    /// Puts the moves of an iteration that was broken off in order: the best that was found first, and
    /// those that were not searched any more with what the iteration before found.
    pub(super) fn settle_unfinished(&mut self) {
        let Iteration { depth, moves, .. } = self;
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
}

/// How the iterations went: what the time manager goes by.
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
    pub(super) fn new() -> Self {
        Self {
            best: Move::NONE,
            stable: 0,
            score: Score::ZERO,
            drop: 0,
            effort: 0.0,
        }
    }

    pub(super) fn update(&mut self, iteration: &Iteration) {
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

/// A move of the root and what is known of it.
#[derive(Clone, Debug)]
pub(in crate::search) struct RootMove {
    pub played: Move,
    /// Score in this iteration; below every score while it is only known not to be the best.
    pub score: Score,
    /// Score in the iteration before.
    pub previous: Score,
    /// The iteration in which the score was found.
    pub depth: i32,
    pub bound: Bound,
    pub pv: Vec<Move>,
    /// Nodes of its subtree in this iteration.
    pub nodes: u64,
    pub selective_depth: usize,
}

impl RootMove {
    fn new(played: Move) -> Self {
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
    pub(in crate::search) fn info(
        &self,
        multipv: usize,
        nodes: u64,
        time: Duration,
        hashfull: u32,
    ) -> Info {
        Info {
            depth: self.depth as u32,
            selective_depth: (self.selective_depth + 1) as u32,
            multipv,
            score: self.score,
            // No score is above a mate in one ply, so one that is at least that is exact.
            bound: match self.score >= Score::mate_in(1) {
                true => Bound::Exact,
                false => self.bound,
            },
            nodes,
            time,
            hashfull,
            table_hits: 0,
            pv: self.pv.clone(),
        }
    }

    /// What a report of it says beside the line.
    pub(in crate::search) fn summary(&self) -> (Move, Score, Bound, i32) {
        (self.played, self.score, self.bound, self.depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_moves_come_in_the_order_of_what_they_cost() {
        let moves = ["a0a1", "b0c2", "h2e2", "i0i1"].map(|m| m.parse().unwrap());
        let mut iteration = Iteration::new(&moves);
        iteration.begin_next(1);
        let order = |i: &Iteration| i.moves.iter().map(|m| m.played).collect::<Vec<_>>();
        assert_eq!(order(&iteration), moves, "nothing is known yet");
        iteration.depth = 1;
        for (root_move, nodes) in iteration.moves.iter_mut().zip([10, 20, 90, 50]) {
            root_move.nodes = nodes;
        }
        iteration.begin_next(1);
        assert_eq!(
            order(&iteration),
            [moves[0], moves[2], moves[3], moves[1]],
            "the best stays first"
        );
        assert!(iteration.moves.iter().all(|m| m.nodes == 0));
    }
}
