//! Legal positions and their no-capture clock.

use std::hash::{Hash, Hasher};

use arrayvec::ArrayVec;

use super::attacks;
use super::bitboard::Bitboard;
use super::color::{ByColor, Color};
use super::moves::Move;
use super::piece::{Piece, PieceKind};
use super::setup::{self, InvalidPosition, Reason, Setup};
use super::square::Square;
use super::zobrist;
use crate::text::{fill, texts};

/// The number of checks of each side that count toward the no-capture limit. Later checks and the replies to
/// them do not count.
const COUNTED_CHECKS: u8 = 10;

/// The number of plies since the last capture (自然限着), in total and as the rule sets count them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct NoCaptureClock {
    plies: u16,
    counted: u16,
    peaceful: u16,
    /// Checks given since the last capture, by side.
    checks: ByColor<u8>,
    /// Whether the last ply was a check that did not count, so that the reply does not count either.
    free_reply: bool,
}

impl NoCaptureClock {
    /// The clock for the no-capture count of a FEN. None of these plies is taken to be a check or a reply to one.
    pub const fn new(plies: u16) -> Self {
        Self {
            plies,
            counted: plies,
            peaceful: plies,
            checks: ByColor::new(0, 0),
            free_reply: false,
        }
    }

    /// The plies since the last capture.
    #[inline]
    pub const fn plies(self) -> u16 {
        self.plies
    }

    /// The plies since the last capture, except each side's checks after its tenth and the replies to them.
    #[inline]
    pub const fn counted(self) -> u16 {
        self.counted
    }

    /// The plies since the last capture that neither gave check nor replied to one.
    #[inline]
    pub const fn peaceful(self) -> u16 {
        self.peaceful
    }

    /// The clock after a move of `mover` that is not a capture.
    #[inline]
    pub(super) fn after_quiet_move(
        mut self,
        mover: Color,
        answers_check: bool,
        gives_check: bool,
    ) -> Self {
        self.plies = self.plies.saturating_add(1);
        let mut counts = !self.free_reply;
        self.free_reply = false;
        if gives_check {
            self.checks[mover] = self.checks[mover].saturating_add(1);
            if self.checks[mover] > COUNTED_CHECKS {
                counts = false;
                self.free_reply = true;
            }
        }
        self.counted = self.counted.saturating_add(u16::from(counts));
        let peaceful = !answers_check && !gives_check;
        self.peaceful = self.peaceful.saturating_add(u16::from(peaceful));
        self
    }
}

/// The parts of a position that cannot be restored from the move alone; see the methods of [`Position`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    pub key: u64,
    pub pawn_key: u64,
    pub piece_keys: ByColor<u64>,
    pub checkers: Bitboard,
    pub clock: NoCaptureClock,
    pub captured: Option<Piece>,
    pub fullmove_number: u16,
}

/// A legal position: each side has one king, in its palace, and at most 16 pieces; advisors and bishops
/// are on squares that they can reach; the side not to move is not in check, and the kings do not face each other.
///
/// Some legal positions cannot arise in a game, such as compositions with three rooks: see
/// [`Self::irregularities`].
///
/// Equal positions also have the same counters, the same last capture and the same variant. For the pieces and the
/// side to move alone, compare their [`key`](Self::key)s.
///
/// ```
/// use chuhe::board::{Color, Piece, Position};
///
/// let mut position = Position::startpos();
/// assert_eq!(position.side_to_move(), Color::Red);
/// assert_eq!(position.piece_on("h2".parse()?), Some(Piece::RedCannon));
///
/// let cannon_to_center = "h2e2".parse()?; // 炮二平五
/// let undo = position.make(cannon_to_center);
/// assert_eq!(position.side_to_move(), Color::Black);
/// position.unmake(cannon_to_center, undo);
/// assert_eq!(position, Position::default());
///
/// // As FEN:
/// let endgame: Position = "4k4/4a4/9/9/9/9/9/9/9/4K2R1 b - - 0 1".parse()?;
/// assert_eq!(endgame.to_string(), "4k4/4a4/9/9/9/9/9/9/9/4K2R1 b - - 0 1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    squares: [Option<Piece>; Square::COUNT],
    kinds: [Bitboard; PieceKind::COUNT],
    colors: ByColor<Bitboard>,
    kings: ByColor<Square>,
    side_to_move: Color,
    promotion: bool,
    pub(super) state: State,
}

impl Hash for Position {
    /// Equal positions have the same key.
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl Default for Position {
    /// The starting position.
    fn default() -> Self {
        Self::startpos()
    }
}

impl Position {
    /// The starting position of a game.
    pub fn startpos() -> Self {
        Self::try_from(&Setup::startpos()).expect("the starting position is legal")
    }

    /// The piece on `square`.
    #[inline]
    pub fn piece_on(&self, square: Square) -> Option<Piece> {
        self.squares[square.index()]
    }

    /// The occupied squares.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.colors[Color::Red] | self.colors[Color::Black]
    }

    /// The squares of a side's pieces.
    #[inline]
    pub fn color(&self, color: Color) -> Bitboard {
        self.colors[color]
    }

    /// The squares of both sides' pieces of a kind.
    #[inline]
    pub fn kind(&self, kind: PieceKind) -> Bitboard {
        self.kinds[kind.index()]
    }

    /// The squares of a side's pieces of a kind.
    #[inline]
    pub fn pieces(&self, color: Color, kind: PieceKind) -> Bitboard {
        self.kind(kind) & self.color(color)
    }

    /// The square of a side's king.
    #[inline]
    pub fn king(&self, color: Color) -> Square {
        self.kings[color]
    }

    /// The side to move.
    #[inline]
    pub fn side_to_move(&self) -> Color {
        self.side_to_move
    }

    /// Zobrist key of placement and side to move.
    #[inline]
    pub fn key(&self) -> u64 {
        self.state.key
    }

    /// Zobrist key of the pawns.
    #[inline]
    pub fn pawn_key(&self) -> u64 {
        self.state.pawn_key
    }

    /// Zobrist key of a side's pieces other than pawns.
    #[inline]
    pub fn piece_key(&self, color: Color) -> u64 {
        self.state.piece_keys[color]
    }

    /// The enemy pieces that give check to the side to move.
    #[inline]
    pub fn checkers(&self) -> Bitboard {
        self.state.checkers
    }

    /// Whether the side to move is in check.
    #[inline]
    pub fn in_check(&self) -> bool {
        self.state.checkers.any()
    }

    /// The position as if the side to move were not in check, to find its threats. Moves of this position may leave the
    /// king attacked, and the enemy may then take the king. The ignored checks stay ignored until an enemy move changes
    /// a square in the surroundings of the king, because the checkers are not computed again before that.
    pub(crate) fn ignoring_checks(&self) -> Self {
        let mut position = self.clone();
        position.state.checkers = Bitboard::EMPTY;
        position
    }

    /// The piece that `m`, a move of this position, takes. A promotion takes nothing.
    #[inline]
    pub fn taken_by(&self, m: Move) -> Option<Piece> {
        if m.is_promotion() { None } else { self.piece_on(m.to()) }
    }

    /// The piece taken by the last move; `None` after a null move and before the first move.
    #[inline]
    pub fn captured(&self) -> Option<Piece> {
        self.state.captured
    }

    /// The no-capture count (自然限着).
    #[inline]
    pub fn clock(&self) -> NoCaptureClock {
        self.state.clock
    }

    /// Number of the move, from 1.
    #[inline]
    pub fn fullmove_number(&self) -> u16 {
        self.state.fullmove_number
    }

    /// The number of plies before the position, from the move number and the side to move.
    pub fn ply(&self) -> u32 {
        2 * u32::from(self.fullmove_number().saturating_sub(1)) + self.side_to_move().index() as u32
    }

    /// Whether the promotion variant is played ([`Setup::promotion`]).
    #[inline]
    pub fn has_promotion(&self) -> bool {
        self.promotion
    }

    /// The position as a [`Setup`].
    pub fn setup(&self) -> Setup {
        Setup {
            squares: self.squares,
            side_to_move: self.side_to_move,
            halfmove_clock: self.state.clock.plies(),
            fullmove_number: self.state.fullmove_number,
            promotion: self.promotion,
        }
    }

    /// The reasons why the position cannot arise in a game: more pieces of a kind than in a set, and pawns
    /// on squares that they cannot reach.
    pub fn irregularities(&self) -> Vec<Reason> {
        let piece = |square| Some((square, self.piece_on(square)?));
        setup::irregularities(self.occupied().into_iter().filter_map(piece), self.promotion)
    }

    /// A note with the [`Self::irregularities`] for users; `None` if the position can arise in a game.
    pub fn irregularity_note(&self) -> Option<String> {
        let reasons = self.irregularities();
        (!reasons.is_empty()).then(|| fill(texts().cannot_arise, &[&setup::list_reasons(&reasons)]))
    }

    /// Whether a side has a piece that can cross the river.
    #[inline]
    pub fn has_attackers(&self, color: Color) -> bool {
        let defenders = self.kind(PieceKind::King)
            | self.kind(PieceKind::Advisor)
            | self.kind(PieceKind::Bishop);
        (self.color(color) & !defenders).any()
    }

    /// The key after the move `m` of this position.
    #[inline]
    pub fn key_after(&self, m: Move) -> u64 {
        let mut key = self.key() ^ zobrist::SIDE;
        if let Some(piece) = self.piece_on(m.from()) {
            key ^=
                zobrist::piece(piece, m.from()) ^ zobrist::piece(self.placed_by(piece, m), m.to());
        }
        match self.taken_by(m) {
            Some(captured) => key ^ zobrist::piece(captured, m.to()),
            None => key,
        }
    }

    /// The piece on the destination of `m` after `piece` has made the move.
    #[inline]
    pub(super) fn placed_by(&self, piece: Piece, m: Move) -> Piece {
        if m.is_promotion() { Piece::new(PieceKind::Pawn, piece.color()) } else { piece }
    }

    /// Whether a legal move gives check.
    #[inline]
    pub fn gives_check(&self, m: Move) -> bool {
        let (us, king) = (self.side_to_move, self.king(!self.side_to_move));
        let (from, to) = (m.from(), m.to());
        // The opponent's king is not attacked now, so a move outside its surroundings does not give check.
        let moved = Bitboard::from(from).with(to);
        if !(moved & attacks::surroundings(king)).any() {
            return false;
        }
        let Some(piece) = self.piece_on(from) else {
            return false;
        };
        let placed = self.placed_by(piece, m);
        let occupied = self.occupied().without(from).with(to);
        attacks::of(placed.kind(), us, to, occupied).contains(king)
            || self.king_attackers(king, us, occupied).any()
    }

    /// The pieces of `by` that attack `square`, with the given occupancy. A king attacks only its
    /// neighbors in the palace; [`Self::king_attackers`] includes facing kings.
    #[inline]
    pub fn attackers_to(&self, square: Square, by: Color, occupied: Bitboard) -> Bitboard {
        let side = self.color(by) & occupied;
        let near = attacks::knight_to(square, occupied) & self.kind(PieceKind::Knight)
            | attacks::pawn_to(by, square) & self.kind(PieceKind::Pawn)
            | attacks::advisor(square) & self.kind(PieceKind::Advisor)
            | attacks::king(square) & self.kind(PieceKind::King)
            | attacks::bishop(square, occupied) & self.kind(PieceKind::Bishop);
        near & side | self.line_attackers(square, side, self.kind(PieceKind::Rook), occupied)
    }

    /// The pieces of `by` that attack the enemy king on `square`. Advisors and bishops never do, and a king does only
    /// along an open file.
    #[inline]
    pub fn king_attackers(&self, square: Square, by: Color, occupied: Bitboard) -> Bitboard {
        let enemies = self.color(by) & occupied;
        let leapers = attacks::knight_to(square, occupied) & self.kind(PieceKind::Knight)
            | attacks::pawn_to(by, square) & self.kind(PieceKind::Pawn);
        // Kings are never on the same rank.
        let rooks = self.kind(PieceKind::Rook) | self.kind(PieceKind::King);
        leapers & enemies | self.line_attackers(square, enemies, rooks, occupied)
    }

    /// The cannons and the `rooks` (pieces that move like rooks) of `side` that attack `square`.
    #[inline]
    fn line_attackers(
        &self,
        square: Square,
        side: Bitboard,
        rooks: Bitboard,
        occupied: Bitboard,
    ) -> Bitboard {
        let mut attackers = Bitboard::EMPTY;
        // Most squares have no such piece on their lines.
        let on_lines = attacks::lines(square) & side;
        let rooks = on_lines & rooks;
        if rooks.any() {
            attackers |= attacks::rook(square, occupied) & rooks;
        }
        let cannons = on_lines & self.kind(PieceKind::Cannon);
        if cannons.any() {
            attackers |= attacks::cannon(square, occupied) & cannons;
        }
        attackers
    }

    /// The position with these pieces, which must be on different squares, and no history.
    pub(crate) fn of_pieces(
        pieces: &[(Square, Piece)],
        side_to_move: Color,
        promotion: bool,
    ) -> Result<Self, InvalidPosition> {
        let (kings, mut reasons) = setup::check_placement(pieces, promotion);
        let Some(kings) = kings else {
            return Err(InvalidPosition { reasons });
        };
        let mut position = Self {
            squares: [None; Square::COUNT],
            kinds: [Bitboard::EMPTY; PieceKind::COUNT],
            colors: ByColor::default(),
            kings,
            side_to_move,
            promotion,
            state: State {
                key: 0,
                pawn_key: 0,
                piece_keys: ByColor::default(),
                checkers: Bitboard::EMPTY,
                clock: NoCaptureClock::default(),
                captured: None,
                fullmove_number: 1,
            },
        };
        if side_to_move == Color::Black {
            position.state.key ^= zobrist::SIDE;
        }
        for &(square, piece) in pieces {
            debug_assert!(position.piece_on(square).is_none(), "two pieces on {square}");
            position.put(piece, square);
            position.toggle_key(piece, square);
        }
        reasons.extend(position.check_kings());
        if !reasons.is_empty() {
            return Err(InvalidPosition { reasons });
        }
        position.state.checkers = position.compute_checkers();
        Ok(position)
    }

    /// The reasons why the side to move could take the enemy king.
    fn check_kings(&self) -> impl Iterator<Item = Reason> + use<> {
        let (us, them) = (self.side_to_move, !self.side_to_move);
        let attackers = self.king_attackers(self.king(them), us, self.occupied());
        let faces = attackers.contains(self.king(us)).then_some(Reason::FacingKings);
        let checks = attackers.without(self.king(us)).any();
        faces.into_iter().chain(checks.then_some(Reason::KingCanBeCaptured(them)))
    }

    pub(super) fn compute_checkers(&self) -> Bitboard {
        self.king_attackers(self.king(self.side_to_move), !self.side_to_move, self.occupied())
    }

    #[inline]
    pub(super) fn put(&mut self, piece: Piece, square: Square) {
        let bit = Bitboard::from(square);
        self.squares[square.index()] = Some(piece);
        self.kinds[piece.kind().index()] |= bit;
        self.colors[piece.color()] |= bit;
        if piece.kind() == PieceKind::King {
            self.kings[piece.color()] = square;
        }
    }

    #[inline]
    pub(super) fn remove_piece(&mut self, piece: Piece, square: Square) {
        self.squares[square.index()] = None;
        let rest = !Bitboard::from(square);
        self.kinds[piece.kind().index()] &= rest;
        self.colors[piece.color()] &= rest;
    }

    #[inline]
    pub(super) fn toggle_key(&mut self, piece: Piece, square: Square) {
        let key = zobrist::piece(piece, square);
        self.state.key ^= key;
        let part = if piece.kind() == PieceKind::Pawn {
            &mut self.state.pawn_key
        } else {
            &mut self.state.piece_keys[piece.color()]
        };
        *part ^= key;
    }

    #[inline]
    pub(super) fn pass_turn(&mut self) {
        self.side_to_move = !self.side_to_move;
        self.state.key ^= zobrist::SIDE;
    }

    /// Restores the side to move, but not the key, which is restored with the state.
    #[inline]
    pub(super) fn take_back_turn(&mut self) {
        self.side_to_move = !self.side_to_move;
    }
}

impl TryFrom<&Setup> for Position {
    type Error = InvalidPosition;

    /// Checks the setup. The error lists everything that is wrong with it, but attacks on kings only if each side has
    /// one king, in its palace. A move number of 0 is read as 1.
    fn try_from(setup: &Setup) -> Result<Self, InvalidPosition> {
        let pieces: ArrayVec<(Square, Piece), { Square::COUNT }> = setup.pieces().collect();
        let mut position = Self::of_pieces(&pieces, setup.side_to_move, setup.promotion)?;
        position.state.clock = NoCaptureClock::new(setup.halfmove_clock);
        position.state.fullmove_number = setup.fullmove_number.max(1);
        Ok(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The clock after a check by `mover` and its answer.
    fn check(clock: NoCaptureClock, mover: Color) -> NoCaptureClock {
        let checked = clock.after_quiet_move(mover, false, true);
        checked.after_quiet_move(!mover, true, false)
    }

    #[test]
    fn checks_after_the_tenth_and_their_replies_do_not_count() {
        let mut clock = NoCaptureClock::new(0);
        for n in 1..=15 {
            clock = check(clock, Color::Red);
            assert_eq!(clock.plies(), 2 * n);
            assert_eq!(clock.counted(), 2 * n.min(10));
        }
        assert_eq!(check(clock, Color::Black).counted(), 22);
    }

    #[test]
    fn checks_and_replies_are_not_peaceful() {
        let clock = check(NoCaptureClock::new(3), Color::Red);
        assert_eq!(clock.peaceful(), 3);
        assert_eq!(clock.after_quiet_move(Color::Red, false, false).peaceful(), 4);
    }

    #[test]
    fn counts_saturate() {
        let clock = NoCaptureClock::new(u16::MAX).after_quiet_move(Color::Red, false, false);
        let counts = [clock.plies(), clock.counted(), clock.peaceful()];
        assert_eq!(counts, [u16::MAX; 3]);
    }
}
