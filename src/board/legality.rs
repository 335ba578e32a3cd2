//! Pins and checks: which pseudo-legal moves leave one's own king in peace.

use arrayvec::ArrayVec;

use super::attacks;
use super::bitboard::Bitboard;
use super::moves::Move;
use super::piece::PieceKind;
use super::position::Position;
use super::square::Square;

/// What binds the side to move in one position, found once and asked for each move.
///
/// Out of check a piece is bound when an enemy rook or the facing king stands behind it, when it is
/// one of two screens before an enemy cannon, or when it is the leg that hobbles an enemy knight;
/// and no piece may step before a bare cannon (空头炮) to become its screen.
#[derive(Clone, Debug)]
pub struct Legality {
    in_check: bool,
    king: Square,
    pinned: Bitboard,
    /// Squares between a bare cannon and the king.
    barred: Bitboard,
    /// Where each pinned piece may still go.
    pins: ArrayVec<(Square, Bitboard), 16>,
}

impl Legality {
    /// Looks for the pins of the side to move.
    pub fn new(position: &Position) -> Self {
        let us = position.side();
        let mut legality = Self {
            in_check: position.in_check(),
            king: position.king(us),
            pinned: Bitboard::EMPTY,
            barred: Bitboard::EMPTY,
            pins: ArrayVec::new(),
        };
        if !legality.in_check {
            legality.find_line_pins(position);
            legality.find_knight_pins(position);
        }
        legality
    }

    fn find_line_pins(&mut self, position: &Position) {
        let us = position.side();
        let occupied = position.occupied();
        let own = position.color(us);
        let lines = attacks::rook(self.king, Bitboard::EMPTY);
        let cannons = position.pieces(!us, PieceKind::Cannon) & lines;
        let rooks = position.pieces(!us, PieceKind::Rook) & lines
            | position.pieces(!us, PieceKind::King) & Bitboard::file(self.king.file());
        for sniper in rooks {
            let line = Bitboard::between(self.king, sniper);
            let between = line & occupied;
            if !between.more_than_one() {
                self.pin(between & own, line.with(sniper));
            }
        }
        for sniper in cannons {
            let line = Bitboard::between(self.king, sniper);
            let between = line & occupied;
            match between.len() {
                0 => self.barred |= line,
                2 => self.pin(between & own, (line & !occupied).with(sniper)),
                _ => {}
            }
        }
    }

    fn find_knight_pins(&mut self, position: &Position) {
        let us = position.side();
        let occupied = position.occupied();
        let near = attacks::knight_to(self.king, Bitboard::EMPTY);
        for sniper in position.pieces(!us, PieceKind::Knight) & near {
            // Not in check, so the one leg that leads to the king is occupied.
            self.pin(
                knight_leg(sniper, self.king) & occupied & position.color(us),
                Bitboard::from(sniper),
            );
        }
    }

    fn pin(&mut self, pieces: Bitboard, allowed: Bitboard) {
        for square in pieces {
            if self.pinned.contains(square) {
                for pin in &mut self.pins {
                    if pin.0 == square {
                        pin.1 &= allowed;
                    }
                }
            } else {
                self.pinned = self.pinned.with(square);
                self.pins.push((square, allowed));
            }
        }
    }

    /// Own pieces that may not move freely. Nothing is told when in check.
    #[inline]
    pub fn pinned(&self) -> Bitboard {
        self.pinned
    }

    /// Where the piece on `square`, not the king, may go when its side is not in check.
    #[inline]
    pub fn destinations(&self, square: Square) -> Bitboard {
        let mut allowed = !self.barred;
        if self.pinned.contains(square) {
            for pin in &self.pins {
                if pin.0 == square {
                    allowed &= pin.1;
                }
            }
        }
        allowed
    }

    /// Whether a pseudo-legal move of the side to move is legal.
    #[inline]
    pub fn allows(&self, position: &Position, m: Move) -> bool {
        if self.in_check || m.from() == self.king {
            leaves_king_safe(position, m)
        } else {
            m.is_promotion() || self.destinations(m.from()).contains(m.to())
        }
    }
}

/// The square beside the knight that must be empty for it to reach `target`.
fn knight_leg(knight: Square, target: Square) -> Bitboard {
    let files = target.file() as isize - knight.file() as isize;
    let ranks = target.rank() as isize - knight.rank() as isize;
    knight
        .offset(files / 2, ranks / 2)
        .map_or(Bitboard::EMPTY, Bitboard::from)
}

/// Whether the mover's king is attacked by nobody after the move: the plain test that
/// [`Legality`] spares most moves.
pub fn leaves_king_safe(position: &Position, m: Move) -> bool {
    let us = position.side();
    if m.is_promotion() {
        return !position.in_check();
    }
    let occupied = position.occupied().without(m.from()).with(m.to());
    let king = if m.from() == position.king(us) {
        m.to()
    } else {
        position.king(us)
    };
    (position.king_attackers(king, !us, occupied).without(m.to())).is_empty()
}
