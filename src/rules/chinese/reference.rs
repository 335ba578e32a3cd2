//! Reference implementation of the Chinese move classes for tests: tries all moves, without alpha-beta bounds, move
//! ordering or a node budget.

use crate::board::{Bitboard, ByColor, Color, Move, Piece, PieceKind, Position, Reason, Square};
use crate::movegen::legal_moves;
use crate::rules::verdict::MoveClass;

/// The value of being mated.
const MATED: i32 = 1000;

/// The class of a move, and the new threats that make it a chase.
#[derive(Debug, PartialEq, Eq)]
pub struct Finding {
    pub class: MoveClass,
    /// The captures that the move newly threatens.
    pub chases: Vec<Move>,
    /// The squares of pieces that newly threaten to win material by a check.
    pub check_threats: Vec<Square>,
}

impl Finding {
    fn of(class: MoveClass) -> Self {
        Self { class, chases: Vec::new(), check_threats: Vec::new() }
    }
}

/// Classifies the move `played` on the board `before`. The enemy move before it led from `earlier` to `before`.
pub fn judge(earlier: &Position, before: &Position, played: Move) -> Finding {
    let after = before.after(played);
    let mover = before.side_to_move();
    let moves_king = played.from() == before.king(mover);
    if after.in_check() {
        return Finding::of(MoveClass::Check);
    }
    if before.in_check() && moves_king {
        return Finding::of(MoveClass::Idle);
    }
    let now = passed(&after);
    let then = match (before.in_check(), earlier.in_check()) {
        (false, _) => before.clone(),
        (true, false) => passed(earlier),
        (true, true) => before.ignoring_checks(),
    };
    let was_mate_threatened = !before.in_check() && mates(&passed(before), 4);
    let (now, then) = (Turn::new(now, None), Turn::new(then, Some(played.from())));
    if threatens_mate(&now, &then, played, before.in_check()) {
        return Finding::of(MoveClass::MateThreat);
    }
    let mut finding = Finding::of(MoveClass::Idle);
    for m in now.moves() {
        let old = before_move(m, played);
        let from = old.from();
        let could = then.moves().contains(&old);
        if !now.takes_something(m) {
            let could_win_by_check = then.moves().into_iter().any(|check| {
                check.from() == from && !then.takes_something(check) && then.wins(check)
            });
            if now.wins(m) && !could_win_by_check && !finding.check_threats.contains(&m.from()) {
                finding.check_threats.push(m.from());
            }
        } else if now.wins(m) {
            let continues = m.from() == played.to() && could && exchange(&then.board, old) > 0;
            let is_excused = moves_king && was_mate_threatened && could;
            let answered_check =
                before.in_check() && moves(before).contains(&old) && exchange(before, old) > 0;
            let is_known = could && then.wins(old) || continues || is_excused || answered_check;
            if !is_known && !is_unrelated(earlier, before, &then.board, &now.board, played, m) {
                finding.chases.push(m);
            }
        } else if now.is_even(m) && !(could && (then.wins(old) || then.is_even(old))) {
            finding.class = MoveClass::Exchange;
        }
    }
    if !finding.chases.is_empty() || !finding.check_threats.is_empty() {
        finding.class = MoveClass::Chase;
    }
    let is_defense = was_mate_threatened && !mates(&after, 4);
    if finding.class == MoveClass::Chase
        && finding.check_threats.is_empty()
        && finding.chases.iter().all(|m| is_defender(kind_on(&now.board, m.to())))
        && is_defense
    {
        return Finding::of(MoveClass::Idle);
    }
    finding
}

/// The move from the square on which its piece was before `played`.
fn before_move(m: Move, played: Move) -> Move {
    let moves_piece = m.from() == played.to();
    let from = if moves_piece { played.from() } else { m.from() };
    Move::new(from, m.to())
}

/// Whether a capture has nothing to do with the move `played` and already won material before it.
fn is_unrelated(
    earlier: &Position,
    before: &Position,
    then: &Position,
    now: &Position,
    played: Move,
    m: Move,
) -> bool {
    let attacks = |board: &Position, from: Square, to: Square| {
        let attackers = board.attackers_to(to, now.side_to_move(), board.occupied());
        attackers.contains(from)
    };
    let was_there = [earlier, then].iter().all(|board| {
        board.piece_on(m.to()) == now.piece_on(m.to()) && attacks(board, m.from(), m.to())
    });
    let own = now.color(now.side_to_move());
    let mut group: Vec<Square> = Bitboard::between(m.from(), m.to()).into_iter().collect();
    group.retain(|square| own.contains(*square));
    group.push(m.from());
    let is_linked = group.iter().any(|square| {
        [(now, played.to()), (then, played.from())].iter().any(|(board, mover)| {
            attacks(board, *mover, *square) || attacks(board, *square, *mover)
        })
    });
    let mut rest = now.setup();
    rest.squares[played.to().index()] = None;
    let wins_without = match Position::try_from(&rest) {
        Ok(rest) => rest.in_check() || moves(&rest).contains(&m) && exchange(&rest, m) > 0,
        Err(error) => error.reasons == [Reason::FacingKings],
    };
    let moves_king = played.to() == now.king(now.side_to_move());
    let could = moves(then).contains(&m);
    let is_safe = before.in_check() || !mates(&passed(before), 4);
    m.from() != played.to()
        && was_there
        && !is_linked
        && !moves_king
        && wins_without
        && could
        && (is_safe && exchange(then, m) > 0 || Turn::new(then.clone(), None).wins(m))
}

fn is_defender(kind: Option<PieceKind>) -> bool {
    matches!(kind, Some(PieceKind::Advisor | PieceKind::Bishop))
}

/// Whether a mate is threatened `now` that was not threatened `then`.
fn threatens_mate(now: &Turn, then: &Turn, played: Move, was_in_check: bool) -> bool {
    let mating = |m: &Move| begins_mate(&now.board, *m, 4);
    let is_new = |m: &Move| {
        let old = before_move(*m, played);
        !then.moves().contains(&old) || !begins_mate(&then.board, old, 4)
    };
    if was_in_check {
        now.moves().iter().any(|m| mating(m) && is_new(m))
    } else {
        now.moves().iter().any(mating) && !mates(&then.board, 4)
    }
}

/// A board whose side to move may differ from that of the game, with the data that all moves of this side share.
struct Turn {
    board: Position,
    /// A piece of this side that the enemy may take in return while this side takes something else.
    hanging: Option<Square>,
    /// Squares of the pieces of either side that the other side can capture with a gain, after all recaptures on the
    /// square.
    lost: Vec<Square>,
    /// Captures by this side between pieces of the same kind that can take each other.
    mutual: Vec<Move>,
}

impl Turn {
    fn new(board: Position, hanging: Option<Square>) -> Self {
        let reversed = passed(&board);
        let wins = |board: &Position| -> Vec<Square> {
            let captures = moves(board).into_iter().filter(|m| board.piece_on(m.to()).is_some());
            captures.filter(|m| exchange(board, *m) > 0).map(|m| m.to()).collect()
        };
        let mutual = moves(&board)
            .into_iter()
            .filter(|m| kind_on(&board, m.from()) == kind_on(&board, m.to()))
            .filter(|m| moves(&reversed).contains(&Move::new(m.to(), m.from())))
            .collect();
        Self { hanging, lost: [wins(&board), wins(&reversed)].concat(), mutual, board }
    }

    fn moves(&self) -> Vec<Move> {
        moves(&self.board)
    }

    /// Whether a move captures a piece with a value. A pawn that has not crossed the river has none.
    fn takes_something(&self, m: Move) -> bool {
        value_on(&self.board, m.to()) > 0
    }

    /// Whether a move wins material, by a capture or a check.
    fn wins(&self, m: Move) -> bool {
        let is_by_king_or_pawn = self.takes_something(m) && is_king_or_pawn(&self.board, m.from());
        let is_mutual = self.takes_something(m) && self.mutual.contains(&m);
        let gain = (!is_by_king_or_pawn && !is_mutual).then(|| self.gain(m, true)).flatten();
        match gain {
            Some(0) if self.takes_something(m) => self.gain(m, false).is_some_and(|gain| gain > 0),
            gain => gain.is_some_and(|gain| gain > 0),
        }
    }

    /// Whether a capture is an even exchange.
    fn is_even(&self, m: Move) -> bool {
        self.takes_something(m)
            && !is_king_or_pawn(&self.board, m.from())
            && (self.mutual.contains(&m) || self.gain(m, true) == Some(0) && !self.wins(m))
    }

    /// The gain of a capture or check. `None` for other moves, for captures without check after which the enemy can
    /// force mate, and for moves that force mate. `counts_uncovered`: whether enemy captures that the move makes
    /// possible on other squares count.
    fn gain(&self, m: Move, counts_uncovered: bool) -> Option<i32> {
        let after = self.board.after(m);
        let is_capture = self.takes_something(m);
        if !after.in_check() && (!is_capture || mates(&after, 4)) {
            return None;
        }
        let sequence = CaptureSequence {
            chaser: self.board.side_to_move(),
            visited: vec![m.to()],
            uncovered: moves(&after)
                .into_iter()
                .filter(|answer| counts_uncovered && after.piece_on(answer.to()).is_some())
                .filter(|answer| answer.to() != m.to())
                .filter(|answer| !moves(&passed(&self.board)).contains(answer))
                .collect(),
            by_check: !is_capture,
            moves: 7,
            checks: ByColor::new(2, 2),
            offered: !is_capture && kind_on(&self.board, m.from()) == Some(PieceKind::Pawn),
            taken_with_check: None,
        };
        let gain = value_on(&self.board, m.to()) - self.best(&after, &sequence);
        (gain < MATED / 2).then_some(gain)
    }

    /// The greatest gain of the side to move in the rest of a sequence.
    fn best(&self, board: &Position, sequence: &CaptureSequence) -> i32 {
        let in_check = board.in_check();
        if sequence.moves == 0 && !in_check {
            return 0;
        }
        let continued = moves(board).into_iter().filter_map(|m| {
            let after = board.after(m);
            let is_capture = board.piece_on(m.to()).is_some();
            let side = board.side_to_move();
            let is_chaser = side == sequence.chaser;
            let is_outside =
                is_capture && !is_chaser && !in_check && !self.is_part(board, m, sequence);
            let is_recapture = is_capture && is_chaser && sequence.value_taken_on(m.to()).is_some();
            let is_check = !in_check && (!is_capture || is_outside);
            let may = match is_capture {
                _ if in_check || is_recapture => true,
                true if !is_outside => self.is_part(board, m, sequence),
                _ => after.in_check() && sequence.checks[side] > 0,
            };
            let mut next = sequence.clone();
            next.moves = sequence.moves.saturating_sub(1);
            next.checks[side] -= u32::from(may && is_check);
            let takes_elsewhere = is_capture && (sequence.by_check || sequence.takes_uncovered(m));
            if is_outside {
                next.taken_with_check = Some((m.to(), value_on(board, m.to())));
            } else if is_chaser || takes_elsewhere {
                next.visited.push(m.to());
            }
            let answered = || match sequence.moves {
                0 => 0,
                _ => self.best(&after, &next),
            };
            may.then(|| self.counted_value(board, m, sequence) - answered())
        });
        let stop = if in_check { -MATED } else { 0 };
        continued.fold(stop, i32::max)
    }

    /// Whether a capture by a side that is not in check is part of the sequence.
    fn is_part(&self, board: &Position, m: Move, sequence: &CaptureSequence) -> bool {
        let is_new = board.side_to_move() == sequence.chaser
            && !self.lost.contains(&m.to())
            && !is_king_or_pawn(board, m.from());
        !self.mutual.contains(&m) && (is_new || self.is_for_both(board, m, sequence))
    }

    /// Whether a capture counts for both sides.
    fn is_for_both(&self, board: &Position, m: Move, sequence: &CaptureSequence) -> bool {
        let hangs = self.lost.contains(&m.to()) && board.side_to_move() != sequence.chaser;
        sequence.visited.contains(&m.to())
            || self.hanging == Some(m.to())
            || sequence.by_check && hangs
            || sequence.takes_uncovered(m)
    }

    fn counted_value(&self, board: &Position, m: Move, sequence: &CaptureSequence) -> i32 {
        let is_chaser = board.side_to_move() == sequence.chaser;
        let counts = is_chaser || self.is_for_both(board, m, sequence);
        let lost = sequence.value_taken_on(m.to()).filter(|_| is_chaser).unwrap_or(0);
        let is_offer = sequence.offered && sequence.moves == 7 && sequence.visited == [m.to()];
        i32::from(counts) * value_on(board, m.to()) + if is_offer { 14 } else { 0 } - lost
    }
}

/// A sequence of captures and checks so far.
#[derive(Clone)]
struct CaptureSequence {
    chaser: Color,
    /// Squares that the chaser has moved to, and squares of captures that the other side made elsewhere.
    visited: Vec<Square>,
    /// Captures that the first move made possible for the other side.
    uncovered: Vec<Move>,
    /// Whether the sequence began with a check that takes nothing of value.
    by_check: bool,
    /// The number of moves left.
    moves: u32,
    /// The number of checks left to each side. Captures that are part of the sequence and answers to checks do not
    /// count.
    checks: ByColor<u32>,
    /// Whether the sequence began with a check by a pawn move that takes nothing of value: to capture the pawn at once
    /// is then worth 14 more.
    offered: bool,
    /// The square and value of the last piece that the other side took with check outside the sequence.
    taken_with_check: Option<(Square, i32)>,
}

impl CaptureSequence {
    /// The value of the piece that the other side took on `square` with check outside the sequence.
    fn value_taken_on(&self, square: Square) -> Option<i32> {
        self.taken_with_check.filter(|taken| taken.0 == square).map(|taken| taken.1)
    }

    fn takes_uncovered(&self, m: Move) -> bool {
        self.moves == 7 && self.uncovered.contains(&m)
    }
}

/// The gain of a capture if both sides recapture on its square as long as that gains material.
fn exchange(board: &Position, m: Move) -> i32 {
    let after = board.after(m);
    let back = moves(&after).into_iter().filter(|back| back.to() == m.to());
    let lost = back.map(|back| exchange(&after, back)).fold(0, i32::max);
    value_on(board, m.to()) - lost
}

/// Whether the side to move forces mate by at most `checks` checks.
fn mates(board: &Position, checks: u32) -> bool {
    checks > 0 && moves(board).iter().any(|m| begins_mate(board, *m, checks))
}

fn begins_mate(board: &Position, m: Move, checks: u32) -> bool {
    let after = board.after(m);
    let mut answers = moves(&after).into_iter();
    after.in_check() && answers.all(|answer| mates(&after.after(answer), checks - 1))
}

/// The legal moves, except promotions and those that take the king.
fn moves(board: &Position) -> Vec<Move> {
    let king = board.king(!board.side_to_move());
    let mut moves = legal_moves(board).to_vec();
    moves.retain(|m| m.to() != king && !m.is_promotion());
    moves
}

fn passed(board: &Position) -> Position {
    let mut after = board.clone();
    after.make_null();
    after
}

fn kind_on(board: &Position, square: Square) -> Option<PieceKind> {
    board.piece_on(square).map(Piece::kind)
}

/// Whether the piece on `square` is a king or a pawn, which may attack perpetually.
fn is_king_or_pawn(board: &Position, square: Square) -> bool {
    matches!(kind_on(board, square), Some(PieceKind::King | PieceKind::Pawn))
}

fn value_on(board: &Position, square: Square) -> i32 {
    let Some(piece) = board.piece_on(square) else {
        return 0;
    };
    match piece.kind() {
        PieceKind::King => MATED,
        PieceKind::Rook => 18,
        PieceKind::Cannon | PieceKind::Knight => 9,
        PieceKind::Bishop | PieceKind::Advisor => 4,
        PieceKind::Pawn if square.is_across_river(piece.color()) => 1,
        PieceKind::Pawn => 0,
    }
}
