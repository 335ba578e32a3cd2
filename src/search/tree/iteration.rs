//! The results of the iterations.

use crate::board::Move;
use crate::search::event::Bound;
use crate::search::score::Score;

/// Value of [`Search::overtaken_at`](super::state::Search::overtaken_at) between iterations, when no other thread can
/// overtake this one.
pub const NOT_OVERTAKEN: i32 = i32::MAX;

/// The result of an iteration: the root moves with their scores.
#[derive(Clone, Debug)]
pub struct Iteration {
    /// Depth in plies of the last finished iteration, 0 before the first one.
    pub depth: i32,
    /// The root moves, best first.
    pub moves: Vec<RootMove>,
    /// The share of the nodes of the last finished iteration that its best move took.
    pub effort: f64,
    /// Number of changes of the best root move in the iteration.
    pub best_move_changes: u32,
}

impl Iteration {
    pub fn new(root_moves: &[Move]) -> Self {
        Self {
            depth: 0,
            moves: root_moves.iter().map(|m| RootMove::new(*m)).collect(),
            effort: 0.0,
            best_move_changes: 0,
        }
    }

    /// Begins the next iteration. The moves after the first `lines` are sorted by their nodes, most first: a move that
    /// is hard to refute may be the best.
    pub fn begin_next(&mut self, lines: usize) {
        if self.depth > 0 {
            self.moves[lines..].sort_by_key(|m| std::cmp::Reverse(m.nodes));
        }
        self.best_move_changes = 0;
        for root_move in &mut self.moves {
            root_move.previous_score = root_move.score;
            root_move.previous_pv.clone_from(&root_move.pv);
            root_move.score = -Score::INFINITE;
            root_move.upper = Score::INFINITE;
            root_move.nodes = 0;
        }
    }

    /// Sorts the moves of an interrupted iteration. The moves to which it gave an exact score or a lower bound come
    /// first, by this score. The others follow by their score in the previous iteration; a first move that failed low
    /// has its new score. If the iteration gave no exact score or lower bound, the result of the previous one stays.
    ///
    /// If the best searched move turns out to lose by force, a move that may be better comes first. Its score becomes
    /// an upper bound: that of the move itself, or the score of the losing move in the previous iteration if this is
    /// lower.
    pub fn sort_interrupted(&mut self) {
        let Iteration { depth, moves, .. } = self;
        let searched = moves.iter().any(|m| m.score > -Score::INFINITE && m.bound != Bound::Upper);
        for root_move in moves.iter_mut() {
            if !searched || root_move.score == -Score::INFINITE {
                root_move.score = root_move.previous_score;
                root_move.pv.clone_from(&root_move.previous_pv);
                root_move.bound = Bound::Exact;
                root_move.depth = *depth;
            }
        }
        let is_new = |m: &RootMove| m.depth > *depth && m.bound != Bound::Upper;
        moves.sort_by_key(|m| std::cmp::Reverse((is_new(m), m.score)));
        let best = &moves[0];
        let is_lost = is_new(best) && best.bound == Bound::Exact && best.score.is_proven_loss();
        let previous = best.previous_score;
        // If the move already lost in the previous iteration, or had no score, the longest defense found stays first.
        if !is_lost || previous.is_proven_loss() {
            return;
        }
        // Of moves with the same bound, the first one is taken: it had the best score or, without a score, the most
        // nodes in the previous iteration.
        let other = (0..moves.len()).min_by_key(|index| std::cmp::Reverse(moves[*index].upper));
        if let Some(index) = other.filter(|index| !moves[*index].upper.is_proven_loss()) {
            let other = &mut moves[index];
            (other.score, other.bound, other.exact) =
                (previous.min(other.upper), Bound::Upper, None);
            moves[..=index].rotate_right(1);
        }
    }
}

/// The stability of the search over the iterations, for the time manager.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stability {
    pub best: Move,
    /// Number of iterations without a change of the best move.
    pub stable: u32,
    pub score: Score,
    /// Drop of the score in the last iteration, in units of the evaluation.
    pub drop: i32,
    /// The share of the last iteration's nodes that the best move took.
    pub effort: f64,
    /// Number of changes of the best move, halved with each iteration.
    pub best_move_changes: f64,
}

impl Stability {
    pub fn update(&mut self, iteration: &Iteration) {
        let best = &iteration.moves[0];
        self.stable = if best.played == self.best { self.stable + 1 } else { 0 };
        self.drop = self.score - best.score;
        self.best = best.played;
        self.score = best.score;
        self.effort = iteration.effort;
        self.best_move_changes =
            self.best_move_changes / 2.0 + f64::from(iteration.best_move_changes);
    }
}

#[derive(Clone, Debug)]
pub struct RootMove {
    pub played: Move,
    /// Score in this iteration; `-INFINITE` if the move has not been searched or is only known not to be the best.
    pub score: Score,
    pub previous_score: Score,
    /// The last upper bound on the score found in this iteration; `INFINITE` without one.
    pub upper: Score,
    /// The iteration in which the score was found.
    pub depth: i32,
    pub bound: Bound,
    /// The last exact score, of this iteration or an earlier one.
    pub exact: Option<Score>,
    pub pv: Vec<Move>,
    previous_pv: Vec<Move>,
    /// Nodes of its subtree in this iteration.
    pub nodes: u64,
    pub selective_depth: usize,
}

impl RootMove {
    fn new(played: Move) -> Self {
        Self {
            played,
            score: -Score::INFINITE,
            previous_score: -Score::INFINITE,
            upper: Score::INFINITE,
            depth: 0,
            bound: Bound::Exact,
            exact: None,
            pv: vec![played],
            previous_pv: Vec::new(),
            nodes: 0,
            selective_depth: 0,
        }
    }

    /// The score. If it is only a bound, because the search was interrupted, the last exact score if there is one.
    pub fn last_exact_score(&self) -> Score {
        match self.bound {
            Bound::Exact => self.score,
            Bound::Lower | Bound::Upper => self.exact.unwrap_or(self.score),
        }
    }

    /// The parts of a report by which two lines are compared.
    pub fn summary(&self) -> (Move, Score, Bound, i32) {
        (self.played, self.score, self.bound, self.depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn four_moves() -> [Move; 4] {
        ["a0a1", "b0c2", "h2e2", "i0i1"].map(|m| m.parse().unwrap())
    }

    #[test]
    fn later_moves_are_sorted_by_nodes() {
        let moves = four_moves();
        let mut iteration = Iteration::new(&moves);
        iteration.begin_next(1);
        let order = |i: &Iteration| i.moves.iter().map(|m| m.played).collect::<Vec<_>>();
        assert_eq!(order(&iteration), moves, "no result yet");
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
    fn the_last_exact_score_replaces_a_bound() {
        let mut root_move = RootMove::new("h2e2".parse().unwrap());
        root_move.score = Score::mate_in(53);
        root_move.bound = Bound::Lower;
        assert_eq!(root_move.last_exact_score(), Score::mate_in(53));
        root_move.exact = Some(Score::evaluation(700));
        assert_eq!(root_move.last_exact_score(), Score::evaluation(700));
        root_move.bound = Bound::Exact;
        assert_eq!(root_move.last_exact_score(), Score::mate_in(53));
    }

    #[test]
    fn an_interrupted_fail_low_keeps_the_line_of_the_previous_iteration() {
        let line: Vec<Move> = ["h2e2", "h9g7", "h0g2"].map(|m| m.parse().unwrap()).into();
        let mut iteration = Iteration::new(&line[..1]);
        iteration.depth = 7;
        iteration.moves[0].pv.clone_from(&line);
        iteration.moves[0].score = Score::evaluation(90);
        iteration.begin_next(1);
        let failed_low = &mut iteration.moves[0];
        failed_low.pv = vec![line[0], "b9c7".parse().unwrap()];
        failed_low.score = Score::evaluation(-50);
        (failed_low.bound, failed_low.depth) = (Bound::Upper, 8);
        iteration.sort_interrupted();
        assert_eq!(iteration.moves[0].score, Score::evaluation(90));
        assert_eq!(iteration.moves[0].pv, line);
    }

    #[test]
    fn an_interrupted_iteration_puts_its_best_searched_move_first() {
        let moves = four_moves();
        // Score and bound in the interrupted iteration, and the score in the previous iteration.
        let order = |found: [Option<(i32, Bound)>; 4]| {
            let mut iteration = Iteration::new(&moves);
            iteration.depth = 7;
            for ((root_move, found), previous) in
                iteration.moves.iter_mut().zip(found).zip([90, 80, 70, 60])
            {
                root_move.previous_score = Score::evaluation(previous);
                root_move.depth = 7;
                root_move.score = -Score::INFINITE;
                if let Some((score, bound)) = found {
                    root_move.score = Score::evaluation(score);
                    root_move.bound = bound;
                    root_move.depth = 8;
                }
            }
            iteration.sort_interrupted();
            iteration.moves.iter().map(|m| m.played).collect::<Vec<_>>()
        };
        let [exact, lower, upper] = [Bound::Exact, Bound::Lower, Bound::Upper]
            .map(|bound| move |score: i32| Some((score, bound)));
        for (found, expected) in [
            // The second line is better than the first one.
            ([exact(38), exact(50), None, None], [1, 0, 2, 3]),
            ([exact(38), None, None, None], [0, 1, 2, 3]),
            // Only an upper bound on the first move, below its previous score, is known.
            ([upper(-50), None, None, None], [0, 1, 2, 3]),
        ] {
            assert_eq!(order(found), expected.map(|index| moves[index]));
        }
        let replaced = [upper(-50), None, lower(10), None];
        assert_eq!(order(replaced)[0], moves[2]);
    }

    #[test]
    fn a_move_that_may_be_better_replaces_a_loss_found_by_an_interrupted_iteration() {
        let moves = four_moves();
        let lost = Score::mated_in(2);
        // The best move if the first one loses and the others have these upper bounds, after an iteration with this
        // score.
        let best = |previous: Score, upper: [Score; 3]| {
            let mut iteration = Iteration::new(&moves);
            iteration.depth = 7;
            iteration.moves[0].score = previous;
            iteration.begin_next(1);
            let first = &mut iteration.moves[0];
            (first.score, first.upper, first.depth) = (lost, lost, 8);
            for (root_move, upper) in iteration.moves[1..].iter_mut().zip(upper) {
                root_move.upper = upper;
            }
            iteration.sort_interrupted();
            let best = &iteration.moves[0];
            (best.played, best.last_exact_score(), best.bound)
        };
        let previous = Score::evaluation(-50);
        let (unsearched, refuted) = (Score::INFINITE, Score::evaluation(-60));
        for (upper, index, score) in [
            ([unsearched; 3], 1, previous),
            ([lost, unsearched, unsearched], 2, previous),
            ([refuted, lost, unsearched], 3, previous),
            ([lost, refuted, lost], 2, refuted),
        ] {
            let other = (moves[index], score, Bound::Upper);
            assert_eq!(best(previous, upper), other, "{upper:?}");
        }
        let longest = (moves[0], lost, Bound::Exact);
        assert_eq!(best(previous, [lost; 3]), longest);
        // The previous iteration found a shorter defense: nothing shows that another move is better.
        assert_eq!(best(Score::mated_in(1), [unsearched; 3]), longest);
    }
}
