//! Positions in some thirty bytes.

use crate::board::{Color, Piece, Position, Setup, Square};

/// Bytes of the flags that tell which squares are occupied.
const FLAGS: usize = 12;
/// The flag that tells that black is to move.
const BLACK_TO_MOVE: u32 = 95;
/// Bytes of the two counters.
const COUNTERS: usize = 4;

/// Writes a position; see the [format](super).
pub(super) fn pack(position: &Position, bytes: &mut Vec<u8>) {
    let setup = position.setup();
    let mut flags = u128::from(setup.side_to_move == Color::Black) << BLACK_TO_MOVE;
    let mut pieces = Vec::with_capacity(32);
    for (square, piece) in setup.pieces() {
        flags |= 1 << square.index();
        pieces.push(piece.index() as u8);
    }
    bytes.extend_from_slice(&flags.to_le_bytes()[..FLAGS]);
    for pair in pieces.chunks(2) {
        bytes.push(pair[0] | pair.get(1).map_or(0, |piece| piece << 4));
    }
    bytes.extend_from_slice(&setup.halfmove_clock.to_le_bytes());
    bytes.extend_from_slice(&setup.fullmove_number.to_le_bytes());
}

/// Reads what [`pack`] has written, all of `bytes`; `None` when they are no position.
pub(super) fn unpack(bytes: &[u8]) -> Option<Position> {
    let (flags, rest) = bytes.split_at_checked(FLAGS)?;
    let (pieces, counters) = rest.split_at_checked(rest.len().checked_sub(COUNTERS)?)?;
    let mut wide = [0; 16];
    wide[..FLAGS].copy_from_slice(flags);
    let flags = u128::from_le_bytes(wide);
    let occupied = flags & ((1 << Square::COUNT) - 1);
    if pieces.len() != (occupied.count_ones() as usize).div_ceil(2) {
        return None;
    }
    let mut setup = Setup::empty();
    if flags >> BLACK_TO_MOVE != 0 {
        setup.side_to_move = Color::Black;
    }
    let mut indices = pieces.iter().flat_map(|pair| [pair & 15, pair >> 4]);
    for square in Square::all().filter(|square| occupied >> square.index() & 1 != 0) {
        let index = indices.next()?;
        setup.squares[square.index()] = Some(Piece::from_index(usize::from(index))?);
    }
    let counter = |at: usize| u16::from_le_bytes([counters[at], counters[at + 1]]);
    (setup.halfmove_clock, setup.fullmove_number) = (counter(0), counter(2));
    Position::try_from(&setup).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::test_positions::positions;

    #[test]
    fn positions_survive_packing() {
        for position in positions(20, 200) {
            let mut bytes = Vec::new();
            pack(&position, &mut bytes);
            assert!(bytes.len() <= 32, "{}", bytes.len());
            let unpacked = unpack(&bytes).expect("what was packed is read");
            assert_eq!(unpacked.setup(), position.setup());
            assert_eq!(unpacked.key(), position.key());
            for length in 0..bytes.len() {
                assert!(unpack(&bytes[..length]).is_none());
            }
        }
    }
}
