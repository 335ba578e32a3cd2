//! Pins and checks: which pseudo-legal moves leave the mover's king safe.

use super::attacks;
use super::bitboard::Bitboard;
use super::moves::Move;
use super::piece::PieceKind;
use super::position::Position;
use super::square::Square;

/// The pins of the side to move, found once in a position and used for each of its moves.
///
/// Out of check, a piece is pinned in three cases:
///
/// - It is the only piece between its king and an enemy rook or king.
/// - It is one of two screens between its king and an enemy cannon.
/// - It blocks the leg of an enemy knight.
///
/// In addition, no piece may become the screen of a cannon that faces the king directly (空头炮). In check, a piece
/// must take the checker, interpose, or leave its square if it is the screen of a checking cannon.
///
/// Out of check, the moves of the king and of pinned pieces are tested one by one. All other moves are legal unless
/// they end between the king and a cannon that faces it directly.
///
/// In check, the moves of the king, the moves of the screen of the checking cannon, the captures of the checker and the
/// moves to squares where a piece can interpose are tested one by one. All other moves are illegal.
#[derive(Clone, Copy, Debug)]
pub struct Legality {
    in_check: bool,
    king: Square,
    /// The king and the pieces that may be pinned, or in check the king and the screen of the checking cannon. Their
    /// moves are tested one by one.
    pinned: Bitboard,
    /// The legal destinations of all other pieces; in check, the destinations of moves that may be legal.
    open: Bitboard,
}

impl Legality {
    /// Finds the pins of the side to move, or in check the destinations of evasions.
    #[inline]
    pub fn new(position: &Position) -> Self {
        let king = position.king(position.side_to_move());
        let mut legality = Self {
            in_check: position.in_check(),
            king,
            pinned: Bitboard::from(king),
            open: Bitboard::ALL,
        };
        match position.checkers().first() {
            Some(checker) => legality.find_evasions(position, checker),
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
                self.pinned |= between & own;
            }
        }
        for sniper in snipers & position.kind(PieceKind::Cannon) {
            let line = Bitboard::between(self.king, sniper);
            let between = line & occupied;
            let rest = between.without_first();
            if between.is_empty() {
                self.open &= !line;
            } else if !rest.more_than_one() {
                // One screen would be a check, so there are two.
                self.pinned |= between & own;
            }
        }
    }

    fn find_knight_pins(&mut self, position: &Position) {
        let us = position.side_to_move();
        let knights = position.pieces(!us, PieceKind::Knight);
        if (attacks::knight_to(self.king, Bitboard::EMPTY) & knights).any() {
            self.pinned |= attacks::diagonals(self.king) & position.color(us);
        }
    }

    /// Finds the destinations of moves that end the check by one checker. In check each move is also tested, which
    /// covers a second checker.
    fn find_evasions(&mut self, position: &Position, checker: Square) {
        let own = position.color(position.side_to_move());
        let line = Bitboard::between(self.king, checker);
        let kind = position.piece_on(checker).map(|p| p.kind());
        self.open = match kind {
            Some(PieceKind::Knight) => attacks::diagonals(self.king),
            Some(PieceKind::Cannon) => {
                self.pinned |= line & own;
                line
            }
            _ => line,
        }
        .with(checker);
    }

    /// The squares from which moves need not be tested (none in check), and the legal destinations of these moves.
    #[inline]
    pub fn unrestricted(&self) -> (Bitboard, Bitboard) {
        if self.in_check { (Bitboard::EMPTY, self.open) } else { (!self.pinned, self.open) }
    }

    /// The squares of `to` that are legal destinations of the piece on `from`.
    #[inline]
    pub fn restrict(&self, position: &Position, from: Square, to: Bitboard) -> Bitboard {
        if self.in_check || self.pinned.contains(from) {
            self.test_each(position, from, to)
        } else {
            to & self.open
        }
    }

    /// The squares of `to`, without those to which the piece on `from` surely cannot move legally. Moves to the others
    /// may still be illegal; see [`Self::allows`].
    #[inline]
    pub fn candidates(&self, from: Square, to: Bitboard) -> Bitboard {
        if self.pinned.contains(from) { to } else { to & self.open }
    }

    fn test_each(&self, position: &Position, from: Square, mut to: Bitboard) -> Bitboard {
        let lines = attacks::lines(self.king);
        if !self.pinned.contains(from) {
            to &= self.open;
        } else if !self.in_check && lines.contains(from) {
            // A piece between the king and a rook, king or cannon must stay on the line.
            to &= lines;
        }
        to.into_iter().filter(|to| leaves_king_safe(position, Move::new(from, *to))).collect()
    }

    /// Whether a pseudo-legal move of the side to move is legal.
    #[inline]
    pub fn allows(&self, position: &Position, m: Move) -> bool {
        if self.pinned.contains(m.from()) {
            leaves_king_safe(position, m)
        } else {
            self.open.contains(m.to()) && (!self.in_check || leaves_king_safe(position, m))
        }
    }
}

/// Whether the mover's king is not attacked after a pseudo-legal move. [`Legality`] avoids this test for most moves.
pub fn leaves_king_safe(position: &Position, m: Move) -> bool {
    let us = position.side_to_move();
    if m.is_promotion() {
        // A promotion leaves the occupied squares as they are.
        return !position.in_check();
    }
    let occupied = position.occupied().without(m.from()).with(m.to());
    let king = if m.from() == position.king(us) { m.to() } else { position.king(us) };
    position.king_attackers(king, !us, occupied).without(m.to()).is_empty()
}
