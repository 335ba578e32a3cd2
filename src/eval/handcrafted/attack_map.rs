//! Attacks of every piece, computed once per evaluation.

use arrayvec::ArrayVec;

use crate::board::{Bitboard, ByColor, Color, PieceKind, Position, Square, attacks};

/// A knight, rook, cannon, pawn or bishop, with its attacks.
#[derive(Clone, Copy, Debug)]
pub struct Attacker {
    /// Kind of the piece.
    pub kind: PieceKind,
    /// Attacked squares, including guarded own pieces; for a cannon, over its screen.
    pub attacks: Bitboard,
}

/// The attacks of one side.
#[derive(Clone, Debug, Default)]
struct SideAttacks {
    // No side has more than 16 pieces.
    pieces: ArrayVec<Attacker, 16>,
    cannon_steps: ArrayVec<Bitboard, 16>,
    by_kind: [Bitboard; PieceKind::COUNT],
    all: Bitboard,
}

impl SideAttacks {
    #[inline]
    fn new(position: &Position, us: Color) -> Self {
        let occupied = position.occupied();
        let mut side = Self::default();
        side.by_kind[PieceKind::King.index()] = attacks::king(position.king(us));
        for square in position.pieces(us, PieceKind::Advisor) {
            side.by_kind[PieceKind::Advisor.index()] |= attacks::advisor(square);
        }
        side.enlist(position, us, PieceKind::Bishop, |s| {
            attacks::bishop(s, occupied)
        });
        side.enlist(position, us, PieceKind::Knight, |s| {
            attacks::knight(s, occupied)
        });
        side.enlist(position, us, PieceKind::Rook, |s| {
            attacks::rook(s, occupied)
        });
        side.enlist(position, us, PieceKind::Cannon, |s| {
            attacks::cannon(s, occupied)
        });
        side.enlist(position, us, PieceKind::Pawn, |s| attacks::pawn(us, s));
        for square in position.pieces(us, PieceKind::Cannon) {
            let steps = attacks::rook(square, occupied) & !occupied;
            side.cannon_steps.push(steps);
        }
        side.all = side
            .by_kind
            .iter()
            .fold(Bitboard::EMPTY, |all, kind| all | *kind);
        side
    }

    #[inline(always)]
    fn enlist(
        &mut self,
        position: &Position,
        us: Color,
        kind: PieceKind,
        attacks: impl Fn(Square) -> Bitboard,
    ) {
        for square in position.pieces(us, kind) {
            let attacks = attacks(square);
            self.by_kind[kind.index()] |= attacks;
            self.pieces.push(Attacker { kind, attacks });
        }
    }
}

/// The attacks of both sides.
#[derive(Clone, Debug)]
pub struct AttackMap(ByColor<SideAttacks>);

impl AttackMap {
    /// The attacks in a position.
    #[inline]
    pub fn new(position: &Position) -> Self {
        Self(ByColor::from_fn(|us| SideAttacks::new(position, us)))
    }

    /// The pieces of a side, except king and advisors, with their attacks.
    #[inline]
    pub fn pieces(&self, color: Color) -> &[Attacker] {
        &self.0[color].pieces
    }

    /// The empty squares that each cannon of a side can go to.
    #[inline]
    pub fn cannon_steps(&self, color: Color) -> &[Bitboard] {
        &self.0[color].cannon_steps
    }

    /// Squares that pieces of a kind attack.
    #[inline]
    pub fn by(&self, color: Color, kind: PieceKind) -> Bitboard {
        self.0[color].by_kind[kind.index()]
    }

    /// Squares that a side attacks.
    #[inline]
    pub fn all(&self, color: Color) -> Bitboard {
        self.0[color].all
    }
}
