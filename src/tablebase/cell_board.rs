//! Attacks and moves in a [`Cell`], a position without the side to move.

use super::index::{Cell, Indexer, Node};
use super::placements::Placement;
use crate::board::{Bitboard, ByColor, Color, Piece, PieceKind, Square, attacks};

/// A position of a class, without the side to move; red is the strong side.
#[derive(Clone, Copy, Debug)]
pub struct CellBoard<'a> {
    pub indexer: &'a Indexer,
    pub cell: Cell,
    /// King, advisors and bishops of each side.
    pub placements: ByColor<&'a Placement>,
    pub occupied: Bitboard,
}

/// A move of the weak side in a one-sided class.
#[derive(Clone, Copy, Debug)]
pub struct WeakMove {
    /// Number of the placement after the move.
    pub placement: usize,
    /// Number of the captured attacker.
    pub taken: Option<usize>,
}

impl Indexer {
    /// The position of an index, see [`CellBoard::new`].
    #[inline]
    pub fn board(&self, index: usize) -> Option<CellBoard<'_>> {
        CellBoard::new(self, self.cell(index))
    }

    /// Visits the predecessors of a node by quiet moves, legal or not, once for each move.
    #[inline]
    pub fn before(&self, node: Node, mut visit: impl FnMut(Node)) {
        let mover = !node.side();
        if let Some(board) = self.board(node.index()) {
            board.before(mover, |index| visit(Node::new(index, mover)));
        }
    }
}

impl<'a> CellBoard<'a> {
    /// Creates the position of a cell; `None` if two pieces share a square or the kings face each other.
    #[inline]
    pub fn new(indexer: &'a Indexer, cell: Cell) -> Option<Self> {
        let occupied = indexer.occupied(cell)?;
        let placements = ByColor::from_fn(|side| indexer.placement(cell, side));
        let ByColor([red, black]) = placements.map(|placement| placement.king);
        let are_facing = are_facing(red, black, occupied);
        (!are_facing).then_some(Self { indexer, cell, placements, occupied })
    }

    /// Whether the king of `side` on `king` would be attacked by an attacker other than `taken`, or face the other
    /// king, with the board occupied by `occupied`.
    #[inline]
    pub fn is_attacked(
        &self,
        side: Color,
        king: Square,
        occupied: Bitboard,
        taken: Option<usize>,
    ) -> bool {
        are_facing(king, self.placements[!side].king, occupied)
            || self.attacks(!side, king, occupied, taken)
    }

    /// Whether an attacker of `by`, other than `taken`, attacks the other side's king on `king`.
    #[inline]
    fn attacks(&self, by: Color, king: Square, occupied: Bitboard, taken: Option<usize>) -> bool {
        let attackers = &self.indexer.attackers;
        let attacks_king = |i: usize| {
            let from = match attackers.kinds[i] {
                PieceKind::Rook => attacks::rook(king, occupied),
                PieceKind::Cannon => attacks::cannon(king, occupied),
                PieceKind::Knight => attacks::knight_to(king, occupied),
                _ => attacks::pawn_to(by, king),
            };
            from.contains(self.cell.squares[i])
        };
        let is_there = |i: &usize| attackers.colors[*i] == by && Some(*i) != taken;
        (0..attackers.count).filter(is_there).any(attacks_king)
    }

    /// Whether the position is legal with `side` to move: the other side's king is not attacked.
    #[inline]
    pub fn may_be_to_move(&self, side: Color) -> bool {
        !self.attacks(side, self.placements[!side].king, self.occupied, None)
    }

    /// Visits black's legal moves in a one-sided class.
    #[inline]
    pub fn weak_moves(&self, mut visit: impl FnMut(WeakMove)) {
        let list = self.indexer.placements[Color::Black];
        let placement = self.placements[Color::Black];
        let squares = &self.cell.squares[..self.indexer.attackers.count];
        let others = self.occupied & !placement.pieces;
        for step in list.steps(placement) {
            if (step.eye & others).any() {
                continue;
            }
            let taken = squares.iter().position(|s| *s == step.to);
            let after = &list.all[step.placement as usize];
            if !self.is_attacked(Color::Black, after.king, others | after.pieces, taken) {
                visit(WeakMove { placement: step.placement.into(), taken });
            }
        }
    }

    /// The cell after a black move, in the same class or in the class with one attacker fewer.
    #[inline]
    pub fn after(&self, m: WeakMove) -> Cell {
        let mut cell = self.with_placement(Color::Black, m.placement);
        if let Some(taken) = m.taken {
            cell.squares = [cell.squares[1 - taken]; 2];
        }
        cell
    }

    /// Visits red's legal captures in a one-sided class: whether an advisor is taken (otherwise it is a bishop), and
    /// the cell after the capture, in the class with one defender fewer.
    #[inline]
    pub fn captures(&self, mut visit: impl FnMut(bool, Cell)) {
        let attackers = &self.indexer.attackers;
        let [own, placement] = self.placements.0;
        for i in 0..attackers.count {
            let from = self.cell.squares[i];
            let targets = attacks::of(attackers.kinds[i], Color::Red, from, self.occupied);
            if (targets & placement.pieces).is_empty() {
                continue;
            }
            let left = self.occupied.without(from);
            for removal in self.indexer.placements[Color::Black].removals(placement) {
                if targets.contains(removal.square) && !are_facing(own.king, placement.king, left) {
                    let mut after = self.with_attacker(i, removal.square);
                    after.placements[Color::Black] = removal.placement.into();
                    visit(removal.is_advisor, after);
                }
            }
        }
    }

    /// Visits the index of each predecessor by a quiet move of `mover`, legal or not, once for each move. The weak
    /// side's placement in this cell must be canonical.
    #[inline]
    fn before(&self, mover: Color, mut visit: impl FnMut(usize)) {
        let indexer = self.indexer;
        match mover {
            Color::Red => self.placement_steps(mover, |before| visit(indexer.listed(before))),
            Color::Black => self.placement_steps(mover, |before| {
                indexer.before_weak_step(self.cell, before, &mut visit);
            }),
        }
        let origins = |kind, to, others| attacker_origins(kind, mover, to, others);
        self.attacker_steps(mover, origins, |before| visit(indexer.listed(before)));
    }

    /// Visits the cells after red's quiet moves. In a one-sided class all are legal unless the kings face each other.
    #[inline]
    pub fn strong_moves(&self, mut visit: impl FnMut(Cell)) {
        self.placement_steps(Color::Red, &mut visit);
        self.attacker_steps(Color::Red, attacker_targets, visit);
    }

    /// Visits the cells before quiet moves of a side's king, advisors and bishops, legal or not. They are also the
    /// cells after such moves, because these moves are reversible.
    #[inline]
    fn placement_steps(&self, side: Color, mut visit: impl FnMut(Cell)) {
        let placement = self.placements[side];
        let others = self.occupied & !placement.pieces;
        for step in self.indexer.placements[side].steps(placement) {
            if !others.contains(step.to) && (step.eye & others).is_empty() {
                visit(self.with_placement(side, step.placement.into()));
            }
        }
    }

    /// Visits the cells in which one attacker of `side` is on an empty square that `squares` returns. The arguments of
    /// `squares` are the kind and square of the attacker and the squares of all other pieces.
    #[inline]
    fn attacker_steps(
        &self,
        side: Color,
        squares: impl Fn(PieceKind, Square, Bitboard) -> Bitboard,
        mut visit: impl FnMut(Cell),
    ) {
        let attackers = &self.indexer.attackers;
        for i in (0..attackers.count).filter(|i| attackers.colors[*i] == side) {
            let here = self.cell.squares[i];
            let others = self.occupied.without(here);
            for there in squares(attackers.kinds[i], here, others) & !self.occupied {
                visit(self.with_attacker(i, there));
            }
        }
    }

    #[inline]
    pub fn with_placement(&self, side: Color, placement: usize) -> Cell {
        let mut cell = self.cell;
        cell.placements[side] = placement;
        cell
    }

    #[inline]
    pub fn with_attacker(&self, number: usize, square: Square) -> Cell {
        let mut cell = self.cell;
        cell.squares[number] = square;
        if self.indexer.attackers.count == 1 {
            cell.squares = [square; 2];
        }
        cell
    }
}

/// Whether two kings face each other on an open file.
#[inline]
fn are_facing(king: Square, other: Square, occupied: Bitboard) -> bool {
    king.file() == other.file() && (Bitboard::between(king, other) & occupied).is_empty()
}

/// Squares from which an attacker of `side` can make a quiet move to `to`; some may be occupied.
#[inline]
fn attacker_origins(kind: PieceKind, side: Color, to: Square, others: Bitboard) -> Bitboard {
    match kind {
        PieceKind::Rook | PieceKind::Cannon => attacks::rook(to, others),
        PieceKind::Knight => attacks::knight_to(to, others),
        _ => pawn_origins(side, to),
    }
}

/// Squares that a red attacker on `from` reaches by a quiet move; some may be occupied.
#[inline]
fn attacker_targets(kind: PieceKind, from: Square, others: Bitboard) -> Bitboard {
    match kind {
        PieceKind::Rook | PieceKind::Cannon => attacks::rook(from, others),
        PieceKind::Knight => attacks::knight(from, others),
        _ => attacks::pawn(Color::Red, from),
    }
}

/// Squares from which a pawn of `side` reaches `to`, without squares that a pawn cannot occupy.
#[inline]
fn pawn_origins(side: Color, to: Square) -> Bitboard {
    let pawn = Piece::new(PieceKind::Pawn, side);
    let can_stand = |from: &Square| pawn.can_stand_on(*from, false);
    attacks::pawn_to(side, to).into_iter().filter(can_stand).collect()
}
