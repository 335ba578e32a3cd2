//! Making and unmaking moves.

use super::attacks;
use super::bitboard::Bitboard;
use super::moves::Move;
use super::piece::{Piece, PieceKind};
use super::position::{NoCaptureClock, Position, State};
use super::square::Square;

/// Receives the changes of the board while moves are made, for example to update an evaluation.
pub trait Observer {
    /// A piece was put on a square.
    fn added(&mut self, piece: Piece, square: Square);
    /// A piece was removed from a square.
    fn removed(&mut self, piece: Piece, square: Square);
    /// The move is complete, and `position` is the position after it.
    fn completed(&mut self, position: &Position);
}

impl Observer for () {
    #[inline]
    fn added(&mut self, _: Piece, _: Square) {}
    #[inline]
    fn removed(&mut self, _: Piece, _: Square) {}
    #[inline]
    fn completed(&mut self, _: &Position) {}
}

/// The state before a move, for [`Position::unmake`] or [`Position::unmake_null`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Undo(State);

impl Undo {
    /// Zobrist key before the move.
    #[inline]
    pub fn key(&self) -> u64 {
        self.0.key
    }

    /// Whether the mover was in check before the move.
    #[inline]
    pub fn was_in_check(&self) -> bool {
        self.0.checkers.any()
    }
}

impl Position {
    /// Makes a pseudo-legal move and reports each change to `observer`.
    ///
    /// A move that is not pseudo-legal makes the position inconsistent, so check external input with
    /// [`is_legal`](crate::movegen::is_legal) first. A move that leaves the mover's king attacked may be made and
    /// unmade. If more moves are made before it is unmade, [`Position::checkers`] can be wrong, because checkers are
    /// computed only if the last move changed a square in the surroundings of the king. Only the look-ahead of the
    /// Chinese rules makes such moves.
    #[inline]
    pub fn make_observed(&mut self, m: Move, observer: &mut impl Observer) -> Undo {
        let undo = Undo(self.state);
        let (from, to) = (m.from(), m.to());
        let mover = self.side_to_move();
        let Some(piece) = self.piece_on(from) else {
            debug_assert!(false, "no piece on {from}");
            return undo;
        };
        self.remove_piece(piece, from);
        self.toggle_key(piece, from);
        observer.removed(piece, from);
        self.state.captured = self.taken_by(m);
        if let Some(captured) = self.state.captured {
            self.remove_piece(captured, to);
            self.toggle_key(captured, to);
            observer.removed(captured, to);
        }
        let placed = self.placed_by(piece, m);
        self.put(placed, to);
        self.toggle_key(placed, to);
        observer.added(placed, to);
        let number = &mut self.state.fullmove_number;
        *number = number.saturating_add(mover.index() as u16);
        self.pass_turn();
        // The opponent's king was not attacked before, so a move outside its surroundings does not give check.
        let moved = Bitboard::from(from).with(to);
        let surroundings = attacks::surroundings(self.king(self.side_to_move()));
        self.state.checkers =
            if (moved & surroundings).any() { self.compute_checkers() } else { Bitboard::EMPTY };
        self.state.clock = if self.state.captured.is_some() {
            NoCaptureClock::default()
        } else {
            let (answers_check, gives_check) = (undo.was_in_check(), self.in_check());
            self.state.clock.after_quiet_move(mover, answers_check, gives_check)
        };
        observer.completed(self);
        undo
    }

    /// Makes a pseudo-legal move, with the same conditions as [`Self::make_observed`].
    #[inline]
    pub fn make(&mut self, m: Move) -> Undo {
        self.make_observed(m, &mut ())
    }

    /// The position after a pseudo-legal move, see [`Self::make`].
    pub fn after(&self, m: Move) -> Self {
        let mut after = self.clone();
        after.make(m);
        after
    }

    /// The position after pseudo-legal moves, see [`Self::make`].
    pub fn after_all(&self, moves: impl IntoIterator<Item = Move>) -> Self {
        let mut after = self.clone();
        for m in moves {
            after.make(m);
        }
        after
    }

    /// [`Self::after_all`] with moves in coordinates, separated by spaces.
    #[cfg(test)]
    pub fn after_line(&self, moves: &str) -> Self {
        self.after_all(moves.split_whitespace().map(|m| m.parse().expect(m)))
    }

    /// Takes back `m`. `undo` is the value that [`Self::make`] returned for it.
    #[inline]
    pub fn unmake(&mut self, m: Move, undo: Undo) {
        let (from, to) = (m.from(), m.to());
        let captured = self.state.captured;
        self.take_back_turn();
        if let Some(placed) = self.piece_on(to) {
            self.remove_piece(placed, to);
            let piece = if m.is_promotion() { self.promoted_from(to) } else { placed };
            self.put(piece, from);
        }
        if let Some(captured) = captured {
            self.put(captured, to);
        }
        self.state = undo.0;
    }

    /// Makes a null move. Must not be called in check. The move number does not change.
    #[inline]
    pub fn make_null(&mut self) -> Undo {
        debug_assert!(!self.in_check());
        let undo = Undo(self.state);
        let mover = self.side_to_move();
        self.state.captured = None;
        self.pass_turn();
        self.state.checkers = Bitboard::EMPTY;
        self.state.clock = self.state.clock.after_quiet_move(mover, false, false);
        undo
    }

    /// Takes back a null move.
    #[inline]
    pub fn unmake_null(&mut self, undo: Undo) {
        self.take_back_turn();
        self.state = undo.0;
    }

    /// The piece that promoted on `square` of its own back rank: a bishop on files c and g, an advisor on d and f.
    fn promoted_from(&self, square: Square) -> Piece {
        let kind = match square.file() {
            2 | 6 => PieceKind::Bishop,
            _ => PieceKind::Advisor,
        };
        Piece::new(kind, self.side_to_move())
    }
}
