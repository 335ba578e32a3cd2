//! Threats under the Asian and computer rules, and chases under the ElephantEye rules.

use crate::board::{Bitboard, Color, Move, PieceKind, Position, Square, attacks};

/// The pieces of `side` that threaten to win the enemy piece on `target`, whichever side is to move.
/// A move chases the pieces that its side threatens after it and not before it.
///
/// Kings and pawns, which may chase perpetually, make no threats. The caller makes sure that the target is
/// [`chaseable`]. See [`is_threat`] for the other conditions.
pub fn chasers(position: &Position, side: Color, target: Square) -> Bitboard {
    let exempt = position.kind(PieceKind::King) | position.kind(PieceKind::Pawn);
    let attackers = position.attackers_to(target, side, position.occupied()) & !exempt;
    attackers.into_iter().filter(|from| is_threat(position, side, *from, target)).collect()
}

/// The pieces of `owner` that can be chased: all except the king and pawns that have not crossed the
/// river.
pub fn chaseable(position: &Position, owner: Color) -> Bitboard {
    let exempt = position.kind(PieceKind::King)
        | position.kind(PieceKind::Pawn) & Bitboard::home_half(owner);
    position.color(owner) & !exempt
}

/// Whether the piece of `side` on `from` threatens the enemy piece on `to`, which it attacks.
///
/// The capture must be legal. It must also win a more valuable piece or be safe from every legal recapture. A rook is
/// more valuable than a knight or cannon, and these three are more valuable than an advisor or bishop. Pieces of the
/// same kind that can take each other do not threaten each other.
fn is_threat(position: &Position, side: Color, from: Square, to: Square) -> bool {
    let (Some(chaser), Some(chased)) = (position.piece_on(from), position.piece_on(to)) else {
        return false;
    };
    if !is_king_safe(position, side, from, to, position.occupied()) {
        return false;
    }
    if wins_material(chaser.kind(), chased.kind()) {
        return true;
    }
    if chaser.kind() == chased.kind() && can_take(position, !side, to, from) {
        return false;
    }
    !is_protected(position, !side, from, to)
}

/// Whether `chaser` threatens `chased` even if `chased` is protected.
const fn wins_material(chaser: PieceKind, chased: PieceKind) -> bool {
    use PieceKind::{Advisor, Bishop, Cannon, Knight, Rook};
    match chaser {
        Knight | Cannon => matches!(chased, Rook),
        Advisor | Bishop => matches!(chased, Rook | Cannon | Knight),
        _ => false,
    }
}

/// Whether the piece of `owner` on `from` could legally take the piece on `to`.
fn can_take(position: &Position, owner: Color, from: Square, to: Square) -> bool {
    let occupied = position.occupied();
    position.attackers_to(to, owner, occupied).contains(from)
        && is_king_safe(position, owner, from, to, occupied)
}

/// Whether the threat of the piece on `chaser` against `target` is new only because a protector (根, a piece that could
/// recapture) was cut off: the chaser could already take the target before the move, and a piece that could then
/// recapture no longer attacks the target after the move. A protector that has only been pinned is not cut off.
/// `origin` maps the square of a piece after the move to its square before it.
pub fn cuts_off_protector(
    before: &Position,
    after: &Position,
    chaser: Square,
    target: Square,
    origin: impl Fn(Square) -> Square,
) -> bool {
    let side = after.piece_on(chaser).map_or(after.side_to_move(), |p| p.color());
    let old = origin(chaser);
    let protectors = |position: &Position, chaser| {
        let occupied = position.occupied().without(chaser);
        position.attackers_to(target, !side, occupied)
    };
    can_take(before, side, old, target)
        && (protectors(before, old) & !protectors(after, chaser))
            .into_iter()
            .any(|from| is_king_safe(before, !side, from, target, before.occupied().without(old)))
}

/// Whether `owner` has a legal recapture on `target` after the piece on `chaser` has taken there.
fn is_protected(position: &Position, owner: Color, chaser: Square, target: Square) -> bool {
    let occupied = position.occupied().without(chaser);
    position
        .attackers_to(target, owner, occupied)
        .into_iter()
        .any(|from| is_king_safe(position, owner, from, target, occupied))
}

/// Whether the king of `side` is safe after its piece moves from `from` to `to`, taking any piece there.
/// `occupied` is the occupancy before the move.
///
/// A check against the side to move is ignored unless its king moves: the side will answer the check before it
/// takes anything.
fn is_king_safe(
    position: &Position,
    side: Color,
    from: Square,
    to: Square,
    occupied: Bitboard,
) -> bool {
    let after = occupied.without(from).with(to);
    let king = position.king(side);
    let attackers = if from == king {
        position.king_attackers(to, !side, after)
    } else if side == position.side_to_move() {
        position.king_attackers(king, !side, after) & !position.checkers()
    } else {
        position.king_attackers(king, !side, after)
    };
    attackers.without(to).is_empty()
}

/// The square of the piece that the last move `played` chases under the ElephantEye rules. Only a knight, rook or
/// cannon that has just moved chases, and only one piece at a time. A move that gives check chases nothing.
///
/// Pins are ignored, and pieces of the same kind never chase each other. A rook or cannon chases only
/// at right angles to its move, because it attacked the pieces along its move before.
pub fn elephanteye_chase(position: &Position, played: Move) -> Option<Square> {
    let mover = position.piece_on(played.to())?;
    if position.in_check() || played.is_promotion() {
        return None;
    }
    let (from, to) = (played.from(), played.to());
    let attacked = attacks::of(mover.kind(), mover.color(), to, position.occupied());
    let along = if from.file() == to.file() {
        Bitboard::file(to.file())
    } else {
        Bitboard::rank(to.rank())
    };
    let attacked = match mover.kind() {
        PieceKind::Knight => attacked,
        PieceKind::Rook | PieceKind::Cannon => attacked & !along,
        _ => return None,
    };
    let owner = !mover.color();
    first_in_order(
        (attacked & position.color(owner))
            .into_iter()
            .filter(|target| is_chase(position, mover.kind(), *target)),
        mover.kind(),
    )
}

/// Whether an attack by a knight, rook or cannon on the piece on `target` is a chase.
fn is_chase(position: &Position, chaser: PieceKind, target: Square) -> bool {
    let Some(chased) = position.piece_on(target) else {
        return false;
    };
    let owner = chased.color();
    let is_unprotected = || position.attackers_to(target, owner, position.occupied()).is_empty();
    match chased.kind() {
        PieceKind::Rook => chaser != PieceKind::Rook,
        PieceKind::Knight | PieceKind::Cannon => chaser != chased.kind() && is_unprotected(),
        PieceKind::Pawn => target.is_across_river(owner) && is_unprotected(),
        _ => false,
    }
}

/// Selects the one target that counts. For a knight: the highest rank first, then the lowest file. For a
/// rook or cannon: the lowest rank first, then the highest file.
fn first_in_order(targets: impl Iterator<Item = Square>, chaser: PieceKind) -> Option<Square> {
    targets.min_by_key(|square| {
        let (file, rank) = (square.file() as isize, square.rank() as isize);
        match chaser {
            PieceKind::Knight => (-rank, file),
            _ => (rank, -file),
        }
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    use super::*;
    use crate::board::{FILES, Piece, RANKS};
    use crate::random::{self, Shape};

    type SlowBoard = [Option<Piece>; Square::COUNT];

    /// A slow and simple implementation, square by square: the threats of a side, as squares of attacker and target.
    fn slow_threats(position: &Position, side: Color) -> Vec<(Square, Square)> {
        let board = position.setup().squares;
        let checkers = checkers(position, &board);
        let mut found = Vec::new();
        for from in Square::all() {
            for to in Square::all() {
                if let (Some(chaser), Some(chased)) = (board[from.index()], board[to.index()])
                    && chaser.color() == side
                    && chased.color() != side
                    && threatens(&board, &checkers, (chaser, from), (chased, to))
                {
                    found.push((from, to));
                }
            }
        }
        found
    }

    fn threatens(
        board: &SlowBoard,
        checkers: &[Square],
        (chaser, from): (Piece, Square),
        (chased, to): (Piece, Square),
    ) -> bool {
        use PieceKind::{Advisor, Bishop, Cannon, King, Knight, Pawn, Rook};
        let exempt = match chased.kind() {
            King => true,
            Pawn => !to.is_across_river(chased.color()),
            _ => false,
        };
        if exempt || matches!(chaser.kind(), King | Pawn) || !captures(board, checkers, from, to) {
            return false;
        }
        let wins_material = matches!(
            (chaser.kind(), chased.kind()),
            (Knight | Cannon, Rook) | (Advisor | Bishop, Rook | Cannon | Knight)
        );
        if wins_material {
            return true;
        }
        if chaser.kind() == chased.kind() && captures(board, checkers, to, from) {
            return false;
        }
        let mut taken = *board;
        taken[to.index()] = taken[from.index()].take();
        !Square::all().any(|back| {
            board[back.index()].is_some_and(|p| p.color() == chased.color())
                && back != to
                && captures(&taken, checkers, back, to)
        })
    }

    /// Whether the piece on `from` can legally take the one on `to`. A check that existed before is ignored
    /// unless the king moves.
    fn captures(board: &SlowBoard, checkers: &[Square], from: Square, to: Square) -> bool {
        let Some(piece) = board[from.index()] else {
            return false;
        };
        if !reaches(board, from, to) {
            return false;
        }
        let mut after = *board;
        after[to.index()] = after[from.index()].take();
        let king = Square::all()
            .find(|s| after[s.index()] == Some(Piece::new(PieceKind::King, piece.color())))
            .unwrap();
        !Square::all().any(|enemy| {
            let excused = piece.kind() != PieceKind::King && checkers.contains(&enemy);
            after[enemy.index()].is_some_and(|p| p.color() != piece.color())
                && !excused
                && (reaches(&after, enemy, king) || faces_king(&after, enemy, king))
        })
    }

    /// The pieces that give check.
    fn checkers(position: &Position, board: &SlowBoard) -> Vec<Square> {
        let king = position.king(position.side_to_move());
        Square::all()
            .filter(|s| board[s.index()].is_some_and(|p| p.color() != position.side_to_move()))
            .filter(|s| reaches(board, *s, king))
            .collect()
    }

    /// Whether the piece on `from` is a king that faces `to` along an open file.
    fn faces_king(board: &SlowBoard, from: Square, to: Square) -> bool {
        board[from.index()].is_some_and(|p| p.kind() == PieceKind::King)
            && from.file() == to.file()
            && pieces_between(board, from, to) == Some(0)
    }

    /// Whether the piece on `from` attacks `to`, ignoring the safety of its king.
    fn reaches(board: &SlowBoard, from: Square, to: Square) -> bool {
        let Some(piece) = board[from.index()] else {
            return false;
        };
        let files = to.file() as isize - from.file() as isize;
        let ranks = to.rank() as isize - from.rank() as isize;
        let is_empty = |f, r| from.offset(f, r).is_some_and(|s| board[s.index()].is_none());
        let steps = (files.abs(), ranks.abs());
        let in_palace = (3..=5).contains(&to.file()) && to.relative_rank(piece.color()) <= 2;
        let forward = piece.color().sign() as isize;
        match piece.kind() {
            PieceKind::King => in_palace && matches!(steps, (0, 1) | (1, 0)),
            PieceKind::Advisor => in_palace && steps == (1, 1),
            PieceKind::Bishop => {
                steps == (2, 2)
                    && !to.is_across_river(piece.color())
                    && is_empty(files / 2, ranks / 2)
            }
            PieceKind::Knight => match steps {
                (1, 2) => is_empty(0, ranks / 2),
                (2, 1) => is_empty(files / 2, 0),
                _ => false,
            },
            PieceKind::Rook => pieces_between(board, from, to) == Some(0),
            PieceKind::Cannon => pieces_between(board, from, to) == Some(1),
            PieceKind::Pawn => {
                (files, ranks) == (0, forward)
                    || from.is_across_river(piece.color()) && steps == (1, 0)
            }
        }
    }

    /// The number of pieces strictly between two squares of one line; `None` if they share no line.
    fn pieces_between(board: &SlowBoard, from: Square, to: Square) -> Option<usize> {
        if from == to || (from.file() != to.file() && from.rank() != to.rank()) {
            return None;
        }
        let between = |a: usize, b: usize, x: usize| (a.min(b) + 1..a.max(b)).contains(&x);
        let mut count = 0;
        for file in 0..FILES {
            for rank in 0..RANKS {
                let on_file = file == from.file() && between(from.rank(), to.rank(), rank);
                let on_rank = rank == from.rank() && between(from.file(), to.file(), file);
                let square = Square::new(file, rank)?;
                if (on_file || on_rank) && board[square.index()].is_some() {
                    count += 1;
                }
            }
        }
        Some(count)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn agrees_with_the_reference(seed in any::<u64>()) {
            let position = random::position(&mut StdRng::seed_from_u64(seed), Shape::Sparse);
            for side in Color::ALL {
                let mut fast = Vec::new();
                for target in chaseable(&position, !side) {
                    for from in chasers(&position, side, target) {
                        fast.push((from, target));
                    }
                }
                fast.sort();
                prop_assert_eq!(fast, slow_threats(&position, side), "{:?}", position.setup());
            }
        }
    }
}
