//! Playing moves and taking them back.

use super::attacks;
use super::bitboard::Bitboard;
use super::clock::NoCaptureClock;
use super::moves::Move;
use super::piece::{Piece, PieceKind};
use super::position::{Position, State};
use super::square::Square;

/// Keeps sums over the pieces on the board while moves are made, such as an evaluation's.
pub trait Observer {
    /// A piece has come to stand on a square.
    fn added(&mut self, piece: Piece, square: Square);
    /// A piece has left a square.
    fn removed(&mut self, piece: Piece, square: Square);
    /// The move is played: all changes have been reported, and `position` has them.
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

/// What [`Position::unmake`] needs: the state before the move.
#[derive(Clone, Copy, Debug)]
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
    /// Plays a pseudo-legal move and reports each change to `observer`.
    ///
    /// A move that is not pseudo-legal leaves the position in disorder; input from outside is
    /// checked with [`is_legal`](crate::movegen::is_legal) first.
    /// One that leaves the mover's own king attacked may be looked at and taken back, but not
    /// answered, for checks are looked for only where a king that was not in check can have come into it.
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
        self.hash(piece, from);
        observer.removed(piece, from);
        self.state.captured = self.taken_by(m);
        if let Some(captured) = self.state.captured {
            self.remove_piece(captured, to);
            self.hash(captured, to);
            observer.removed(captured, to);
        }
        let placed = if m.is_promotion() {
            Piece::new(PieceKind::Pawn, mover)
        } else {
            piece
        };
        self.put(placed, to);
        self.hash(placed, to);
        observer.added(placed, to);
        self.count_move(mover);
        self.pass_turn();
        // Before the move this king was in peace, so far-off moves leave it so.
        let moved = Bitboard::from(from).with(to);
        let surroundings = attacks::surroundings(self.king(self.side_to_move()));
        self.state.checkers = if (moved & surroundings).any() {
            self.compute_checkers()
        } else {
            Bitboard::EMPTY
        };
        self.state.clock = if self.state.captured.is_some() {
            NoCaptureClock::default()
        } else {
            let (answers_check, gives_check) = (undo.was_in_check(), self.in_check());
            self.state
                .clock
                .after_quiet_move(mover, answers_check, gives_check)
        };
        observer.completed(self);
        undo
    }

    /// Plays a pseudo-legal move.
    #[inline]
    pub fn make(&mut self, m: Move) -> Undo {
        self.make_observed(m, &mut ())
    }

    /// Takes back the move that gave `undo`.
    #[inline]
    pub fn unmake(&mut self, m: Move, undo: Undo) {
        let (from, to) = (m.from(), m.to());
        let captured = self.state.captured;
        self.take_back_turn();
        if let Some(placed) = self.piece_on(to) {
            self.remove_piece(placed, to);
            let piece = if m.is_promotion() {
                self.promoted_from(to)
            } else {
                placed
            };
            self.put(piece, from);
        }
        if let Some(captured) = captured {
            self.put(captured, to);
        }
        self.state = undo.0;
    }

    /// Passes the turn. Not to be called in check.
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

    /// Takes back a pass.
    #[inline]
    pub fn unmake_null(&mut self, undo: Undo) {
        self.take_back_turn();
        self.state = undo.0;
    }

    /// The piece that became a pawn on its own back rank: bishops stand on files c and g there,
    /// advisors on d and f.
    fn promoted_from(&self, square: Square) -> Piece {
        let kind = match square.file() {
            2 | 6 => PieceKind::Bishop,
            _ => PieceKind::Advisor,
        };
        Piece::new(kind, self.side_to_move())
    }
}
