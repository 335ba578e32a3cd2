//! The positions of a class with an attacker a side, and the quiet moves between them.

use std::sync::Arc;

use crate::board::{Color, Move, Position};
use crate::movegen::legal_moves;
use crate::rules::RuleSet;
use crate::tablebase::board::CellBoard;
use crate::tablebase::index::{Cell, Indexer};
use crate::tablebase::material::Material;
use crate::tablebase::solved::SolvedClass;
use crate::tablebase::value::Value;

/// A position of the class: its number, and whose move it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ArenaNode {
    pub index: usize,
    pub side: Color,
}

/// A class that a capture leads to.
struct SmallerClasses<'a> {
    indexer: Indexer,
    solved: &'a SolvedClass,
}

/// The class, the classes that captures lead to, and the rules in force.
pub(super) struct Arena<'a> {
    pub indexer: Indexer,
    pub rules: RuleSet,
    smaller: Vec<SmallerClasses<'a>>,
}

impl<'a> Arena<'a> {
    /// The arena of a class. `smaller` holds the classes of [`Material::after_captures`].
    pub(super) fn new(material: Material, rules: RuleSet, smaller: &'a [Arc<SolvedClass>]) -> Self {
        let smaller = (smaller.iter())
            .map(|solved| SmallerClasses {
                indexer: Indexer::new(solved.material),
                solved,
            })
            .collect();
        Self {
            indexer: Indexer::new(material),
            rules,
            smaller,
        }
    }

    /// How many numbers of positions there are.
    pub(super) fn len(&self) -> usize {
        self.indexer.len()
    }

    /// The pieces of a position; `None` where two share a square or the kings face each other.
    pub(super) fn board(&self, index: usize) -> Option<CellBoard<'_>> {
        CellBoard::new(&self.indexer, self.indexer.cell(index))
    }

    /// The position of a node, if it is legal.
    pub(super) fn position(&self, node: ArenaNode) -> Option<Position> {
        self.indexer.position(node.index, node.side)
    }

    /// The node of a position of this class, the sides as in [`Self::position`].
    pub(super) fn node(&self, position: &Position) -> ArenaNode {
        ArenaNode {
            index: self.indexer.of_position(position, Color::Red),
            side: position.side_to_move(),
        }
    }

    /// The node of the position after a quiet move from a cell that is listed.
    pub(super) fn node_after(&self, cell: Cell, played: Move, after: &Position) -> ArenaNode {
        let mut squares = cell.squares;
        match squares.iter_mut().find(|square| **square == played.from()) {
            Some(square) => {
                // The groups, and so what is listed, stay the same.
                *square = played.to();
                ArenaNode {
                    index: self.indexer.listed(Cell { squares, ..cell }),
                    side: after.side_to_move(),
                }
            }
            None => self.node(after),
        }
    }

    /// Visits what the positions after the legal captures of a node are worth to the side that is to move
    /// then.
    ///
    /// # Panics
    /// When a class that one leads to was not handed over.
    pub(super) fn captures(&self, node: ArenaNode, mut visit: impl FnMut(Value)) {
        let Some(mut position) = self.position(node) else {
            return;
        };
        for played in legal_moves(&position) {
            if position.taken_by(played).is_some() {
                let undo = position.make(played);
                visit(self.after_capture(&position));
                position.unmake(played, undo);
            }
        }
    }

    /// What a position after a capture is worth to the side to move.
    ///
    /// # Panics
    /// When its class was not handed over.
    pub(super) fn after_capture(&self, position: &Position) -> Value {
        let (material, armed) = Material::of(position).expect("a side has an attacker left");
        let smaller = (self.smaller.iter().find(|s| s.solved.material == material))
            .expect("the classes that captures lead to are solved");
        let armed_to_move = position.side_to_move() == armed;
        let index = smaller.indexer.of_position(position, armed);
        let value = smaller.solved.values(armed_to_move)[index];
        match material.is_two_sided() {
            true => Value(value),
            false => {
                let draws_hold = smaller.solved.draws.is_under(self.rules);
                Value::of_one_sided(value, armed_to_move, draws_hold)
            }
        }
    }

    /// Visits the nodes before the quiet moves that lead to a node, legal or not, as often as there are
    /// such moves.
    pub(super) fn before(&self, node: ArenaNode, mut visit: impl FnMut(ArenaNode)) {
        let Some(board) = self.board(node.index) else {
            return;
        };
        let mover = !node.side;
        let mut visit = |index| visit(ArenaNode { index, side: mover });
        let cell = board.cell;
        board.attacker_unmoves(mover, |before| visit(self.indexer.listed(before)));
        match mover {
            Color::Red => board.own_steps(|before| visit(self.indexer.listed(before))),
            Color::Black => board.bare_unmoves(|defenders| {
                let before = Cell { defenders, ..cell };
                self.before_black(cell, before, &mut visit);
            }),
        }
    }

    /// Visits the position before a quiet move of black's king, advisor or bishop from `before` to `here`
    /// and its mirror image, if that is listed as well and leads to the same number.
    fn before_black(&self, here: Cell, before: Cell, visit: &mut impl FnMut(usize)) {
        let table = self.indexer.defenders;
        let from_symmetric = table.is_symmetric(before.defenders);
        if !table.is_symmetric(here.defenders) {
            visit(self.indexer.index(before));
            if from_symmetric {
                visit(self.indexer.listed(self.indexer.mirrored(before)));
            }
        } else if from_symmetric || before.defenders < table.canonical {
            // The mirror image of this cell is listed as well, and has the mirror images of the moves.
            visit(self.indexer.listed(before));
        }
    }
}
