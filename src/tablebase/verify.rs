//! Verification of a one-sided class: each value against those of its moves.

use std::sync::Arc;

use super::index::Indexer;
use super::material::Material;
use super::solved::SolvedClass;
use super::solver_state::map_threads;
use super::value::{DRAW, ILLEGAL, Metric};
use crate::board::{Color, Position};
use crate::movegen::legal_moves;

/// A position whose value is not that of its best move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{position} has value {found} where its moves give {expected}")]
pub struct Inconsistent {
    /// The position.
    pub position: Box<Position>,
    /// Byte in the table.
    pub found: u8,
    /// Byte that the moves give.
    pub expected: u8,
}

/// Checks each value of a class against the values of the legal moves from the engine's move generator.
/// `smaller` and `progress` are as for [`solve`](super::solve). Returns the number of legal positions checked, both
/// sides to move.
///
/// # Errors
/// The first wrong position.
///
/// # Panics
/// A class of `smaller` is missing, or the strong side is stalemated.
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
    // All threads finish before the first error is returned.
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
    // Level of the position if each move were the only one; `None` if it does not decide.
    let (mut best, mut worst, mut draws) = (ILLEGAL, 1, false);
    let moves = legal_moves(&position);
    for m in &moves {
        let undo = position.make(*m);
        let level = match (position.captured(), Material::of(&position)) {
            (None, _) => {
                let own = indexer.of_position(&position, Color::Red);
                let value = class.values(side == Color::Black)[own];
                Metric::after_quiet_move(side == Color::Red, value)
            }
            (Some(_), None) => None,
            (Some(_), Some((material, strong))) => {
                let (indexer, solved) = (smaller.iter().find(|(_, s)| s.material == material))
                    .expect("the classes that captures lead to are loaded");
                let own = indexer.of_position(&position, strong);
                let value = solved.values(side == Color::Black)[own];
                (class.metric).after_capture(side == Color::Red, value)
            }
        };
        position.unmake(*m, undo);
        match level {
            None => draws = true,
            Some(n) => (best, worst) = (best.min(n), worst.max(n)),
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
        Color::Black => worst,
    };
    let found = class.values(side == Color::Red)[index];
    if found == expected {
        Ok(())
    } else {
        Err(Box::new(Inconsistent {
            position: Box::new(position),
            found,
            expected,
        }))
    }
}
