//! Numbering of the positions of a class.
//!
//! A position has the number `(weak * strong_count + strong) * squares_count + squares`. `weak` and `strong` are the
//! numbers of the two sides' placements of king, advisors and bishops, and `strong_count` is the number of placements
//! of the strong side. `squares` is the index of the attackers' squares in [`AttackerIndex::squares`], and
//! `squares_count` is the length of this list. Of two mirror images, the one with the canonical placement of the weak
//! side is listed. If this placement is symmetric, both are.

use std::ops::Range;

use arrayvec::ArrayVec;

use super::material::{Attackers, Material};
use super::placements::{KINDS, Placement, PlacementList, SidePlacements};
use crate::board::{Bitboard, ByColor, Color, Piece, PieceKind, Position, Square};

/// Version of this numbering, stored in files.
pub const NUMBERING_VERSION: u16 = 1;

/// Squares of one or two attackers; a single attacker is stored twice.
pub type AttackerSquares = [Square; Attackers::MAX];

/// Numbering of the squares of a class's attackers.
#[derive(Debug)]
pub struct AttackerIndex {
    /// Kinds of the attackers; a single one is stored twice.
    pub kinds: [PieceKind; Attackers::MAX],
    /// Colors of the attackers; the first is red.
    pub colors: [Color; Attackers::MAX],
    /// Whether both attackers have the same kind and side, so that their order does not matter. Not used for a single
    /// attacker.
    are_alike: bool,
    pub count: usize,
    /// Number of each square among those that a piece of the kind can reach.
    square_numbers: [[u8; Square::COUNT]; Attackers::MAX],
    /// Number of squares that each attacker can reach.
    sizes: [usize; Attackers::MAX],
    /// Squares by number.
    pub squares: Vec<AttackerSquares>,
}

impl AttackerIndex {
    fn new(attackers: Attackers) -> Self {
        let list = attackers.kinds();
        let kinds = [list[0], list[list.len() - 1]];
        let colors = attackers.colors();
        let squares = [0, 1].map(|i| {
            let can_stand = |s: &Square| Piece::new(kinds[i], colors[i]).can_stand_on(*s, false);
            Square::all().filter(can_stand).collect::<Vec<_>>()
        });
        let mut index = Self {
            kinds,
            colors,
            are_alike: kinds[0] == kinds[1] && colors[0] == colors[1],
            count: list.len(),
            square_numbers: [[0; Square::COUNT]; Attackers::MAX],
            sizes: squares.each_ref().map(Vec::len),
            squares: Vec::new(),
        };
        for (numbers, squares) in index.square_numbers.iter_mut().zip(&squares) {
            for (number, square) in (0..).zip(squares) {
                numbers[square.index()] = number;
            }
        }
        for (n, &first) in squares[0].iter().enumerate() {
            match (index.count, index.are_alike) {
                (1, _) => index.squares.push([first; 2]),
                (_, true) => index.squares.extend(squares[1][..n].iter().map(|s| [*s, first])),
                (_, false) => index.squares.extend(squares[1].iter().map(|s| [first, *s])),
            }
        }
        index
    }

    #[inline]
    pub fn number(&self, squares: AttackerSquares) -> usize {
        let number = |i: usize| self.square_numbers[i][squares[i].index()] as usize;
        let (first, second) = (number(0), number(1));
        if self.count == 1 {
            first
        } else if self.are_alike {
            let (low, high) = (first.min(second), first.max(second));
            high * high.saturating_sub(1) / 2 + low
        } else {
            first * self.sizes[1] + second
        }
    }
}

/// A position without the side to move. It need not be the listed one of two mirror images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Number of each side's placement.
    pub placements: ByColor<usize>,
    pub squares: AttackerSquares,
}

/// A position of a class as twice its index, plus one if black is to move; the strong side is red.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Node(pub usize);

impl Node {
    #[inline]
    pub const fn new(index: usize, side: Color) -> Self {
        Self(index << 1 | side.index())
    }

    #[inline]
    pub const fn index(self) -> usize {
        self.0 >> 1
    }

    #[inline]
    pub const fn side(self) -> Color {
        if self.0 & 1 == 0 { Color::Red } else { Color::Black }
    }
}

/// Converts a color between a position, whose strong side is `strong`, and its table, whose strong side is red. It is
/// its own inverse.
#[inline]
pub fn color_in_table(color: Color, strong: Color) -> Color {
    match strong {
        Color::Red => color,
        Color::Black => !color,
    }
}

/// Numbering of the positions of one class; the strong side is red.
#[derive(Debug)]
pub struct Indexer {
    pub material: Material,
    pub attackers: AttackerIndex,
    pub placements: ByColor<&'static PlacementList>,
}

impl Indexer {
    pub fn new(material: Material) -> Self {
        Self {
            material,
            attackers: AttackerIndex::new(material.attackers()),
            placements: ByColor::from_fn(|side| {
                SidePlacements::of(side).list(material.defenders(side))
            }),
        }
    }

    pub fn len(&self) -> usize {
        self.slices() * self.slice_len()
    }

    /// Number of listed placements of the weak side.
    #[inline]
    pub fn slices(&self) -> usize {
        self.placements[Color::Black].canonical
    }

    /// Number of positions that share one placement of the weak side.
    #[inline]
    pub fn slice_len(&self) -> usize {
        self.placements[Color::Red].all.len() * self.attackers.squares.len()
    }

    /// Indices of the positions with this placement of the weak side.
    pub fn slice(&self, placement: usize) -> Range<usize> {
        placement * self.slice_len()..(placement + 1) * self.slice_len()
    }

    /// Index of a cell or of its mirror image, whichever is listed.
    #[inline]
    pub fn index(&self, cell: Cell) -> usize {
        if cell.placements[Color::Black] < self.slices() {
            self.listed(cell)
        } else {
            self.listed(self.mirrored(cell))
        }
    }

    /// Index of a cell whose weak side's placement is canonical.
    #[inline]
    pub fn listed(&self, cell: Cell) -> usize {
        let ByColor([strong, weak]) = cell.placements;
        let placements = weak * self.placements[Color::Red].all.len() + strong;
        placements * self.attackers.squares.len() + self.attackers.number(cell.squares)
    }

    #[inline]
    pub fn mirrored(&self, cell: Cell) -> Cell {
        Cell {
            placements: ByColor::from_fn(|side| self.placement(cell, side).mirror as usize),
            squares: cell.squares.map(Square::flip_file),
        }
    }

    #[inline]
    pub fn cell(&self, index: usize) -> Cell {
        let attackers = self.attackers.squares.len();
        let (placements, number) = (index / attackers, index % attackers);
        let strong = self.placements[Color::Red].all.len();
        Cell {
            placements: ByColor::new(placements % strong, placements / strong),
            squares: self.attackers.squares[number],
        }
    }

    /// Visits the indices of the cell `before`, from which a quiet move of black's king, advisor or bishop leads to
    /// `here`, and of its mirror image, as far as these cells are listed. `here` must be listed. If its mirror image is
    /// listed too, the mirrored move leads to that cell, so the mirror image of `before` is left out.
    #[inline]
    pub fn before_weak_step(&self, here: Cell, before: Cell, mut visit: impl FnMut(usize)) {
        let list = self.placements[Color::Black];
        let [from, to] = [before, here].map(|cell| cell.placements[Color::Black]);
        let from_symmetric = list.is_symmetric(from);
        if !list.is_symmetric(to) {
            visit(self.index(before));
            if from_symmetric {
                visit(self.listed(self.mirrored(before)));
            }
        } else if from_symmetric || from < list.canonical {
            // The mirror image of `here` is listed too.
            visit(self.listed(before));
        }
    }

    /// Number of board positions with this index: 2 if the mirror image is not listed separately.
    #[inline]
    pub fn weight(&self, index: usize) -> u64 {
        if self.placements[Color::Black].is_symmetric(index / self.slice_len()) { 1 } else { 2 }
    }

    /// King, advisors and bishops of a side.
    #[inline]
    pub fn placement(&self, cell: Cell, side: Color) -> &'static Placement {
        &self.placements[side].all[cell.placements[side]]
    }

    /// Occupied squares; `None` if two pieces share a square.
    #[inline]
    pub fn occupied(&self, cell: Cell) -> Option<Bitboard> {
        let [red, black] = Color::ALL.map(|side| self.placement(cell, side).pieces);
        let mut occupied = red | black;
        for square in &cell.squares[..self.attackers.count] {
            if occupied.contains(*square) {
                return None;
            }
            occupied = occupied.with(*square);
        }
        Some(occupied)
    }

    /// Node of a position of this class whose strong side is `strong`.
    #[inline]
    pub fn of_position(&self, position: &Position, strong: Color) -> Node {
        let number = |side: Color| {
            let owner = color_in_table(side, strong);
            SidePlacements::of(side).number(KINDS.map(|kind| {
                let set = position.pieces(owner, kind);
                match strong {
                    Color::Red => set,
                    Color::Black => set.into_iter().map(Square::flip_rank).collect(),
                }
            }))
        };
        let kinds = self.attackers.kinds;
        let owner = self.attackers.colors.map(|color| color_in_table(color, strong));
        let first = position.pieces(owner[0], kinds[0]);
        let second = match (self.attackers.count, self.attackers.are_alike) {
            (1, _) => first,
            (_, true) => first.without_first(),
            (_, false) => position.pieces(owner[1], kinds[1]),
        };
        // The king's square is never used: a position of this class has a piece of each kind.
        let square = |set: Bitboard| set.first().unwrap_or(position.king(strong));
        let cell = Cell {
            placements: ByColor::from_fn(number),
            squares: [first, second].map(|set| square(set).relative_to(strong)),
        };
        Node::new(self.index(cell), color_in_table(position.side_to_move(), strong))
    }

    /// Position of a node; `None` if illegal.
    pub fn position(&self, node: Node) -> Option<Position> {
        let cell = self.cell(node.index());
        self.occupied(cell)?;
        // Per side a king, two advisors and two bishops, and the attackers.
        let mut pieces = ArrayVec::<_, { 10 + Attackers::MAX }>::new();
        let mut put = |square: Square, kind: PieceKind, color: Color| {
            pieces.push((square, Piece::new(kind, color)));
        };
        for color in Color::ALL {
            for (kind, set) in KINDS.into_iter().zip(self.placement(cell, color).sets) {
                set.into_iter().for_each(|square| put(square, kind, color));
            }
        }
        let attackers = self.attackers.kinds.into_iter().zip(self.attackers.colors);
        let attackers = cell.squares.into_iter().zip(attackers);
        for (square, (kind, color)) in attackers.take(self.attackers.count) {
            put(square, kind, color);
        }
        Position::of_pieces(&pieces, node.side(), false).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Known numbers of positions, mirror images counted once. At most 2% of the indices belong to no position.
    #[test]
    fn one_attacker_classes_have_known_sizes() {
        let totals =
            [("R", 501_714_450), ("N", 501_714_450), ("C", 501_714_450), ("P", 306_604_431)];
        for (letter, exact) in totals {
            let classes = Material::all().into_iter();
            let classes = classes.filter(|m| m.to_string().starts_with(&format!("K{letter}")));
            let single = classes.filter(|m| m.attackers().kinds().len() == 1);
            let total: usize = single.map(|m| Indexer::new(m).len()).sum();
            let share = total as f64 / f64::from(exact);
            assert!((1.0..1.02).contains(&share), "{letter}: {total}");
        }
    }

    #[test]
    fn numbers_and_positions_round_trip() {
        for name in ["KR-KA", "KPA-KB", "KRR-K", "KNP-KB", "KPP-KA", "KP-KP", "KR-KN"] {
            let indexer = Indexer::new(name.parse().unwrap());
            let mut legal = 0;
            for index in 0..indexer.len() {
                let cell = indexer.cell(index);
                assert_eq!(indexer.index(cell), index);
                let symmetric = indexer.weight(index) == 1;
                let mirror = indexer.index(indexer.mirrored(cell));
                assert!(symmetric || mirror == index);
                if index % 7 != 0 {
                    continue;
                }
                let node = Node::new(index, Color::Black);
                let Some(position) = indexer.position(node) else {
                    continue;
                };
                legal += 1;
                let known = Material::of(&position);
                assert_eq!(known, Some((indexer.material, Color::Red)));
                assert_eq!(indexer.of_position(&position, Color::Red), node);
            }
            assert!(legal > 100, "{name}");
        }
    }
}
