//! The moves of a side by attack sets, without a position being set up: how many there are, and whether
//! one of them threatens nothing. Most positions are decided by that.

use super::arena::{Arena, ArenaNode};
use crate::board::{Bitboard, Color, PieceKind, Square, attacks};
use crate::tablebase::board::CellBoard;
use crate::tablebase::group::{GroupTable, Placement};
use crate::tablebase::index::Cell;

/// The side to move in a legal position of a class with an attacker a side.
pub(super) struct Mover<'a> {
    board: CellBoard<'a>,
    side: Color,
    table: &'a GroupTable,
    group: &'a Placement,
    /// Its attacker and that of the other side.
    attackers: [(PieceKind, Square); 2],
    enemies: Bitboard,
    /// Whether no move of another piece can leave its king attacked.
    is_king_free: bool,
}

/// How many moves a side has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CountedMoves {
    /// How many legal ones take nothing.
    pub quiet: u8,
    /// Whether there are any that take something, legal or not.
    pub has_captures: bool,
}

impl<'a> Mover<'a> {
    /// The mover in a position in which it can be the turn of `side`.
    fn new(board: CellBoard<'a>, side: Color) -> Self {
        let indexer = board.indexer;
        let (table, group) = match side {
            Color::Red => (indexer.own, board.own),
            Color::Black => (indexer.defenders, board.defenders),
        };
        // Red's attacker comes first.
        let attacker = |side: Color| {
            let number = side.index();
            (indexer.attackers.kinds[number], board.cell.squares[number])
        };
        let attackers = [attacker(side), attacker(!side)];
        let mut mover = Self {
            side,
            table,
            group,
            attackers,
            enemies: board.occupied & !group.pieces.with(attackers[0].1),
            is_king_free: false,
            board,
        };
        mover.is_king_free = mover.find_king_free();
        mover
    }

    /// Nothing attacks the king that would on some other board, and no cannon is on its lines.
    fn find_king_free(&self) -> bool {
        let king = self.group.king;
        let (kind, square) = self.attackers[1];
        let from = match kind {
            PieceKind::Rook | PieceKind::Cannon => attacks::lines(king),
            PieceKind::Knight => attacks::knight_to(king, Bitboard::EMPTY),
            _ => attacks::pawn_to(!self.side, king),
        };
        king.file() != self.board.king(!self.side).file() && !from.contains(square)
    }

    /// Counts the moves.
    pub(super) fn count(&self) -> CountedMoves {
        let (kind, from) = self.attackers[0];
        let takes = attacks::of(kind, self.side, from, self.board.occupied) & self.enemies;
        let mut quiet = self.attacker_moves().len() as u8;
        self.steps(|_, _| {
            quiet += 1;
            false
        });
        CountedMoves {
            quiet,
            has_captures: takes.any() || self.reaches_attacker(self.group),
        }
    }

    /// Visits the nodes that the legal quiet moves lead to.
    pub(super) fn quiet_moves(&self, mut visit: impl FnMut(ArenaNode)) {
        self.steps(|placement, _| {
            visit(self.node(self.with_group(placement.into())));
            false
        });
        for to in self.attacker_moves() {
            visit(self.node(self.with_attacker(to)));
        }
    }

    /// Whether some legal quiet move after which the side attacks nothing leads to a node for which
    /// `is_wanted` says so. There may be such moves that are not found.
    pub(super) fn has_peaceful_move(&self, is_wanted: impl Fn(ArenaNode) -> bool) -> bool {
        let (kind, from) = self.attackers[0];
        let attacks_nothing = |square: Square, occupied: Bitboard| {
            (attacks::of(kind, self.side, square, occupied) & self.enemies).is_empty()
        };
        let leads_well = |cell: Cell| is_wanted(self.node(cell));
        let has_step = self.steps(|placement, occupied| {
            attacks_nothing(from, occupied)
                && !self.reaches_attacker(&self.table.placements[usize::from(placement)])
                && leads_well(self.with_group(placement.into()))
        });
        let left = self.board.occupied.without(from);
        has_step
            || !self.reaches_attacker(self.group)
                && self.attacker_moves().into_iter().any(|to| {
                    attacks_nothing(to, left.with(to)) && leads_well(self.with_attacker(to))
                })
    }

    /// The node of a cell after a move.
    fn node(&self, cell: Cell) -> ArenaNode {
        ArenaNode {
            index: self.board.indexer.index(cell),
            side: !self.side,
        }
    }

    /// The cell with another placement of the king, the advisors and the bishops.
    fn with_group(&self, number: usize) -> Cell {
        let mut cell = self.board.cell;
        match self.side {
            Color::Red => cell.own = number,
            Color::Black => cell.defenders = number,
        }
        cell
    }

    /// The cell with the attacker on another square.
    fn with_attacker(&self, square: Square) -> Cell {
        let mut cell = self.board.cell;
        cell.squares[self.side.index()] = square;
        cell
    }

    /// Shows `visit` the legal quiet moves of the king, the advisors and the bishops, by the number of the
    /// group and what is occupied afterwards, until it says that it has found what it looks for; whether it
    /// did.
    fn steps(&self, mut visit: impl FnMut(u16, Bitboard) -> bool) -> bool {
        let others = self.board.occupied & !self.group.pieces;
        self.table.steps(self.group).iter().any(|step| {
            if others.contains(step.to) || (step.eye & others).any() {
                return false;
            }
            let after = &self.table.placements[step.placement as usize];
            let occupied = others | after.pieces;
            let is_legal = self.is_king_free && after.king == self.group.king
                || !self.board.is_attacked(self.side, after.king, occupied);
            is_legal && visit(step.placement, occupied)
        })
    }

    /// Whether a piece of a group could take the other side's attacker on an otherwise empty board.
    fn reaches_attacker(&self, group: &Placement) -> bool {
        let (_, square) = self.attackers[1];
        Bitboard::home_half(self.side).contains(square)
            && self.table.steps(group).iter().any(|step| step.to == square)
    }

    /// Where the attacker can go without taking anything.
    fn attacker_moves(&self) -> Bitboard {
        let (kind, from) = self.attackers[0];
        let occupied = self.board.occupied;
        let to = match kind {
            PieceKind::Cannon => attacks::rook(from, occupied),
            _ => attacks::of(kind, self.side, from, occupied),
        } & !occupied;
        if self.is_king_free {
            return to;
        }
        let (king, left) = (self.group.king, occupied.without(from));
        let is_attacked = |occupied| self.board.is_attacked(self.side, king, occupied);
        if is_attacked(left) {
            let is_safe = |to: &Square| !is_attacked(left.with(*to));
            return to.into_iter().filter(is_safe).collect();
        }
        // A piece more on the board can only be the screen of a bare cannon.
        let (kind, cannon) = self.attackers[1];
        let line = Bitboard::between(king, cannon);
        match kind == PieceKind::Cannon && (line & left).is_empty() {
            true => to & !line,
            false => to,
        }
    }
}

impl Arena<'_> {
    /// The side to move in a legal position.
    pub(super) fn mover(&self, node: ArenaNode) -> Option<Mover<'_>> {
        let board = self.board(node.index)?;
        let is_legal = board.can_move(node.side);
        is_legal.then(|| Mover::new(board, node.side))
    }

    /// Visits the nodes that the legal quiet moves of a node lead to.
    pub(super) fn quiet_nodes(&self, node: ArenaNode, visit: impl FnMut(ArenaNode)) {
        if let Some(mover) = self.mover(node) {
            mover.quiet_moves(visit);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::super::moves::Aims;
    use super::*;
    use crate::movegen::legal_moves;
    use crate::rules::RuleSet;

    /// Every so many nodes of a class: a prime, so that all kinds of them come up.
    const STEP: usize = 499;

    #[test]
    fn attack_sets_agree_with_the_move_generator() {
        let mut peaceful = 0;
        for material in [
            "KR-KNAB", "KCA-KP", "KNB-KCBB", "KPAA-KRA", "KC-KCA", "KR-KRB",
        ] {
            let arena = Arena::new(material.parse().unwrap(), RuleSet::Asian, &[]);
            for number in (0..2 * arena.len()).step_by(STEP) {
                let node = ArenaNode {
                    index: number / 2,
                    side: Color::ALL[number % 2],
                };
                let position = arena.position(node);
                let (Some(mover), Some(position)) = (arena.mover(node), &position) else {
                    assert!(
                        arena.mover(node).is_none() && position.is_none(),
                        "{node:?}"
                    );
                    continue;
                };
                let takes = |m: &crate::board::Move| position.taken_by(*m).is_some();
                let moves = legal_moves(position);
                let captures = moves.iter().filter(|m| takes(m)).count();
                let counted = mover.count();
                assert_eq!(
                    usize::from(counted.quiet),
                    moves.len() - captures,
                    "{position:?}"
                );
                assert!(counted.has_captures || captures == 0, "{position:?}");

                let (mut quiet, mut harmless) = (Vec::new(), Vec::new());
                arena.quiet_moves(node, |m| {
                    quiet.push(m.to.index);
                    if Aims::of(m.threats()) == Aims::BOTH {
                        harmless.push(m.to);
                    }
                    true
                });
                let mut found = Vec::new();
                mover.quiet_moves(|to| found.push(to.index));
                quiet.sort();
                found.sort();
                assert_eq!(found, quiet, "{position:?}");

                let offered = RefCell::new(Vec::new());
                let is_wanted = |to| {
                    offered.borrow_mut().push(to);
                    false
                };
                assert!(!mover.has_peaceful_move(is_wanted));
                let offered = offered.into_inner();
                assert!(
                    offered.iter().all(|to| harmless.contains(to)),
                    "{position:?}"
                );
                assert_eq!(mover.has_peaceful_move(|_| true), !offered.is_empty());
                peaceful += usize::from(!offered.is_empty());
            }
        }
        assert!(peaceful > 0);
    }
}
