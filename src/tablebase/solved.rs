//! The values of every position of a class.

use std::rc::Rc;

use super::board::CellBoard;
use super::index::Indexer;
use super::material::Material;
use super::metric::Metric;
use super::value::{ILLEGAL, TableOutcome, Value};
use crate::board::{ByColor, Color};
use crate::rules::RuleSet;

/// Under which rules on repetitions the draws of a class hold. Wins in so many plies hold under all: the
/// plies to mate fall, so nothing repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawsHold {
    /// All that the engine implements.
    Always,
    /// It is not proven.
    Unproven,
    /// One rule set, under which the class was solved. Wins and losses by rule hold under it alone, too.
    Under(RuleSet),
}

impl DrawsHold {
    /// Whether the draws hold under a rule set.
    #[inline]
    pub fn is_under(self, rules: RuleSet) -> bool {
        match self {
            Self::Always => true,
            Self::Unproven => false,
            Self::Under(own) => own == rules,
        }
    }
}

/// The values of a class, both sides to move, by number of the position; of one side to move alone where
/// it was loaded to solve a larger class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolvedClass {
    pub(super) material: Material,
    /// What its plies lead to.
    pub(super) metric: Metric,
    /// With the armed side to move.
    pub(super) armed: Vec<u8>,
    /// With the other side to move.
    pub(super) bare: Vec<u8>,
    /// Whether its draws hold.
    pub(super) draws: DrawsHold,
}

/// How many positions of a class there are, and what they are worth. Both mirror images count, equal
/// pieces do not.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ClassCounts {
    /// Legal positions with the armed side to move.
    pub armed_legal: u64,
    /// Those of them that it wins.
    pub armed_won: u64,
    /// The plies of the longest of these wins, 0 for none.
    pub longest_win: u16,
    /// Legal positions with the other side to move.
    pub bare_legal: u64,
    /// Those of them that it loses.
    pub bare_lost: u64,
    /// The plies of the longest of these losses, 0 for none and for mates.
    pub longest_loss: u16,
}

/// How many positions of a class with an attacker a side there are for one side to move, and what they are
/// worth to it. Both mirror images count.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct SideCounts {
    /// Legal positions.
    pub legal: u64,
    /// Those won by mate.
    pub won: u64,
    /// The plies of the longest of these wins, 0 for none.
    pub longest_win: u16,
    /// Those won because the other side may not check or chase for ever.
    pub won_by_rule: u64,
    /// The most plies that one of these is told to take, those not counted by which the other side puts it off; 0
    /// for none.
    pub longest_by_rule: u16,
    /// Those proven to be drawn.
    pub drawn: u64,
    /// Those lost because of the rules on repetitions.
    pub lost_by_rule: u64,
    /// Those lost by mate.
    pub lost: u64,
    /// The plies of the longest of these losses, 0 for none and for mates.
    pub longest_loss: u16,
    /// Those in which it is not proven who wins, if anyone does.
    pub unknown: u64,
}

impl SolvedClass {
    /// The class.
    pub fn material(&self) -> Material {
        self.material
    }

    /// Under which rules its draws hold.
    pub fn draws(&self) -> DrawsHold {
        self.draws
    }

    /// The class of one armed side with its draws proven to hold under every rule set, or not.
    pub fn with_draws_proven(mut self, are_proven: bool) -> Self {
        self.draws = match (self.draws, are_proven) {
            (DrawsHold::Under(rules), _) => DrawsHold::Under(rules),
            (_, true) => DrawsHold::Always,
            (_, false) => DrawsHold::Unproven,
        };
        self
    }

    /// The outcome that a value stands for.
    pub(super) fn outcome_of(
        material: Material,
        value: u8,
        armed_to_move: bool,
    ) -> Option<TableOutcome> {
        match material.is_two_sided() {
            true => Value(value).outcome(),
            false => TableOutcome::from_value(value, armed_to_move),
        }
    }

    /// The values of one side to move.
    pub(super) fn values(&self, armed_to_move: bool) -> &[u8] {
        match armed_to_move {
            true => &self.armed,
            false => &self.bare,
        }
    }

    /// Counts the positions.
    pub fn counts(&self) -> ClassCounts {
        let indexer = Indexer::new(self.material);
        let mut counts = ClassCounts::default();
        for (index, (armed, bare)) in self.armed.iter().zip(&self.bare).enumerate() {
            // A class from a file has values for positions that are not legal, too.
            let Some(board) = CellBoard::new(&indexer, indexer.cell(index)) else {
                continue;
            };
            let weight = indexer.weight(index);
            if !board.gives_check() {
                counts.armed_legal += weight;
                if let Some(TableOutcome::Win(plies)) = TableOutcome::from_value(*armed, true) {
                    counts.armed_won += weight;
                    counts.longest_win = counts.longest_win.max(plies);
                }
            }
            counts.bare_legal += weight;
            if let Some(TableOutcome::Loss(plies)) = TableOutcome::from_value(*bare, false) {
                counts.bare_lost += weight;
                counts.longest_loss = counts.longest_loss.max(plies);
            }
        }
        counts
    }

    /// Counts the positions of a class with an attacker a side, by side to move.
    pub fn side_counts(&self) -> ByColor<SideCounts> {
        let indexer = Indexer::new(self.material);
        let mut counts: ByColor<SideCounts> = ByColor::default();
        for index in 0..indexer.len() {
            let Some(board) = CellBoard::new(&indexer, indexer.cell(index)) else {
                continue;
            };
            for side in Color::ALL.into_iter().filter(|side| board.can_move(*side)) {
                let value = self.values(side == Color::Red)[index];
                counts[side].add(Value(value).outcome(), indexer.weight(index));
            }
        }
        counts
    }

    /// A position that is won, or lost with the other side to move, in so many plies, if there is one;
    /// the armed side is red.
    pub fn example(&self, outcome: TableOutcome) -> Option<crate::board::Position> {
        self.examples(outcome, 0).next()
    }

    /// As [`Self::example`], all those with each side to move that come from a place on, a number of positions,
    /// in their order.
    pub fn examples(
        &self,
        outcome: TableOutcome,
        from: usize,
    ) -> impl Iterator<Item = crate::board::Position> {
        let sides = match (outcome, self.material.is_two_sided()) {
            (_, true) => &Color::ALL[..],
            (TableOutcome::Win(_), false) => &[Color::Red],
            (_, false) => &[Color::Black],
        };
        let indexer = Rc::new(Indexer::new(self.material));
        sides.iter().flat_map(move |side| {
            let armed_to_move = *side == Color::Red;
            let values = self.values(armed_to_move);
            let is_wanted =
                move |v: u8| Self::outcome_of(self.material, v, armed_to_move) == Some(outcome);
            let indexer = indexer.clone();
            let wanted = (from..values.len()).filter(move |i| is_wanted(values[*i]));
            wanted.filter_map(move |index| indexer.position(index, *side))
        })
    }
}

/// The largest of the values of legal positions.
pub(super) fn largest_value(values: &[u8]) -> u8 {
    let legal = values.iter().filter(|value| **value != ILLEGAL);
    legal.max().map_or(0, |value| *value)
}

impl SideCounts {
    /// Counts positions that are worth the same.
    fn add(&mut self, outcome: Option<TableOutcome>, weight: u64) {
        self.legal += weight;
        let count = match outcome {
            Some(TableOutcome::Win(plies)) => {
                self.longest_win = self.longest_win.max(plies);
                &mut self.won
            }
            Some(TableOutcome::WinByRule(plies)) => {
                self.longest_by_rule = self.longest_by_rule.max(plies.unwrap_or(0));
                &mut self.won_by_rule
            }
            Some(TableOutcome::Draw) => &mut self.drawn,
            Some(TableOutcome::LossByRule(_)) => &mut self.lost_by_rule,
            Some(TableOutcome::Loss(plies)) => {
                self.longest_loss = self.longest_loss.max(plies);
                &mut self.lost
            }
            None => &mut self.unknown,
        };
        *count += weight;
    }
}
