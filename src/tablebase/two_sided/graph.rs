//! The game graph of a two-sided class: nodes, quiet moves, and the offenses of moves.

use std::sync::Arc;

use crate::board::{Bitboard, Color, Move, PieceKind, Position, Square, attacks};
use crate::movegen::legal_moves;
use crate::rules::{MoveThreats, Ply, RuleSet, move_threats};
use crate::tablebase::cell_board::CellBoard;
use crate::tablebase::index::{Cell, Indexer, Node};
use crate::tablebase::material::Material;
use crate::tablebase::placements::{Placement, PlacementList};
use crate::tablebase::solved::{SmallerClass, SolvedClass};
use crate::tablebase::solver_state::for_each_index;
use crate::tablebase::value::Value;

/// The game graph of a class under a rule set, with the classes that captures lead to.
pub struct GameGraph<'a> {
    pub indexer: Indexer,
    pub rules: RuleSet,
    /// Number of threads that examine the nodes.
    pub threads: usize,
    smaller: Vec<SmallerClass<'a>>,
}

impl<'a> GameGraph<'a> {
    /// `smaller` holds the classes of [`Material::after_captures`].
    pub fn new(
        material: Material,
        rules: RuleSet,
        smaller: &'a [Arc<SolvedClass>],
        threads: usize,
    ) -> Self {
        Self {
            indexer: Indexer::new(material),
            rules,
            threads,
            smaller: SmallerClass::all(smaller),
        }
    }

    /// Node after the quiet move `played` from `cell`, in which black's placement must be canonical. `after` is the
    /// position after the move.
    pub fn node_after(&self, cell: Cell, played: Move, after: &Position) -> Node {
        let mut squares = cell.squares;
        match squares.iter_mut().find(|square| **square == played.from()) {
            Some(square) => {
                // An attacker has moved, so the placements have not changed.
                *square = played.to();
                let index = self.indexer.listed(Cell { squares, ..cell });
                Node::new(index, after.side_to_move())
            }
            None => self.indexer.of_position(after, Color::Red),
        }
    }

    /// Visits the values after the legal captures of a node, for the side to move then.
    ///
    /// # Panics
    ///
    /// A class that a capture leads to is missing.
    pub fn captures(&self, node: Node, mut visit: impl FnMut(Value)) {
        let Some(mut position) = self.indexer.position(node) else {
            return;
        };
        for played in legal_moves(&position) {
            if position.taken_by(played).is_some() {
                let undo = position.make(played);
                visit(self.after_capture(&position));
                position.unmake(played, undo);
            }
        }
    }

    /// Value of a position after a capture, for the side to move.
    ///
    /// # Panics
    ///
    /// Its class is missing.
    pub fn after_capture(&self, position: &Position) -> Value {
        let after = SmallerClass::of_position(&self.smaller, position);
        let (smaller, node) = after.expect("a side has an attacker left");
        let class = smaller.solved;
        let value = class.value(node);
        if class.material.is_two_sided() {
            Value(value)
        } else {
            let draws_hold = class.draws.is_under(self.rules);
            Value::of_one_sided(value, node.side(), draws_hold)
        }
    }

    /// Calls `visit` with all nodes, and `done` after each slice of the indices with its number of indices.
    pub fn for_each_node(&self, visit: impl Fn(Node) + Sync, done: impl Fn(u64) + Sync) {
        let visit = |index| {
            for side in Color::ALL {
                visit(Node::new(index, side));
            }
        };
        for_each_index(&self.indexer, self.threads, visit, done);
    }
}

/// Kinds of offense against the repetition rules, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offenses(pub u8);

impl Offenses {
    pub const NONE: Self = Self(0);
    pub const CHECK: Self = Self(1);
    /// In this order: chases the attacker, an advisor, a bishop.
    pub const CHASES: [Self; 3] = [Self(2), Self(4), Self(8)];
    /// Chases any piece.
    pub const CHASE: Self = Self(14);
    /// The goals that a side must reach again and again to avoid a loss by rule: a move that gives no check, and a move
    /// that chases nothing. A goal is stored as the set of offenses that the move must avoid.
    pub const DEFAULT_GOALS: [Self; 2] = [Self::CHECK, Self::CHASE];
    /// All offenses and one more bit: the offenses that all moves of a node have in common if it has no move that
    /// counts. For an edge: the move reaches no goal.
    pub const NO_MOVE: Self = Self(31);

    pub const EACH: [Self; 4] = [Self::CHECK, Self::CHASES[0], Self::CHASES[1], Self::CHASES[2]];

    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Whether this set contains all of `other`.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The goals of the winner in a zone of this offense (see `co_buchi`). For each of the returned sets, the winner
    /// must again and again make a move that commits none of its offenses.
    pub const fn winner_goals(self) -> &'static [Self] {
        match self {
            Self::CHECK => &[Self::CHECK],
            _ => &Self::DEFAULT_GOALS,
        }
    }

    /// The default goals that a move with these threats misses, as one set of offenses.
    pub fn missed_goals(threats: MoveThreats) -> Self {
        let check = if threats.gives_check { Self::CHECK.0 } else { 0 };
        let chase = if threats.chased.any() { Self::CHASE.0 } else { 0 };
        Self(check | chase)
    }

    /// Divides all offenses into `bits` and the rest.
    pub const fn divided(bits: u8) -> [Self; 2] {
        [Self(bits), Self((Self::CHECK.0 | Self::CHASE.0) & !bits)]
    }

    /// Whether the two sets are disjoint.
    pub const fn is_free_of(self, others: Self) -> bool {
        self.0 & others.0 == 0
    }
}

/// A quiet move with the node it leads to.
pub struct QuietMove<'a> {
    pub to: Node,
    after: &'a Position,
    pub ply: Ply,
    rules: RuleSet,
}

impl QuietMove<'_> {
    pub fn threats(&self) -> MoveThreats {
        move_threats(self.after, &self.ply, self.rules)
            .expect("rule sets that cannot judge single moves are refused")
    }

    /// Offenses that the move certainly commits. The index does not distinguish two pieces of a kind, so chases of
    /// such pieces are left out. Under the `computer` rules a repetition with a check has no chases, so a move that
    /// gives check commits no other offense.
    pub fn offenses(&self, threats: MoveThreats) -> Offenses {
        self.offenses_against(threats, |pieces| !pieces.more_than_one())
    }

    /// Offenses that the move may commit, including chases of either of two pieces of a kind.
    pub fn possible_offenses(&self, threats: MoveThreats) -> Offenses {
        self.offenses_against(threats, |_| true)
    }

    /// Offenses of the move. Chases of pieces of a kind count only if `counted` accepts the set of
    /// these pieces.
    fn offenses_against(&self, threats: MoveThreats, counted: fn(Bitboard) -> bool) -> Offenses {
        let chaser = !self.after.side_to_move();
        let defenders = [PieceKind::Advisor, PieceKind::Bishop];
        let [advisors, bishops] = defenders.map(|kind| self.after.pieces(!chaser, kind));
        let kings = Bitboard::from(self.after.king(!chaser));
        let attackers = self.after.color(!chaser) & !(advisors | bishops | kings);
        let mut offenses = if threats.gives_check { Offenses::CHECK.0 } else { 0 };
        if self.rules == RuleSet::Computer && threats.gives_check {
            return Offenses(offenses);
        }
        for (pieces, offense) in [attackers, advisors, bishops].into_iter().zip(Offenses::CHASES) {
            if counted(pieces) && (pieces & threats.chased).any() {
                offenses |= offense.0;
            }
        }
        Offenses(offenses)
    }
}

impl GameGraph<'_> {
    /// The moves of a node; `None` if it is not legal.
    pub fn mover(&self, node: Node) -> Option<Mover<'_>> {
        let board = self.indexer.board(node.index())?;
        let is_legal = board.may_be_to_move(node.side());
        is_legal.then(|| Mover::new(board, node.side()))
    }

    /// Visits the successors of a node by legal quiet moves.
    pub fn quiet_nodes(&self, node: Node, visit: impl FnMut(Node)) {
        if let Some(mover) = self.mover(node) {
            mover.quiet_moves(visit);
        }
    }

    /// Visits the legal quiet moves of a node until `visit` returns `false`.
    pub fn quiet_moves(&self, node: Node, mut visit: impl FnMut(QuietMove<'_>) -> bool) {
        let Some(mut position) = self.indexer.position(node) else {
            return;
        };
        let cell = self.indexer.cell(node.index());
        for played in legal_moves(&position) {
            if position.taken_by(played).is_some() {
                continue;
            }
            let undo = position.make(played);
            let continues = visit(QuietMove {
                to: self.node_after(cell, played, &position),
                after: &position,
                ply: Ply { played, undo },
                rules: self.rules,
            });
            position.unmake(played, undo);
            if !continues {
                return;
            }
        }
    }
}

/// Moves of the side to move, found with attack sets instead of a [`Position`]: faster than
/// [`GameGraph::quiet_moves`], but does not show which moves check or chase.
pub struct Mover<'a> {
    board: CellBoard<'a>,
    side: Color,
    list: &'a PlacementList,
    placement: &'a Placement,
    /// Own attacker, then the other side's.
    attackers: [(PieceKind, Square); 2],
    enemies: Bitboard,
    /// Whether no move of another piece can expose the king: no piece attacks it even on an empty board, and no cannon
    /// is on its lines.
    is_king_free: bool,
}

impl<'a> Mover<'a> {
    /// The position must be legal with `side` to move.
    fn new(board: CellBoard<'a>, side: Color) -> Self {
        let indexer = board.indexer;
        let placement = board.placements[side];
        // Red's attacker comes first.
        let attacker = |side: Color| {
            let number = side.index();
            (indexer.attackers.kinds[number], board.cell.squares[number])
        };
        let attackers = [attacker(side), attacker(!side)];
        let king = placement.king;
        let (enemy, square) = attackers[1];
        let dangers = match enemy {
            PieceKind::Rook | PieceKind::Cannon => attacks::lines(king),
            PieceKind::Knight => attacks::knight_to(king, Bitboard::EMPTY),
            _ => attacks::pawn_to(!side, king),
        };
        let faces_king = king.file() == board.placements[!side].king.file();
        Self {
            side,
            list: indexer.placements[side],
            placement,
            attackers,
            enemies: board.occupied & !placement.pieces.with(attackers[0].1),
            is_king_free: !faces_king && !dangers.contains(square),
            board,
        }
    }

    /// Number of legal quiet moves.
    pub fn count_quiet_moves(&self) -> u8 {
        let mut count = self.attacker_moves().len() as u8;
        self.steps(|_, _| {
            count += 1;
            false
        });
        count
    }

    /// Whether captures may exist: `false` is certain, `true` is not.
    pub fn may_capture(&self) -> bool {
        let (kind, from) = self.attackers[0];
        let takes = attacks::of(kind, self.side, from, self.board.occupied) & self.enemies;
        takes.any() || self.reaches_attacker(self.placement)
    }

    /// Visits the successors by legal quiet moves.
    pub fn quiet_moves(&self, mut visit: impl FnMut(Node)) {
        self.steps(|placement, _| {
            visit(self.node(self.board.with_placement(self.side, placement.into())));
            false
        });
        for to in self.attacker_moves() {
            visit(self.node(self.with_attacker(to)));
        }
    }

    /// Whether a legal quiet move after which the side attacks nothing leads to a node that `is_wanted` accepts. May
    /// miss some such moves.
    pub fn has_peaceful_move(&self, is_wanted: impl Fn(Node) -> bool) -> bool {
        let (kind, from) = self.attackers[0];
        let attacks_nothing = |square: Square, occupied: Bitboard| {
            (attacks::of(kind, self.side, square, occupied) & self.enemies).is_empty()
        };
        let leads_to_wanted = |cell: Cell| is_wanted(self.node(cell));
        let has_step = self.steps(|placement, occupied| {
            attacks_nothing(from, occupied)
                && !self.reaches_attacker(&self.list.all[usize::from(placement)])
                && leads_to_wanted(self.board.with_placement(self.side, placement.into()))
        });
        let left = self.board.occupied.without(from);
        has_step
            || !self.reaches_attacker(self.placement)
                && self.attacker_moves().into_iter().any(|to| {
                    attacks_nothing(to, left.with(to)) && leads_to_wanted(self.with_attacker(to))
                })
    }

    fn node(&self, cell: Cell) -> Node {
        Node::new(self.board.indexer.index(cell), !self.side)
    }

    fn with_attacker(&self, square: Square) -> Cell {
        self.board.with_attacker(self.side.index(), square)
    }

    /// Calls `visit` with the placement and the occupied squares after each legal quiet move of
    /// king, advisors and bishops, until it returns `true`. Returns whether it did.
    fn steps(&self, mut visit: impl FnMut(u16, Bitboard) -> bool) -> bool {
        let others = self.board.occupied & !self.placement.pieces;
        self.list.steps(self.placement).iter().any(|step| {
            if others.contains(step.to) || (step.eye & others).any() {
                return false;
            }
            let after = &self.list.all[step.placement as usize];
            let occupied = others | after.pieces;
            let is_legal = self.is_king_free && after.king == self.placement.king
                || !self.board.is_attacked(self.side, after.king, occupied, None);
            is_legal && visit(step.placement, occupied)
        })
    }

    /// Whether a piece of the placement could capture the other side's attacker on an otherwise
    /// empty board.
    fn reaches_attacker(&self, placement: &Placement) -> bool {
        let (_, square) = self.attackers[1];
        let mut steps = self.list.steps(placement).iter();
        Bitboard::home_half(self.side).contains(square) && steps.any(|step| step.to == square)
    }

    /// Target squares of the attacker's legal quiet moves.
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
        let (king, left) = (self.placement.king, occupied.without(from));
        let is_attacked = |occupied| self.board.is_attacked(self.side, king, occupied, None);
        if is_attacked(left) {
            let is_safe = |to: &Square| !is_attacked(left.with(*to));
            return to.into_iter().filter(is_safe).collect();
        }
        // Otherwise the attacker exposes its own king only by becoming the screen of a cannon on an open line.
        let (kind, cannon) = self.attackers[1];
        let line = Bitboard::between(king, cannon);
        if kind == PieceKind::Cannon && (line & left).is_empty() { to & !line } else { to }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    /// Every 499th node is examined. The number is a prime, so that all kinds of nodes occur.
    const STEP: usize = 499;

    #[test]
    fn attack_sets_agree_with_the_move_generator() {
        let mut peaceful = 0;
        for material in ["KR-KNAB", "KCA-KP", "KNB-KCBB", "KPAA-KRA", "KC-KCA", "KR-KRB"] {
            let game = GameGraph::new(material.parse().unwrap(), RuleSet::Asian, &[], 1);
            for node in (0..2 * game.indexer.len()).step_by(STEP).map(Node) {
                let position = game.indexer.position(node);
                let (Some(mover), Some(position)) = (game.mover(node), &position) else {
                    assert!(game.mover(node).is_none() && position.is_none(), "{node:?}");
                    continue;
                };
                let takes = |m: &Move| position.taken_by(*m).is_some();
                let moves = legal_moves(position);
                let captures = moves.iter().filter(|m| takes(m)).count();
                let quiet = usize::from(mover.count_quiet_moves());
                assert_eq!(quiet, moves.len() - captures, "{position:?}");
                assert!(mover.may_capture() || captures == 0, "{position:?}");

                let (mut quiet, mut harmless) = (Vec::new(), Vec::new());
                game.quiet_moves(node, |m| {
                    quiet.push(m.to.0);
                    if Offenses::missed_goals(m.threats()) == Offenses::NONE {
                        harmless.push(m.to);
                    }
                    true
                });
                let mut found = Vec::new();
                mover.quiet_moves(|to| found.push(to.0));
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
                assert!(offered.iter().all(|to| harmless.contains(to)), "{position:?}");
                assert_eq!(mover.has_peaceful_move(|_| true), !offered.is_empty());
                peaceful += usize::from(!offered.is_empty());
            }
        }
        assert!(peaceful > 0);
    }
}
