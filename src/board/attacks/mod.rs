//! The attacks of each kind of piece, from tables built at compile time.
//!
//! The attacks of a sliding piece along its rank and along its file are looked up separately. The indices of these
//! small tables are the occupancy of the inner squares of the rank (seven bits) or the file (eight bits, gathered by
//! one multiplication). Pieces on the edge do not change the attacks. The tables of knights and bishops are indexed by
//! the occupancy of the four squares where a piece can block them (蹩马腿, 塞象眼).

mod tables;

use tables::{
    ADVISOR, BISHOP, CANNON_FILE, CANNON_RANK, DIAGONAL_NEIGHBORS, FileTable, KING, KNIGHT,
    KNIGHT_TO, LINES, PAWN, PAWN_TO, ROOK_FILE, ROOK_RANK, RankTable, SURROUNDINGS,
};

use super::bitboard::Bitboard;
use super::color::Color;
use super::piece::PieceKind;
use super::square::{FILES, Square};

/// The occupancy of the inner squares of the rank of `square`, as seven bits.
#[inline]
const fn rank_index(square: Square, occupied: Bitboard) -> usize {
    (occupied.bits() >> (square.rank() * FILES + 1)) as usize & 0x7f
}

/// The occupancy of the inner squares of the file of `square`, as eight bits: the multiplication moves bit 9i to
/// bit 56 + i, and no two products share a bit, so there are no carries.
#[inline]
const fn file_index(square: Square, occupied: Bitboard) -> usize {
    const EVERY_NINTH: u64 = 0x8040_2010_0804_0201;
    let line = (occupied.bits() >> (square.file() + FILES)) as u64 & EVERY_NINTH;
    (line.wrapping_mul(0x0101_0101_0101_0101) >> 56) as usize
}

#[inline]
fn slide(square: Square, occupied: Bitboard, file: &FileTable, rank: &RankTable) -> Bitboard {
    let on_file = file[square.rank()][file_index(square, occupied)] << square.file();
    let on_rank = rank[square.file()][rank_index(square, occupied)] as u128;
    Bitboard::from_board_bits(on_file | on_rank << (square.rank() * FILES))
}

/// The squares that a rook (车) attacks, up to and including the first piece in each direction.
#[inline]
pub fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    slide(square, occupied, ROOK_FILE, ROOK_RANK)
}

/// The squares that a cannon (炮) attacks over exactly one screen, up to and including the next piece.
/// Its quiet moves lead to the empty squares that a rook attacks.
#[inline]
pub fn cannon(square: Square, occupied: Bitboard) -> Bitboard {
    slide(square, occupied, CANNON_FILE, CANNON_RANK)
}

/// The other squares of the rank and the file of `square`.
#[inline]
pub fn lines(square: Square) -> Bitboard {
    Bitboard::from_board_bits(LINES[square.index()])
}

/// The diagonal neighbors of `square`, which are the legs of the knights that attack it.
#[inline]
pub fn diagonals(square: Square) -> Bitboard {
    Bitboard::from_board_bits(DIAGONAL_NEIGHBORS[square.index()])
}

/// The squares where a change of the board can affect the attacks on a king on `square`: the square itself, its
/// lines, the squares from which knights attack it, and their legs.
#[inline]
pub(in crate::board) fn surroundings(square: Square) -> Bitboard {
    Bitboard::from_board_bits(SURROUNDINGS[square.index()])
}

/// A bit for each occupied orthogonal neighbor. The bit of a neighbor beyond the edge of the board is 0 or that of some
/// other square, which does not matter, because the tables have no moves past it.
#[inline]
const fn leg_index(square: Square, occupied: Bitboard) -> usize {
    let near = ((occupied.bits() << 9) >> square.index()) as usize;
    near & 1 | near >> 7 & 2 | near >> 8 & 4 | near >> 15 & 8
}

/// A bit for each occupied diagonal neighbor.
#[inline]
const fn eye_index(square: Square, occupied: Bitboard) -> usize {
    let near = ((occupied.bits() << 10) >> square.index()) as usize;
    near & 1 | near >> 1 & 2 | near >> 16 & 4 | near >> 17 & 8
}

/// The squares that a knight (马) attacks.
#[inline]
pub fn knight(square: Square, occupied: Bitboard) -> Bitboard {
    Bitboard::from_board_bits(KNIGHT[square.index()][leg_index(square, occupied)])
}

/// The orthogonal neighbors of `square`, where a piece blocks a knight on `square` (蹩马腿).
#[inline]
pub fn knight_legs(square: Square) -> Bitboard {
    // On a full board a rook attacks only its neighbors.
    rook(square, Bitboard::ALL)
}

/// The squares from which a knight attacks `square`.
#[inline]
pub fn knight_to(square: Square, occupied: Bitboard) -> Bitboard {
    Bitboard::from_board_bits(KNIGHT_TO[square.index()][eye_index(square, occupied)])
}

/// The squares that a bishop (相 象) attacks; the relation is symmetric.
#[inline]
pub fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    Bitboard::from_board_bits(BISHOP[square.index()][eye_index(square, occupied)])
}

/// The squares that an advisor (仕 士) attacks; the relation is symmetric.
#[inline]
pub fn advisor(square: Square) -> Bitboard {
    Bitboard::from_board_bits(ADVISOR[square.index()])
}

/// The squares that a king (帅 将) attacks by its steps, not along an open file; the relation is symmetric.
#[inline]
pub fn king(square: Square) -> Bitboard {
    Bitboard::from_board_bits(KING[square.index()])
}

/// The squares that a pawn (兵 卒) of `color` attacks.
#[inline]
pub fn pawn(color: Color, square: Square) -> Bitboard {
    Bitboard::from_board_bits(PAWN[color][square.index()])
}

/// The destinations of a side's pawns, for steps forward, toward file a and toward file i. Each set
/// has one square for each pawn that can make the step.
#[inline]
pub fn pawn_steps(color: Color, pawns: Bitboard) -> [Bitboard; 3] {
    let forward = match color {
        Color::Red => pawns.bits() << FILES,
        Color::Black => pawns.bits() >> FILES,
    };
    let across = pawns & Bitboard::home_half(!color);
    let to_a = (across & !Bitboard::file(0)).bits() >> 1;
    let to_i = (across & !Bitboard::file(FILES - 1)).bits() << 1;
    [forward, to_a, to_i].map(Bitboard::from_bits)
}

/// The squares from which a pawn of `color` attacks `square`.
#[inline]
pub fn pawn_to(color: Color, square: Square) -> Bitboard {
    Bitboard::from_board_bits(PAWN_TO[color][square.index()])
}

/// The squares that a piece of this kind and color attacks; for a cannon, over a screen.
#[inline]
pub fn of(kind: PieceKind, color: Color, square: Square, occupied: Bitboard) -> Bitboard {
    match kind {
        PieceKind::King => king(square),
        PieceKind::Advisor => advisor(square),
        PieceKind::Bishop => bishop(square, occupied),
        PieceKind::Knight => knight(square, occupied),
        PieceKind::Rook => rook(square, occupied),
        PieceKind::Cannon => cannon(square, occupied),
        PieceKind::Pawn => pawn(color, square),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::tables::{DIAGONALS, ORTHOGONALS};
    use super::*;

    /// The squares along the lines of `square` with `between` pieces in between.
    fn slow_line(
        square: Square,
        occupied: Bitboard,
        between: usize,
    ) -> impl Iterator<Item = Square> {
        ORTHOGONALS.into_iter().flat_map(move |(f, r)| {
            let mut seen = 0;
            let walk = std::iter::successors(square.offset(f, r), move |s| s.offset(f, r));
            walk.filter(move |next| {
                let is_reached = seen == between;
                seen += usize::from(occupied.contains(*next));
                is_reached
            })
        })
    }

    /// The attacks found step by step.
    fn slow(kind: PieceKind, color: Color, square: Square, occupied: Bitboard) -> Bitboard {
        let empty = |s: Option<Square>| s.is_some_and(|s| !occupied.contains(s));
        let mut result = Bitboard::EMPTY;
        let mut add = |s: Option<Square>| {
            if let Some(s) = s {
                result = result.with(s);
            }
        };
        match kind {
            PieceKind::Rook => slow_line(square, occupied, 0).for_each(|s| add(Some(s))),
            PieceKind::Cannon => slow_line(square, occupied, 1).for_each(|s| add(Some(s))),
            PieceKind::Knight => {
                for (f, r) in ORTHOGONALS {
                    if empty(square.offset(f, r)) {
                        add(square.offset(2 * f + r, 2 * r + f));
                        add(square.offset(2 * f - r, 2 * r - f));
                    }
                }
            }
            PieceKind::Bishop => {
                for (f, r) in DIAGONALS {
                    if empty(square.offset(f, r)) {
                        let home = |s: &Square| (s.rank() < 5) == (square.rank() < 5);
                        add(square.offset(2 * f, 2 * r).filter(home));
                    }
                }
            }
            PieceKind::Advisor | PieceKind::King => {
                let steps = if kind == PieceKind::King { ORTHOGONALS } else { DIAGONALS };
                let palace =
                    |s: &Square| (3..=5).contains(&s.file()) && ![3, 4, 5, 6].contains(&s.rank());
                for (f, r) in steps {
                    if palace(&square) {
                        add(square.offset(f, r).filter(palace));
                    }
                }
            }
            PieceKind::Pawn => {
                add(square.offset(0, color.sign() as isize));
                if (square.rank() >= 5) == (color == Color::Red) {
                    add(square.offset(-1, 0));
                    add(square.offset(1, 0));
                }
            }
        }
        result
    }

    proptest! {
        #[test]
        fn tables_equal_the_slow_walk(a in any::<u128>(), b in any::<u128>(), sparse in any::<bool>()) {
            let occupied = Bitboard::from_bits(if sparse { a & b } else { a });
            for square in Square::all() {
                for kind in PieceKind::ALL {
                    for color in Color::ALL {
                        prop_assert_eq!(of(kind, color, square, occupied), slow(kind, color, square, occupied));
                    }
                }
            }
        }

        #[test]
        fn pawn_steps_are_those_of_each_pawn(a in any::<u128>(), b in any::<u128>()) {
            let pawns = Bitboard::from_bits(a & b);
            for color in Color::ALL {
                let steps = pawn_steps(color, pawns);
                let each: Vec<Bitboard> = pawns.into_iter().map(|s| pawn(color, s)).collect();
                let union = each.iter().fold(Bitboard::EMPTY, |union, set| union | *set);
                prop_assert_eq!(steps[0] | steps[1] | steps[2], union);
                let total: u32 = each.iter().map(|set| set.len()).sum();
                prop_assert_eq!(steps.map(Bitboard::len).iter().sum::<u32>(), total);
            }
        }

        #[test]
        fn reverse_tables_match_the_forward_tables(occupied in any::<u128>()) {
            let occupied = Bitboard::from_bits(occupied);
            for a in Square::all() {
                for b in Square::all() {
                    prop_assert_eq!(knight(a, occupied).contains(b), knight_to(b, occupied).contains(a));
                    for color in Color::ALL {
                        prop_assert_eq!(pawn(color, a).contains(b), pawn_to(color, b).contains(a));
                    }
                }
            }
        }
    }
}
