//! A cell of a table with its pieces on the board: attacks and moves, for the solver.

use super::group::{Placement, Removal};
use super::index::{AttackerSquares, Cell, Indexer};
use crate::board::{Bitboard, Color, Piece, PieceKind, Square, attacks};

/// A position of a class without a side to move; red is armed.
#[derive(Clone, Copy, Debug)]
pub(super) struct CellBoard<'a> {
    pub indexer: &'a Indexer,
    pub cell: Cell,
    pub own: &'a Placement,
    pub defenders: &'a Placement,
    pub occupied: Bitboard,
}

/// What a move of the unarmed side leads to.
#[derive(Clone, Copy, Debug)]
pub(super) struct BareMove {
    /// The number of the group afterwards.
    pub defenders: usize,
    /// The attacker that it takes, if it takes one.
    pub taken: Option<usize>,
}

/// A capture by the armed side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Capture {
    /// What it takes.
    pub removal: Removal,
    /// Where the attackers stand afterwards.
    pub squares: AttackerSquares,
}

impl<'a> CellBoard<'a> {
    /// The board of a cell; `None` where two pieces share a square or the kings face each other.
    #[inline]
    pub(super) fn new(indexer: &'a Indexer, cell: Cell) -> Option<Self> {
        let occupied = indexer.occupied(cell)?;
        let board = Self {
            indexer,
            cell,
            own: &indexer.own.placements[cell.own],
            defenders: &indexer.defenders.placements[cell.defenders],
            occupied,
        };
        (!are_facing(board.own.king, board.defenders.king, occupied)).then_some(board)
    }

    /// Where the king of `side` stands.
    #[inline]
    pub(super) fn king(&self, side: Color) -> Square {
        match side {
            Color::Red => self.own.king,
            Color::Black => self.defenders.king,
        }
    }

    /// Whether the other side attacks the king of `side` on `king`, or faces it, the attackers standing
    /// where they stand and the board being occupied by `occupied`.
    #[inline]
    pub(super) fn is_attacked(&self, side: Color, king: Square, occupied: Bitboard) -> bool {
        are_facing(king, self.king(!side), occupied) || self.attacks(!side, king, occupied, None)
    }

    /// Whether an attacker of `by` but for `taken` attacks the other side's king on `king`.
    #[inline]
    fn attacks(&self, by: Color, king: Square, occupied: Bitboard, taken: Option<usize>) -> bool {
        let attackers = &self.indexer.attackers;
        let attacks = |i: usize| {
            let from = match attackers.kinds[i] {
                PieceKind::Rook => attacks::rook(king, occupied),
                PieceKind::Cannon => attacks::cannon(king, occupied),
                PieceKind::Knight => attacks::knight_to(king, occupied),
                _ => attacks::pawn_to(by, king),
            };
            from.contains(self.cell.squares[i])
        };
        let is_there = |i: &usize| attackers.colors[*i] == by && Some(*i) != taken;
        (0..attackers.count).filter(is_there).any(attacks)
    }

    /// Whether black's king is attacked, so that it cannot be red's turn.
    #[inline]
    pub(super) fn gives_check(&self) -> bool {
        self.attacks(Color::Red, self.defenders.king, self.occupied, None)
    }

    /// Whether it can be the turn of `side`: the other side's king is not attacked.
    #[inline]
    pub(super) fn can_move(&self, side: Color) -> bool {
        match side {
            Color::Red => !self.gives_check(),
            Color::Black => !self.attacks(Color::Black, self.own.king, self.occupied, None),
        }
    }

    /// Visits black's legal moves.
    #[inline]
    pub(super) fn bare_moves(&self, mut visit: impl FnMut(BareMove)) {
        let table = self.indexer.defenders;
        let squares = &self.cell.squares[..self.indexer.attackers.count];
        let others = self.occupied & !self.defenders.pieces;
        for step in table.steps(self.defenders) {
            if (step.eye & others).any() {
                continue;
            }
            let taken = squares.iter().position(|s| *s == step.to);
            let after = &table.placements[step.placement as usize];
            let occupied = others | after.pieces;
            let is_attacked = are_facing(self.own.king, after.king, occupied)
                || self.attacks(Color::Red, after.king, occupied, taken);
            if !is_attacked {
                visit(BareMove {
                    defenders: step.placement.into(),
                    taken,
                });
            }
        }
    }

    /// The cell after a move of black, in its own class or in that with an attacker less.
    #[inline]
    pub(super) fn after(&self, m: BareMove) -> Cell {
        let squares = self.cell.squares;
        Cell {
            defenders: m.defenders,
            squares: match m.taken {
                None => squares,
                Some(taken) => [squares[1 - taken]; 2],
            },
            ..self.cell
        }
    }

    /// Visits the numbers of black's group before the quiet moves that lead here, legal or not.
    #[inline]
    pub(super) fn bare_unmoves(&self, mut visit: impl FnMut(usize)) {
        let others = self.occupied & !self.defenders.pieces;
        for step in self.indexer.defenders.steps(self.defenders) {
            if !others.contains(step.to) && (step.eye & others).is_empty() {
                visit(step.placement.into());
            }
        }
    }

    /// Visits red's legal captures.
    #[inline]
    pub(super) fn captures(&self, mut visit: impl FnMut(Capture)) {
        let attackers = &self.indexer.attackers;
        for i in 0..attackers.count {
            let from = self.cell.squares[i];
            let targets = attacks::of(attackers.kinds[i], Color::Red, from, self.occupied);
            if (targets & self.defenders.pieces).is_empty() {
                continue;
            }
            for removal in self.indexer.defenders.removals(self.defenders) {
                let is_legal = || {
                    let occupied = self.occupied.without(from);
                    !are_facing(self.own.king, self.defenders.king, occupied)
                };
                if targets.contains(removal.square) && is_legal() {
                    visit(Capture {
                        removal: *removal,
                        squares: self.with_attacker(i, removal.square),
                    });
                }
            }
        }
    }

    /// Visits the cells before the quiet red moves that lead here, legal or not.
    #[inline]
    pub(super) fn armed_unmoves(&self, mut visit: impl FnMut(Cell)) {
        self.own_steps(&mut visit);
        self.attacker_unmoves(Color::Red, visit);
    }

    /// Visits the cells before the quiet moves of a side's attackers that lead here, legal or not.
    #[inline]
    pub(super) fn attacker_unmoves(&self, side: Color, visit: impl FnMut(Cell)) {
        let origins = |kind, to, others| attacker_origins(kind, side, to, others);
        self.attacker_steps(side, origins, visit);
    }

    /// Visits the cells after red's quiet moves, but for the faced kings all legal.
    #[inline]
    pub(super) fn armed_moves(&self, mut visit: impl FnMut(Cell)) {
        self.own_steps(&mut visit);
        self.attacker_steps(Color::Red, attacker_targets, visit);
    }

    /// Visits the cells that a step of red's king, an advisor or a bishop leads to, or comes from: these
    /// pieces step to and fro alike.
    #[inline]
    pub(super) fn own_steps(&self, mut visit: impl FnMut(Cell)) {
        let others = self.occupied & !self.own.pieces;
        for step in self.indexer.own.steps(self.own) {
            if !others.contains(step.to) && (step.eye & others).is_empty() {
                visit(Cell {
                    own: step.placement.into(),
                    ..self.cell
                });
            }
        }
    }

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
                visit(Cell {
                    squares: self.with_attacker(i, there),
                    ..self.cell
                });
            }
        }
    }

    #[inline]
    fn with_attacker(&self, i: usize, square: Square) -> AttackerSquares {
        let mut squares = self.cell.squares;
        squares[i] = square;
        if self.indexer.attackers.count == 1 {
            squares = [square; 2];
        }
        squares
    }
}

/// Whether nothing stands between two kings on one file.
#[inline]
fn are_facing(king: Square, other: Square, occupied: Bitboard) -> bool {
    king.file() == other.file() && (Bitboard::between(king, other) & occupied).is_empty()
}

/// The squares from which a quiet move of `side` leads to `to`.
#[inline]
fn attacker_origins(kind: PieceKind, side: Color, to: Square, others: Bitboard) -> Bitboard {
    match kind {
        PieceKind::Rook | PieceKind::Cannon => attacks::rook(to, others),
        PieceKind::Knight => attacks::knight_to(to, others),
        _ => pawn_origins(side, to),
    }
}

/// The squares to which a quiet move leads from `from`.
#[inline]
fn attacker_targets(kind: PieceKind, from: Square, others: Bitboard) -> Bitboard {
    match kind {
        PieceKind::Rook | PieceKind::Cannon => attacks::rook(from, others),
        PieceKind::Knight => attacks::knight(from, others),
        _ => attacks::pawn(Color::Red, from),
    }
}

/// The squares from which a pawn of `side` reaches `to`, none where a pawn cannot stand.
#[inline]
fn pawn_origins(side: Color, to: Square) -> Bitboard {
    /// Where a pawn of red and one of black can stand.
    const STANDS: [Bitboard; Color::COUNT] = [
        standing_points(Piece::RedPawn),
        standing_points(Piece::BlackPawn),
    ];
    attacks::pawn_to(side, to) & STANDS[side.index()]
}

const fn standing_points(piece: Piece) -> Bitboard {
    let (mut points, mut index) = (Bitboard::EMPTY, 0);
    while let Some(square) = Square::from_index(index) {
        if piece.can_stand_on(square, false) {
            points = points.with(square);
        }
        index += 1;
    }
    points
}
