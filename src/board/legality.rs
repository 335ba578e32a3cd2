//! Pins and checks: which pseudo-legal moves leave one's own king in peace.

use super::attacks;
use super::bitboard::Bitboard;
use super::moves::Move;
use super::piece::PieceKind;
use super::position::Position;
use super::square::Square;

/// What binds the side to move in one position, found once and asked for each move.
///
/// Out of check a piece is bound when an enemy rook or the facing king stands behind it, when it is
/// one of two screens before an enemy cannon, or when it is a leg that may hobble an enemy knight;
/// and no piece may step before a bare cannon (空头炮) to become its screen. In check a piece must
/// take the checker or come between, or be the screen of a checking cannon and leave. Moves of the
/// king and of bound pieces are tried; the others are known by where they go.
#[derive(Clone, Copy, Debug)]
pub struct Legality {
    in_check: bool,
    king: Square,
    /// The king and the pieces that may be bound: each move of theirs is tried.
    bound: Bitboard,
    /// Where all others may go; in check, where they must go.
    open: Bitboard,
}

impl Legality {
    /// Looks for the pins of the side to move, or for what answers a check.
    #[inline]
    pub fn new(position: &Position) -> Self {
        let king = position.king(position.side_to_move());
        let mut legality = Self {
            in_check: position.in_check(),
            king,
            bound: Bitboard::from(king),
            open: Bitboard::ALL,
        };
        match position.checkers().first() {
            Some(checker) => legality.find_answers(position, checker),
            None => {
                legality.find_line_pins(position);
                legality.find_knight_pins(position);
            }
        }
        legality
    }

    fn find_line_pins(&mut self, position: &Position) {
        let us = position.side_to_move();
        let occupied = position.occupied();
        let own = position.color(us);
        let snipers = attacks::lines(self.king) & position.color(!us);
        let rooks = position.kind(PieceKind::Rook) | position.kind(PieceKind::King);
        for sniper in snipers & rooks {
            let between = Bitboard::between(self.king, sniper) & occupied;
            if !between.more_than_one() {
                self.bound |= between & own;
            }
        }
        for sniper in snipers & position.kind(PieceKind::Cannon) {
            let line = Bitboard::between(self.king, sniper);
            let between = line & occupied;
            let behind_first = between.without_first();
            if between.is_empty() {
                self.open &= !line;
            } else if !behind_first.more_than_one() {
                // Not in check, so there are two screens.
                self.bound |= between & own;
            }
        }
    }

    fn find_knight_pins(&mut self, position: &Position) {
        let us = position.side_to_move();
        let knights = position.pieces(!us, PieceKind::Knight);
        if (attacks::knight_to(self.king, Bitboard::EMPTY) & knights).any() {
            self.bound |= attacks::diagonals(self.king) & position.color(us);
        }
    }

    /// Finds what answers one checker; a second one is left to the trying.
    fn find_answers(&mut self, position: &Position, checker: Square) {
        let own = position.color(position.side_to_move());
        let line = Bitboard::between(self.king, checker);
        let kind = position.piece_on(checker).map(|p| p.kind());
        self.open = match kind {
            Some(PieceKind::Knight) => attacks::diagonals(self.king),
            Some(PieceKind::Cannon) => {
                self.bound |= line & own;
                line
            }
            _ => line,
        }
        .with(checker);
    }

    /// The squares whose pieces need not be tried, and where those may go.
    #[inline]
    pub fn free(&self) -> (Bitboard, Bitboard) {
        if self.in_check {
            (Bitboard::EMPTY, self.open)
        } else {
            (!self.bound, self.open)
        }
    }

    /// Of the squares that the piece on `from` attacks, those where it may go.
    #[inline]
    pub fn restrict(&self, position: &Position, from: Square, to: Bitboard) -> Bitboard {
        if self.in_check || self.bound.contains(from) {
            self.try_each(position, from, to)
        } else {
            to & self.open
        }
    }

    fn try_each(&self, position: &Position, from: Square, mut to: Bitboard) -> Bitboard {
        let lines = attacks::lines(self.king);
        if !self.bound.contains(from) {
            to &= self.open;
        } else if !self.in_check && lines.contains(from) {
            to &= lines;
        }
        to.into_iter()
            .filter(|to| leaves_king_safe(position, Move::new(from, *to)))
            .collect()
    }

    /// Whether a pseudo-legal move of the side to move is legal.
    #[inline]
    pub fn allows(&self, position: &Position, m: Move) -> bool {
        if self.bound.contains(m.from()) {
            leaves_king_safe(position, m)
        } else {
            self.open.contains(m.to()) && (!self.in_check || leaves_king_safe(position, m))
        }
    }
}

/// Whether the mover's king is not attacked after the move: the plain test that
/// [`Legality`] spares most moves.
pub fn leaves_king_safe(position: &Position, m: Move) -> bool {
    let us = position.side_to_move();
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
