//! Move generation, explanations of illegal moves, and perft.

mod illegal;

pub use illegal::{IllegalReason, why_illegal};

use crate::board::{
    Bitboard, Color, Legality, Move, MoveList, PieceKind, Position, RANKS, Square, attacks,
    leaves_king_safe,
};

impl Position {
    /// The position after a move.
    ///
    /// ```
    /// use chuhe::board::Position;
    ///
    /// let position = Position::startpos().play("h2e2".parse()?)?;
    /// let error = position.play("h9h0".parse()?).unwrap_err();
    /// assert_eq!(error.to_string(), "the knight does not move like that");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The move is illegal.
    pub fn play(&self, m: Move) -> Result<Self, IllegalReason> {
        match why_illegal(self, m) {
            Some(reason) => Err(reason),
            None => Ok(self.after(m)),
        }
    }
}

/// The kind of moves to generate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Targets {
    /// Captures only.
    Captures,
    /// All moves except captures.
    Quiets,
    /// All moves.
    All,
}

/// The pseudo-legal destinations of a piece of the side to move.
#[inline]
fn destinations(position: &Position, kind: PieceKind, from: Square) -> Bitboard {
    let us = position.side_to_move();
    let occupied = position.occupied();
    match kind {
        PieceKind::Cannon => cannon_destinations(position, from),
        _ => attacks::of(kind, us, from, occupied) & !position.color(us),
    }
}

#[inline]
fn cannon_destinations(position: &Position, from: Square) -> Bitboard {
    let occupied = position.occupied();
    attacks::rook(from, occupied) & !occupied
        | attacks::cannon(from, occupied) & position.color(!position.side_to_move())
}

/// Calls `visit` with the kind, the square and the pseudo-legal destinations of each piece of the side to move on
/// `pieces`. Has one loop for each kind, so that the attack functions are inlined.
#[inline(always)]
fn for_each_piece(
    position: &Position,
    pieces: Bitboard,
    mut visit: impl FnMut(PieceKind, Square, Bitboard),
) {
    let us = position.side_to_move();
    let occupied = position.occupied();
    let own = position.color(us);
    for from in pieces & position.kind(PieceKind::King) {
        visit(PieceKind::King, from, attacks::king(from) & !own);
    }
    for from in pieces & position.kind(PieceKind::Advisor) {
        visit(PieceKind::Advisor, from, attacks::advisor(from) & !own);
    }
    for from in pieces & position.kind(PieceKind::Bishop) {
        visit(PieceKind::Bishop, from, attacks::bishop(from, occupied) & !own);
    }
    for from in pieces & position.kind(PieceKind::Knight) {
        visit(PieceKind::Knight, from, attacks::knight(from, occupied) & !own);
    }
    for from in pieces & position.kind(PieceKind::Rook) {
        visit(PieceKind::Rook, from, attacks::rook(from, occupied) & !own);
    }
    for from in pieces & position.kind(PieceKind::Cannon) {
        visit(PieceKind::Cannon, from, cannon_destinations(position, from));
    }
    for from in pieces & position.kind(PieceKind::Pawn) {
        visit(PieceKind::Pawn, from, attacks::pawn(us, from) & !own);
    }
}

/// The advisors and bishops that may promote to pawns in the promotion variant: those on the back rank of their side.
/// None may promote in check, or if the side has five pawns.
fn promotions(position: &Position) -> Bitboard {
    let us = position.side_to_move();
    let pawns = position.pieces(us, PieceKind::Pawn);
    if !position.has_promotion()
        || position.in_check()
        || pawns.len() >= PieceKind::Pawn.max_per_side()
    {
        return Bitboard::EMPTY;
    }
    let back_rank = Bitboard::rank(if us == Color::Red { 0 } else { RANKS - 1 });
    (position.pieces(us, PieceKind::Advisor) | position.pieces(us, PieceKind::Bishop)) & back_rank
}

/// Appends the pseudo-legal moves of the side to move, which may leave its king attacked.
#[inline]
pub fn generate(position: &Position, targets: Targets, moves: &mut MoveList) {
    for_each_origin(position, targets, |_, from, destinations| {
        for to in destinations {
            moves.push(Move::new(from, to));
        }
    });
}

/// The moves of [`generate`] by origin: calls `visit` with the kind and the square of each piece of the side to move
/// and its destinations. The destination of a promotion is its origin.
#[inline(always)]
pub(crate) fn for_each_origin(
    position: &Position,
    targets: Targets,
    mut visit: impl FnMut(PieceKind, Square, Bitboard),
) {
    let us = position.side_to_move();
    let wanted = match targets {
        Targets::Captures => position.color(!us),
        Targets::Quiets => !position.occupied(),
        Targets::All => Bitboard::ALL,
    };
    for_each_piece(position, position.color(us), |kind, from, destinations| {
        visit(kind, from, destinations & wanted);
    });
    if targets != Targets::Captures {
        for from in promotions(position) {
            if let Some(piece) = position.piece_on(from) {
                visit(piece.kind(), from, from.into());
            }
        }
    }
}

fn push_promotions(position: &Position, moves: &mut MoveList) {
    for square in promotions(position) {
        moves.push(Move::new(square, square));
    }
}

/// The legal moves of the side to move, in the order of [`generate`].
///
/// ```
/// use chuhe::board::Position;
/// use chuhe::movegen::{is_legal, legal_moves};
///
/// let position = Position::startpos();
/// assert_eq!(legal_moves(&position).len(), 44);
/// assert!(is_legal(&position, "h2e2".parse()?));
/// // In check by the rook, black's king moves away or the advisor interposes.
/// let in_check: Position = "4k4/9/3a5/9/9/9/9/9/9/3KR4 b".parse()?;
/// let answers: Vec<String> = legal_moves(&in_check).iter().map(ToString::to_string).collect();
/// assert_eq!(answers, ["e9d9", "e9f9", "d7e8"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn legal_moves(position: &Position) -> MoveList {
    let own = position.color(position.side_to_move());
    let mut moves = legal_moves_between(position, own, Bitboard::ALL);
    push_promotions(position, &mut moves);
    moves
}

/// The legal moves of the pieces of the side to move on `pieces` to the squares `targets`, without promotions, in the
/// order of [`generate`].
#[inline]
pub(crate) fn legal_moves_between(
    position: &Position,
    pieces: Bitboard,
    targets: Bitboard,
) -> MoveList {
    let legality = Legality::new(position);
    let mut moves = MoveList::new();
    for_each_piece(position, pieces, |_, from, to| {
        for to in legality.restrict(position, from, to & targets) {
            moves.push(Move::new(from, to));
        }
    });
    moves
}

/// The number of legal moves, counted from attack sets without listing them.
pub fn count_legal(position: &Position) -> u64 {
    let us = position.side_to_move();
    let legality = Legality::new(position);
    let mut count = promotions(position).len();
    let own = position.color(us);
    let (free, open) = legality.unrestricted();
    let pawns = own & free & position.kind(PieceKind::Pawn);
    for steps in attacks::pawn_steps(us, pawns) {
        count += (steps & open & !own).len();
    }
    for_each_piece(position, own & free & !pawns, |_, _, to| count += (to & open).len());
    for from in own & !free {
        if let Some(piece) = position.piece_on(from) {
            let to = destinations(position, piece.kind(), from);
            count += legality.restrict(position, from, to).len();
        }
    }
    u64::from(count)
}

/// Whether the side to move has a legal move. Without one it has lost, by mate or stalemate (困毙).
pub fn has_legal_move(position: &Position) -> bool {
    count_legal(position) > 0
}

/// Whether `m` is pseudo-legal, for example a move from the transposition table.
#[inline]
pub fn is_pseudo_legal(position: &Position, m: Move) -> bool {
    let Some(piece) = position.piece_on(m.from()) else {
        return false;
    };
    if piece.color() != position.side_to_move() || m.is_none() {
        return false;
    }
    if m.is_promotion() {
        return promotions(position).contains(m.from());
    }
    destinations(position, piece.kind(), m.from()).contains(m.to())
}

/// Whether `m`, which may be any move, is legal.
pub fn is_legal(position: &Position, m: Move) -> bool {
    is_pseudo_legal(position, m) && leaves_king_safe(position, m)
}

/// The number of leaf nodes at `depth` plies. Those of the last ply are counted without making the moves.
pub fn perft(position: &Position, depth: u32) -> u64 {
    perft_nodes(&mut position.clone(), depth)
}

fn perft_nodes(position: &mut Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => count_legal(position),
        _ => legal_moves(position)
            .into_iter()
            .map(|m| {
                let undo = position.make(m);
                let nodes = perft_nodes(position, depth - 1);
                position.unmake(m, undo);
                nodes
            })
            .sum(),
    }
}

/// [`perft`] in parts, which can be stopped: passes the number of leaf nodes of each part to `add`, and returns `false`
/// as soon as `add` does.
pub(crate) fn perft_in_parts(
    position: &mut Position,
    depth: u32,
    add: &mut impl FnMut(u64) -> bool,
) -> bool {
    /// The maximum depth of a part, so that counting it takes a short time.
    const PART_DEPTH: u32 = 3;
    if depth <= PART_DEPTH {
        return add(perft_nodes(position, depth));
    }
    legal_moves(position).into_iter().all(|m| {
        let undo = position.make(m);
        let continues = perft_in_parts(position, depth - 1, add);
        position.unmake(m, undo);
        continues
    })
}

/// The perft count of each legal move, at a total depth of `depth`; `None` for depth 0, and after `continues` has
/// returned `false`.
pub fn divide(
    position: &Position,
    depth: u32,
    continues: impl Fn() -> bool,
) -> Option<Vec<(Move, u64)>> {
    let rest = depth.checked_sub(1)?;
    let mut position = position.clone();
    let moves = legal_moves(&position).into_iter();
    let counts = moves.map(|m| {
        let undo = position.make(m);
        let mut nodes = 0;
        let is_complete = perft_in_parts(&mut position, rest, &mut |part| {
            nodes += part;
            continues()
        });
        position.unmake(m, undo);
        is_complete.then_some((m, nodes))
    });
    counts.collect()
}
