//! Games of self-play as files: the format, its reader and its writer.
//!
//! # The format, version 1 (`.chg`)
//!
//! All numbers are little-endian. A file is eight bytes of [`MAGIC`], whose last one is the version, and
//! then blocks, as many as there are. A block is
//!
//! | bytes | what |
//! |---|---|
//! | 4 | `CHGB`, by which a reader finds the next block after damage |
//! | 2 | kind: 0 plan, 1 games, 2 loose samples |
//! | 2 | records in it |
//! | 4 | length of the payload in bytes, at most 2^20 |
//! | 4 | CRC-32C (Castagnoli) of the twelve bytes before and of the payload |
//! | length | payload |
//!
//! A *plan* is JSON that tells how the games were made; a file of self-play begins with one, a merged or
//! converted file may have none. A *game* is
//!
//! | bytes | what |
//! |---|---|
//! | 8 | seed of the run that played it |
//! | 4 | number of the game within the run, from 0 |
//! | 2 | plies |
//! | 2 | of which random ones at the beginning, which have no score |
//! | 1 | result: 0 black has won, 1 draw, 2 red has won |
//! | 1 | how it ended, the index of a [`Termination`] |
//! | 1 | length of the start position, 0 for the usual one |
//! | length | start position, packed as below |
//! | 4 a ply | 16 bits of move ([`Move::bits`](crate::board::Move::bits)), 16 bits of score |
//!
//! The score is what the search found for the side to move, in units of the evaluation; [`NO_SCORE`]
//! where there was none. *Loose samples* are positions of one game of which the moves are not known:
//!
//! | bytes | what |
//! |---|---|
//! | 2 | samples |
//! | 1 | result of the game |
//! | a sample | 2 bytes of score for the side to move, 1 byte length, packed position |
//!
//! A *packed position* is twelve bytes of flags for the squares a0 to i9, of which bit 95 is set when
//! black is to move; four bits a piece (index of [`Piece`](crate::board::Piece)), in the order of the
//! squares, the lower half of a byte first; then the counters, two bytes each: plies since the last
//! capture, number of the move.
//!
//! A writer appends whole blocks. What kill -9 or a full disk leaves behind is a last block that is cut
//! short: a reader tells of it and goes without, a writer that goes on with the file cuts it off.

mod block;
mod packed;
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
/// Stands for a score where no search was made.
pub const NO_SCORE: i16 = i16::MIN;
