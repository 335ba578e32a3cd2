//! What every piece attacks, found once an evaluation.

use arrayvec::ArrayVec;

use crate::board::{Bitboard, Color, PieceKind, Position, Square, attacks};

/// One piece and the squares it attacks; its own side's pieces are among them (it guards them).
#[derive(Clone, Copy, Debug)]
pub struct Attacker {
    /// Its kind.
    pub kind: PieceKind,
    /// Where it stands.
    pub square: Square,
    /// What it attacks; a cannon over its screen.
    pub attacks: Bitboard,
}

/// The attacks of both sides.
#[derive(Clone, Debug)]
pub struct AttackMap {
    pieces: [ArrayVec<Attacker, 16>; 2],
    by_kind: [[Bitboard; PieceKind::COUNT]; 2],
    all: [Bitboard; 2],
}

impl AttackMap {
    /// The attacks in a position.
    #[inline]
    pub fn new(position: &Position) -> Self {
        let occupied = position.occupied();
        let mut map = Self {
            pieces: [ArrayVec::new(), ArrayVec::new()],
            by_kind: [[Bitboard::EMPTY; PieceKind::COUNT]; 2],
            all: [Bitboard::EMPTY; 2],
        };
        for color in Color::ALL {
            let side = color.index();
            for kind in PieceKind::ALL {
                for square in position.pieces(color, kind) {
                    let attacks = attacks::of(kind, color, square, occupied);
                    map.by_kind[side][kind.index()] |= attacks;
                    map.pieces[side].push(Attacker {
                        kind,
                        square,
                        attacks,
                    });
                }
                map.all[side] |= map.by_kind[side][kind.index()];
            }
        }
        map
    }

    /// The pieces of a side with their attacks.
    #[inline]
    pub fn pieces(&self, color: Color) -> &[Attacker] {
        &self.pieces[color.index()]
    }

    /// All that the pieces of a kind attack.
    #[inline]
    pub fn by(&self, color: Color, kind: PieceKind) -> Bitboard {
        self.by_kind[color.index()][kind.index()]
    }

    /// All that a side attacks.
    #[inline]
    pub fn all(&self, color: Color) -> Bitboard {
        self.all[color.index()]
    }
}
