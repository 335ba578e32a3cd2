//! The values of all positions of a class.

use std::rc::Rc;
use std::sync::Arc;

use super::index::{Cell, Indexer, Node};
use super::material::Material;
use super::value::{ILLEGAL, Metric, TableOutcome, Value};
use crate::board::{ByColor, Color, Position};
use crate::rules::RuleSet;

/// Rule sets under which the draws of a class hold. Mates hold under all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawsHold {
    /// Every rule set that the engine implements.
    Always,
    /// No rule set: it is not proven that the draws hold.
    Unproven,
    /// Only the rule set for which the class was solved. The wins and losses by rule of the class
    /// also hold only under this one.
    Under(RuleSet),
}

impl DrawsHold {
    /// Whether the draws hold under `rules`.
    #[inline]
    pub fn is_under(self, rules: RuleSet) -> bool {
        match self {
            Self::Always => true,
            Self::Unproven => false,
            Self::Under(own) => own == rules,
        }
    }
}

/// The values of a class by index, for both sides to move; the strong side is red. Those of one side to move may be
/// missing if the class was loaded to solve a larger class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolvedClass {
    pub(super) material: Material,
    pub(super) metric: Metric,
    pub(super) values: ByColor<Vec<u8>>,
    pub(super) draws: DrawsHold,
}

/// Numbers of positions of a class by value, for one side to move. Mirror images count separately.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SideCounts {
    /// Legal positions.
    pub legal: u64,
    /// Won by mate.
    pub won: u64,
    /// Plies of the longest win by mate, 0 if none.
    pub longest_win: u16,
    /// Won by the repetition rules.
    pub won_by_rule: u64,
    /// Plies of the longest win by rule whose length is stored; 0 if none. The repetitions of the loser are not
    /// counted.
    pub longest_by_rule: u16,
    /// Proven draws.
    pub drawn: u64,
    /// Lost by the repetition rules.
    pub lost_by_rule: u64,
    /// Lost by mate.
    pub lost: u64,
    /// Plies of the longest loss by mate; 0 if none, or if all are mates on the board.
    pub longest_loss: u16,
    /// Positions without a proven result.
    pub unknown: u64,
}

impl SideCounts {
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

impl SolvedClass {
    /// The pieces of both sides.
    pub fn material(&self) -> Material {
        self.material
    }

    /// Rule sets under which the draws hold.
    pub fn draws(&self) -> DrawsHold {
        self.draws
    }

    pub(super) fn outcome_of(material: Material, value: u8, side: Color) -> Option<TableOutcome> {
        if material.is_two_sided() {
            Value(value).outcome()
        } else {
            TableOutcome::from_value(value, side)
        }
    }

    #[inline]
    pub(super) fn value(&self, node: Node) -> u8 {
        self.values[node.side()][node.index()]
    }

    /// Counts the positions by side to move; the strong side is red.
    ///
    /// # Panics
    /// The values of a side to move are missing.
    pub fn counts(&self) -> ByColor<SideCounts> {
        let indexer = Indexer::new(self.material);
        let mut counts: ByColor<SideCounts> = ByColor::default();
        for index in 0..indexer.len() {
            // A class read from a file also has values for illegal positions.
            let Some(board) = indexer.board(index) else {
                continue;
            };
            for side in Color::ALL.into_iter().filter(|side| board.may_be_to_move(*side)) {
                let value = self.values[side][index];
                let outcome = Self::outcome_of(self.material, value, side);
                counts[side].add(outcome, indexer.weight(index));
            }
        }
        counts
    }

    /// A position with this outcome, if there is one; the strong side is red.
    pub fn example(&self, outcome: TableOutcome) -> Option<Position> {
        self.examples(outcome, 0).next()
    }

    /// All positions with this outcome, in index order starting at index `from` for each side to move. Draws of a
    /// one-sided class are listed only with the weak side to move.
    pub fn examples(&self, outcome: TableOutcome, from: usize) -> impl Iterator<Item = Position> {
        let sides = match (outcome, self.material.is_two_sided()) {
            (_, true) => &Color::ALL[..],
            (TableOutcome::Win(_), false) => &[Color::Red],
            (_, false) => &[Color::Black],
        };
        let indexer = Rc::new(Indexer::new(self.material));
        sides.iter().flat_map(move |&side| {
            let values = &self.values[side];
            let is_wanted = move |v: u8| Self::outcome_of(self.material, v, side) == Some(outcome);
            let indexer = indexer.clone();
            let wanted = (from..values.len()).filter(move |i| is_wanted(values[*i]));
            wanted.filter_map(move |index| indexer.position(Node::new(index, side)))
        })
    }
}

/// A class that captures lead to, with its numbering.
pub struct SmallerClass<'a> {
    pub indexer: Indexer,
    pub solved: &'a SolvedClass,
}

impl<'a> SmallerClass<'a> {
    pub fn new(solved: &'a SolvedClass) -> Self {
        let indexer = Indexer::new(solved.material);
        Self { indexer, solved }
    }

    pub fn all(classes: &'a [Arc<SolvedClass>]) -> Vec<Self> {
        classes.iter().map(|class| Self::new(class)).collect()
    }

    /// The class of `classes` with this material.
    ///
    /// # Panics
    /// `classes` does not contain the class.
    pub fn find(classes: &'a [Arc<SolvedClass>], material: Material) -> Self {
        let solved = classes.iter().find(|class| class.material == material);
        Self::new(solved.expect("the classes that captures lead to are solved"))
    }

    /// The class of a position, found in `classes`, and the node of the position. `None` if no table covers it.
    ///
    /// # Panics
    /// `classes` does not contain the class.
    pub fn of_position<'b>(classes: &'b [Self], position: &Position) -> Option<(&'b Self, Node)> {
        let (material, strong) = Material::of(position)?;
        let class = classes.iter().find(|c| c.solved.material == material);
        let class = class.expect("the classes that captures lead to are solved");
        Some((class, class.indexer.of_position(position, strong)))
    }

    /// Value of a cell of the class with `side` to move.
    #[inline]
    pub fn value(&self, cell: Cell, side: Color) -> u8 {
        self.solved.values[side][self.indexer.index(cell)]
    }
}

/// A position whose value is wrong or not proven.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{position} has value {found}, but {why}")]
pub struct WrongValue {
    /// The position.
    pub position: Box<Position>,
    /// Byte in the table.
    pub found: u8,
    /// Reason why the value is wrong, or the claim that is not proven.
    pub why: String,
}

/// Largest value of the legal positions; 0 without legal positions.
pub fn largest_value(values: &[u8]) -> u8 {
    let legal = values.iter().filter(|value| **value != ILLEGAL);
    legal.copied().max().unwrap_or(0)
}
