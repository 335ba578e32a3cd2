//! The root: iterative deepening and its end, aspiration windows, the scores of the moves, reports.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::iteration::{Iteration, NOT_OVERTAKEN, Stability};
use super::shared::SharedState;
use super::state::{NonPv, Root, Search, ThreadData};
use crate::board::{Legality, Move};
use crate::movegen::{is_legal, legal_moves};
use crate::search::event::{Bound, Report};
use crate::search::ordering::{MovePicker, PickerMode};
use crate::search::parameters::{Pruning, values};
use crate::search::request::{Degree, Driver, MAX_DEPTH};
use crate::search::score::Score;

/// Time after which a search also reports bounds, the current root move and, on request, refutations.
const DETAILS_AFTER: Duration = Duration::from_secs(3);

/// Searches one request in one thread.
pub fn search(thread: &mut ThreadData, shared: &SharedState) -> Iteration {
    let mut search = Search::new(thread, shared);
    search.iterate();
    search.count_nodes();
    search.iteration
}

impl Search<'_> {
    /// Searches with increasing depth until a limit or a stop. Afterwards `iteration` is the last finished iteration,
    /// updated with the results of the interrupted one. Only the first thread reports.
    ///
    /// All threads search the same depth. If another thread finishes it first, this thread takes over its result.
    fn iterate(&mut self) {
        let request = &self.shared.request;
        let depth_limit = request.limits.depth.unwrap_or(MAX_DEPTH);
        let depth_limit = depth_limit.clamp(1, MAX_DEPTH) as i32;
        self.order_root_moves();
        let lines = request.settings.multipv.min(self.iteration.moves.len());
        let mut stability = Stability::default();
        while self.iteration.depth < depth_limit {
            let reported = self.iteration.moves[0].summary();
            self.deepen(lines, self.next_depth(depth_limit));
            if self.stopped {
                let Some(overtaking) = self.overtaking() else {
                    self.iteration.sort_interrupted();
                    if self.iteration.moves[0].summary() != reported {
                        (0..lines).for_each(|pv_index| self.report(pv_index));
                    }
                    break;
                };
                self.iteration = overtaking;
                (self.stopped, self.must_end) = (false, false);
            }
            (0..lines).for_each(|pv_index| self.report(pv_index));
            if self.id != 0 {
                continue;
            }
            stability.update(&self.iteration);
            if self.is_decided(lines)
                || self.is_out_of_time(&stability)
                || self.is_past_soft_nodes()
                || self.is_only_move()
            {
                break;
            }
        }
        self.wait_while_pondering();
    }

    /// Sorts the root moves as the move picker would, for the first iteration.
    fn order_root_moves(&mut self) {
        let hash_move = self.probe().map_or(Move::NONE, |entry| entry.best);
        let mut picker =
            MovePicker::new(&self.position, PickerMode::All, hash_move, [Move::NONE; 2]);
        let context = self.set_quiet_context(0);
        let legality = Legality::new(&self.position);
        let mut ordered = 0;
        while let Some(m) = picker.next(&self.position, &legality, self.histories, &context) {
            let moves = &mut self.iteration.moves[ordered..];
            if let Some(index) = moves.iter().position(|root_move| root_move.played == m) {
                moves[..=index].rotate_right(1);
                ordered += 1;
            }
        }
    }

    /// The depth of the next iteration: one ply more or, without iterative deepening, the depth limit after depth 1.
    fn next_depth(&self, depth_limit: i32) -> i32 {
        let jumps = !self.techniques.iterative && self.shared.request.limits.depth.is_some();
        match self.iteration.depth {
            1.. if jumps => depth_limit,
            depth => depth + 1,
        }
    }

    /// Runs the iteration of this depth. If it is interrupted, `iteration` keeps the depth and the effort of the
    /// previous one.
    fn deepen(&mut self, lines: usize, depth: i32) {
        self.root_depth = depth;
        self.overtaken_at = depth;
        self.iteration.begin_next(lines);
        let start_nodes = self.nodes;
        for pv_index in 0..lines {
            self.pv_index = pv_index;
            self.selective_depth = 0;
            match self.techniques.driver {
                Driver::NegaScout | Driver::AlphaBeta => self.aspiration(),
                Driver::Mtd => self.mtd_f(),
            }
            if self.stopped {
                return;
            }
            self.iteration.moves[..=pv_index].sort_by_key(|m| std::cmp::Reverse(m.score));
        }
        let nodes = (self.nodes - start_nodes).max(1);
        self.iteration.effort = self.iteration.moves[0].nodes as f64 / nodes as f64;
        self.iteration.depth = depth;
        self.overtaken_at = NOT_OVERTAKEN;
        if let Some(deepest) = &self.shared.deepest_iteration {
            deepest.publish(&self.iteration);
        }
    }

    /// Whether another thread has finished the current iteration.
    pub fn is_overtaken(&self) -> bool {
        let deepest = self.shared.deepest_iteration.as_ref();
        deepest.is_some_and(|deepest| deepest.has_finished(self.overtaken_at))
    }

    /// The result of the thread that has overtaken this one.
    fn overtaking(&mut self) -> Option<Iteration> {
        let depth = std::mem::replace(&mut self.overtaken_at, NOT_OVERTAKEN);
        self.shared.deepest_iteration.as_ref()?.finished(depth)
    }

    /// Whether an exact mate score ends the search; always false with several lines. With a clock or a time for the
    /// move, a mate for the side to move is enough; in a search for a mate it must be short enough. Otherwise the
    /// depth must reach twice the length of the mate, because at lower depths pruning can hide a shorter one.
    fn is_decided(&self, lines: usize) -> bool {
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

    /// Whether the scaled soft limit of time is reached.
    fn is_out_of_time(&self, stability: &Stability) -> bool {
        let Some(time) = self.shared.time else {
            return false;
        };
        let soft = time.scaled_soft(
            stability.stable,
            stability.drop,
            stability.effort,
            stability.best_move_changes,
        );
        self.shared.time_used().is_some_and(|used| used >= soft)
    }

    /// Whether the soft node limit is reached, so that no further iteration starts.
    fn is_past_soft_nodes(&self) -> bool {
        let nodes = self.total_nodes();
        let limit = self.shared.request.limits.soft_nodes;
        limit.is_some_and(|limit| nodes >= limit)
    }

    /// Whether the search ends because it has a clock and the best move is the only one that does not lose by force.
    /// With several legal moves, this check costs null-window searches to half the depth after each iteration.
    fn is_only_move(&mut self) -> bool {
        let depth = self.iteration.depth;
        let best = self.iteration.moves[0].score;
        let limits = &self.shared.request.limits;
        if limits.mate.is_some()
            || limits.clock.is_none()
            || self.shared.request.control.is_pondering()
            || self.shared.request.settings.multipv > 1
            || depth < values::only_move_depth()
        {
            return false;
        }
        if self.shared.root_moves.len() == 1 {
            return true;
        }
        if best.is_proven() {
            return false;
        }
        // A move that is not far below the best one does not lose by force. The first search finds such a move at low
        // cost, because it prunes. Only the second search, without pruning, proves that the other moves are mated.
        let far_behind = Score::evaluation(best.units() - values::only_move_far_behind());
        let others: Vec<_> = self.iteration.moves[1..].iter().map(|m| m.played).collect();
        self.all_fail_low(&others, far_behind, depth / 2) && {
            let pruning = std::mem::replace(&mut self.pruning, Pruning::new(Degree::None));
            let mated = self.all_fail_low(
                &others,
                -Score::LONGEST_MATE,
                (depth / 2).min(values::only_move_mated_within()),
            );
            self.pruning = pruning;
            mated
        }
    }

    /// Whether each of these moves, searched to `depth`, scores at most `alpha`.
    fn all_fail_low(&mut self, moves: &[Move], alpha: Score, depth: i32) -> bool {
        moves.iter().all(|m| {
            self.play(0, *m);
            let score = (-self.search::<NonPv>(1, -alpha - 1, -alpha, depth, true)).score;
            self.take_back();
            !self.stopped && score <= alpha
        })
    }

    /// Waits for the ponder hit or a stop, if the search is complete while pondering.
    fn wait_while_pondering(&self) {
        let control = &self.shared.request.control;
        while self.id == 0 && control.is_pondering() && !control.is_stopped() {
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Searches one line of one iteration with a narrow window around the last score, widened when the search fails
    /// (Chessprogramming wiki, "Aspiration Windows"). The window is open at low depths, after a proven score and in
    /// plain alpha-beta.
    fn aspiration(&mut self) {
        let (pv_index, depth) = (self.pv_index, self.root_depth);
        let previous = self.iteration.moves[pv_index].previous_score;
        let mut delta = values::aspiration_window();
        let is_narrow = self.techniques.driver == Driver::NegaScout && !previous.is_proven();
        let (mut alpha, mut beta) = if depth >= values::aspiration_depth() && is_narrow {
            (previous - delta, previous + delta)
        } else {
            (-Score::INFINITE, Score::INFINITE)
        };
        let mut fail_highs = 0;
        loop {
            let depth = (depth - fail_highs).max(1);
            let score = self.search::<Root>(0, alpha, beta, depth, false).score;
            // The sort is stable: moves below alpha keep their order.
            self.iteration.moves[pv_index..].sort_by_key(|m| std::cmp::Reverse(m.score));
            if self.stopped {
                return;
            }
            if score <= alpha {
                beta = Score::from_units((alpha.units() + beta.units()) / 2);
                alpha = score - delta;
                fail_highs = 0;
            } else if score >= beta {
                beta = score + delta;
                // After each fail high, the next search is one ply shallower, although it may then fail high wrongly.
                // If reductions are switched off, the depth stays.
                fail_highs = (fail_highs + i32::from(self.pruning.reductions))
                    .min(values::aspiration_fail_highs());
            } else {
                return;
            }
            if self.reports_details() {
                self.report(pv_index);
            }
            delta += delta * values::aspiration_growth_share() / 100 + values::aspiration_growth();
            if delta > values::aspiration_limit() {
                (alpha, beta) = (-Score::INFINITE, Score::INFINITE);
            }
        }
    }

    /// Searches one line of one iteration by MTD(f), with null windows that converge to the score. Null windows
    /// have no principal variation, so the line is taken from the transposition table.
    fn mtd_f(&mut self) {
        let (pv_index, depth) = (self.pv_index, self.root_depth);
        let previous = self.iteration.moves[pv_index].previous_score;
        let mut guess = if previous.is_proven() { Score::ZERO } else { previous };
        let (mut lower, mut upper) = (-Score::INFINITE, Score::INFINITE);
        while lower < upper {
            let beta = guess.max(lower + 1);
            guess = self.search::<Root>(0, beta - 1, beta, depth, false).score;
            self.iteration.moves[pv_index..].sort_by_key(|m| std::cmp::Reverse(m.score));
            if self.stopped {
                return;
            }
            if guess < beta {
                upper = guess;
            } else {
                lower = guess;
            }
        }
        let best = &self.iteration.moves[pv_index];
        let mut pv = self.hash_line(best.played, depth as usize);
        self.complete_line(&mut pv, guess);
        let best = &mut self.iteration.moves[pv_index];
        best.score = guess;
        best.exact = Some(guess);
        best.bound = Bound::Exact;
        best.pv = pv;
    }

    /// A root move followed by the hash moves after it, at most `length` moves.
    fn hash_line(&self, first: Move, length: usize) -> Vec<Move> {
        let mut position = self.position.clone();
        let mut line = vec![first];
        position.make(first);
        while line.len() < length
            && self.techniques.hash
            && let Some(entry) = self.tt.probe(position.key())
            && is_legal(&position, entry.best)
        {
            line.push(entry.best);
            position.make(entry.best);
        }
        line
    }

    /// The root moves from `pv_index` on: those of earlier principal variations are left out.
    pub fn root_moves_left(&self) -> impl Iterator<Item = Move> {
        self.iteration.moves[self.pv_index..].iter().map(|m| m.played)
    }

    /// Whether all legal moves are searched, without random bonuses, so that the result is that of the position.
    pub fn searches_every_root_move(&self) -> bool {
        self.pv_index == 0
            && self.shared.noise.is_none()
            && self.shared.root_moves.len() == legal_moves(&self.position).len()
    }

    /// Updates the upper bound of the root move with this number in [`Self::root_moves_left`], from 1. Stores its
    /// result if it is the first or the best so far. Reports the refutation of a move that did not raise alpha, if the
    /// request asks for it.
    pub fn update_root_move(&mut self, number: usize, score: Score, alpha: Score, bound: Bound) {
        // No score is above a mate in one ply, so a lower bound of that value is exact.
        let bound = if score >= Score::mate_in(1) { Bound::Exact } else { bound };
        // The first move is the best one so far, so it does not count as a change.
        self.iteration.best_move_changes +=
            u32::from(number > 1 && self.pv_index == 0 && score > alpha);
        let index = self.pv_index + number - 1;
        let root_move = &mut self.iteration.moves[index];
        if bound != Bound::Lower {
            root_move.upper = score;
        }
        let played = root_move.played;
        if number == 1 || score > alpha {
            let mut pv = vec![played];
            pv.extend_from_slice(&self.stack.at(1).pv);
            self.complete_line(&mut pv, score);
            let root_move = &mut self.iteration.moves[index];
            root_move.score = score;
            root_move.depth = self.root_depth;
            root_move.bound = bound;
            if bound == Bound::Exact {
                root_move.exact = Some(score);
            }
            root_move.selective_depth = self.selective_depth;
            root_move.pv = pv;
        } else {
            self.iteration.moves[index].score = -Score::INFINITE;
        }
        self.report_refutation(played, score, alpha);
    }

    /// Adds the nodes since `before` to the root move with this number in [`Self::root_moves_left`], from 1.
    pub fn count_root_move(&mut self, number: usize, before: u64) {
        self.iteration.moves[self.pv_index + number - 1].nodes += self.nodes - before;
    }

    /// Reports the principal variation with this index, from 0.
    fn report(&self, pv_index: usize) {
        if !self.reports() {
            return;
        }
        let tb_hits = self.shared.tb_hits.load(Ordering::Relaxed) + self.tb_hits;
        let root_move = &self.iteration.moves[pv_index];
        let info = self.shared.info(
            root_move,
            pv_index + 1,
            self.total_nodes(),
            tb_hits,
            self.tt.hashfull(),
        );
        self.shared.send_report(Report::Line(info));
    }

    /// Reports the current root move, which has this number in [`Self::root_moves_left`], from 1, if
    /// [`DETAILS_AFTER`] has passed.
    pub fn report_current_move(&self, m: Move, number: usize) {
        if self.reports_details() {
            self.shared.send_report(Report::CurrentMove {
                depth: self.root_depth as u32,
                played: m,
                number: number + self.pv_index,
            });
        }
    }

    /// Reports the refutation of a root move whose score is not above `alpha`, if the request asks for it and
    /// [`DETAILS_AFTER`] has passed.
    fn report_refutation(&self, m: Move, score: Score, alpha: Score) {
        let is_due =
            self.shared.request.settings.reports.refutations && score <= alpha && !self.stopped;
        if is_due && self.reports_details() {
            let line = self.hash_line(m, self.root_depth as usize);
            self.shared.send_report(Report::Refutation(line));
        }
    }

    /// Whether this thread reports and [`DETAILS_AFTER`] has passed.
    fn reports_details(&self) -> bool {
        self.reports() && self.shared.request.control.elapsed() > DETAILS_AFTER
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::rules::Game;
    use crate::search::Searcher;
    use crate::search::request::{Limits, SearchRequest};
    use crate::search::tt::TranspositionTable;

    /// Runs `body` with a search of this game in one thread.
    fn with_search<R>(game: Game, driver: Driver, body: impl FnOnce(&mut Search<'_>) -> R) -> R {
        let moves = legal_moves(game.position()).to_vec();
        let mut request = SearchRequest::new(game, Limits::default());
        request.settings.techniques.driver = driver;
        let shared = SharedState::new(request, moves, 1);
        let tt = TranspositionTable::new(1).expect("1 MB is free");
        let mut thread = ThreadData::new(0, Arc::new(tt));
        body(&mut Search::new(&mut thread, &shared))
    }

    #[test]
    fn the_first_iteration_starts_with_the_best_captures_and_has_all_moves() {
        let fen = "3k5/9/9/2c6/9/4r4/9/4R1p2/6R2/4K4 w - - 0 1";
        let game = Game::new(fen.parse().unwrap());
        let order: Vec<Move> = with_search(game, Driver::default(), |search| {
            search.order_root_moves();
            search.iteration.moves.iter().map(|m| m.played).collect()
        });
        let best: Move = "e2e4".parse().unwrap();
        assert_eq!(order[0], best, "{order:?}");
        let quiet = |m: &Move| {
            let position: crate::board::Position = fen.parse().unwrap();
            position.taken_by(*m).is_none()
        };
        let first_quiet = order.iter().position(quiet).unwrap();
        assert!(order[..first_quiet].contains(&"g1g2".parse().unwrap()));
        let mut sorted = order.clone();
        sorted.sort_unstable_by_key(|m| m.bits());
        let mut legal = legal_moves(&fen.parse().unwrap()).to_vec();
        legal.sort_unstable_by_key(|m| m.bits());
        assert_eq!(sorted, legal);
    }

    #[test]
    fn every_driver_keeps_the_last_exact_score_and_the_selective_depth() {
        for driver in [Driver::NegaScout, Driver::AlphaBeta, Driver::Mtd] {
            let best = with_search(Game::default(), driver, |search| {
                for depth in 1..=4 {
                    search.deepen(1, depth);
                }
                search.iteration.moves[0].clone()
            });
            assert_eq!(best.exact, Some(best.score), "{driver:?}");
            assert!(best.selective_depth >= 4, "{driver:?}: {}", best.selective_depth);
        }
    }

    #[test]
    fn all_depth_limits_from_the_maximum_on_have_the_same_effect() {
        let outcome = |depth| {
            let limits = Limits { depth: Some(depth), nodes: Some(3000), ..Limits::default() };
            let mut searcher = Searcher::new(1).expect("1 MB is free");
            let outcome = searcher.think(&Game::startpos(), limits).unwrap();
            (outcome.best, outcome.ponder, outcome.score, outcome.depth)
        };
        assert_eq!(outcome(u32::MAX), outcome(MAX_DEPTH));
    }

    #[test]
    fn an_interrupted_search_claims_no_loss_in_a_won_position() {
        // Red mates in 14 moves; many first moves lose at once.
        let fen = "4k4/1R5n1/1N7/9/3P1N3/3r1R3/9/4p4/3r1p3/1c2K4 w";
        let game = Game::new(fen.parse().expect(fen));
        for nodes in (100..=2000).step_by(50) {
            let mut searcher = Searcher::new(1).expect("1 MB is free");
            let outcome = searcher.think(&game, Limits::nodes(nodes));
            let score = outcome.expect(fen).score;
            assert!(score.is_some_and(|score| !score.is_mated()), "{nodes} nodes: {score:?}");
        }
    }

    #[test]
    fn a_mate_in_one_is_exact_although_it_is_first_seen_at_depth_2() {
        // Both mates are stalemates. After the second one, no piece that can cross the river is left.
        for fen in ["3k5/R8/9/1N1P5/9/9/9/9/9/4K4 w", "3aka3/4a4/9/9/9/9/9/9/9/3Kp4 w"] {
            let game = Game::new(fen.parse().expect(fen));
            let mut searcher = Searcher::new(1).expect("1 MB is free");
            let outcome = searcher.think(&game, Limits::depth(3)).expect(fen);
            assert_eq!(outcome.score, Some(Score::mate_in(1)), "{fen}");
        }
    }
}
