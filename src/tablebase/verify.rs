//! Verification of a solved class. For a one-sided class, compares each value with those after its moves, and proves
//! that its draws hold under rules that forbid perpetual chases.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::cell_board::CellBoard;
use super::index::{Cell, Indexer, Node};
use super::material::Material;
use super::solved::{DrawsHold, SmallerClass, SolvedClass, WrongValue};
use super::solver_state::{NodeBytes, for_each_index, map_parts};
use super::two_sided::verify_two_sided;
use super::value::{DRAW, ILLEGAL, LEVEL_LIMIT, Metric};
use crate::board::{Color, Position};
use crate::movegen::legal_moves;

/// Checks each value of a class against the values of the legal moves from the engine's move generator. In a two-sided
/// class, also checks that a side with a draw or better can avoid perpetual offenses, and a side that loses by rule
/// cannot. `smaller` and `progress` are as for [`solve`](super::solve) or [`solve_two_sided`](super::solve_two_sided).
/// Returns the number of legal positions checked, both sides to move.
///
/// # Errors
/// A value is wrong or, in a two-sided class, not proven.
///
/// # Panics
/// A class of `smaller` is missing, or the strong side is stalemated.
pub fn verify(
    class: &SolvedClass,
    smaller: &[Arc<SolvedClass>],
    threads: usize,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<u64, WrongValue> {
    if let DrawsHold::Under(rules) = class.draws {
        return verify_two_sided(class, rules, smaller, threads, progress);
    }
    let indexer = Indexer::new(class.material);
    let smaller = SmallerClass::all(smaller);
    let check_slice = |slice: usize| -> Result<u64, WrongValue> {
        let mut checked = 0;
        for index in indexer.slice(slice) {
            for side in Color::ALL {
                if let Some(position) = indexer.position(Node::new(index, side)) {
                    checked += 1;
                    check(class, index, &indexer, &smaller, position)?;
                }
            }
        }
        progress(indexer.slice_len() as u64);
        Ok(checked)
    };
    // All slices are checked before an error is returned.
    let checked = map_parts(threads, indexer.slices(), check_slice);
    checked.into_iter().sum()
}

fn check(
    class: &SolvedClass,
    index: usize,
    indexer: &Indexer,
    smaller: &[SmallerClass<'_>],
    mut position: Position,
) -> Result<(), WrongValue> {
    let side = position.side_to_move();
    let (mut best, mut worst, mut draws) = (ILLEGAL, 1, false);
    let moves = legal_moves(&position);
    for m in &moves {
        let undo = position.make(*m);
        // Level of the position if this were its only move; `None` if the move neither wins nor loses.
        let level = if position.captured().is_none() {
            let value = class.value(indexer.of_position(&position, Color::Red));
            // By both metrics, a quiet move changes the level as a capture does by DTM.
            Metric::Dtm.after_capture(side, value)
        } else {
            let after = SmallerClass::of_position(smaller, &position);
            after.and_then(|(smaller, node)| {
                class.metric.after_capture(side, smaller.solved.value(node))
            })
        };
        position.unmake(*m, undo);
        match level {
            None => draws = true,
            Some(n) => (best, worst) = (best.min(n), worst.max(n)),
        }
    }
    assert!(side == Color::Black || !moves.is_empty(), "{position}: stalemate");
    let expected = match side {
        Color::Red if best == ILLEGAL => DRAW,
        Color::Red => best,
        Color::Black if draws => DRAW,
        Color::Black => worst,
    };
    let found = class.values[side][index];
    if found == expected {
        Ok(())
    } else {
        Err(WrongValue {
            position: Box::new(position),
            found,
            why: format!("its moves give {expected}"),
        })
    }
}

/// A draw that was removed from the set of draws that hold, see [`prove_draws`]. A draw in the set with rank n is
/// encoded as [`LEVEL_LIMIT`] + n, which is smaller.
const REMOVED: u8 = 254;
/// Larger than every rank.
const NO_RANK: u8 = REMOVED - LEVEL_LIMIT;

/// Proves that the draws of a one-sided class hold under every rule set. Returns the class, marked as proven if all its
/// draws are, and the number of drawn positions that the weak side might not hold under rules that forbid perpetual
/// chases. `smaller` holds the classes of [`Material::after_captures`]; of those with fewer attackers, only the values
/// with the strong side to move are needed. The draws only hold if those of `smaller` are proven too, because captures
/// lead there.
///
/// The weak side cannot check, and its king may chase, so only its advisors and bishops can break the rule. A
/// draw is safe if the weak side can hold it with infinitely many harmless moves: moves after which no advisor
/// or bishop could legally capture an attacker. The function computes the largest set of draws in which the weak side
/// can force one more such move without leaving the set. A capture of an attacker counts as such a move if it draws.
///
/// A position from which a harmless move can be forced has a rank, larger than the ranks that it depends on. When
/// positions leave the set, only those that may depend on them are examined again. A draw that would need a rank
/// above 133 counts as not proven. Ranks are stored in the values of the class during the computation.
///
/// # Panics
/// A class of `smaller` is missing.
pub fn prove_draws(
    class: SolvedClass,
    smaller: &[Arc<SolvedClass>],
    threads: usize,
) -> (SolvedClass, u64) {
    let find = |material: Material| SmallerClass::find(smaller, material);
    let indexer = Indexer::new(class.material);
    let search = SafetySearch {
        fewer_attackers: (0..indexer.attackers.count)
            .map(|i| class.material.without_attacker(i).map(find))
            .collect(),
        states: NodeBytes::from_bytes(class.values),
        indexer,
        threads,
    };
    // Ranks the weak side first: most of its moves are harmless, and the ranks of the other side's positions depend
    // on its ranks.
    while search.sweep(Color::Black) | search.sweep(Color::Red) {}
    let mut unreached = search.unreached();
    while !unreached.is_empty() {
        unreached = search.remove(unreached);
    }
    let unproven = search.count_removed();
    let values = search.states.into_bytes(|state| match state {
        ..=LEVEL_LIMIT | ILLEGAL => state,
        _ => DRAW,
    });
    let are_proven = unproven == 0 && smaller.iter().all(|s| s.draws == DrawsHold::Always);
    let draws = if are_proven { DrawsHold::Always } else { DrawsHold::Unproven };
    let solved = SolvedClass { values, draws, ..class };
    (solved, unproven)
}

/// Whether a position is in the set, and its rank.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SafetyState {
    /// Not in the set.
    Out,
    /// In the set; it is not known whether a harmless move can be forced from it.
    Unreached,
    /// In the set; a harmless move can be forced from it.
    Ranked(u8),
}

impl SafetyState {
    #[inline]
    const fn of(byte: u8) -> Self {
        match byte {
            DRAW => Self::Unreached,
            1..=LEVEL_LIMIT | REMOVED | ILLEGAL => Self::Out,
            rank => Self::Ranked(rank - LEVEL_LIMIT),
        }
    }

    const fn byte(self) -> u8 {
        match self {
            Self::Out => REMOVED,
            Self::Unreached => DRAW,
            Self::Ranked(rank) => LEVEL_LIMIT + rank,
        }
    }
}

/// Computation of the largest set of safe draws.
struct SafetySearch<'a> {
    /// Classes after the capture of each attacker; `None` if none is left.
    fewer_attackers: Vec<Option<SmallerClass<'a>>>,
    indexer: Indexer,
    /// Values of the class, draws encoded as [`SafetyState`].
    states: NodeBytes,
    threads: usize,
}

impl SafetySearch<'_> {
    #[inline]
    fn get(&self, node: Node) -> SafetyState {
        SafetyState::of(self.states.get(node))
    }

    fn set(&self, node: Node, state: SafetyState) {
        self.states.set(node, state.byte());
    }

    /// Tries to rank all unranked positions of one side to move. Returns whether any got a rank.
    fn sweep(&self, side: Color) -> bool {
        let changed = AtomicBool::new(false);
        let visit = |index| {
            let node = Node::new(index, side);
            if self.get(node) == SafetyState::Unreached && self.reach(node) {
                changed.store(true, Ordering::Relaxed);
            }
        };
        for_each_index(&self.indexer, self.threads, visit, |_| ());
        changed.into_inner()
    }

    /// Ranks a position if possible.
    fn reach(&self, node: Node) -> bool {
        let rank = self.rank(node, NO_RANK);
        if let Some(rank) = rank {
            self.set(node, SafetyState::Ranked(rank));
        }
        rank.is_some()
    }

    /// Positions of the set without a rank.
    fn unreached(&self) -> Vec<Node> {
        let is_unreached = |byte| SafetyState::of(byte) == SafetyState::Unreached;
        let of_side = |side| self.states.find(side, is_unreached);
        Color::ALL.into_iter().flat_map(of_side).collect()
    }

    /// Removes positions from the set. Returns other positions that no longer have a rank.
    fn remove(&self, removed: Vec<Node>) -> Vec<Node> {
        removed.iter().for_each(|node| self.set(*node, SafetyState::Out));
        let mut unreached = Vec::new();
        let mut changed = removed;
        while let Some(node) = changed.pop() {
            self.indexer.before(node, |before| {
                if let SafetyState::Ranked(rank) = self.get(before)
                    && self.rank(before, rank).is_none()
                {
                    self.set(before, SafetyState::Unreached);
                    unreached.push(before);
                    changed.push(before);
                }
            });
        }
        // Some positions have another move that ranks them.
        let mut count = usize::MAX;
        while unreached.len() < count {
            count = unreached.len();
            unreached.retain(|node| !self.reach(*node));
        }
        unreached
    }

    /// Number of drawn legal positions outside the set.
    fn count_removed(&self) -> u64 {
        let mut count = 0;
        for index in 0..self.indexer.len() {
            let Some(board) = self.indexer.board(index) else {
                continue;
            };
            let is_removed = |side: &Color| {
                board.may_be_to_move(*side) && self.states.get(Node::new(index, *side)) == REMOVED
            };
            let sides = Color::ALL.into_iter().filter(is_removed).count();
            count += sides as u64 * self.indexer.weight(index);
        }
        count
    }

    /// Rank of a position, computed only from ranks below `below`; `None` if it gets none.
    fn rank(&self, node: Node, below: u8) -> Option<u8> {
        // Illegal positions do not matter.
        let Some(board) = self.indexer.board(node.index()) else {
            return Some(1);
        };
        let rank = match node.side() {
            Color::Red if !board.may_be_to_move(Color::Red) => Some(1),
            Color::Red => self.rank_of_strong(&board, below),
            Color::Black => self.rank_of_weak(&board, below),
        };
        rank.filter(|rank| *rank < NO_RANK)
    }

    /// Rank if the weak side, to move, can force a harmless move within the set or captures an
    /// attacker and draws.
    fn rank_of_weak(&self, board: &CellBoard<'_>, below: u8) -> Option<u8> {
        let mut best = NO_RANK;
        board.weak_moves(|m| {
            if best == 1 {
                return;
            }
            let after = board.after(m);
            if let Some(taken) = m.taken {
                // The proof of its own class shows whether that draw holds.
                let draws = self.fewer_attackers[taken]
                    .as_ref()
                    .is_none_or(|class| class.value(after, Color::Red) == DRAW);
                if draws {
                    best = 1;
                }
                return;
            }
            match self.get(Node::new(self.indexer.index(after), Color::Red)) {
                SafetyState::Out => {}
                _ if self.is_harmless(after) => best = 1,
                SafetyState::Ranked(rank) if rank < below => best = best.min(rank + 1),
                _ => {}
            }
        });
        (best < NO_RANK).then_some(best)
    }

    /// Rank if every quiet move of the strong side leads to a ranked position.
    fn rank_of_strong(&self, board: &CellBoard<'_>, below: u8) -> Option<u8> {
        let mut rank = Some(1);
        board.strong_moves(|after| {
            if rank.is_some() && CellBoard::new(&self.indexer, after).is_some() {
                rank = match self.get(Node::new(self.indexer.index(after), Color::Black)) {
                    SafetyState::Ranked(next) if next < below => rank.max(Some(next + 1)),
                    _ => None,
                };
            }
        });
        rank
    }

    /// Whether no advisor or bishop of the weak side could legally capture an attacker now.
    fn is_harmless(&self, cell: Cell) -> bool {
        let Some(board) = CellBoard::new(&self.indexer, cell) else {
            return false;
        };
        let mut harmless = true;
        board.weak_moves(|m| {
            if m.taken.is_some() {
                let after = self.indexer.placement(board.after(m), Color::Black);
                harmless &= after.king != board.placements[Color::Black].king;
            }
        });
        harmless
    }
}
