//! Updates by a node: histories, correction history, transposition table.

use super::node::Node;
use super::score::MovesResult;
use super::state::Search;
use crate::board::Move;
use crate::movegen::is_pseudo_legal;
use crate::rules::Ply;
use crate::search::event::Bound;
use crate::search::ordering::{QuietContext, Threats};
use crate::search::parameters;
use crate::search::score::Score;
use crate::search::tt::TtEntry;

impl Search<'_> {
    /// Sets the context of the quiet moves of the current position, which is at `ply`, and returns it.
    pub fn set_quiet_context(&mut self, ply: usize) -> QuietContext {
        let context =
            QuietContext { before: self.stack.before(ply), threats: Threats::new(&self.position) };
        self.stack.at_mut(ply).quiet_context = context;
        context
    }

    /// Updates the histories: a bonus for the best move, a malus for the moves that failed. If the best move is a
    /// capture, quiet moves get no malus; if it is quiet, it also becomes a killer.
    pub fn update_histories(&mut self, node: &Node, found: &MovesResult, context: &QuietContext) {
        let best = found.best_move;
        let [quiets, captures] = &found.failed;
        let bonus = parameters::history_bonus(node.depth);
        let malus = -parameters::history_malus(node.depth);
        if self.position.taken_by(best).is_none() {
            let killers = &mut self.stack.at_mut(node.ply).killers;
            if killers[0] != best {
                *killers = [best, killers[0]];
            }
            self.histories.update_quiet(&self.position, best, context, bonus);
            for quiet in quiets {
                self.histories.update_quiet(&self.position, *quiet, context, malus);
            }
        } else {
            self.histories.update_capture(&self.position, best, bonus);
        }
        for capture in captures {
            self.histories.update_capture(&self.position, *capture, malus);
        }
    }

    /// Updates the histories after a cutoff by the hash score: a quiet hash move gets a bonus, smaller than that of a
    /// move that was searched.
    pub fn update_hash_move(&mut self, ply: usize, depth: i32, m: Move) {
        let quiet = self.position.taken_by(m).is_none();
        if quiet && is_pseudo_legal(&self.position, m) {
            let context = self.set_quiet_context(ply);
            let bonus = parameters::hash_cutoff_bonus(depth);
            self.histories.update_quiet(&self.position, m, &context, bonus);
        }
    }

    /// Updates the history of the previous move, if it is quiet and evades no check, by how much it raised the static
    /// evaluation (Stockfish, "use static evaluation difference to improve quiet move ordering").
    pub fn update_by_evaluation_swing(&mut self, node: &Node) {
        let Some(Ply { played, undo }) = self.path.last() else {
            return;
        };
        let quiet = self.position.captured().is_none() && played.is_some();
        if !quiet || undo.was_in_check() || self.stack.at(node.ply).excluded.is_some() {
            return;
        }
        let evaluations = [0, 1].map(|back| self.stack.back(node.ply, back).evaluation);
        if let [Some(now), Some(earlier)] = evaluations {
            let swing = self.evaluator.swing(&self.position, earlier, now);
            let bonus = parameters::evaluation_swing_bonus(swing);
            let threats = &self.stack.back(node.ply, 1).quiet_context.threats;
            self.histories.update_main(!self.position.side_to_move(), *played, threats, bonus);
        }
    }

    /// Gives the previous move, if it is quiet and all replies failed low, a bonus in the continuation history
    /// (Chessprogramming wiki, "Countermove Heuristic", bonus for the prior countermove).
    fn update_previous_move(&mut self, node: &Node, bound: Bound) {
        if bound == Bound::Upper
            && self.position.captured().is_none()
            && let Some(previous) = self.stack.back(node.ply, 1).played
        {
            let earlier = [2, 3, 5].map(|back| self.stack.back(node.ply, back).played);
            let bonus = parameters::history_bonus(node.depth);
            self.histories.update_continuation(previous, &earlier, bonus);
        }
    }

    /// Stores the result in the transposition table, and updates the correction history and the history of the previous
    /// move.
    pub fn close_node(&mut self, node: &Node, found: &MovesResult, alpha: Score, beta: Score) {
        let bound = Bound::of(found.best.score, alpha, beta);
        let kept = found.tt_bound(bound);
        let best = found.best.score;
        self.store(
            node.ply,
            TtEntry {
                best: found.best_move,
                score: best,
                bound: kept,
                depth: if kept.is_some() { node.depth } else { 0 },
                evaluation: node.raw,
                was_pv: node.was_pv,
            },
        );
        self.update_previous_move(node, bound);
        let Some(evaluation) = self.stack.at(node.ply).evaluation else {
            return;
        };
        let quiet = found.best_move.is_none() || self.position.taken_by(found.best_move).is_none();
        let corrects_evaluation = match bound {
            Bound::Exact => true,
            Bound::Lower => best > evaluation,
            Bound::Upper => best < evaluation,
        };
        if quiet && corrects_evaluation && kept == Some(bound) && !best.is_proven() {
            let error = best - evaluation;
            let before = self.stack.before(node.ply);
            self.histories.update_correction(&self.position, before, error, node.depth);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::evaluator::Evaluator;
    use crate::board::Position;
    use crate::eval::Knowledge;
    use crate::movegen::legal_moves;
    use crate::search::BENCH_POSITIONS;
    use crate::search::request::Settings;

    /// The evaluation swings of the quiet moves in the bench positions, without moves that give or evade check,
    /// sorted.
    fn swings(knowledge: Knowledge) -> Vec<i32> {
        let settings = Settings { knowledge, ..Settings::default() };
        let mut evaluator = Evaluator::new();
        let mut swings = Vec::new();
        for fen in BENCH_POSITIONS {
            let mut position: Position = fen.parse().expect(fen);
            evaluator.start(&position, &settings, None);
            let earlier = evaluator.evaluate(&position);
            let was_in_check = position.in_check();
            for m in legal_moves(&position) {
                let quiet = position.taken_by(m).is_none();
                let undo = evaluator.make(&mut position, m);
                if quiet && !was_in_check && !position.in_check() {
                    let now = evaluator.evaluate(&position);
                    let swing = evaluator.swing(&position, earlier, now);
                    swings.push(swing);
                }
                evaluator.unmake(&mut position, m, undo);
            }
        }
        swings.sort_unstable();
        swings
    }

    #[test]
    fn the_swing_of_quiet_moves_is_centered_for_both_evaluations() {
        for knowledge in [Knowledge::Medium, Knowledge::Large] {
            let swings = swings(knowledge);
            let median = swings[swings.len() / 2];
            assert!(swings.len() > 500 && median.abs() <= 10, "{knowledge:?}: {median}");
        }
    }
}
