//! Reference implementation of Asian-rule threats for tests: square by square on a plain board.

use crate::board::{Color, FILES, Piece, PieceKind, Position, RANKS, Square};

type SlowBoard = [Option<Piece>; Square::COUNT];

/// The threats of a side, as squares of attacker and target.
pub fn threats(position: &Position, side: Color) -> Vec<(Square, Square)> {
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
            steps == (2, 2) && !to.is_across_river(piece.color()) && is_empty(files / 2, ranks / 2)
        }
        PieceKind::Knight => match steps {
            (1, 2) => is_empty(0, ranks / 2),
            (2, 1) => is_empty(files / 2, 0),
            _ => false,
        },
        PieceKind::Rook => pieces_between(board, from, to) == Some(0),
        PieceKind::Cannon => pieces_between(board, from, to) == Some(1),
        PieceKind::Pawn => {
            (files, ranks) == (0, forward) || from.is_across_river(piece.color()) && steps == (1, 0)
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
