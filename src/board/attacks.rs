//! Where each kind of piece attacks, from tables built at compile time.
//!
//! Sliding pieces look up their rank and their file apart: the inner squares of a rank (seven
//! bits) or a file (eight bits, gathered by one multiplication) index a small table, for what
//! stands on the edge itself never changes the answer. Jumping pieces (knight, bishop) index by
//! the four squares that can hobble them (蹩马腿, 塞象眼).

use super::bitboard::Bitboard;
use super::color::Color;
use super::piece::PieceKind;
use super::square::{FILES, RANKS, Square};

/// A file's attacks from each rank, as bits of file a: `[rank][inner occupancy]`.
type FileTable = [[u128; 256]; RANKS];
/// A rank's attacks from each file: `[file][inner occupancy]`.
type RankTable = [[u16; 128]; FILES];
/// Attacks by square and by which of four neighbours are occupied.
type HobbleTable = [[u128; 16]; Square::COUNT];

const ROOK_FILE: &FileTable = &file_table(false);
const ROOK_RANK: &RankTable = &rank_table(false);
const CANNON_FILE: &FileTable = &file_table(true);
const CANNON_RANK: &RankTable = &rank_table(true);

static KNIGHT: HobbleTable = knight_table(false);
static KNIGHT_TO: HobbleTable = knight_table(true);
static BISHOP: HobbleTable = bishop_table();
static ADVISOR: [u128; Square::COUNT] = step_table(&DIAGONALS, true);
static KING: [u128; Square::COUNT] = step_table(&ORTHOGONALS, true);
static PAWN: [[u128; Square::COUNT]; 2] = [
    pawn_table(Color::Red, false),
    pawn_table(Color::Black, false),
];
static DIAGONAL: [u128; Square::COUNT] = step_table(&DIAGONALS, false);
static LINES: [u128; Square::COUNT] = line_table();
static SURROUNDINGS: [u128; Square::COUNT] = surroundings_table();
static PAWN_TO: [[u128; Square::COUNT]; 2] =
    [pawn_table(Color::Red, true), pawn_table(Color::Black, true)];

/// South, west, east, north: the order of the bits of a knight's index.
const ORTHOGONALS: [(isize, isize); 4] = [(0, -1), (-1, 0), (1, 0), (0, 1)];
/// South-west, south-east, north-west, north-east: the order of a bishop's index.
const DIAGONALS: [(isize, isize); 4] = [(-1, -1), (1, -1), (-1, 1), (1, 1)];

/// The squares hit on a line of `len` squares from `from`: by a rook, up to and with the first
/// piece; by a cannon, past the first piece up to and with the second.
const fn line_attacks(from: usize, occupied: u32, len: usize, cannon: bool) -> u32 {
    let mut attacks = 0;
    let mut direction = 0;
    while direction < 2 {
        let mut screens = 0;
        let mut at = from;
        loop {
            if (direction == 0 && at + 1 == len) || (direction == 1 && at == 0) {
                break;
            }
            at = if direction == 0 { at + 1 } else { at - 1 };
            if screens == cannon as usize {
                attacks |= 1 << at;
            }
            if occupied >> at & 1 != 0 {
                screens += 1;
                if screens > cannon as usize {
                    break;
                }
            }
        }
        direction += 1;
    }
    attacks
}

const fn file_table(cannon: bool) -> FileTable {
    let mut table = [[0; 256]; RANKS];
    let mut rank = 0;
    while rank < RANKS {
        let mut inner = 0;
        while inner < 256 {
            let line = line_attacks(rank, (inner as u32) << 1, RANKS, cannon);
            let mut bits = 0;
            let mut r = 0;
            while r < RANKS {
                bits |= ((line >> r & 1) as u128) << (r * FILES);
                r += 1;
            }
            table[rank][inner] = bits;
            inner += 1;
        }
        rank += 1;
    }
    table
}

const fn rank_table(cannon: bool) -> RankTable {
    let mut table = [[0; 128]; FILES];
    let mut file = 0;
    while file < FILES {
        let mut inner = 0;
        while inner < 128 {
            table[file][inner] = line_attacks(file, (inner as u32) << 1, FILES, cannon) as u16;
            inner += 1;
        }
        file += 1;
    }
    table
}

/// Knight moves from a square (legs beside it), or with `to` the squares a knight attacks it from
/// (legs beside the knight, which seen from the target are its diagonal neighbours).
const fn knight_table(to: bool) -> HobbleTable {
    let mut table = [[0; 16]; Square::COUNT];
    let mut index = 0;
    while index < Square::COUNT {
        let square = Square::ALL_CONST[index];
        let mut blocked = 0;
        while blocked < 16 {
            let mut leg = 0;
            while leg < 4 {
                if blocked >> leg & 1 == 0 {
                    let targets = if to {
                        let (f, r) = DIAGONALS[leg];
                        [(2 * f, r), (f, 2 * r)]
                    } else {
                        let (f, r) = ORTHOGONALS[leg];
                        if f == 0 {
                            [(-1, 2 * r), (1, 2 * r)]
                        } else {
                            [(2 * f, -1), (2 * f, 1)]
                        }
                    };
                    table[index][blocked] |= offset_bit(square, targets[0].0, targets[0].1)
                        | offset_bit(square, targets[1].0, targets[1].1);
                }
                leg += 1;
            }
            blocked += 1;
        }
        index += 1;
    }
    table
}

const fn bishop_table() -> HobbleTable {
    let mut table = [[0; 16]; Square::COUNT];
    let mut index = 0;
    while index < Square::COUNT {
        let square = Square::ALL_CONST[index];
        let half = if square.rank() < RANKS / 2 {
            Bitboard::home_half(Color::Red)
        } else {
            Bitboard::home_half(Color::Black)
        };
        let mut blocked = 0;
        while blocked < 16 {
            let mut eye = 0;
            while eye < 4 {
                if blocked >> eye & 1 == 0 {
                    let (f, r) = DIAGONALS[eye];
                    table[index][blocked] |= offset_bit(square, 2 * f, 2 * r) & half.bits();
                }
                eye += 1;
            }
            blocked += 1;
        }
        index += 1;
    }
    table
}

const fn step_table(steps: &[(isize, isize); 4], palace: bool) -> [u128; Square::COUNT] {
    let mut table = [0; Square::COUNT];
    let mut index = 0;
    while index < Square::COUNT {
        let square = Square::ALL_CONST[index];
        if !palace || Bitboard::PALACES.contains(square) {
            let mut step = 0;
            while step < 4 {
                table[index] |= offset_bit(square, steps[step].0, steps[step].1);
                step += 1;
            }
            if palace {
                table[index] &= Bitboard::PALACES.bits();
            }
        }
        index += 1;
    }
    table
}

/// Pawn moves, or with `to` the squares a pawn attacks from.
const fn pawn_table(color: Color, to: bool) -> [u128; Square::COUNT] {
    let forward = match color {
        Color::Red => 1,
        Color::Black => -1,
    };
    let mut table = [0; Square::COUNT];
    let mut index = 0;
    while index < Square::COUNT {
        let square = Square::ALL_CONST[index];
        table[index] |= offset_bit(square, 0, if to { -forward } else { forward });
        if square.is_across_river(color) {
            table[index] |= offset_bit(square, -1, 0) | offset_bit(square, 1, 0);
        }
        index += 1;
    }
    table
}

const fn line_table() -> [u128; Square::COUNT] {
    let mut table = [0; Square::COUNT];
    let mut index = 0;
    while index < Square::COUNT {
        let square = Square::ALL_CONST[index];
        let lines = Bitboard::file(square.file()).bits() | Bitboard::rank(square.rank()).bits();
        table[index] = lines & !(1 << index);
        index += 1;
    }
    table
}

const fn surroundings_table() -> [u128; Square::COUNT] {
    let mut table = LINES;
    let mut index = 0;
    while index < Square::COUNT {
        table[index] |= KNIGHT_TO[index][0] | DIAGONAL[index] | 1 << index;
        index += 1;
    }
    table
}

const fn offset_bit(square: Square, files: isize, ranks: isize) -> u128 {
    match square.offset(files, ranks) {
        Some(target) => 1 << target.index(),
        None => 0,
    }
}

impl Square {
    /// Every square, for loops at compile time.
    const ALL_CONST: [Self; Self::COUNT] = {
        let mut all = [Self::from_bit(0); Self::COUNT];
        let mut index = 0;
        while index < Self::COUNT {
            all[index] = Self::from_bit(index as u32);
            index += 1;
        }
        all
    };
}

/// The inner squares of the rank of `square`, as seven bits.
#[inline]
const fn rank_index(square: Square, occupied: Bitboard) -> usize {
    (occupied.bits() >> (square.rank() * FILES + 1)) as usize & 0x7f
}

/// The inner squares of the file of `square`, as eight bits: of the bits 9i the multiplication
/// brings each to 56 + i, and no two products fall on one bit, so nothing carries.
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

/// Squares a rook (车) on `square` reaches, up to and with the first piece each way.
#[inline]
pub fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    slide(square, occupied, ROOK_FILE, ROOK_RANK)
}

/// Squares a cannon (炮) on `square` hits over exactly one screen, up to and with the next piece.
/// Its quiet moves are the empty squares of [`rook`].
#[inline]
pub fn cannon(square: Square, occupied: Bitboard) -> Bitboard {
    slide(square, occupied, CANNON_FILE, CANNON_RANK)
}

/// The other squares of the rank and the file of `square`: what a rook hits on an empty board.
#[inline]
pub fn lines(square: Square) -> Bitboard {
    Bitboard::from_board_bits(LINES[square.index()])
}

/// The diagonal neighbours of `square`, where the legs of knights that attack it stand.
#[inline]
pub(super) fn diagonals(square: Square) -> Bitboard {
    Bitboard::from_board_bits(DIAGONAL[square.index()])
}

/// The squares where a piece that comes or goes can change who attacks a king on `square`: its
/// lines, and whence and over which legs knights attack.
#[inline]
pub(super) fn surroundings(square: Square) -> Bitboard {
    Bitboard::from_board_bits(SURROUNDINGS[square.index()])
}

/// Which of the orthogonal neighbours are occupied; bits that wrap around the edge of the board
/// stand for moves that the tables do not have.
#[inline]
const fn leg_index(square: Square, occupied: Bitboard) -> usize {
    let near = ((occupied.bits() << 9) >> square.index()) as usize;
    near & 1 | near >> 7 & 2 | near >> 8 & 4 | near >> 15 & 8
}

/// Which of the diagonal neighbours are occupied.
#[inline]
const fn eye_index(square: Square, occupied: Bitboard) -> usize {
    let near = ((occupied.bits() << 10) >> square.index()) as usize;
    near & 1 | near >> 1 & 2 | near >> 16 & 4 | near >> 17 & 8
}

/// Squares a knight (马) on `square` attacks.
#[inline]
pub fn knight(square: Square, occupied: Bitboard) -> Bitboard {
    Bitboard::from_board_bits(KNIGHT[square.index()][leg_index(square, occupied)])
}

/// Squares from which a knight attacks `square`.
#[inline]
pub fn knight_to(square: Square, occupied: Bitboard) -> Bitboard {
    Bitboard::from_board_bits(KNIGHT_TO[square.index()][eye_index(square, occupied)])
}

/// Squares a bishop (相 象) on `square` attacks; the relation is symmetric.
#[inline]
pub fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    Bitboard::from_board_bits(BISHOP[square.index()][eye_index(square, occupied)])
}

/// Squares an advisor (仕 士) on `square` attacks; symmetric.
#[inline]
pub fn advisor(square: Square) -> Bitboard {
    Bitboard::from_board_bits(ADVISOR[square.index()])
}

/// Squares a king (帅 将) on `square` attacks, the facing king aside; symmetric.
#[inline]
pub fn king(square: Square) -> Bitboard {
    Bitboard::from_board_bits(KING[square.index()])
}

/// Squares a pawn (兵 卒) of `color` on `square` attacks.
#[inline]
pub fn pawn(color: Color, square: Square) -> Bitboard {
    Bitboard::from_board_bits(PAWN[color.index()][square.index()])
}

/// Where a side's pawns can step: forward, towards file a and towards file i, each set from as
/// many pawns as it has squares.
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

/// Squares from which a pawn of `color` attacks `square`.
#[inline]
pub fn pawn_to(color: Color, square: Square) -> Bitboard {
    Bitboard::from_board_bits(PAWN_TO[color.index()][square.index()])
}

/// Squares a piece of this kind and colour attacks: for a cannon those over a screen.
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

    use super::*;

    /// Walks the board step by step, as the rules are told to a beginner.
    fn slow(kind: PieceKind, color: Color, square: Square, occupied: Bitboard) -> Bitboard {
        let empty = |s: Option<Square>| s.is_some_and(|s| !occupied.contains(s));
        let mut result = Bitboard::EMPTY;
        let mut add = |s: Option<Square>| {
            if let Some(s) = s {
                result = result.with(s);
            }
        };
        match kind {
            PieceKind::Rook | PieceKind::Cannon => {
                let wanted = usize::from(kind == PieceKind::Cannon);
                for (f, r) in ORTHOGONALS {
                    let mut seen = 0;
                    let mut at = square;
                    while let Some(next) = at.offset(f, r) {
                        if seen == wanted {
                            add(Some(next));
                        }
                        seen += usize::from(occupied.contains(next));
                        at = next;
                    }
                }
            }
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
                let steps = if kind == PieceKind::King {
                    ORTHOGONALS
                } else {
                    DIAGONALS
                };
                let palace =
                    |s: &Square| (3..=5).contains(&s.file()) && ![3, 4, 5, 6].contains(&s.rank());
                for (f, r) in steps {
                    if palace(&square) {
                        add(square.offset(f, r).filter(palace));
                    }
                }
            }
            PieceKind::Pawn => {
                add(square.offset(0, if color == Color::Red { 1 } else { -1 }));
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
        fn tables_equal_the_slow_walk(a in any::<u128>(), b in any::<u128>(), thin in any::<bool>()) {
            let occupied = Bitboard::from_bits(if thin { a & b } else { a });
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
        fn reverse_tables_are_the_reverse(occupied in any::<u128>()) {
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
