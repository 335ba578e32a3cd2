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
//! | 4 | CRC-32C (Castagnoli) of the twelve bytes before and of the payload |
//! | length | payload |
//!
//! A *plan* is JSON that describes how the games were made. A self-play file begins with one; a merged or
//! converted file may have none. A *game* is
//!
//! | bytes | content |
//! |---|---|
//! | 8 | seed of the self-play run |
//! | 4 | number of the game within the run, from 0 |
//! | 2 | number of plies |
//! | 2 | number of random plies at the beginning, which have no score |
//! | 1 | result: 0 black wins, 1 draw, 2 red wins |
//! | 1 | how the game ended: index of a [`Termination`] |
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
//! A *packed position* is twelve bytes of occupancy flags for the squares a0 to i9, with bit 95 set if black
//! is to move; four bits per piece (index of [`Piece`](crate::board::Piece)) in the order of the squares, low
//! half of a byte first; then two counters of two bytes each: plies since the last capture, and move number.
//!
//! A writer appends whole blocks. A kill -9 or a full disk leaves an incomplete last block: a reader reports
//! and skips it, and a writer that continues the file truncates it.

mod block;
mod reader;
mod record;
mod replay;
#[cfg(test)]
mod tests;
mod writer;

pub use reader::{GameReader, ReadError, RecoveredGames};
pub use record::{
    LabelledResult, LooseRecord, LooseSample, Record, ScoredMove, Termination, TrainingGame,
};
pub use replay::{BadRecord, Filter, Labelled};
pub use writer::{AppendError, GameWriter};

/// The first bytes of a file: seven letters and the version of the format.
pub const MAGIC: [u8; 8] = *b"CHUHEGM\x01";
/// Stored instead of a score if the position was not searched.
pub const NO_SCORE: i16 = i16::MIN;
