//! Retrograde analysis of one class (Thompson, "Retrograde Analysis of Certain Endgames", 1986).
//!
//! First every position is looked at once: is it legal, what are its captures worth in the classes
//! that they lead to, how many quiet moves has the unarmed side. Then, level by level, the moves that
//! lead to a lost position are taken back: the armed side wins there. And those that lead to a won
//! one: the unarmed side loses where no other move is left. What has no value in the end is a draw.
//!
//! A win at level n is one in 2n - 1 plies, a loss one in 2n - 2. Values are set in the order of the
//! levels, so that each is written once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use super::board::CellBoard;
use super::index::{Cell, Indexer};
use super::levels::{BLOCK, Levels};
use super::material::Material;
use super::metric::Metric;
use super::move_counts::MoveCounts;
use super::parallel::for_each_part;
use super::solved::{DrawsHold, SolvedClass};
use super::two_sided;
use super::value::{DRAW, ILLEGAL, LARGEST_LEVEL};

/// Added to the level at which a capture decides, until that level is reached.
const PENDING: u8 = 128;
/// The unarmed side has a capture that draws.
const SAFE: u8 = 254;

/// A class that has wins of 239 plies or more, which are not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} has wins of {plies} plies or more", plies = 2 * LARGEST_LEVEL as u16 - 1)]
pub struct TooLong(pub Material);

/// Bytes of memory for the program itself and for what stays behind of classes solved before: 34 MB were
/// seen.
const PROGRAM: u64 = 64 << 20;

/// Bytes of memory that the program takes to solve a class, those of the classes that its captures lead to
/// with it: of a class of one armed side those values of them that it needs.
pub fn solver_memory(material: Material) -> u64 {
    let positions = |material: Material| Indexer::new(material).len() as u64;
    let smaller: u64 = material.after_captures().into_iter().map(positions).sum();
    let own = positions(material);
    let levels = 2 * Levels::bytes(own as usize) as u64;
    let classes = match material.is_two_sided() {
        true => two_sided::BYTES * own + 2 * smaller,
        // The values of both sides, and the moves of one in half a byte.
        false => 2 * own + own.div_ceil(2) + smaller,
    };
    PROGRAM + levels + classes
}

/// Positions of a class, both sides to move counted as one.
pub fn class_size(material: Material) -> u64 {
    Indexer::new(material).len() as u64
}

/// The values of a class under way.
struct Solver<'a> {
    indexer: Indexer,
    /// The classes after the capture of a bishop and of an advisor.
    fewer_defenders: [Option<Smaller<'a>>; 2],
    /// The classes after the capture of each attacker.
    fewer_attackers: Vec<Option<Smaller<'a>>>,
    armed: Vec<AtomicU8>,
    bare: Vec<AtomicU8>,
    /// The quiet moves of the unarmed side that do not lose yet.
    moves: MoveCounts,
    armed_levels: Levels,
    bare_levels: Levels,
    threads: usize,
    progress: &'a (dyn Fn(u64) + Sync),
    metric: Metric,
}

/// A class that a capture leads to.
struct Smaller<'a> {
    indexer: Indexer,
    solved: &'a SolvedClass,
}

/// Solves a class of one armed side with `threads` threads. `smaller` holds the classes of
/// [`Material::after_captures`], for conversions those of them that have such a table by this metric;
/// with the armed side to move where an attacker is taken and with the other side where a defender is.
/// `progress` is called with the number of positions looked at since the last call, in all as many as
/// [`class_size`] says.
///
/// # Errors
/// The class has wins of 239 plies or more.
///
/// # Panics
/// When a class of `smaller` is missing.
pub fn solve(
    material: Material,
    metric: Metric,
    smaller: &[Arc<SolvedClass>],
    threads: usize,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<SolvedClass, TooLong> {
    let find = |class: Option<Material>| {
        class.map(|class| Smaller {
            indexer: Indexer::new(class),
            solved: (smaller.iter().find(|s| s.material == class))
                .expect("the classes that captures lead to are solved"),
        })
    };
    let indexer = Indexer::new(material);
    let len = indexer.len();
    let bytes = || bytemuck::zeroed_vec::<AtomicU8>(len);
    let solver = Solver {
        fewer_defenders: [false, true]
            .map(|is_advisor| find(material.without_defender(is_advisor))),
        fewer_attackers: (0..indexer.attackers.count)
            .map(|i| find(material.without_attacker(i)))
            .collect(),
        armed: bytes(),
        bare: bytes(),
        moves: MoveCounts::new(len),
        armed_levels: Levels::new(len),
        bare_levels: Levels::new(len),
        threads: threads.max(1),
        progress,
        metric,
        indexer,
    };
    solver.start();
    if solver.propagate() {
        Ok(solver.finish())
    } else {
        Err(TooLong(material))
    }
}

impl Solver<'_> {
    /// Looks at every position once.
    fn start(&self) {
        let slice = self.indexer.slice();
        for_each_part(
            self.threads,
            self.indexer.defenders.canonical,
            |defenders| {
                let first = defenders * slice;
                let attackers = &self.indexer.attackers.squares;
                for own in 0..self.indexer.own.placements.len() {
                    for (number, &squares) in attackers.iter().enumerate() {
                        let cell = Cell {
                            defenders,
                            own,
                            squares,
                        };
                        self.start_cell(first + own * attackers.len() + number, cell);
                    }
                }
                (self.progress)(slice as u64 / 2);
            },
        );
    }

    fn start_cell(&self, index: usize, cell: Cell) {
        let set = |values: &[AtomicU8], value: u8| values[index].store(value, Ordering::Relaxed);
        let Some(board) = CellBoard::new(&self.indexer, cell) else {
            set(&self.armed, ILLEGAL);
            set(&self.bare, ILLEGAL);
            return;
        };
        if board.gives_check() {
            set(&self.armed, ILLEGAL);
        } else if let Some(level) = self.best_capture(&board) {
            set(&self.armed, PENDING + level);
            self.armed_levels.add(index, level);
        }
        let (mut quiet, mut worst) = (0, 1);
        board.bare_moves(|m| match m.taken {
            None => quiet += 1,
            Some(taken) => {
                let after = board.after(m);
                let value = self.fewer_attackers[taken]
                    .as_ref()
                    .map_or(DRAW, |smaller| {
                        smaller.solved.armed[smaller.indexer.index(after)]
                    });
                let lost = self.metric.after_bare_capture(value);
                worst = lost.map_or(SAFE, |level| worst.max(level));
            }
        });
        self.moves.set(index, quiet);
        if worst == SAFE {
            set(&self.bare, SAFE);
        } else if worst > 1 || quiet == 0 {
            set(&self.bare, PENDING + worst);
            if quiet == 0 {
                self.bare_levels.add(index, worst);
            }
        }
    }

    /// The level of the win that the best capture of the armed side gives.
    fn best_capture(&self, board: &CellBoard<'_>) -> Option<u8> {
        let mut best = ILLEGAL;
        board.captures(|capture| {
            let smaller = &self.fewer_defenders[usize::from(capture.removal.is_advisor)];
            if let Some(smaller) = smaller {
                let after = Cell {
                    defenders: capture.removal.placement.into(),
                    squares: capture.squares,
                    ..board.cell
                };
                let value = smaller.solved.bare[smaller.indexer.index(after)];
                if let Some(level) = self.metric.after_armed_capture(value) {
                    best = best.min(level);
                }
            }
        });
        (best <= LARGEST_LEVEL).then_some(best)
    }

    /// Goes from level to level. `false` when a value is due at [`LARGEST_LEVEL`].
    fn propagate(&self) -> bool {
        let blocks = self.armed_levels.blocks();
        let mut level = 1;
        while level <= self.bare_levels.largest().max(self.armed_levels.largest()) {
            if level >= LARGEST_LEVEL {
                return false;
            }
            for_each_part(self.threads, blocks, |block| {
                self.visit(&self.bare, &self.bare_levels, block, level, |index| {
                    self.before_loss(index, level);
                });
            });
            for_each_part(self.threads, blocks, |block| {
                self.visit(&self.armed, &self.armed_levels, block, level, |index| {
                    self.before_win(index, level);
                });
            });
            level += 1;
        }
        let started = self.indexer.defenders.canonical as u64 * (self.indexer.slice() as u64 / 2);
        (self.progress)(self.indexer.len() as u64 - started);
        true
    }

    /// Visits the positions of a block that have their value at this level.
    fn visit(
        &self,
        values: &[AtomicU8],
        levels: &Levels,
        block: usize,
        level: u8,
        visit: impl Fn(usize),
    ) {
        if !levels.has(block, level) {
            return;
        }
        let first = block * BLOCK;
        for (index, value) in (first..).zip(values[first..].iter().take(BLOCK)) {
            let now = value.load(Ordering::Relaxed);
            if now == PENDING + level && self.is_due(values, index) {
                value.store(level, Ordering::Relaxed);
                visit(index);
            } else if now == level {
                visit(index);
            }
        }
    }

    /// Whether a pending value holds: the unarmed side's only once it has no quiet move left.
    fn is_due(&self, values: &[AtomicU8], index: usize) -> bool {
        std::ptr::eq(values, &*self.armed) || self.moves.get(index) == 0
    }

    /// The unarmed side loses here, so the armed side wins one ply earlier.
    fn before_loss(&self, index: usize, level: u8) {
        let Some(board) = CellBoard::new(&self.indexer, self.indexer.cell(index)) else {
            return;
        };
        board.armed_unmoves(|before| {
            let before = self.indexer.listed(before);
            let value = &self.armed[before];
            let now = value.load(Ordering::Relaxed);
            let is_later =
                now == DRAW || (PENDING + level..=PENDING + LARGEST_LEVEL).contains(&now);
            if is_later {
                value.store(level, Ordering::Relaxed);
                self.armed_levels.add(before, level);
            }
        });
    }

    /// The armed side wins here, so the move of the unarmed side that led here loses.
    fn before_win(&self, index: usize, level: u8) {
        let cell = self.indexer.cell(index);
        let Some(board) = CellBoard::new(&self.indexer, cell) else {
            return;
        };
        board.bare_unmoves(|defenders| {
            self.count_move_to(cell, Cell { defenders, ..cell }, level);
        });
    }

    /// The unarmed side loses by the quiet move from `before` to `here`, and by its mirror image.
    fn count_move_to(&self, here: Cell, before: Cell, level: u8) {
        let table = self.indexer.defenders;
        let from_symmetric = table.is_symmetric(before.defenders);
        if !table.is_symmetric(here.defenders) {
            self.count_move(self.indexer.index(before), level);
            if from_symmetric {
                // Both mirror images of the position before are listed, and both lead here.
                let mirrored = self.indexer.mirrored(before);
                self.count_move(self.indexer.listed(mirrored), level);
            }
        } else if from_symmetric || before.defenders < table.canonical {
            // The mirror image of this cell is listed as well, and has the mirror images of the moves.
            self.count_move(self.indexer.listed(before), level);
        }
    }

    /// One more quiet move of the unarmed side loses.
    fn count_move(&self, index: usize, level: u8) {
        let value = &self.bare[index];
        let now = value.load(Ordering::Relaxed);
        if now != DRAW && !(PENDING..=PENDING + LARGEST_LEVEL).contains(&now) {
            return;
        }
        if self.moves.take_last(index) {
            let captures = now.saturating_sub(PENDING);
            let lost = captures.max(level + 1);
            if lost > captures {
                value.store(lost, Ordering::Relaxed);
            }
            self.bare_levels.add(index, lost);
        }
    }

    fn finish(self) -> SolvedClass {
        let values = |values: Vec<AtomicU8>| {
            let value = |value: AtomicU8| match value.into_inner() {
                n @ (1..=LARGEST_LEVEL | ILLEGAL) => n,
                _ => DRAW,
            };
            values.into_iter().map(value).collect()
        };
        SolvedClass {
            material: self.indexer.material,
            metric: self.metric,
            armed: values(self.armed),
            bare: values(self.bare),
            draws: DrawsHold::Unproven,
        }
    }
}
