//! Numbered placements of a side's king, advisors and bishops.
//!
//! These pieces can stand on few squares, so all legal placements are listed: 3339 for the nine
//! combinations. Within a combination, the placements that are symmetric or sort before their mirror image come first,
//! so numbers below [`PlacementList::canonical`] need no mirroring.

use std::ops::Range;
use std::sync::LazyLock;

use crate::board::{Bitboard, ByColor, Color, Piece, PieceKind, Square, attacks};

/// Advisors and bishops of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Defenders {
    /// Advisors (士), 0 to 2.
    pub advisors: u8,
    /// Bishops (象), 0 to 2.
    pub bishops: u8,
}

impl Defenders {
    /// Number of combinations.
    pub const COUNT: usize = 9;

    /// All combinations, by number of pieces, the bare king first.
    pub fn all() -> impl Iterator<Item = Self> {
        let mut all: Vec<Self> = (0..Self::COUNT).map(Self::from_index).collect();
        all.sort_by_key(|d| d.pieces());
        all.into_iter()
    }

    /// Number of the combination, below [`Self::COUNT`].
    #[inline]
    pub const fn index(self) -> usize {
        self.advisors as usize * 3 + self.bishops as usize
    }

    const fn from_index(index: usize) -> Self {
        Self { advisors: (index / 3) as u8, bishops: (index % 3) as u8 }
    }

    /// Advisors and bishops together, 0 to 4.
    pub const fn pieces(self) -> u8 {
        self.advisors + self.bishops
    }

    /// One advisor or bishop fewer, if there is one.
    pub fn without(self, is_advisor: bool) -> Option<Self> {
        let mut fewer = self;
        let count = if is_advisor { &mut fewer.advisors } else { &mut fewer.bishops };
        *count = count.checked_sub(1)?;
        Some(fewer)
    }
}

/// A quiet move of the king, an advisor or a bishop. Its reverse is also such a move.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub to: Square,
    /// The bishop's eye; empty for other pieces.
    pub eye: Bitboard,
    /// Number of the placement after the move.
    pub placement: u16,
}

/// A piece of a placement that can be captured.
#[derive(Clone, Copy, Debug)]
pub struct Removal {
    pub square: Square,
    /// Whether the piece is an advisor; otherwise it is a bishop.
    pub is_advisor: bool,
    /// Number of the placement after the capture, in the smaller combination.
    pub placement: u16,
}

pub const KINDS: [PieceKind; 3] = [PieceKind::King, PieceKind::Advisor, PieceKind::Bishop];

#[derive(Clone, Debug)]
pub struct Placement {
    pub king: Square,
    /// Squares of the pieces of each of [`KINDS`].
    pub sets: [Bitboard; 3],
    pub pieces: Bitboard,
    /// Number of the mirror image.
    pub mirror: u16,
    steps: Range<u32>,
    removals: Range<u32>,
}

/// All placements of one combination for one side.
#[derive(Debug)]
pub struct PlacementList {
    pub all: Vec<Placement>,
    /// Placements below this number are symmetric or sort before their mirror image.
    pub canonical: usize,
    steps: Vec<Step>,
    removals: Vec<Removal>,
}

impl PlacementList {
    /// Quiet moves from a placement on an otherwise empty board. Reversed, they are the moves to it.
    #[inline]
    pub fn steps(&self, placement: &Placement) -> &[Step] {
        &self.steps[placement.steps.start as usize..placement.steps.end as usize]
    }

    #[inline]
    pub fn removals(&self, placement: &Placement) -> &[Removal] {
        &self.removals[placement.removals.start as usize..placement.removals.end as usize]
    }

    /// Whether a placement is its own mirror image.
    #[inline]
    pub fn is_symmetric(&self, number: usize) -> bool {
        self.all[number].mirror as usize == number
    }
}

#[derive(Debug)]
pub struct SidePlacements {
    lists: Vec<PlacementList>,
    /// Number of each placement within its combination, by its slot.
    numbers: Vec<u16>,
    /// For each of [`KINDS`], the slot of a piece on each square. The slot of a placement is the sum over its pieces.
    slots: [[u16; Square::COUNT]; 3],
}

const NO_PLACEMENT: u16 = u16::MAX;

impl SidePlacements {
    pub fn of(color: Color) -> &'static Self {
        static SIDES: LazyLock<ByColor<SidePlacements>> =
            LazyLock::new(|| ByColor::from_fn(SidePlacements::build));
        &SIDES[color]
    }

    #[inline]
    pub fn list(&self, defenders: Defenders) -> &PlacementList {
        &self.lists[defenders.index()]
    }

    /// Number of a placement within its combination. `sets` holds the squares of the pieces of each of [`KINDS`].
    #[inline]
    pub fn number(&self, sets: [Bitboard; 3]) -> usize {
        self.numbers[self.slot(sets)] as usize
    }

    #[inline]
    fn slot(&self, sets: [Bitboard; 3]) -> usize {
        let of_kind = |(set, slots): (Bitboard, &[u16; Square::COUNT])| -> usize {
            set.into_iter().map(|s| usize::from(slots[s.index()])).sum()
        };
        sets.into_iter().zip(&self.slots).map(of_kind).sum()
    }

    fn build(color: Color) -> Self {
        let reachable = KINDS.map(|kind| {
            let can_stand = |s: &Square| Piece::new(kind, color).can_stand_on(*s, false);
            Square::all().filter(can_stand).collect::<Vec<_>>()
        });
        let [kings, advisors, bishops] = [0, 1, 2].map(|kind| reachable[kind].len());
        // From the lowest bit: a bit for each bishop square, a bit for each advisor square, the number of the king's
        // square.
        let slot = |kind: PieceKind, place: usize| match kind {
            PieceKind::King => place << (advisors + bishops),
            PieceKind::Advisor => 1 << (bishops + place),
            _ => 1 << place,
        };
        let mut side = Self {
            lists: Vec::new(),
            numbers: vec![NO_PLACEMENT; kings << (advisors + bishops)],
            slots: [[0; Square::COUNT]; 3],
        };
        for ((kind, squares), slots) in KINDS.into_iter().zip(&reachable).zip(&mut side.slots) {
            for (place, square) in squares.iter().enumerate() {
                slots[square.index()] = slot(kind, place) as u16;
            }
        }
        for index in 0..Defenders::COUNT {
            let list = side.build_list(&reachable, Defenders::from_index(index));
            side.lists.push(list);
        }
        side
    }

    /// Lists the placements of a combination. Smaller combinations must be listed already.
    fn build_list(&mut self, reachable: &[Vec<Square>; 3], defenders: Defenders) -> PlacementList {
        let mirrored = |p: &Placement| -> [Bitboard; 3] {
            p.sets.map(|set| set.into_iter().map(Square::flip_file).collect())
        };
        let key = |sets: [Bitboard; 3]| sets.map(Bitboard::bits);
        let is_canonical = |p: &Placement| key(p.sets) <= key(mirrored(p));
        let all = all_placements(reachable, defenders).into_iter();
        let (mut ordered, rest): (Vec<_>, Vec<_>) = all.partition(is_canonical);
        let canonical = ordered.len();
        ordered.extend(rest);
        for (number, p) in (0..).zip(&ordered) {
            let slot = self.slot(p.sets);
            self.numbers[slot] = number;
        }
        let mut list =
            PlacementList { all: Vec::new(), canonical, steps: Vec::new(), removals: Vec::new() };
        for mut placement in ordered {
            placement.mirror = self.number(mirrored(&placement)) as u16;
            let (step, removal) = (list.steps.len(), list.removals.len());
            self.add_steps(&placement, &mut list.steps);
            self.add_removals(&placement, &mut list.removals);
            placement.steps = step as u32..list.steps.len() as u32;
            placement.removals = removal as u32..list.removals.len() as u32;
            list.all.push(placement);
        }
        list
    }

    fn add_steps(&self, p: &Placement, steps: &mut Vec<Step>) {
        for (i, kind) in KINDS.into_iter().enumerate() {
            for from in p.sets[i] {
                // The color matters only for pawns.
                for to in attacks::of(kind, Color::Red, from, p.pieces) & !p.pieces {
                    let mut sets = p.sets;
                    sets[i] = sets[i].without(from).with(to);
                    let (file, rank) = (from.file() + to.file(), from.rank() + to.rank());
                    let eye = Square::new(file / 2, rank / 2).filter(|_| kind == PieceKind::Bishop);
                    steps.push(Step {
                        to,
                        eye: eye.map_or(Bitboard::EMPTY, Bitboard::from),
                        placement: self.number(sets) as u16,
                    });
                }
            }
        }
    }

    fn add_removals(&self, p: &Placement, removals: &mut Vec<Removal>) {
        for (i, is_advisor) in [(1, true), (2, false)] {
            for square in p.sets[i] {
                let mut sets = p.sets;
                sets[i] = sets[i].without(square);
                removals.push(Removal { square, is_advisor, placement: self.number(sets) as u16 });
            }
        }
    }
}

/// All legal placements of a combination, without numbers and moves.
fn all_placements(reachable: &[Vec<Square>; 3], defenders: Defenders) -> Vec<Placement> {
    let [kings, advisors, bishops] = reachable;
    let mut placements = Vec::new();
    for &king in kings {
        for advisors in subsets(advisors, defenders.advisors.into()) {
            for bishops in subsets(bishops, defenders.bishops.into()) {
                if (advisors | bishops).contains(king) {
                    continue;
                }
                placements.push(Placement {
                    king,
                    sets: [king.into(), advisors, bishops],
                    pieces: advisors | bishops | Bitboard::from(king),
                    mirror: NO_PLACEMENT,
                    steps: 0..0,
                    removals: 0..0,
                });
            }
        }
    }
    placements
}

fn subsets(squares: &[Square], count: u32) -> Vec<Bitboard> {
    let masks = (0..1_u32 << squares.len()).filter(|mask| mask.count_ones() == count);
    let set = |mask: u32| {
        let chosen = (0..squares.len()).filter(|i| mask >> i & 1 == 1);
        chosen.map(|i| squares[i]).collect()
    };
    masks.map(set).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of placements, symmetric placements and canonical placements. Those of canonical placements agree
    /// with chessdb's GROUP.dat.
    #[test]
    fn combinations_have_known_sizes() {
        let known = [
            ((0, 0), 9, 3, 6),
            ((1, 0), 40, 2, 21),
            ((2, 0), 70, 6, 38),
            ((0, 1), 62, 2, 32),
            ((0, 2), 183, 9, 96),
            ((1, 1), 275, 1, 138),
            ((1, 2), 810, 6, 408),
            ((2, 1), 480, 4, 242),
            ((2, 2), 1410, 18, 714),
        ];
        for color in Color::ALL {
            for ((advisors, bishops), size, symmetric, canonical) in known {
                let list = SidePlacements::of(color).list(Defenders { advisors, bishops });
                let numbers = 0..list.all.len();
                assert_eq!(list.all.len(), size);
                assert_eq!(list.canonical, canonical);
                assert_eq!(numbers.filter(|n| list.is_symmetric(*n)).count(), symmetric);
            }
        }
    }

    #[test]
    fn moves_and_captures_link_the_right_placements() {
        for color in Color::ALL {
            let side = SidePlacements::of(color);
            for defenders in Defenders::all() {
                let list = side.list(defenders);
                for (number, p) in list.all.iter().enumerate() {
                    assert_eq!(side.number(p.sets), number);
                    let mirror = &list.all[p.mirror as usize];
                    assert_eq!(mirror.mirror as usize, number);
                    assert_eq!(mirror.king, p.king.flip_file());
                    assert!(number < list.canonical || (p.mirror as usize) < list.canonical);
                    for step in list.steps(p) {
                        let after = &list.all[step.placement as usize];
                        assert!(after.pieces.contains(step.to) && !p.pieces.contains(step.to));
                        let back = list.steps(after).iter();
                        assert!(back.clone().any(|s| s.placement as usize == number));
                    }
                    assert_eq!(list.removals(p).len(), usize::from(defenders.pieces()));
                    for removal in list.removals(p) {
                        let fewer = defenders.without(removal.is_advisor).unwrap();
                        let left = &side.list(fewer).all[removal.placement as usize];
                        assert_eq!(left.pieces, p.pieces.without(removal.square));
                    }
                }
            }
        }
    }
}
