//! The hash of a position that BOOK.DAT goes by, and the squares of its 16x16 board.
//!
//! The random numbers are the output of RC4 with a key of zeros, taken four bytes at a time, the least
//! significant first; three numbers for the side to move, then three for each piece on each of 256
//! squares (ElephantEye, `base/rc4prng.h` and `PreGenInit`).

use std::sync::LazyLock;

use crate::board::{Color, Piece, Position, Square};

/// Key, first and second lock. A book identifies a position by the second lock, and is sorted by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Locks([u32; 3]);

impl Locks {
    /// The number by which a position is found.
    pub(super) fn lock(self) -> u32 {
        self.0[2]
    }

    /// What orders positions, the number that is not stored included.
    pub(super) fn order(self) -> (u32, u32) {
        (self.0[2], self.0[1])
    }

    fn toggle(&mut self, other: [u32; 3]) {
        for (mine, others) in self.0.iter_mut().zip(other) {
            *mine ^= others;
        }
    }
}

/// The locks of a position; those of its mirror image with `mirror`.
pub(super) fn locks(position: &Position, mirror: bool) -> Locks {
    let mut locks = Locks([0; 3]);
    for square in position.occupied() {
        if let Some(piece) = position.piece_on(square) {
            let square = if mirror { square.flip_file() } else { square };
            locks.toggle(TABLE.pieces[piece.index()][to_256(square)]);
        }
    }
    if position.side_to_move() == Color::Black {
        locks.toggle(TABLE.side);
    }
    locks
}

/// The square on a 16x16 board, rank 9 on top: `16 * (12 - rank) + file + 3`.
pub(super) fn to_256(square: Square) -> usize {
    16 * (12 - square.rank()) + square.file() + 3
}

/// The square of a place on the 16x16 board; `None` outside of the 90 in the middle.
pub(super) fn from_256(place: u8) -> Option<Square> {
    let (row, column) = (usize::from(place >> 4), usize::from(place & 15));
    Square::new(column.checked_sub(3)?, 12_usize.checked_sub(row)?)
}

struct LockTable {
    side: [u32; 3],
    pieces: Vec<[[u32; 3]; 256]>,
}

static TABLE: LazyLock<LockTable> = LazyLock::new(|| {
    let mut stream = Rc4::with_zero_key();
    let side = stream.next_triple();
    let mut piece = || std::array::from_fn(|_| stream.next_triple());
    let pieces = (0..Piece::COUNT).map(|_| piece()).collect();
    LockTable { side, pieces }
});

/// The stream cipher, of which only the random numbers are of use here.
struct Rc4 {
    state: [u8; 256],
    i: u8,
    j: u8,
}

impl Rc4 {
    fn with_zero_key() -> Self {
        let mut state: [u8; 256] = std::array::from_fn(|n| n as u8);
        let mut j = 0_u8;
        for i in 0..state.len() {
            j = j.wrapping_add(state[i]);
            state.swap(i, usize::from(j));
        }
        Self { state, i: 0, j: 0 }
    }

    fn next_byte(&mut self) -> u8 {
        self.i = self.i.wrapping_add(1);
        let (i, state) = (usize::from(self.i), &mut self.state);
        self.j = self.j.wrapping_add(state[i]);
        let j = usize::from(self.j);
        state.swap(i, j);
        state[usize::from(state[i].wrapping_add(state[j]))]
    }

    fn next_triple(&mut self) -> [u32; 3] {
        let mut word = || u32::from_le_bytes(std::array::from_fn(|_| self.next_byte()));
        [word(), word(), word()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(moves: &[&str]) -> Position {
        let mut position = Position::startpos();
        for m in moves {
            position.make(m.parse().unwrap());
        }
        position
    }

    #[test]
    fn the_numbers_are_those_of_elephanteye() {
        assert_eq!(TABLE.side, [0x4189_18de, 0x3a5d_37a3, 0x671e_068a]);
        assert_eq!(TABLE.pieces[0][0][2], 0x97eb_ccf0);
        for (moves, wanted) in [
            (&[][..], [0xe6db_463e, 0x8f89_9c24, 0x0526_56d5]),
            (&["b2e2"][..], [0x1826_0818, 0x6073_86e9, 0x5396_644f]),
            (&["h2e2"][..], [0xe204_9e57, 0xeabc_90f8, 0xeb50_5d7d]),
        ] {
            assert_eq!(locks(&after(moves), false), Locks(wanted), "{moves:?}");
        }
        assert_eq!(
            locks(&after(&["b2e2"]), true),
            locks(&after(&["h2e2"]), false)
        );
        for (side, lock) in [("w", 0x2e4d_45a0), ("b", 0x4953_432a)] {
            let fen = format!("3k5/9/9/9/9/9/9/9/9/5K3 {side}");
            let position: Position = fen.parse().unwrap();
            let kings = TABLE.pieces[0][to_256("f0".parse().unwrap())][2]
                ^ TABLE.pieces[7][to_256("d9".parse().unwrap())][2];
            let side = if side == "b" { TABLE.side[2] } else { 0 };
            assert_eq!(locks(&position, false).lock(), kings ^ side);
            // The document's example: kings on e0 and e9, which no position allows.
            let face = TABLE.pieces[0][to_256("e0".parse().unwrap())][2]
                ^ TABLE.pieces[7][to_256("e9".parse().unwrap())][2];
            assert_eq!(face ^ side, lock);
        }
    }

    #[test]
    fn places_are_squares() {
        for square in Square::all() {
            assert_eq!(from_256(to_256(square) as u8), Some(square));
        }
        let known = (0..=255).filter(|place| from_256(*place).is_some());
        assert_eq!(known.count(), Square::COUNT);
        assert_eq!(to_256("a9".parse().unwrap()), 0x33);
    }
}
