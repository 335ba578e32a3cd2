//! A proof that the draws of a class hold under rules that forbid perpetual chases.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use super::board::CellBoard;
use super::index::{Cell, Indexer};
use super::material::Material;
use super::parallel::for_each_part;
use super::solved::{DrawsHold, SolvedClass};
use super::value::{DRAW, ILLEGAL, LARGEST_LEVEL};

/// The draw that has left the set. Smaller numbers, down to [`LARGEST_LEVEL`], are ranks.
const REMOVED: u8 = 254;
/// Above every rank.
const NO_RANK: u8 = REMOVED - LARGEST_LEVEL;

/// Proves that the draws of a class of one armed side hold under every rule set, which the class then says, or
/// else counts the drawn positions that the unarmed side might not be able to hold under rules that forbid
/// perpetual chases. `smaller` holds the classes of [`Material::after_captures`], those with fewer attackers
/// with the armed side to move. The draws hold only if theirs are proven as well, for captures lead there.
///
/// The unarmed side cannot check, and its king may chase, so only its advisors and bishops can break
/// such a rule. It does not if it can hold the draw with infinitely many moves after which none of
/// them could legally take an attacker. The largest set of draws is looked for in which it can force
/// one more such move without leaving the set, whatever the armed side plays; captures leave it.
///
/// A position from which such a move can be forced has a rank that is larger than the ranks that it rests on.
/// When others leave the set only those are looked at again that may have rested on them. A position with
/// a rank above 133 would count as one that cannot be held. The ranks stand in the class itself meanwhile.
///
/// # Panics
/// When a class of `smaller` is missing.
pub fn prove_draws(
    class: SolvedClass,
    smaller: &[Arc<SolvedClass>],
    threads: usize,
) -> (SolvedClass, u64) {
    let find = |material: Material| {
        let solved = (smaller.iter().find(|s| s.material == material))
            .expect("the classes that captures lead to are solved");
        (Indexer::new(material), &**solved)
    };
    let indexer = Indexer::new(class.material);
    // The values are collected in the memory that they are in.
    let states = |values: Vec<u8>| values.into_iter().map(AtomicU8::new).collect();
    let search = SafetySearch {
        fewer_attackers: (0..indexer.attackers.count)
            .map(|i| class.material.without_attacker(i).map(find))
            .collect(),
        states: [states(class.armed), states(class.bare)],
        indexer,
        threads: threads.max(1),
    };
    // The unarmed side first: most of its moves are harmless, and then the others let it hold.
    while search.sweep(false) | search.sweep(true) {}
    let mut unreached = search.unreached();
    while !unreached.is_empty() {
        unreached = search.without(unreached);
    }
    let doubtful = search.left_out();
    let [armed, bare] = search.states.map(|states| {
        let value = |state: AtomicU8| match state.into_inner() {
            value @ (..=LARGEST_LEVEL | ILLEGAL) => value,
            _ => DRAW,
        };
        states.into_iter().map(value).collect()
    });
    let solved = SolvedClass {
        armed,
        bare,
        ..class
    };
    let are_proven = smaller.iter().all(|s| s.draws == DrawsHold::Always);
    (
        solved.with_draws_proven(doubtful == 0 && are_proven),
        doubtful,
    )
}

/// What is known of a position.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SafetyState {
    /// It is not in the set.
    Out,
    /// It is, and it is not known whether one more harmless move can be forced from it.
    Unreached,
    Ranked(u8),
}

impl SafetyState {
    #[inline]
    const fn of(byte: u8) -> Self {
        match byte {
            DRAW => Self::Unreached,
            1..=LARGEST_LEVEL | REMOVED | ILLEGAL => Self::Out,
            rank => Self::Ranked(rank - LARGEST_LEVEL),
        }
    }

    const fn byte(self) -> u8 {
        match self {
            Self::Out => REMOVED,
            Self::Unreached => DRAW,
            Self::Ranked(rank) => LARGEST_LEVEL + rank,
        }
    }
}

/// A position of the class and its side to move, in eight bytes, for there may be many.
#[derive(Clone, Copy)]
struct SafetyNode(usize);

impl SafetyNode {
    fn new(index: usize, armed_to_move: bool) -> Self {
        Self(index << 1 | usize::from(armed_to_move))
    }

    const fn index(self) -> usize {
        self.0 >> 1
    }

    const fn armed_to_move(self) -> bool {
        self.0 & 1 == 1
    }
}

/// A set of draws under way to the largest one that can be held.
struct SafetySearch<'a> {
    /// The classes after the capture of each attacker; `None` where none is left.
    fewer_attackers: Vec<Option<(Indexer, &'a SolvedClass)>>,
    indexer: Indexer,
    /// The values of the class, with those of draws as [`SafetyState`] has them: the armed side to move,
    /// then the other.
    states: [Vec<AtomicU8>; 2],
    threads: usize,
}

impl SafetySearch<'_> {
    #[inline]
    fn state(&self, index: usize, armed_to_move: bool) -> &AtomicU8 {
        &self.states[usize::from(!armed_to_move)][index]
    }

    #[inline]
    fn get(&self, index: usize, armed_to_move: bool) -> SafetyState {
        SafetyState::of(self.state(index, armed_to_move).load(Ordering::Relaxed))
    }

    fn set(&self, node: SafetyNode, state: SafetyState) {
        self.state(node.index(), node.armed_to_move())
            .store(state.byte(), Ordering::Relaxed);
    }

    /// Looks at all positions of one side to move that have no rank; whether any has got one.
    fn sweep(&self, armed_to_move: bool) -> bool {
        let changed = AtomicBool::new(false);
        let slice = self.indexer.slice();
        for_each_part(self.threads, self.indexer.defenders.canonical, |part| {
            for index in part * slice..(part + 1) * slice {
                let node = SafetyNode::new(index, armed_to_move);
                let state = self.get(index, armed_to_move);
                if state == SafetyState::Unreached && self.reach(node) {
                    changed.store(true, Ordering::Relaxed);
                }
            }
        });
        changed.into_inner()
    }

    /// Ranks a position if it can be.
    fn reach(&self, node: SafetyNode) -> bool {
        let rank = self.rank(node, NO_RANK);
        if let Some(rank) = rank {
            self.set(node, SafetyState::Ranked(rank));
        }
        rank.is_some()
    }

    /// The positions of the set without a rank.
    fn unreached(&self) -> Vec<SafetyNode> {
        let nodes = [true, false].into_iter().flat_map(|armed_to_move| {
            (0..self.indexer.len()).map(move |index| SafetyNode::new(index, armed_to_move))
        });
        nodes
            .filter(|node| self.get(node.index(), node.armed_to_move()) == SafetyState::Unreached)
            .collect()
    }

    /// Takes positions out of the set. Returns those that have no rank without them.
    fn without(&self, left: Vec<SafetyNode>) -> Vec<SafetyNode> {
        left.iter()
            .for_each(|node| self.set(*node, SafetyState::Out));
        let mut unreached = Vec::new();
        let mut changed = left;
        while let Some(node) = changed.pop() {
            self.visit_before(node, |before| {
                if let SafetyState::Ranked(rank) = self.get(before.index(), before.armed_to_move())
                    && self.rank(before, rank).is_none()
                {
                    self.set(before, SafetyState::Unreached);
                    unreached.push(before);
                    changed.push(before);
                }
            });
        }
        // Some can be held in another way.
        let mut count = usize::MAX;
        while unreached.len() < count {
            count = unreached.len();
            unreached.retain(|node| !self.reach(*node));
        }
        unreached
    }

    /// Visits the positions that a move without a capture leads from to this one, and perhaps others.
    fn visit_before(&self, node: SafetyNode, mut visit: impl FnMut(SafetyNode)) {
        let cell = self.indexer.cell(node.index());
        let Some(board) = CellBoard::new(&self.indexer, cell) else {
            return;
        };
        let mut visit_cell = |before: Cell| {
            let mut visit = |index| visit(SafetyNode::new(index, !node.armed_to_move()));
            visit(self.indexer.index(before));
            if self.indexer.defenders.is_symmetric(before.defenders) {
                // Its mirror image is listed as well.
                visit(self.indexer.listed(self.indexer.mirrored(before)));
            }
        };
        match node.armed_to_move() {
            true => board.bare_unmoves(|defenders| {
                let mut before = cell;
                before.defenders = defenders;
                visit_cell(before);
            }),
            false => board.armed_unmoves(visit_cell),
        }
    }

    /// Drawn legal positions that are not in the set.
    fn left_out(&self) -> u64 {
        let mut count = 0;
        for index in 0..self.indexer.len() {
            let Some(board) = CellBoard::new(&self.indexer, self.indexer.cell(index)) else {
                continue;
            };
            let is_out = |armed_to_move: bool| {
                self.state(index, armed_to_move).load(Ordering::Relaxed) == REMOVED
            };
            let armed = !board.gives_check() && is_out(true);
            let sides = u64::from(armed) + u64::from(is_out(false));
            count += sides * self.indexer.weight(index);
        }
        count
    }

    /// The rank of a position that rests on ranks below `below` alone, if it has one.
    fn rank(&self, node: SafetyNode, below: u8) -> Option<u8> {
        // What is not legal is of no interest, so settled.
        let Some(board) = CellBoard::new(&self.indexer, self.indexer.cell(node.index())) else {
            return Some(1);
        };
        let rank = match node.armed_to_move() {
            true if board.gives_check() => Some(1),
            true => self.rank_of_armed(&board, below),
            false => self.rank_of_bare(&board, below),
        };
        rank.filter(|rank| *rank < NO_RANK)
    }

    /// The rank if the unarmed side, to move, can force a harmless move within the set, or takes an
    /// attacker and draws.
    fn rank_of_bare(&self, board: &CellBoard<'_>, below: u8) -> Option<u8> {
        let mut best = NO_RANK;
        board.bare_moves(|m| {
            if best == 1 {
                return;
            }
            let after = board.after(m);
            if let Some(taken) = m.taken {
                // Whether that draw holds is proven of its own class.
                let draws = self.fewer_attackers[taken]
                    .as_ref()
                    .is_none_or(|(indexer, solved)| solved.armed[indexer.index(after)] == DRAW);
                if draws {
                    best = 1;
                }
                return;
            }
            match self.get(self.indexer.index(after), true) {
                SafetyState::Out => {}
                _ if self.is_harmless(after) => best = 1,
                SafetyState::Ranked(rank) if rank < below => best = best.min(rank + 1),
                _ => {}
            }
        });
        (best < NO_RANK).then_some(best)
    }

    /// The rank if every quiet move of the armed side leads to where the other side can hold.
    fn rank_of_armed(&self, board: &CellBoard<'_>, below: u8) -> Option<u8> {
        let mut rank = Some(1);
        board.armed_moves(|after| {
            if rank.is_some() && CellBoard::new(&self.indexer, after).is_some() {
                rank = match self.get(self.indexer.index(after), false) {
                    SafetyState::Ranked(next) if next < below => rank.max(Some(next + 1)),
                    _ => None,
                };
            }
        });
        rank
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
