//! Proofs that a table is right: every value against those of the moves, and that draws hold under the
//! rules on repetitions.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::board::CellBoard;
use super::index::{Cell, Indexer};
use super::material::Material;
use super::parallel::{for_each_part, map_threads};
use super::solved::SolvedClass;
use super::value::{DRAW, ILLEGAL};
use crate::board::{Color, Position};
use crate::movegen::legal_moves;

/// A position whose value is not that of its best move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{position} has value {found} where its moves give {expected}")]
pub struct Inconsistent {
    /// A position whose entry is wrong.
    pub position: Box<Position>,
    /// The value of the table, as the file has it.
    pub found: u8,
    /// What its moves give.
    pub expected: u8,
}

/// Checks every value of a class against the values of the moves that the engine itself generates.
/// `smaller` holds the classes of [`Material::after_captures`]; `progress` is called as by
/// [`solve`](super::solve). Returns how many legal positions, of both sides to move, were checked.
///
/// # Errors
/// The first position that is wrong.
///
/// # Panics
/// When a class of `smaller` is missing, or the armed side is stalemated.
pub fn verify(
    class: &SolvedClass,
    smaller: &[Arc<SolvedClass>],
    threads: usize,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<u64, Box<Inconsistent>> {
    let indexer = Indexer::new(class.material);
    let smaller: Vec<(Indexer, &SolvedClass)> = (smaller.iter())
        .map(|solved| (Indexer::new(solved.material), &**solved))
        .collect();
    let run = |first: usize, step: usize| -> Result<u64, Box<Inconsistent>> {
        let mut checked = 0;
        for slice in (first..indexer.defenders.canonical).step_by(step) {
            let indices = slice * indexer.slice()..(slice + 1) * indexer.slice();
            for index in indices {
                for side in Color::ALL {
                    if let Some(position) = indexer.position(index, side) {
                        checked += 1;
                        check(class, index, &indexer, &smaller, position)?;
                    }
                }
            }
            progress(indexer.slice() as u64);
        }
        Ok(checked)
    };
    let threads = threads.max(1);
    // Every thread is waited for before the first error is reported.
    let checked = map_threads(threads, |first| run(first, threads));
    checked.into_iter().sum()
}

fn check(
    class: &SolvedClass,
    index: usize,
    indexer: &Indexer,
    smaller: &[(Indexer, &SolvedClass)],
    mut position: Position,
) -> Result<(), Box<Inconsistent>> {
    let side = position.side_to_move();
    // Losses of the unarmed side count one level more than the win that they lead to.
    let (mut best, mut worst, mut draws) = (ILLEGAL, 0, false);
    let moves = legal_moves(&position);
    for m in &moves {
        let undo = position.make(*m);
        let value = match (position.captured(), Material::of(&position)) {
            (None, _) => {
                class.values(side == Color::Black)[indexer.of_position(&position, Color::Red)]
            }
            (Some(_), None) => DRAW,
            (Some(_), Some((material, armed))) => {
                let (indexer, solved) = (smaller.iter().find(|(_, s)| s.material == material))
                    .expect("the classes that captures lead to are loaded");
                solved.values(side == Color::Black)[indexer.of_position(&position, armed)]
            }
        };
        position.unmake(*m, undo);
        match value {
            DRAW => draws = true,
            n => (best, worst) = (best.min(n), worst.max(n)),
        }
    }
    assert!(
        side == Color::Black || !moves.is_empty(),
        "{position}: stalemate"
    );
    let expected = match side {
        Color::Red if best == ILLEGAL => DRAW,
        Color::Red => best,
        Color::Black if draws => DRAW,
        Color::Black => worst + 1,
    };
    let found = class.values(side == Color::Red)[index];
    match found == expected {
        true => Ok(()),
        false => Err(Box::new(Inconsistent {
            position: Box::new(position),
            found,
            expected,
        })),
    }
}

/// How many drawn positions of a class the unarmed side might not be able to hold under rules that
/// forbid perpetual chases; 0 proves that the draws hold under every rule set. `smaller` holds the classes
/// of [`Material::after_captures`] with fewer attackers.
///
/// The unarmed side cannot check, and its king may chase, so only its advisors and bishops can break
/// such a rule. It does not if it can hold the draw with infinitely many moves after which none of
/// them could legally take an attacker. The largest set of draws is looked for in which it can force
/// one more such move without leaving the set, whatever the armed side plays; captures leave it, for a
/// class where the same is to be asked.
pub fn unsafe_draws(class: &SolvedClass, smaller: &[Arc<SolvedClass>], threads: usize) -> u64 {
    let find = |material: Material| {
        let solved = smaller.iter().find(|s| s.material == material)?;
        Some((Indexer::new(material), &**solved))
    };
    let indexer = Indexer::new(class.material);
    let flags = |values: &[u8]| -> Vec<AtomicBool> {
        values.iter().map(|v| AtomicBool::new(*v == DRAW)).collect()
    };
    let mut search = SafetySearch {
        class,
        fewer_attackers: (0..indexer.attackers.count)
            .map(|i| find(class.material.without_attacker(i)?))
            .collect(),
        armed: flags(&class.armed),
        bare: flags(&class.bare),
        reached: [Vec::new(), Vec::new()],
        indexer,
        threads: threads.max(1),
    };
    while search.shrink() {}
    search.left_out()
}

/// A set of draws under way to the largest one that can be held.
struct SafetySearch<'a> {
    class: &'a SolvedClass,
    /// The classes after the capture of each attacker; `None` where none is left.
    fewer_attackers: Vec<Option<(Indexer, &'a SolvedClass)>>,
    indexer: Indexer,
    /// Whether a position is in the set.
    armed: Vec<AtomicBool>,
    bare: Vec<AtomicBool>,
    /// From where one more harmless move can be forced: the armed side to move, then the other.
    reached: [Vec<AtomicBool>; 2],
    threads: usize,
}

impl SafetySearch<'_> {
    /// Leaves those positions out of the set from which no harmless move can be forced; whether there
    /// were any.
    fn shrink(&mut self) -> bool {
        let none = |set: &[AtomicBool]| -> Vec<AtomicBool> {
            set.iter().map(|_| AtomicBool::new(false)).collect()
        };
        self.reached = [none(&self.armed), none(&self.bare)];
        // The unarmed side first: most of its moves are harmless, and then the others let it hold.
        while self.sweep(false) | self.sweep(true) {}
        let [armed, bare] = std::mem::take(&mut self.reached);
        let lost = |set: &[AtomicBool], reached: &[AtomicBool]| {
            let is = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
            set.iter()
                .zip(reached)
                .any(|(set, reached)| is(set) && !is(reached))
        };
        let shrinks = lost(&self.armed, &armed) || lost(&self.bare, &bare);
        (self.armed, self.bare) = (armed, bare);
        shrinks
    }

    /// Drawn legal positions that are not in the set.
    fn left_out(&self) -> u64 {
        let mut count = 0;
        for index in 0..self.indexer.len() {
            let Some(board) = CellBoard::new(&self.indexer, self.indexer.cell(index)) else {
                continue;
            };
            let is_out = |values: &[u8], set: &[AtomicBool]| {
                values[index] == DRAW && !set[index].load(Ordering::Relaxed)
            };
            let armed = !board.gives_check() && is_out(&self.class.armed, &self.armed);
            let sides = u64::from(armed) + u64::from(is_out(&self.class.bare, &self.bare));
            count += sides * self.indexer.weight(index);
        }
        count
    }

    /// Goes over all positions of one side to move; whether any was newly reached.
    fn sweep(&self, armed_to_move: bool) -> bool {
        let changed = AtomicBool::new(false);
        let slice = self.indexer.slice();
        for_each_part(self.threads, self.indexer.defenders.canonical, |part| {
            for index in part * slice..(part + 1) * slice {
                if self.visit(index, armed_to_move) {
                    changed.store(true, Ordering::Relaxed);
                }
            }
        });
        changed.into_inner()
    }

    fn visit(&self, index: usize, armed_to_move: bool) -> bool {
        let (set, reached) = match armed_to_move {
            true => (&self.armed, &self.reached[0]),
            false => (&self.bare, &self.reached[1]),
        };
        let is = |set: &[AtomicBool]| set[index].load(Ordering::Relaxed);
        if !is(set) || is(reached) {
            return false;
        }
        // What is not legal is of no interest, so settled.
        let holds = CellBoard::new(&self.indexer, self.indexer.cell(index)).is_none_or(|board| {
            match armed_to_move {
                true => board.gives_check() || self.must_let_hold(&board),
                false => self.can_hold(&board),
            }
        });
        if holds {
            reached[index].store(true, Ordering::Relaxed);
        }
        holds
    }

    /// Whether the unarmed side, to move, can force a harmless move within the set, or takes an attacker
    /// and draws.
    fn can_hold(&self, board: &CellBoard<'_>) -> bool {
        let mut holds = false;
        board.bare_moves(|m| {
            if holds {
                return;
            }
            let after = board.after(m);
            if let Some(taken) = m.taken {
                // Whether that draw holds is asked of its own class.
                holds |= self.fewer_attackers[taken]
                    .as_ref()
                    .is_none_or(|(indexer, solved)| solved.armed[indexer.index(after)] == DRAW);
                return;
            }
            let index = self.indexer.index(after);
            if self.armed[index].load(Ordering::Relaxed) {
                let reached = self.reached[0][index].load(Ordering::Relaxed);
                holds |= reached || self.is_harmless(after);
            }
        });
        holds
    }

    /// Whether every quiet move of the armed side leads to where the other side can hold.
    fn must_let_hold(&self, board: &CellBoard<'_>) -> bool {
        let mut holds = true;
        board.armed_moves(|after| {
            if holds && CellBoard::new(&self.indexer, after).is_some() {
                let index = self.indexer.index(after);
                holds &= self.reached[1][index].load(Ordering::Relaxed);
            }
        });
        holds
    }

    /// Whether none of the unarmed side's advisors and bishops could legally take an attacker now.
    fn is_harmless(&self, cell: Cell) -> bool {
        let Some(board) = CellBoard::new(&self.indexer, cell) else {
            return false;
        };
        let mut harmless = true;
        board.bare_moves(|m| {
            if m.taken.is_some() {
                let after = &self.indexer.defenders.placements[m.defenders];
                harmless &= after.king != board.defenders.king;
            }
        });
        harmless
    }
}
