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
    /// How often another move of the root became the best one.
    pub changes: u32,
}

impl Iteration {
    pub(super) fn new(root_moves: &[Move]) -> Self {
        Self {
            depth: 0,
            moves: root_moves.iter().map(|m| RootMove::new(*m)).collect(),
            effort: 0.0,
            changes: 0,
        }
    }

    /// Begins the next iteration. The moves behind those that have lines of their own come in the order of
    /// what they cost, for what is hard to refute may be best.
    pub(super) fn begin_next(&mut self, lines: usize) {
        if self.depth > 0 {
            self.moves[lines..].sort_by_key(|m| std::cmp::Reverse(m.nodes));
        }
        self.changes = 0;
        for root_move in &mut self.moves {
            root_move.previous = root_move.score;
            root_move.score = -Score::INFINITE;
            root_move.nodes = 0;
        }
    }

    /// Puts the moves of an iteration that was broken off in order: those that it has searched first,
    /// the best of them at the front, then those that it has not, with what the iteration before found.
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
        let is_new = |m: &RootMove| m.depth > *depth && m.bound != Bound::Upper;
        moves.sort_by_key(|m| std::cmp::Reverse((is_new(m), m.score)));
    }
}

/// How the iterations went: what the time manager goes by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stability {
    pub(super) best: Move,
    /// For how many iterations the best move has been the same.
    pub(super) stable: u32,
    pub(super) score: Score,
    /// How far the score fell in the last iteration, in units of the evaluation.
    pub(super) drop: i32,
    /// The share of the last iteration's nodes that the best move took.
    pub(super) effort: f64,
    /// How often the best move changed within the last iteration, with half of what the iterations before
    /// came to.
    pub(super) changes: f64,
}

impl Stability {
    pub(super) fn new() -> Self {
        Self {
            best: Move::NONE,
            stable: 0,
            score: Score::ZERO,
            drop: 0,
            effort: 0.0,
            changes: 0.0,
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
        self.changes = self.changes / 2.0 + f64::from(iteration.changes);
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

    #[test]
    fn of_a_broken_iteration_the_best_that_was_searched_comes_first() {
        let moves: Vec<Move> = ["a0a1", "b0c2", "h2e2", "i0i1"]
            .map(|m| m.parse().unwrap())
            .to_vec();
        // Score and bound in the iteration that was broken off, score before it.
        let order = |found: [Option<(i32, Bound)>; 4]| {
            let mut iteration = Iteration::new(&moves);
            iteration.depth = 7;
            for ((root_move, found), previous) in
                iteration.moves.iter_mut().zip(found).zip([90, 80, 70, 60])
            {
                root_move.previous = Score::evaluation(previous);
                root_move.depth = 7;
                root_move.score = -Score::INFINITE;
                if let Some((score, bound)) = found {
                    root_move.score = Score::evaluation(score);
                    root_move.bound = bound;
                    root_move.depth = 8;
                }
            }
            iteration.settle_unfinished();
            iteration.moves.iter().map(|m| m.played).collect::<Vec<_>>()
        };
        let by = |places: [usize; 4]| places.map(|place| moves[place]).to_vec();
        // The second line has come out above the first one.
        let two_lines = [
            Some((38, Bound::Exact)),
            Some((50, Bound::Exact)),
            None,
            None,
        ];
        assert_eq!(order(two_lines), by([1, 0, 2, 3]));
        let one_line = [Some((38, Bound::Exact)), None, None, None];
        assert_eq!(order(one_line), by([0, 1, 2, 3]));
        // Nothing is known but that the first one has become worse.
        let failed_low = [Some((-50, Bound::Upper)), None, None, None];
        assert_eq!(order(failed_low), by([0, 1, 2, 3]));
        let replaced = [
            Some((-50, Bound::Upper)),
            None,
            Some((10, Bound::Lower)),
            None,
        ];
        assert_eq!(order(replaced)[0], moves[2]);
    }
}
