//! Game files (`.chg`) of self-play: the format, its reader and its writer.
//!
//! # The format, version 1 (`.chg`)
//!
//! All numbers are little-endian. A file is the eight bytes of [`MAGIC`], the last of which is the version,
//! followed by any number of blocks. A block is
//!
//! | bytes | content |
//! |---|---|
//! | 4 | `CHGB`, by which a reader finds the next block after damage |
//! | 2 | kind: 0 plan, 1 games, 2 loose samples |
//! | 2 | number of records |
//! | 4 | length of the payload in bytes, at most 2^20 |
//! | 4 | CRC-32C (Castagnoli) of the twelve bytes before it and of the payload |
//! | length | payload |
//!
//! A *plan* is JSON that describes how the games were made. A self-play file begins with one; merged,
//! converted and relabeled files have none. A *game* is
//!
//! | bytes | content |
//! |---|---|
//! | 8 | seed of the self-play run |
//! | 4 | number of the game within the run, from 0 |
//! | 2 | number of plies |
//! | 2 | number of random plies at the beginning, which have no score |
//! | 1 | result: 0 black wins, 1 draw, 2 red wins |
//! | 1 | ending of the game: index of a [`Termination`] |
//! | 1 | length of the start position, 0 for the standard one |
//! | length | start position, packed as below |
//! | 4 per ply | 16 bits of move ([`Move::bits`](crate::board::Move::bits)), 16 bits of score |
//!
//! The score is that of the search for the side to move, in evaluation units, or [`NO_SCORE`]. *Loose
//! samples* are positions of one game whose moves are unknown:
//!
//! | bytes | content |
//! |---|---|
//! | 2 | number of samples |
//! | 1 | result of the game |
//! | per sample | 2 bytes of score for the side to move, 1 byte length, packed position |
//!
//! A *packed position* is twelve bytes of occupancy flags for the squares, a0 to i9 rank by rank, with bit 95 set
//! if black is to move; four bits per piece (index of [`Piece`](crate::board::Piece)) in the order of the squares, low
//! half of a byte first; then two counters of two bytes each: plies since the last capture, and move number.
//!
//! A writer appends whole blocks. After a kill -9 or on a full disk the last block may be incomplete: a reader
//! reports and skips it, and a writer that continues the file removes everything after the last valid block.

mod reader;
mod record;
mod replay;
#[cfg(test)]
mod tests;
mod writer;

pub use reader::{FileDamage, GameReader, ReadError};
pub use record::{
    LabeledResult, LooseRecord, LooseSample, Record, ScoredMove, Termination, TrainingGame,
};
pub use replay::{BadRecord, Filter, Labeled};
pub use writer::{AppendError, GameWriter, OpenedFile};

use crate::board::indexed_enum;

/// The first bytes of a file: seven letters and the version of the format.
pub const MAGIC: [u8; 8] = *b"CHUHEGM\x01";

/// Whether a file with this beginning is a game file, of any version of the format.
pub fn is_game_file(beginning: &[u8]) -> bool {
    beginning.starts_with(&MAGIC[..MAGIC.len() - 1])
}

/// Stored as the score of a move whose score is unknown, for example a random move.
pub const NO_SCORE: i16 = i16::MIN;

/// The first bytes of a block.
const BLOCK_START: [u8; 4] = *b"CHGB";
/// The number of bytes of a block before its payload.
const BLOCK_HEADER: usize = 16;
/// The number of bytes at the beginning of the header that the checksum covers.
const CHECKED_HEADER: usize = 12;
/// The maximum size of a payload in bytes.
const MAX_PAYLOAD: usize = 1 << 20;

indexed_enum! {
    /// The content of a block. The order is part of the file format.
    enum BlockKind {
        Plan,
        Games,
        Loose,
    }
}

fn encode_block(kind: BlockKind, records: u16, payload: &[u8]) -> Vec<u8> {
    debug_assert!(payload.len() <= MAX_PAYLOAD);
    let mut bytes = Vec::with_capacity(BLOCK_HEADER + payload.len());
    bytes.extend_from_slice(&BLOCK_START);
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

/// The result of decoding the bytes at an offset of a file as a block.
#[derive(Debug, PartialEq, Eq)]
enum DecodedBlock {
    /// A valid block: its kind (`None` for one of a later version), number of records and length of the payload.
    Block(Option<BlockKind>, u16, usize),
    /// The beginning of a block; to decode it, at least this number of bytes is needed.
    Needs(usize),
    /// No valid block begins here.
    Damaged,
}

/// Decodes the block at the beginning of `bytes`.
fn decode_block(bytes: &[u8]) -> DecodedBlock {
    let known = bytes.len().min(BLOCK_START.len());
    if bytes[..known] != BLOCK_START[..known] {
        return DecodedBlock::Damaged;
    }
    let Some(header) = bytes.first_chunk::<BLOCK_HEADER>() else {
        return DecodedBlock::Needs(BLOCK_HEADER);
    };
    let u16_at = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
    let u32_at = |at: usize| u32::from(u16_at(at)) | u32::from(u16_at(at + 2)) << 16;
    let length = u32_at(8) as usize;
    if length > MAX_PAYLOAD {
        return DecodedBlock::Damaged;
    }
    let Some(payload) = bytes.get(BLOCK_HEADER..BLOCK_HEADER + length) else {
        return DecodedBlock::Needs(BLOCK_HEADER + length);
    };
    if checksum(&header[..CHECKED_HEADER], payload) != u32_at(CHECKED_HEADER) {
        return DecodedBlock::Damaged;
    }
    DecodedBlock::Block(BlockKind::from_index(u16_at(4).into()), u16_at(6), length)
}
