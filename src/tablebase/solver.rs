//! Retrograde analysis of a one-sided class (Thompson, "Retrograde Analysis of Certain Endgames", 1986).
//!
//! First, each position is examined once: legality, the values of its captures in smaller classes, and the number of
//! quiet moves of the weak side. Then moves are taken back level by level: if a move leads to a position that the weak
//! side loses, the strong side wins the position before it; if all moves of the weak side lead to positions that the
//! strong side wins, the weak side loses the position before them. Positions without a value at the end are draws.
//!
//! A win at level n takes 2n - 1 plies, a loss 2n - 2. The levels are processed in order, so a value is final as soon
//! as its level is processed.

use std::sync::Arc;

use super::cell_board::CellBoard;
use super::index::{Indexer, Node};
use super::material::Material;
use super::solved::{DrawsHold, SmallerClass, SolvedClass};
use super::solver_state::{BlockValues, MoveCounts, NodeBytes, for_each_index, for_each_part};
use super::two_sided;
use super::value::{DRAW, ILLEGAL, LEVEL_LIMIT, Metric};
use crate::board::Color;

/// Added to the level that follows from the captures of a position, until that level is processed.
const PENDING: u8 = 128;
/// The weak side has a capture that draws.
const SAFE: u8 = 254;

/// A class that has wins of 239 plies or more, which are not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} has wins of {plies} plies or more", plies = 2 * LEVEL_LIMIT as u16 - 1)]
pub struct TooLong(pub Material);

/// Memory in bytes of the program itself and of freed blocks that the allocator keeps; 34 MB were measured.
const PROGRAM_BYTES: u64 = 64 << 20;

/// Peak memory needed to solve a class, in bytes, including the smaller classes that its captures
/// lead to.
pub fn solver_memory(material: Material) -> u64 {
    let smaller: u64 = material.after_captures().into_iter().map(class_size).sum();
    let own = class_size(material);
    let block_values = BlockValues::bytes(own as usize) as u64;
    let classes = if material.is_two_sided() {
        two_sided::BYTES_PER_INDEX * own + 2 * smaller
    } else {
        // Values of both sides, half a byte of move counter, and one side of each smaller class.
        2 * own + own.div_ceil(2) + smaller
    };
    PROGRAM_BYTES + block_values + classes
}

/// Number of indices of a class; both sides to move count as one.
pub fn class_size(material: Material) -> u64 {
    let indexer = Indexer::new(material);
    indexer.slices() as u64 * indexer.slice_len() as u64
}

struct Solver<'a> {
    indexer: Indexer,
    /// Classes after the capture of a bishop and of an advisor.
    fewer_defenders: [Option<SmallerClass<'a>>; 2],
    /// Classes after the capture of each attacker.
    fewer_attackers: Vec<Option<SmallerClass<'a>>>,
    values: NodeBytes,
    /// Number of quiet moves of the weak side that are not known to lose.
    moves: MoveCounts,
    block_values: BlockValues,
    threads: usize,
    progress: &'a (dyn Fn(u64) + Sync),
    metric: Metric,
}

/// Solves a one-sided class with `threads` threads. `smaller` holds the classes of [`Material::after_captures`]. For
/// the metric DTC, these are solved by DTC if they need a DTC table, otherwise by DTM. After the capture of an attacker
/// only the values with the strong side to move are needed; after the capture of a defender, only those with the weak
/// side to move. `progress` is called with the number of indices done since the last call; these numbers add up to
/// [`class_size`].
///
/// # Errors
/// The class has wins of 239 plies or more.
///
/// # Panics
/// A class of `smaller` is missing.
pub fn solve(
    material: Material,
    metric: Metric,
    smaller: &[Arc<SolvedClass>],
    threads: usize,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<SolvedClass, TooLong> {
    let find = |class: Option<Material>| class.map(|class| SmallerClass::find(smaller, class));
    let indexer = Indexer::new(material);
    let len = indexer.len();
    let solver = Solver {
        fewer_defenders: [false, true]
            .map(|is_advisor| find(material.without_defender(Color::Black, is_advisor))),
        fewer_attackers: (0..indexer.attackers.count)
            .map(|i| find(material.without_attacker(i)))
            .collect(),
        values: NodeBytes::new(len),
        moves: MoveCounts::new(len),
        block_values: BlockValues::new(len),
        threads,
        progress,
        metric,
        indexer,
    };
    solver.start();
    if solver.propagate() { Ok(solver.finish()) } else { Err(TooLong(material)) }
}

impl Solver<'_> {
    fn start(&self) {
        let start = |index| self.start_at(index);
        let done = |indices| (self.progress)(indices / 2);
        for_each_index(&self.indexer, self.threads, start, done);
    }

    fn start_at(&self, index: usize) {
        let set = |side, value| self.values.set(Node::new(index, side), value);
        let Some(board) = self.indexer.board(index) else {
            Color::ALL.into_iter().for_each(|side| set(side, ILLEGAL));
            return;
        };
        if !board.may_be_to_move(Color::Red) {
            set(Color::Red, ILLEGAL);
        } else if let Some(level) = self.best_capture(&board) {
            set(Color::Red, PENDING + level);
            self.block_values.add(Node::new(index, Color::Red), level);
        }
        let (mut quiet, mut worst) = (0, 1);
        board.weak_moves(|m| match m.taken {
            None => quiet += 1,
            Some(taken) => {
                let smaller = self.fewer_attackers[taken].as_ref();
                let value = smaller.map_or(DRAW, |s| s.value(board.after(m), Color::Red));
                let lost = self.metric.after_capture(Color::Black, value);
                worst = lost.map_or(SAFE, |level| worst.max(level));
            }
        });
        self.moves.set(index, quiet);
        if worst == SAFE {
            set(Color::Black, SAFE);
        } else if worst > 1 || quiet == 0 {
            set(Color::Black, PENDING + worst);
            if quiet == 0 {
                self.block_values.add(Node::new(index, Color::Black), worst);
            }
        }
    }

    /// Level of the win by the strong side's best capture.
    fn best_capture(&self, board: &CellBoard<'_>) -> Option<u8> {
        let mut best = ILLEGAL;
        board.captures(|takes_advisor, after| {
            if let Some(smaller) = &self.fewer_defenders[usize::from(takes_advisor)] {
                let value = smaller.value(after, Color::Black);
                if let Some(level) = self.metric.after_capture(Color::Red, value) {
                    best = best.min(level);
                }
            }
        });
        (best <= LEVEL_LIMIT).then_some(best)
    }

    /// Processes level after level. Returns `false` if a value reaches [`LEVEL_LIMIT`].
    fn propagate(&self) -> bool {
        let blocks = self.block_values.blocks();
        let mut level = 1;
        while self.block_values.largest() >= level {
            if level >= LEVEL_LIMIT {
                return false;
            }
            for side in [Color::Black, Color::Red] {
                for_each_part(self.threads, blocks, |block| {
                    self.visit_block(side, block, level);
                });
            }
            level += 1;
        }
        // `start` has reported half of each slice, rounded down; this is the rest.
        let started = self.indexer.slices() as u64 * (self.indexer.slice_len() as u64 / 2);
        (self.progress)(self.indexer.len() as u64 - started);
        true
    }

    /// Visits the positions of a block whose value is set at this level.
    fn visit_block(&self, side: Color, block: usize, level: u8) {
        if !self.block_values.has(side, block, level) {
            return;
        }
        for (node, now) in self.values.block(side, block) {
            // A value of the weak side is final when all its quiet moves lose.
            if now == PENDING + level && (side == Color::Red || self.moves.get(node.index()) == 0) {
                self.values.set(node, level);
            } else if now != level {
                continue;
            }
            match side {
                Color::Red => self.indexer.before(node, |before| self.count_loss(before, level)),
                Color::Black => self.indexer.before(node, |before| self.win(before, level)),
            }
        }
    }

    /// Records that a move of the strong side wins at this level.
    fn win(&self, node: Node, level: u8) {
        let now = self.values.get(node);
        let is_later = now == DRAW || (PENDING + level..=PENDING + LEVEL_LIMIT).contains(&now);
        if is_later {
            self.values.set(node, level);
            self.block_values.add(node, level);
        }
    }

    /// Records that one more quiet move of the weak side leads to a win of the strong side at this level.
    fn count_loss(&self, node: Node, level: u8) {
        let now = self.values.get(node);
        if now != DRAW && !(PENDING..=PENDING + LEVEL_LIMIT).contains(&now) {
            return;
        }
        if self.moves.decrement(node.index()) {
            let captures = now.saturating_sub(PENDING);
            let lost = captures.max(level + 1);
            // If the captures delay the loss longer, the pending value stays and becomes final at its level.
            if lost > captures {
                self.values.set(node, lost);
            }
            self.block_values.add(node, lost);
        }
    }

    fn finish(self) -> SolvedClass {
        let value = |value| match value {
            1..LEVEL_LIMIT | ILLEGAL => value,
            _ => DRAW,
        };
        SolvedClass {
            material: self.indexer.material,
            metric: self.metric,
            values: self.values.into_bytes(value),
            draws: DrawsHold::Unproven,
        }
    }
}
