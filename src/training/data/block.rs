//! Blocks of a game file: header, checksum, payload.

use crate::board::indexed_enum;

/// The first bytes of a block.
pub const SYNC: [u8; 4] = *b"CHGB";
/// Bytes before the payload.
pub const HEADER: usize = 16;
/// Number of bytes at the beginning of the header that the checksum covers.
const CHECKED: usize = 12;
/// Maximum payload, in bytes.
pub const MAX_PAYLOAD: usize = 1 << 20;

indexed_enum! {
    /// The content of a block. The order is part of the file format.
    pub enum BlockKind {
        Plan,
        Games,
        Loose,
    }
}

/// Encodes a block.
pub fn encode(kind: BlockKind, records: u16, payload: &[u8]) -> Vec<u8> {
    debug_assert!(payload.len() <= MAX_PAYLOAD);
    let mut bytes = Vec::with_capacity(HEADER + payload.len());
    bytes.extend_from_slice(&SYNC);
    bytes.extend_from_slice(&(kind.index() as u16).to_le_bytes());
    bytes.extend_from_slice(&records.to_le_bytes());
    bytes.extend_from_slice(&(payload.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&checksum(&bytes, payload).to_le_bytes());
    bytes.extend_from_slice(payload);
    bytes
}

fn checksum(header: &[u8], payload: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(header), payload)
}

/// The result of decoding the bytes at some offset of a file.
#[derive(Debug, PartialEq, Eq)]
pub enum Decoded {
    /// A valid block: kind (`None` if written by a later version), number of records, payload length.
    Block(Option<BlockKind>, u16, usize),
    /// A block may begin here; decoding it needs at least this number of bytes.
    Needs(usize),
    /// No valid block begins here.
    Damaged,
}

/// Decodes the block at the beginning of `bytes`.
pub fn decode(bytes: &[u8]) -> Decoded {
    let known = bytes.len().min(SYNC.len());
    if bytes[..known] != SYNC[..known] {
        return Decoded::Damaged;
    }
    let Some(header) = bytes.first_chunk::<HEADER>() else {
        return Decoded::Needs(HEADER);
    };
    let half = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
    let word = |at: usize| u32::from(half(at)) | u32::from(half(at + 2)) << 16;
    let length = word(8) as usize;
    if length > MAX_PAYLOAD {
        return Decoded::Damaged;
    }
    let Some(payload) = bytes.get(HEADER..HEADER + length) else {
        return Decoded::Needs(HEADER + length);
    };
    if checksum(&header[..CHECKED], payload) != word(CHECKED) {
        return Decoded::Damaged;
    }
    Decoded::Block(BlockKind::from_index(half(4).into()), half(6), length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_changed_bit_is_detected() {
        let block = encode(BlockKind::Games, 3, b"the payload of a block");
        assert_eq!(
            decode(&block),
            Decoded::Block(Some(BlockKind::Games), 3, 22)
        );
        for bit in 0..8 * block.len() {
            let mut changed = block.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(!matches!(decode(&changed), Decoded::Block(..)), "{bit}");
        }
        for length in 0..block.len() {
            assert!(matches!(decode(&block[..length]), Decoded::Needs(n) if n > length));
        }
    }
}
