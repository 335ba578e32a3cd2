//! Random numbers for the Zobrist keys of positions, computed at compile time.

use super::piece::Piece;
use super::square::Square;

const KEYS: ([[u64; Square::COUNT]; Piece::COUNT], u64) = {
    let mut state = 0x6368_7568_6521; // "chuhe!"
    let mut table = [[0; Square::COUNT]; Piece::COUNT];
    let mut piece = 0;
    while piece < Piece::COUNT {
        let mut square = 0;
        while square < Square::COUNT {
            (state, table[piece][square]) = splitmix64(state);
            square += 1;
        }
        piece += 1;
    }
    (table, splitmix64(state).1)
};

static PIECE_SQUARE: [[u64; Square::COUNT]; Piece::COUNT] = KEYS.0;

/// The number that is XORed into a position's key if black is to move.
pub const SIDE: u64 = KEYS.1;

/// One step of splitmix64 (Steele, Lea and Flood 2014): the new state and the output.
pub const fn splitmix64(state: u64) -> (u64, u64) {
    let state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (state, z ^ (z >> 31))
}

/// The number of a piece on a square, XORed into the key of each position with that piece there.
#[inline]
pub fn piece(piece: Piece, square: Square) -> u64 {
    PIECE_SQUARE[piece.index()][square.index()]
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn keys_differ() {
        let mut seen: HashSet<u64> = PIECE_SQUARE.iter().flatten().copied().collect();
        seen.insert(SIDE);
        assert_eq!(seen.len(), Piece::COUNT * Square::COUNT + 1);
    }
}
