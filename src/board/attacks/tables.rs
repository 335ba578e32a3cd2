//! Attack tables, built at compile time.

use crate::board::bitboard::Bitboard;
use crate::board::color::{ByColor, Color};
use crate::board::square::{FILES, RANKS, Square};

/// The attacks along a file, as bits of file a: `[rank of the piece][occupancy of the inner squares]`.
pub type FileTable = [[u128; 256]; RANKS];
/// The attacks along a rank: `[file of the piece][occupancy of the inner squares]`.
pub type RankTable = [[u16; 128]; FILES];
/// The attacks of a knight or bishop: `[square][occupancy of the four neighbors that can block it]`.
pub type HobbleTable = [[u128; 16]; Square::COUNT];

pub const ROOK_FILE: &FileTable = &file_table(false);
pub const ROOK_RANK: &RankTable = &rank_table(false);
pub const CANNON_FILE: &FileTable = &file_table(true);
pub const CANNON_RANK: &RankTable = &rank_table(true);

pub static KNIGHT: HobbleTable = hobble_table(&KNIGHT_STEPS, true);
/// The squares from which a knight attacks a square. The neighbors that can block it are diagonal ones.
pub static KNIGHT_TO: HobbleTable = hobble_table(&KNIGHT_TO_STEPS, true);
/// The squares that a bishop attacks, which are also those from which a bishop attacks the square.
pub static BISHOP: HobbleTable = hobble_table(&BISHOP_STEPS, false);
pub static ADVISOR: [u128; Square::COUNT] = step_table(&DIAGONALS, true);
pub static KING: [u128; Square::COUNT] = step_table(&ORTHOGONALS, true);
pub static PAWN: ByColor<[u128; Square::COUNT]> =
    ByColor::new(pawn_table(Color::Red, false), pawn_table(Color::Black, false));
/// The squares from which a pawn attacks a square.
pub static PAWN_TO: ByColor<[u128; Square::COUNT]> =
    ByColor::new(pawn_table(Color::Red, true), pawn_table(Color::Black, true));
pub static DIAGONAL_NEIGHBORS: [u128; Square::COUNT] = step_table(&DIAGONALS, false);
pub static LINES: [u128; Square::COUNT] = line_table();
pub static SURROUNDINGS: [u128; Square::COUNT] = surroundings_table();

/// South, west, east, north: the order of the occupancy bits in the index of [`KNIGHT`].
pub const ORTHOGONALS: [(isize, isize); 4] = [(0, -1), (-1, 0), (1, 0), (0, 1)];
/// Southwest, southeast, northwest, northeast: the order of the occupancy bits in the index of [`BISHOP`] and
/// [`KNIGHT_TO`].
pub const DIAGONALS: [(isize, isize); 4] = [(-1, -1), (1, -1), (-1, 1), (1, 1)];

/// The targets beyond each of the [`ORTHOGONALS`].
const KNIGHT_STEPS: [[(isize, isize); 2]; 4] =
    [[(-1, -2), (1, -2)], [(-2, -1), (-2, 1)], [(2, -1), (2, 1)], [(-1, 2), (1, 2)]];
/// The targets beyond each of the [`DIAGONALS`].
const KNIGHT_TO_STEPS: [[(isize, isize); 2]; 4] =
    [[(-2, -1), (-1, -2)], [(2, -1), (1, -2)], [(-2, 1), (-1, 2)], [(2, 1), (1, 2)]];
/// The target beyond each of the [`DIAGONALS`], twice.
const BISHOP_STEPS: [[(isize, isize); 2]; 4] =
    [[(-2, -2); 2], [(2, -2); 2], [(-2, 2); 2], [(2, 2); 2]];

/// The squares attacked on a line of `len` squares from `from`: by a rook, up to and including the first
/// piece; by a cannon, after the first piece up to and including the second.
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

/// The targets of `steps`, two for each neighbor that can block them; without `crosses_river`, only those on the same
/// half of the board.
const fn hobble_table(steps: &[[(isize, isize); 2]; 4], crosses_river: bool) -> HobbleTable {
    let mut table = [[0; 16]; Square::COUNT];
    let mut index = 0;
    while index < Square::COUNT {
        let square = Square::ALL[index];
        let owner = if square.rank() < RANKS / 2 { Color::Red } else { Color::Black };
        let area = if crosses_river { Bitboard::ALL } else { Bitboard::home_half(owner) };
        let mut blocked = 0;
        while blocked < 16 {
            let mut neighbor = 0;
            while neighbor < 4 {
                if blocked >> neighbor & 1 == 0 {
                    let [first, second] = steps[neighbor];
                    let targets = offset_bit(square, first.0, first.1)
                        | offset_bit(square, second.0, second.1);
                    table[index][blocked] |= targets & area.bits();
                }
                neighbor += 1;
            }
            blocked += 1;
        }
        index += 1;
    }
    table
}

/// The targets of `steps`; with `palace`, only from and to squares of a palace.
const fn step_table(steps: &[(isize, isize); 4], palace: bool) -> [u128; Square::COUNT] {
    let mut table = [0; Square::COUNT];
    let mut index = 0;
    while index < Square::COUNT {
        let square = Square::ALL[index];
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

/// Pawn moves from a square, or with `to` the squares from which a pawn attacks it.
const fn pawn_table(color: Color, to: bool) -> [u128; Square::COUNT] {
    let forward = color.sign() as isize;
    let mut table = [0; Square::COUNT];
    let mut index = 0;
    while index < Square::COUNT {
        let square = Square::ALL[index];
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
        let square = Square::ALL[index];
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
        table[index] |= KNIGHT_TO[index][0] | DIAGONAL_NEIGHBORS[index] | 1 << index;
        index += 1;
    }
    table
}

/// The bit of the square at an offset; 0 beyond the edge of the board.
const fn offset_bit(square: Square, files: isize, ranks: isize) -> u128 {
    match square.offset(files, ranks) {
        Some(target) => 1 << target.index(),
        None => 0,
    }
}
