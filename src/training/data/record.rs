//! The records of a game file: whole games, and positions of games whose moves are unknown.

use crate::board::{Color, Move, Piece, Position, Setup, Square, named_enum};
use crate::notation::tree::GameResult;

named_enum! {
    /// The way in which a game ended. The order is part of the file format.
    pub enum Termination {
        /// Checkmate (将死).
        Checkmate = "checkmate",
        /// Stalemate (困毙), a loss for the side to move.
        Stalemate = "stalemate",
        RepetitionDraw = "repetition draw",
        RepetitionLoss = "repetition loss",
        /// The no-capture limit (自然限着).
        NoCaptureLimit = "no-capture limit",
        /// Neither side has a piece that can cross the river.
        InsufficientMaterial = "insufficient material",
        /// An adjudicated win. In self-play: one side was far ahead for several plies, or the search found a mate.
        AdjudicatedWin = "adjudicated win",
        /// An adjudicated draw. In self-play: the scores were near zero for several plies, late in the game.
        AdjudicatedDraw = "adjudicated draw",
        /// The game reached the maximum length: a draw.
        PlyLimit = "ply limit",
        /// Unknown, for example because a converted PGN game has no tag `Reason`.
        Unknown = "unknown",
    }
}

named_enum! {
    /// The result of a game. The order is part of the file format.
    pub enum LabeledResult {
        BlackWins = "0-1",
        Draw = "1/2-1/2",
        RedWins = "1-0",
    }
}

impl LabeledResult {
    /// The result of a game, or `None` if it is unfinished.
    pub const fn of(result: GameResult) -> Option<Self> {
        match result {
            GameResult::RedWins => Some(Self::RedWins),
            GameResult::BlackWins => Some(Self::BlackWins),
            GameResult::Draw => Some(Self::Draw),
            GameResult::Unfinished => None,
        }
    }

    /// Points for a side: 1, 0.5 or 0.
    pub const fn points(self, color: Color) -> f64 {
        let for_red = self as u8 as f64 / 2.0;
        match color {
            Color::Red => for_red,
            Color::Black => 1.0 - for_red,
        }
    }
}

/// A move with the score of the position before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoredMove {
    /// The move played, which need not be the best one.
    pub played: Move,
    /// The score for the side that moves, in evaluation units, or [`NO_SCORE`](super::NO_SCORE).
    pub score: i16,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrainingGame {
    /// Seed of the self-play run; 0 for a converted game.
    pub seed: u64,
    /// Number within the run or the converted file, from 0.
    pub number: u32,
    /// Start position; `None` for the standard one.
    pub start: Option<Box<Position>>,
    /// Number of random plies at the beginning.
    pub random_plies: u16,
    /// All plies, including the random ones.
    pub moves: Vec<ScoredMove>,
    pub result: LabeledResult,
    pub ending: Termination,
}

/// A scored position of a game whose moves are unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LooseSample {
    pub position: Position,
    /// The score for the side to move, in evaluation units, or [`NO_SCORE`](super::NO_SCORE).
    pub score: i16,
}

/// Positions of one game whose moves are unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LooseRecord {
    /// The positions, in game order.
    pub samples: Vec<LooseSample>,
    pub result: LabeledResult,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    Game(TrainingGame),
    Loose(LooseRecord),
}

impl Record {
    /// A checksum of the start and the moves, or of the loose positions, without scores and result: copies of a game
    /// have the same.
    pub fn checksum(&self) -> u32 {
        let mut bytes = Vec::new();
        match self {
            Self::Game(game) => {
                if let Some(start) = &game.start {
                    encode_position(start, &mut bytes);
                }
                for ply in &game.moves {
                    bytes.extend_from_slice(&ply.played.bits().to_le_bytes());
                }
            }
            Self::Loose(loose) => {
                for sample in &loose.samples {
                    encode_position(&sample.position, &mut bytes);
                }
            }
        }
        crc32c::crc32c(&bytes)
    }
}

impl TrainingGame {
    pub fn start_position(&self) -> Position {
        self.start.as_deref().cloned().unwrap_or_else(Position::startpos)
    }

    /// Appends the game; see the [format](super).
    pub fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.seed.to_le_bytes());
        bytes.extend_from_slice(&self.number.to_le_bytes());
        bytes.extend_from_slice(&(self.moves.len() as u16).to_le_bytes());
        bytes.extend_from_slice(&self.random_plies.to_le_bytes());
        bytes.push(self.result.index() as u8);
        bytes.push(self.ending.index() as u8);
        match &self.start {
            None => bytes.push(0),
            Some(position) => encode_position(position, bytes),
        }
        for ply in &self.moves {
            bytes.extend_from_slice(&ply.played.bits().to_le_bytes());
            bytes.extend_from_slice(&ply.score.to_le_bytes());
        }
    }

    /// Reads a game. Returns `None` if the bytes do not encode one. Moves may be illegal.
    pub fn decode(bytes: &mut &[u8]) -> Option<Self> {
        let (seed, number) = (take(bytes).map(u64::from_le_bytes)?, take(bytes)?);
        let (plies, random_plies) = (take_u16(bytes)?, take_u16(bytes)?);
        let [result, ending, length] = take(bytes)?;
        let start = match usize::from(length) {
            0 => None,
            length => Some(Box::new(unpack(bytes.split_off(..length)?)?)),
        };
        let moves = bytes.split_off(..4 * usize::from(plies))?;
        let moves = moves.chunks_exact(4).map(|ply| {
            Some(ScoredMove {
                played: Move::from_bits(u16::from_le_bytes([ply[0], ply[1]]))?,
                score: i16::from_le_bytes([ply[2], ply[3]]),
            })
        });
        Some(Self {
            seed,
            number: u32::from_le_bytes(number),
            start,
            random_plies: Some(random_plies).filter(|random| *random <= plies)?,
            moves: moves.collect::<Option<_>>()?,
            result: LabeledResult::from_index(usize::from(result))?,
            ending: Termination::from_index(usize::from(ending))?,
        })
    }
}

impl LooseRecord {
    /// Appends the samples; see the [format](super).
    pub fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&(self.samples.len() as u16).to_le_bytes());
        bytes.push(self.result.index() as u8);
        for sample in &self.samples {
            bytes.extend_from_slice(&sample.score.to_le_bytes());
            encode_position(&sample.position, bytes);
        }
    }

    /// Reads the samples of a record. Returns `None` if the bytes do not encode one.
    pub fn decode(bytes: &mut &[u8]) -> Option<Self> {
        let count = take_u16(bytes)?;
        let [result] = take(bytes)?;
        let samples = (0..count).map(|_| {
            let score = take(bytes).map(i16::from_le_bytes)?;
            let [length] = take(bytes)?;
            let position = unpack(bytes.split_off(..usize::from(length))?)?;
            Some(LooseSample { position, score })
        });
        Some(Self {
            samples: samples.collect::<Option<_>>()?,
            result: LabeledResult::from_index(usize::from(result))?,
        })
    }
}

fn encode_position(position: &Position, bytes: &mut Vec<u8>) {
    let start = bytes.len();
    bytes.push(0);
    pack(position, bytes);
    bytes[start] = (bytes.len() - start - 1) as u8;
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    bytes.split_off(..N)?.try_into().ok()
}

fn take_u16(bytes: &mut &[u8]) -> Option<u16> {
    take(bytes).map(u16::from_le_bytes)
}

const FLAG_BYTES: usize = 12;
/// Flag bit that is set if black is to move.
const BLACK_TO_MOVE: u32 = 95;
/// Bytes of the two counters.
const COUNTER_BYTES: usize = 4;

/// Appends a position as at most 32 bytes; see the [format](super).
fn pack(position: &Position, bytes: &mut Vec<u8>) {
    let setup = position.setup();
    let mut flags = u128::from(setup.side_to_move == Color::Black) << BLACK_TO_MOVE;
    let mut pieces = Vec::with_capacity(32);
    for (square, piece) in setup.pieces() {
        flags |= 1 << square.index();
        pieces.push(piece.index() as u8);
    }
    bytes.extend_from_slice(&flags.to_le_bytes()[..FLAG_BYTES]);
    for pair in pieces.chunks(2) {
        bytes.push(pair[0] | pair.get(1).map_or(0, |piece| piece << 4));
    }
    bytes.extend_from_slice(&setup.halfmove_clock.to_le_bytes());
    bytes.extend_from_slice(&setup.fullmove_number.to_le_bytes());
}

/// Reads a position from all of `bytes`. Returns `None` if they do not encode one.
fn unpack(bytes: &[u8]) -> Option<Position> {
    let (flags, rest) = bytes.split_at_checked(FLAG_BYTES)?;
    let (pieces, counters) = rest.split_at_checked(rest.len().checked_sub(COUNTER_BYTES)?)?;
    let mut wide = [0; 16];
    wide[..FLAG_BYTES].copy_from_slice(flags);
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
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    use super::*;
    use crate::random;

    #[test]
    fn positions_survive_packing() {
        for seed in 0..20 {
            let rng = &mut StdRng::seed_from_u64(seed);
            let game = random::game(rng, Position::startpos(), 200);
            let mut position = Position::startpos();
            for ply in game.plies() {
                position.make(ply.played);
                let mut bytes = Vec::new();
                pack(&position, &mut bytes);
                assert!(bytes.len() <= 32, "{}", bytes.len());
                let unpacked = unpack(&bytes).expect("a packed position is valid");
                assert_eq!(unpacked.setup(), position.setup());
                assert_eq!(unpacked.key(), position.key());
                for length in 0..bytes.len() {
                    assert!(unpack(&bytes[..length]).is_none());
                }
            }
        }
    }
}
