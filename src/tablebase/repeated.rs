//! Repeated positions of a game, which can invalidate a result of the tables.

use std::collections::HashMap;

use super::material::Material;
use super::tables::Tables;
use super::value::TableOutcome;
use crate::board::Position;
use crate::rules::{Game, RuleSet};

/// For each kind of result, the smallest number of plies to it from a repeated position of a game. A position is
/// repeated if it has occurred since the last capture so often that the rules judge its next occurrence.
///
/// A table does not contain the moves of the game before the position. If the winner plays the best moves, the number
/// of plies to the result decreases with each move. The result therefore holds if no repeated position has fewer plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RepeatedPositions {
    /// The smallest number of plies to mate. In all fields, [`u16::MAX`] if no repeated position has such a result.
    mate: u16,
    /// The smallest number of plies to the next winning capture ([`Tables::dtc`]).
    capture: u16,
    /// Half the smallest number of plies to a result by the rules on repetitions, rounded down. It is 0 if the number is
    /// unknown, or if a repeated position is won or lost by mate.
    half_by_rule: u16,
}

impl RepeatedPositions {
    /// No positions.
    pub const NONE: Self = Self { mate: u16::MAX, capture: u16::MAX, half_by_rule: u16::MAX };

    /// The repeated positions of a game since its last capture.
    pub fn new(game: &Game, tables: &Tables, rules: RuleSet) -> Self {
        let mut repeated = Self::NONE;
        if Material::of(game.position()).is_none() {
            return repeated;
        }
        let mut game = game.clone();
        let mut occurrences = HashMap::new();
        loop {
            let position = game.position();
            let count: &mut usize = occurrences.entry(position.key()).or_default();
            *count += 1;
            if *count + 1 == rules.deciding_occurrence() {
                repeated.add(position, tables, rules);
            }
            if position.clock().plies() == 0 || game.pop().is_none() {
                return repeated;
            }
        }
    }

    fn add(&mut self, position: &Position, tables: &Tables, rules: RuleSet) {
        match tables.probe(position, rules).map(|probe| probe.outcome) {
            Some(TableOutcome::Win(plies) | TableOutcome::Loss(plies)) => {
                self.mate = self.mate.min(plies);
                let capture = tables.dtc(position).unwrap_or(u16::MAX);
                self.capture = self.capture.min(capture);
                // A side that loses by rule may leave the repetition and be mated in a line through this position.
                self.half_by_rule = 0;
            }
            Some(TableOutcome::WinByRule(plies) | TableOutcome::LossByRule(plies)) => {
                self.half_by_rule = self.half_by_rule.min(plies.unwrap_or(0) / 2);
            }
            Some(TableOutcome::Draw) | None => {}
        }
    }

    /// Whether a mate in `plies` holds.
    pub const fn allow_mate(self, plies: u16) -> bool {
        plies <= self.mate
    }

    /// Whether a win by a capture in `plies` holds.
    pub const fn allow_capture(self, plies: u16) -> bool {
        plies <= self.capture
    }

    /// Whether a win or loss by the rules on repetitions in `plies` holds. Half the plies are compared, because the
    /// positions that the loser can repeat to delay the result are 2n plies before it with the loser to move, and
    /// 2n + 1 plies with the winner to move.
    pub const fn allow_rule(self, plies: u16) -> bool {
        plies / 2 < self.half_by_rule
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_if_their_next_occurrence_is_judged() {
        let tables = Tables::embedded();
        let mut game = Game::new("9/4k4/9/9/9/9/9/5N3/3K5/9 w".parse().unwrap());
        let mut least = |moves: &str, rules: RuleSet| {
            game.push_line(moves);
            RepeatedPositions::new(&game, &tables, rules).mate
        };
        let asian = RuleSet::Asian;
        assert_eq!(least("", asian), u16::MAX);
        assert_eq!(least("d1d2 e8e9 d2d1", asian), u16::MAX);
        // The starting position of the game is won in 7 plies, the position after d2d1 in 8.
        assert_eq!(least("e9e8", asian), 7);
        assert_eq!(least("d1d2 e8e9 d2d1", asian), 7);
        assert_eq!(least("", RuleSet::ElephantEye), u16::MAX);
    }
}
