//! Attacks and moves on a cell of a table, for the solvers.

use super::index::{AttackerSquares, Cell, Indexer};
use super::placements::{Placement, Removal};
use crate::board::{Bitboard, Color, Piece, PieceKind, Square, attacks};

/// A position of a class, without the side to move; red is the strong side.
#[derive(Clone, Copy, Debug)]
pub struct CellBoard<'a> {
    pub indexer: &'a Indexer,
    pub cell: Cell,
    /// Red's king, advisors and bishops.
    pub own: &'a Placement,
    /// Black's king, advisors and bishops.
    pub defenders: &'a Placement,
    pub occupied: Bitboard,
}

/// A move of the weak side's king, advisors or bishops.
#[derive(Clone, Copy, Debug)]
pub struct WeakMove {
    /// Number of the placement after the move.
    pub defenders: usize,
    /// Number of the captured attacker.
    pub taken: Option<usize>,
}

/// A capture by the strong side.
#[derive(Clone, Copy, Debug)]
pub struct Capture {
    pub removal: Removal,
    /// Squares of the attackers after the capture.
    pub squares: AttackerSquares,
}

impl<'a> CellBoard<'a> {
    /// `None` if two pieces share a square or the kings face each other.
    #[inline]
    pub fn new(indexer: &'a Indexer, cell: Cell) -> Option<Self> {
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

    #[inline]
    pub fn king(&self, side: Color) -> Square {
        match side {
            Color::Red => self.own.king,
            Color::Black => self.defenders.king,
        }
    }

    /// Whether the king of `side` on `king` would be attacked by the other side's attackers or face
    /// its king, with the board occupied by `occupied`.
    #[inline]
    pub fn is_attacked(&self, side: Color, king: Square, occupied: Bitboard) -> bool {
        are_facing(king, self.king(!side), occupied) || self.attacks(!side, king, occupied, None)
    }

    /// Whether an attacker of `by`, other than `taken`, attacks the other side's king on `king`.
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

    /// Whether red attacks black's king, so that red cannot be to move.
    #[inline]
    pub fn gives_check(&self) -> bool {
        self.attacks(Color::Red, self.defenders.king, self.occupied, None)
    }

    /// Whether `side` can be to move: the other side's king is not attacked.
    #[inline]
    pub fn can_move(&self, side: Color) -> bool {
        match side {
            Color::Red => !self.gives_check(),
            Color::Black => !self.attacks(Color::Black, self.own.king, self.occupied, None),
        }
    }

    /// Visits the legal moves of black's king, advisors and bishops.
    #[inline]
    pub fn weak_moves(&self, mut visit: impl FnMut(WeakMove)) {
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
                visit(WeakMove {
                    defenders: step.placement.into(),
                    taken,
                });
            }
        }
    }

    /// The cell after a black move, in the same class or in the class with one attacker fewer.
    #[inline]
    pub fn after(&self, m: WeakMove) -> Cell {
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

    /// Visits black's placements before the quiet moves that lead here, legal or not.
    #[inline]
    pub fn weak_unmoves(&self, mut visit: impl FnMut(usize)) {
        let others = self.occupied & !self.defenders.pieces;
        for step in self.indexer.defenders.steps(self.defenders) {
            if !others.contains(step.to) && (step.eye & others).is_empty() {
                visit(step.placement.into());
            }
        }
    }

    /// Visits red's legal captures in a one-sided class.
    #[inline]
    pub fn captures(&self, mut visit: impl FnMut(Capture)) {
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

    /// Visits the cells before red's quiet moves that lead here, legal or not.
    #[inline]
    pub fn strong_unmoves(&self, mut visit: impl FnMut(Cell)) {
        self.own_steps(&mut visit);
        self.attacker_unmoves(Color::Red, visit);
    }

    /// Visits the cells before the quiet moves of a side's attackers that lead here, legal or not.
    #[inline]
    pub fn attacker_unmoves(&self, side: Color, visit: impl FnMut(Cell)) {
        let origins = |kind, to, others| attacker_origins(kind, side, to, others);
        self.attacker_steps(side, origins, visit);
    }

    /// Visits the cells after red's quiet moves. In a one-sided class all are legal unless the kings face each other.
    #[inline]
    pub fn strong_moves(&self, mut visit: impl FnMut(Cell)) {
        self.own_steps(&mut visit);
        self.attacker_steps(Color::Red, attacker_targets, visit);
    }

    /// Visits the cells before a quiet move of red's king, an advisor or a bishop, legal or not. They are also the
    /// cells after such moves, because these moves are reversible.
    #[inline]
    pub fn own_steps(&self, mut visit: impl FnMut(Cell)) {
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

/// Whether two kings face each other on an open file.
#[inline]
fn are_facing(king: Square, other: Square, occupied: Bitboard) -> bool {
    king.file() == other.file() && (Bitboard::between(king, other) & occupied).is_empty()
}

/// Squares from which `side` can make a quiet move to `to`.
#[inline]
fn attacker_origins(kind: PieceKind, side: Color, to: Square, others: Bitboard) -> Bitboard {
    match kind {
        PieceKind::Rook | PieceKind::Cannon => attacks::rook(to, others),
        PieceKind::Knight => attacks::knight_to(to, others),
        _ => pawn_origins(side, to),
    }
}

/// Squares that a quiet move reaches from `from`.
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
    const STANDS: [Bitboard; Color::COUNT] = [
        standing_squares(Piece::RedPawn),
        standing_squares(Piece::BlackPawn),
    ];
    attacks::pawn_to(side, to) & STANDS[side.index()]
}

const fn standing_squares(piece: Piece) -> Bitboard {
    let (mut squares, mut index) = (Bitboard::EMPTY, 0);
    while let Some(square) = Square::from_index(index) {
        if piece.can_stand_on(square, false) {
            squares = squares.with(square);
        }
        index += 1;
    }
    squares
}
