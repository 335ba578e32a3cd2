//! The root node: aspiration windows around it, its moves, reports of them.

use std::sync::atomic::Ordering;

use super::node_type::Root;
use super::search::Search;
use crate::board::Move;
use crate::movegen::{is_legal, legal_moves};
use crate::search::event::{Bound, Info, Report};
use crate::search::ordering::{MovePicker, PickerMode};
use crate::search::parameters::values;
use crate::search::request::Driver;
use crate::search::score::Score;

/// The search reports the move it is at once it has taken this long, in milliseconds.
const CURRENT_MOVE_AFTER: u128 = 1000;

impl Search<'_> {
    /// One line of one iteration: a narrow window around the last score, widened when it fails
    /// (Chessprogramming wiki, "Aspiration Windows").
    pub(super) fn aspiration(&mut self) {
        let (line, depth) = (self.line, self.root_depth);
        let previous = self.iteration.moves[line].previous;
        let mut delta = values::aspiration_window();
        let is_narrow = self.is_driven_by(Driver::NegaScout) && !previous.is_proven();
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
            self.iteration.moves[line..].sort_by_key(|m| std::cmp::Reverse(m.score));
            if self.stopped {
                return;
            }
            if score <= alpha {
                beta = Score::from_units((alpha.units() + beta.units()) / 2);
                alpha = score - delta;
                fail_highs = 0;
            } else if score >= beta {
                beta = score + delta;
                // Unsound, for what fails high may be shallower than it seems.
                fail_highs = (fail_highs + i32::from(self.pruning.reductions))
                    .min(values::aspiration_fail_highs());
            } else {
                return;
            }
            if self.takes_long() {
                self.report(line);
            }
            delta += delta * values::aspiration_growth_share() / 100 + values::aspiration_growth();
            if delta > values::aspiration_limit() {
                (alpha, beta) = (-Score::INFINITE, Score::INFINITE);
            }
            alpha = alpha.max(-Score::INFINITE);
            beta = beta.min(Score::INFINITE);
        }
    }

    /// One line of one iteration by MTD(f): null windows that close in on the score. The line behind the
    /// best move is that of the transposition table, for null windows have none.
    pub(super) fn close_in(&mut self) {
        let (line, depth) = (self.line, self.root_depth);
        let previous = self.iteration.moves[line].previous;
        let mut guess = match previous.is_proven() {
            true => Score::ZERO,
            false => previous,
        };
        let (mut lower, mut upper) = (-Score::INFINITE, Score::INFINITE);
        while lower < upper {
            let beta = guess.max(lower + 1);
            guess = self.search::<Root>(0, beta - 1, beta, depth, false).score;
            self.iteration.moves[line..].sort_by_key(|m| std::cmp::Reverse(m.score));
            if self.stopped {
                return;
            }
            if guess < beta {
                upper = guess;
            } else {
                lower = guess;
            }
        }
        let best = &self.iteration.moves[line];
        let mut pv = self.hash_line(best.played, depth as usize);
        self.complete_line(&mut pv, guess);
        let best = &mut self.iteration.moves[line];
        best.score = guess;
        best.bound = Bound::Exact;
        best.pv = pv;
    }

    /// A root move and what the transposition table expects after it, at most so many moves in all.
    fn hash_line(&self, first: Move, length: usize) -> Vec<Move> {
        let mut position = self.position.clone();
        let mut line = vec![first];
        position.make(first);
        while line.len() < length
            && self.techniques.hash
            && let Some(entry) = self.table.probe(position.key())
            && is_legal(&position, entry.best)
        {
            line.push(entry.best);
            position.make(entry.best);
        }
        line
    }

    /// Reports what refutes a root move whose score is not above `alpha`, if that is asked for and the
    /// search takes long.
    fn report_refutation(&self, m: Move, score: Score, alpha: Score) {
        let is_due = self.shared.settings.reports.refutations && score <= alpha && !self.stopped;
        if is_due && self.takes_long() {
            let line = self.hash_line(m, self.root_depth as usize);
            self.send_report(Report::Refutation(line));
        }
    }

    /// Whether this thread reports, and the search has taken so long that it reports what it is doing.
    fn takes_long(&self) -> bool {
        self.reports() && self.shared.control.elapsed().as_millis() > CURRENT_MOVE_AFTER
    }

    /// Brings the root moves into the order of the move picker, for the first iteration.
    pub(super) fn order_root_moves(&mut self) {
        let hash_move = self.probe().map_or(Move::NONE, |entry| entry.best);
        let mut picker =
            MovePicker::new(&self.position, PickerMode::All, hash_move, [Move::NONE; 2]);
        let before = self.stack.before(0);
        let mut ordered = 0;
        while let Some(m) = picker.next(&self.position, self.histories, &before) {
            let moves = &mut self.iteration.moves[ordered..];
            if let Some(place) = moves.iter().position(|root_move| root_move.played == m) {
                moves[..=place].rotate_right(1);
                ordered += 1;
            }
        }
    }

    /// The root moves from the line under search on.
    pub(super) fn root_moves_left(&self) -> impl Iterator<Item = Move> {
        self.iteration.moves[self.line..].iter().map(|m| m.played)
    }

    /// Whether the search of the root says what the position is worth.
    pub(super) fn looks_at_every_root_move(&self) -> bool {
        self.line == 0 && self.shared.root_moves.len() == legal_moves(&self.position).len()
    }

    /// Reports that the move with this number, from 1, is being searched, once a search takes long.
    pub(super) fn announce(&self, m: Move, number: usize) {
        if self.takes_long() {
            self.send_report(Report::CurrentMove {
                depth: self.root_depth as u32,
                played: m,
                number: number + self.line,
            });
        }
    }

    /// Counts the nodes since there were `before` as those of the root move with this number, from 1.
    pub(super) fn count_root_move(&mut self, number: usize, before: u64) {
        self.iteration.moves[self.line + number - 1].nodes += self.nodes - before;
    }

    /// Keeps the score of the root move with this number, from 1, where it says more than that the move
    /// is not the best; else reports how it is refuted, on request.
    pub(super) fn update_root_move(
        &mut self,
        number: usize,
        score: Score,
        alpha: Score,
        bound: Bound,
    ) {
        // Before the second one there was no best move.
        self.iteration.changes += u32::from(number > 1 && self.line == 0 && score > alpha);
        let root_move = &mut self.iteration.moves[self.line + number - 1];
        root_move.score = -Score::INFINITE;
        if number == 1 || score > alpha {
            root_move.score = score;
            root_move.depth = self.root_depth;
            root_move.bound = bound;
            root_move.selective_depth = self.selective_depth;
            root_move.pv.clear();
            root_move.pv.push(root_move.played);
            root_move.pv.extend_from_slice(&self.stack.at(1).pv);
            let mut line = std::mem::take(&mut root_move.pv);
            self.complete_line(&mut line, score);
            self.iteration.moves[self.line + number - 1].pv = line;
        }
        let played = self.iteration.moves[self.line + number - 1].played;
        self.report_refutation(played, score, alpha);
    }

    /// Reports the line in place `index`.
    pub(super) fn report(&self, index: usize) {
        let Some(root_move) = self.iteration.moves.get(index) else {
            return;
        };
        if index >= self.shared.settings.multipv || !self.reports() {
            return;
        }
        let (nodes, time) = (self.total_nodes(), self.shared.control.elapsed());
        let info = root_move.info(index + 1, nodes, time, self.table.hashfull());
        let table_hits = self.shared.table_hits.load(Ordering::Relaxed) + self.table_hits;
        self.send_report(Report::Line(Info {
            score: self.shared.reported_score(info.score),
            table_hits,
            ..info
        }));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::shared::SharedState;
    use super::super::thread_data::ThreadData;
    use super::*;
    use crate::search::table::TranspositionTable;

    /// The root moves of the position as the first iteration takes them, best capture first.
    fn first_order(fen: &str) -> Vec<Move> {
        let shared = SharedState::of_position(fen.parse().expect(fen));
        let table = TranspositionTable::new(1).expect("a MB is free");
        let mut thread = ThreadData::new(0, Arc::new(table));
        let mut search = Search::new(&mut thread, &shared);
        search.order_root_moves();
        search.iteration.moves.iter().map(|m| m.played).collect()
    }

    #[test]
    fn the_first_iteration_begins_with_the_best_captures_and_misses_no_move() {
        let fen = "3k5/9/9/2c6/9/4r4/9/4R1p2/6R2/4K4 w - - 0 1";
        let order = first_order(fen);
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
}
