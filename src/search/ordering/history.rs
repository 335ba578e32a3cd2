//! Move histories (main, capture and continuation history), correction history, and bonuses of quiet moves.

use crate::board::{
    Bitboard, Color, Move, Piece, PieceKind, Position, Square, attacks, see_at_least,
};
use crate::eval::nnue::simd::prefetch;
use crate::search::parameters::{self, values};

/// Entries of a correction table for each side.
const CORRECTIONS: usize = 16_384;

/// A number for each pair of a piece and a square that it can reach, for dense history tables. In the promotion variant
/// pawns can be on squares behind their starting rank. Other pairs, which irregular positions have, share the
/// number 0 with the first pair.
static PIECE_TO_INDEX: [[u16; Square::COUNT]; Piece::COUNT] = piece_to_indices().0;
const PIECE_TO_COUNT: usize = piece_to_indices().1;

const fn piece_to_indices() -> ([[u16; Square::COUNT]; Piece::COUNT], usize) {
    let mut indices = [[0; Square::COUNT]; Piece::COUNT];
    let mut count = 0;
    let mut piece = 0;
    while piece < Piece::COUNT {
        let mut square = 0;
        while square < Square::COUNT {
            if let Some(to) = Square::from_index(square)
                && Piece::ALL[piece].can_stand_on(to, true)
            {
                indices[piece][square] = count as u16;
                count += 1;
            }
            square += 1;
        }
        piece += 1;
    }
    (indices, count)
}

/// Index of a move in capture and continuation histories: moved piece and destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceTo(u16);

impl PieceTo {
    /// The index of a move in the position before it; `None` without a piece on its origin.
    #[inline]
    pub fn new(position: &Position, m: Move) -> Option<Self> {
        Some(Self::of_piece(position.piece_on(m.from())?, m.to()))
    }

    #[inline]
    fn of_piece(piece: Piece, to: Square) -> Self {
        Self(PIECE_TO_INDEX[piece.index()][to.index()])
    }

    #[inline]
    fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Adds `bonus`, scaled down as the value approaches its limit (history gravity;
/// Chessprogramming wiki, "History Heuristic").
#[inline]
fn update(value: &mut i16, bonus: i32, limit: i32) {
    let bonus = bonus.clamp(-limit, limit);
    let old = i32::from(*value);
    *value = (old + bonus - old * bonus.abs() / limit) as i16;
}

/// Number of indices of the main history for one origin: destination, and whether the opponent attacks it.
const MAIN_ROW: usize = 2 * Square::COUNT;
/// Number of indices of the main history of a side: origin and destination, and for each of them whether the opponent
/// attacks it.
const MAIN_COUNT: usize = MAIN_ROW * MAIN_ROW;

/// Squares attacked by the opponent of the side to move.
#[derive(Clone, Copy, Debug, Default)]
pub struct Threats {
    /// Squares attacked by pawns, advisors and bishops.
    by_lesser_than_minor: Bitboard,
    /// Squares attacked by pawns, advisors, bishops, knights and cannons.
    by_lesser_than_rook: Bitboard,
    /// Squares attacked by any piece.
    by_any: Bitboard,
}

impl Threats {
    pub fn new(position: &Position) -> Self {
        let them = !position.side_to_move();
        let occupied = position.occupied();
        let attacked_by = |kind| {
            let squares = position.pieces(them, kind).into_iter();
            squares
                .map(|square| attacks::of(kind, them, square, occupied))
                .fold(Bitboard::EMPTY, |all, attacked| all | attacked)
        };
        let [ahead, left, right] =
            attacks::pawn_steps(them, position.pieces(them, PieceKind::Pawn));
        let by_lesser_than_minor =
            ahead | left | right | attacked_by(PieceKind::Advisor) | attacked_by(PieceKind::Bishop);
        let by_lesser_than_rook =
            by_lesser_than_minor | attacked_by(PieceKind::Knight) | attacked_by(PieceKind::Cannon);
        Self {
            by_lesser_than_minor,
            by_lesser_than_rook,
            by_any: by_lesser_than_rook
                | attacked_by(PieceKind::Rook)
                | attacked_by(PieceKind::King),
        }
    }

    /// Index of a move in the main history of its side.
    #[inline]
    fn main_index(&self, m: Move) -> usize {
        self.square_index(m.from()) * MAIN_ROW + self.square_index(m.to())
    }

    /// Index of a square and whether it is attacked, below [`MAIN_ROW`].
    #[inline]
    fn square_index(&self, square: Square) -> usize {
        2 * square.index() + usize::from(self.by_any.contains(square))
    }
}

/// The earlier moves and the threats, which select the histories of the quiet moves of a node.
#[derive(Clone, Copy, Debug, Default)]
pub struct QuietContext {
    /// The moves one, two and four plies ago, for the continuation histories.
    pub before: [Option<PieceTo>; 3],
    pub threats: Threats,
}

/// The histories of the quiet moves of one position.
#[derive(Clone, Copy, Debug)]
pub struct QuietHistories<'a> {
    /// By [`Threats::main_index`].
    main: &'a [i16],
    threats: Threats,
    /// By piece and destination, after the moves one, two and four plies ago; zeros for a move that is missing.
    continuation: [&'a [i16; PIECE_TO_COUNT]; 3],
}

impl<'a> QuietHistories<'a> {
    #[inline(always)]
    fn of(&self, position: &Position, m: Move) -> i32 {
        let piece = position.piece_on(m.from());
        piece.map_or(0, |piece| self.of_piece(piece, m.from()).of(m.to()))
    }

    /// The histories of the moves of a piece.
    #[inline(always)]
    pub fn of_piece(&self, piece: Piece, from: Square) -> PieceHistories<'a> {
        let (rows, _) = self.main.as_chunks();
        PieceHistories {
            piece,
            main: &rows[self.threats.square_index(from)],
            threats: self.threats,
            continuation: self.continuation,
        }
    }
}

/// The part of [`QuietHistories`] for the moves of one piece.
#[derive(Clone, Copy, Debug)]
pub struct PieceHistories<'a> {
    piece: Piece,
    main: &'a [i16; MAIN_ROW],
    threats: Threats,
    continuation: [&'a [i16; PIECE_TO_COUNT]; 3],
}

impl PieceHistories<'_> {
    #[inline(always)]
    pub fn of(&self, to: Square) -> i32 {
        let now = PieceTo::of_piece(self.piece, to).index();
        let main = i32::from(self.main[self.threats.square_index(to)]);
        main + self.continuation.into_iter().map(|row| i32::from(row[now])).sum::<i32>()
    }
}

/// The histories of one thread (Schaeffer, "The history heuristic and alpha-beta search enhancements in
/// practice", 1989; Chessprogramming wiki, "History Heuristic": capture history, continuation history,
/// correction history).
#[derive(Debug)]
pub struct Histories {
    /// Quiet moves by side and [`Threats::main_index`].
    main: Vec<i16>,
    /// Captures by piece, destination and kind taken.
    capture: Vec<i16>,
    /// Quiet moves after an earlier move, by piece and destination of both.
    continuation: Vec<i16>,
    /// Correction history by pawns, by other red pieces and by other black pieces.
    corrections: [Vec<i16>; 3],
    /// Correction history by the last two moves.
    continuation_correction: Vec<i16>,
}

impl Histories {
    pub fn new() -> Self {
        Self {
            main: vec![0; 2 * MAIN_COUNT],
            capture: vec![0; PIECE_TO_COUNT * PieceKind::COUNT],
            continuation: vec![0; PIECE_TO_COUNT * PIECE_TO_COUNT],
            corrections: std::array::from_fn(|_| vec![0; 2 * CORRECTIONS]),
            continuation_correction: vec![0; PIECE_TO_COUNT * PIECE_TO_COUNT],
        }
    }

    pub fn clear(&mut self) {
        let tables = [
            &mut self.main,
            &mut self.capture,
            &mut self.continuation,
            &mut self.continuation_correction,
        ];
        for table in tables.into_iter().chain(&mut self.corrections) {
            table.fill(0);
        }
    }

    #[inline]
    fn capture_index(piece: Piece, to: Square, victim: PieceKind) -> usize {
        PieceTo::of_piece(piece, to).index() * PieceKind::COUNT + victim.index()
    }

    /// The index of a move in the capture history; `None` if it is not a capture.
    #[inline]
    fn index_of_capture(position: &Position, m: Move) -> Option<usize> {
        let (piece, victim) = (position.piece_on(m.from())?, position.taken_by(m)?);
        Some(Self::capture_index(piece, m.to(), victim.kind()))
    }

    /// The histories of the quiet moves of `side`.
    #[inline]
    pub fn quiets(&self, side: Color, context: &QuietContext) -> QuietHistories<'_> {
        let (rows, _) = self.continuation.as_chunks();
        QuietHistories {
            main: &self.main[side.index() * MAIN_COUNT..][..MAIN_COUNT],
            threats: context.threats,
            continuation: context.before.map(|before| match before {
                Some(before) => &rows[before.index()],
                None => &[0; PIECE_TO_COUNT],
            }),
        }
    }

    /// History of a quiet move.
    #[inline]
    pub fn quiet(&self, position: &Position, m: Move, context: &QuietContext) -> i32 {
        self.quiets(position.side_to_move(), context).of(position, m)
    }

    /// History of a capture; 0 for other moves.
    #[inline]
    pub fn capture(&self, position: &Position, m: Move) -> i32 {
        Self::index_of_capture(position, m).map_or(0, |index| i32::from(self.capture[index]))
    }

    /// History of the capture of a `victim` on `to` by `piece`.
    #[inline]
    pub fn capture_of(&self, piece: Piece, to: Square, victim: PieceKind) -> i32 {
        self.capture[Self::capture_index(piece, to, victim)].into()
    }

    /// Updates the main history and the continuation histories of a quiet move.
    pub fn update_quiet(
        &mut self,
        position: &Position,
        m: Move,
        context: &QuietContext,
        bonus: i32,
    ) {
        self.update_main(position.side_to_move(), m, &context.threats, bonus);
        let Some(now) = PieceTo::new(position, m) else {
            return;
        };
        self.update_continuation(now, &context.before, bonus);
    }

    /// Updates the main history of a quiet move of `side`. `threats` are those before the move.
    pub fn update_main(&mut self, side: Color, m: Move, threats: &Threats, bonus: i32) {
        update(
            &mut self.main[side.index() * MAIN_COUNT + threats.main_index(m)],
            bonus,
            values::history_limit(),
        );
    }

    /// Updates the continuation history of the move `now` after each move of `before`.
    pub fn update_continuation(&mut self, now: PieceTo, before: &[Option<PieceTo>], bonus: i32) {
        for before in before.iter().flatten() {
            let index = before.index() * PIECE_TO_COUNT + now.index();
            update(&mut self.continuation[index], bonus, values::history_limit());
        }
    }

    pub fn update_capture(&mut self, position: &Position, m: Move, bonus: i32) {
        if let Some(index) = Self::index_of_capture(position, m) {
            update(&mut self.capture[index], bonus, values::history_limit());
        }
    }

    fn correction_indices(position: &Position) -> [usize; 3] {
        let keys =
            [position.pawn_key(), position.piece_key(Color::Red), position.piece_key(Color::Black)];
        keys.map(|key| position.side_to_move().index() * CORRECTIONS + key as usize % CORRECTIONS)
    }

    fn continuation_correction_index([last, second, _]: [Option<PieceTo>; 3]) -> Option<usize> {
        Some(last?.index() * PIECE_TO_COUNT + second?.index())
    }

    /// Correction to add to the static evaluation, in its units; `before` is that of [`QuietContext`].
    #[inline]
    pub fn correction(&self, position: &Position, before: [Option<PieceTo>; 3]) -> i32 {
        let indices = Self::correction_indices(position);
        let sum: i32 =
            self.corrections.iter().zip(indices).map(|(table, i)| i32::from(table[i])).sum();
        let continuation = Self::continuation_correction_index(before)
            .map_or(0, |index| i32::from(self.continuation_correction[index]));
        (sum * values::correction_weight()
            + continuation * values::continuation_correction_weight())
            / 128
    }

    /// Loads the corrections of a position into the cache, for a later [`Self::correction`].
    #[inline]
    pub fn prefetch_correction(&self, position: &Position, before: [Option<PieceTo>; 3]) {
        for (table, index) in self.corrections.iter().zip(Self::correction_indices(position)) {
            prefetch(&table[index]);
        }
        if let Some(index) = Self::continuation_correction_index(before) {
            prefetch(&self.continuation_correction[index]);
        }
    }

    /// Updates the corrections with `error`, the search result at `depth` minus the corrected static evaluation.
    pub fn update_correction(
        &mut self,
        position: &Position,
        before: [Option<PieceTo>; 3],
        error: i32,
        depth: i32,
    ) {
        let bonus = parameters::correction_bonus(error, depth);
        let indices = Self::correction_indices(position);
        for (table, index) in self.corrections.iter_mut().zip(indices) {
            update(&mut table[index], bonus, values::correction_limit());
        }
        if let Some(index) = Self::continuation_correction_index(before) {
            let value = &mut self.continuation_correction[index];
            update(value, bonus, values::correction_limit());
        }
    }
}

/// Ordering bonuses of the quiet moves of a position: for a check that loses little in the exchange and for
/// a rook, knight or cannon that leaves a square attacked by a lesser piece; a malus for entering such a square
/// (Stockfish, "threat by lesser piece"). Discovered checks get no bonus.
#[derive(Debug)]
pub struct QuietBonus {
    // The squares from which a piece of each kind, of the side to move, gives check.
    rook_checks: Bitboard,
    knight_checks: Bitboard,
    cannon_checks: Bitboard,
    pawn_checks: Bitboard,
    threats: Threats,
}

impl QuietBonus {
    pub fn new(position: &Position, threats: Threats) -> Self {
        let us = position.side_to_move();
        let (occupied, king) = (position.occupied(), position.king(!us));
        Self {
            rook_checks: attacks::rook(king, occupied),
            knight_checks: attacks::knight_to(king, occupied),
            cannon_checks: attacks::cannon(king, occupied),
            pawn_checks: attacks::pawn_to(us, king),
            threats,
        }
    }

    /// The bonuses of the quiet moves of a piece.
    #[inline(always)]
    pub fn of_piece(&self, kind: PieceKind, from: Square) -> PieceBonus {
        let none = Bitboard::EMPTY;
        let Threats { by_lesser_than_minor, by_lesser_than_rook, .. } = self.threats;
        let minor_escape = values::minor_escape_bonus();
        let (checks, attacked, escape) = match kind {
            PieceKind::Rook => (self.rook_checks, by_lesser_than_rook, values::rook_escape_bonus()),
            PieceKind::Knight => (self.knight_checks, by_lesser_than_minor, minor_escape),
            PieceKind::Cannon => (self.cannon_checks, by_lesser_than_minor, minor_escape),
            PieceKind::Pawn => (self.pawn_checks, none, 0),
            PieceKind::King | PieceKind::Advisor | PieceKind::Bishop => (none, none, 0),
        };
        let leave = if attacked.contains(from) { escape } else { 0 };
        PieceBonus { from, checks, attacked, escape, leave }
    }
}

/// The part of [`QuietBonus`] for the moves of one piece.
#[derive(Debug)]
pub struct PieceBonus {
    from: Square,
    /// The squares from which the piece gives check.
    checks: Bitboard,
    /// The squares that a lesser piece attacks.
    attacked: Bitboard,
    /// The malus for entering such a square.
    escape: i32,
    /// The bonus for leaving the origin.
    leave: i32,
}

impl PieceBonus {
    /// The bonus of a pseudo-legal quiet move; negative for a malus.
    #[inline(always)]
    pub fn of(&self, position: &Position, to: Square) -> i32 {
        let enter = if self.attacked.contains(to) { self.escape } else { 0 };
        let is_check = self.checks.contains(to)
            && see_at_least(position, Move::new(self.from, to), -values::check_order_exchange());
        self.leave - enter + i32::from(is_check) * values::check_order_bonus()
    }
}

#[cfg(test)]
mod tests {
    use crate::notation::fen::parse_variant_position;

    use super::*;

    #[test]
    fn piece_destination_indices_are_unique() {
        let mut seen = std::collections::HashSet::new();
        for fen in crate::search::BENCH_POSITIONS {
            let position: Position = fen.parse().unwrap();
            for m in crate::movegen::legal_moves(&position) {
                let piece = position.piece_on(m.from()).unwrap();
                let index = PieceTo::new(&position, m).unwrap().index();
                assert!(index < PIECE_TO_COUNT);
                seen.insert((index, piece, m.to()));
            }
        }
        let indices: std::collections::HashSet<_> = seen.iter().map(|s| s.0).collect();
        assert!(seen.len() > 300, "{}", seen.len());
        assert_eq!(indices.len(), seen.len());
    }

    #[test]
    fn threats_are_the_squares_with_attackers() {
        for fen in crate::search::BENCH_POSITIONS {
            let position: Position = fen.parse().unwrap();
            let them = !position.side_to_move();
            let threats = Threats::new(&position);
            for square in Square::all() {
                let attackers = position.attackers_to(square, them, position.occupied());
                let message = format!("{fen}: {square}");
                assert_eq!(threats.by_any.contains(square), attackers.any(), "{message}");
            }
        }
    }

    #[test]
    fn a_move_has_another_history_if_its_squares_are_attacked() {
        let mut histories = Histories::new();
        let m: Move = "b3a3".parse().unwrap();
        // The knight on c5 attacks b3.
        let [attacked, safe] = ["2n6", "9"].map(|rank| {
            let fen = format!("3k5/9/9/9/{rank}/9/1R7/9/9/4K4 w");
            let position: Position = fen.parse().unwrap();
            let threats = Threats::new(&position);
            (position, QuietContext { before: [None; 3], threats })
        });
        histories.update_quiet(&attacked.0, m, &attacked.1, 1000);
        assert_eq!(histories.quiet(&attacked.0, m, &attacked.1), 1000);
        assert_eq!(histories.quiet(&safe.0, m, &safe.1), 0);
    }

    #[test]
    fn the_last_two_moves_have_their_own_correction() {
        let position = Position::startpos();
        let played = |m: &str| PieceTo::new(&position, m.parse().unwrap());
        let (first, second) = (played("h2e2"), played("h7e7"));
        let mut histories = Histories::new();
        histories.update_correction(&position, [second, first, None], 400, 8);
        let after = histories.correction(&position, [second, first, None]);
        let without = histories.correction(&position, [None, first, None]);
        assert!(after > without && without > 0, "{after} {without}");
        assert_eq!(histories.correction(&position, [first, second, None]), without);
    }

    #[test]
    fn a_promotion_is_learned_as_a_quiet_move() {
        let fen = "3k5/9/9/9/9/9/9/9/9/2BAKAB2 w";
        let position = parse_variant_position(fen, true).unwrap();
        let moves = crate::movegen::legal_moves(&position);
        let promotion = *moves.iter().find(|m| m.is_promotion()).unwrap();
        let mut histories = Histories::new();
        histories.update_capture(&position, promotion, 1000);
        assert_eq!(histories.capture(&position, promotion), 0);
        let context = QuietContext::default();
        histories.update_quiet(&position, promotion, &context, 1000);
        assert!(histories.quiet(&position, promotion, &context) > 0);
    }

    fn bonus(fen: &str, m: &str) -> i32 {
        let position: Position = fen.parse().expect(fen);
        let threats = Threats::new(&position);
        let m: Move = m.parse().expect(m);
        let kind = position.piece_on(m.from()).unwrap().kind();
        QuietBonus::new(&position, threats).of_piece(kind, m.from()).of(&position, m.to())
    }

    #[test]
    fn sound_checks_get_a_bonus() {
        let check = values::check_order_bonus();
        let fen = "4k4/9/9/9/p8/9/9/R8/9/3K5 w";
        assert_eq!(bonus(fen, "a2e2"), check, "rook");
        assert_eq!(bonus(fen, "a2b2"), 0);
        assert_eq!(bonus("4k4/9/9/9/4p4/9/9/C8/9/3K5 w", "a2e2"), check, "cannon over a pawn");
        assert_eq!(bonus("4k4/9/9/9/9/9/9/C8/9/3K5 w", "a2e2"), 0, "no screen");
        let knight = "4k4/9/9/1N7/9/9/9/9/9/3K5 w";
        assert_eq!(bonus(knight, "b6d7"), check, "knight");
        assert_eq!(bonus(knight, "b6d5"), 0);
        let blocked = "4k4/3n5/9/1N7/9/9/9/9/9/3K5 w";
        assert_eq!(bonus(blocked, "b6d7"), 0, "its leg is blocked");
        assert_eq!(bonus("4k4/3P5/9/9/9/9/9/9/9/3K5 w", "d8e8"), check, "pawn");
        let lost = "4k4/R8/9/9/9/9/9/9/9/3K5 w";
        assert_eq!(bonus(lost, "a8e8"), 0, "the king takes the rook");
    }

    #[test]
    fn escapes_from_lesser_attackers_get_a_bonus() {
        let rook = values::rook_escape_bonus();
        let minor = values::minor_escape_bonus();
        // The knight on c5 attacks b3 and d3, the pawn on g6 attacks g5.
        let fen = "3k5/9/9/6p2/2n6/9/1R5N1/9/9/4K4 w";
        assert_eq!(bonus(fen, "b3a3"), rook, "leaves");
        assert_eq!(bonus(fen, "b3d3"), 0, "from one attacked square to another");
        assert_eq!(bonus(fen, "h3g5"), -minor, "enters");
        assert_eq!(bonus(fen, "h3i5"), 0);
        assert_eq!(bonus(fen, "b3b4"), rook);
    }
}
