//! What a file holds: games, and samples whose games are not known.

use super::packed::{pack, unpack};
use crate::board::{Color, Move, Position, named_enum};

named_enum! {
    /// How a game ended. The order is that of the files.
    pub enum Termination {
        /// Checkmate (将死).
        Checkmate = "checkmate",
        /// Stalemate (困毙), which loses as well.
        Stalemate = "stalemate",
        /// A repetition that neither side had to avoid.
        RepetitionDraw = "repetition draw",
        /// A repetition that the loser had to avoid: perpetual check or chase.
        RepetitionLoss = "repetition loss",
        /// The no-capture limit (自然限着).
        NoCaptureLimit = "no-capture limit",
        /// Neither side has a piece that can cross the river.
        InsufficientMaterial = "insufficient material",
        /// The scores were decided for some plies.
        AdjudicatedWin = "adjudicated win",
        /// The scores were near zero for some plies, late in the game.
        AdjudicatedDraw = "adjudicated draw",
        /// The game was as long as games may be: a draw.
        PlyLimit = "ply limit",
        /// Not known, as where a record of a match does not tell.
        Unknown = "unknown",
    }
}

named_enum! {
    /// The result of a game. The order is that of the files.
    pub enum LabelledResult {
        /// Black has won.
        BlackWins = "0-1",
        /// Neither has won.
        Draw = "1/2-1/2",
        /// Red has won.
        RedWins = "1-0",
    }
}

impl LabelledResult {
    /// The result when `winner` has won.
    pub const fn win(winner: Color) -> Self {
        match winner {
            Color::Red => Self::RedWins,
            Color::Black => Self::BlackWins,
        }
    }

    /// The winner, `None` if there is none.
    pub const fn winner(self) -> Option<Color> {
        match self {
            Self::RedWins => Some(Color::Red),
            Self::BlackWins => Some(Color::Black),
            Self::Draw => None,
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

/// A move with what the search said before it was played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoredMove {
    /// What was played, which may be any legal move.
    pub played: Move,
    /// The score for the side that plays it, in units of the evaluation, or
    /// [`NO_SCORE`](super::NO_SCORE).
    pub score: i16,
}

/// A whole game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrainingGame {
    /// Seed of the run that played it.
    pub seed: u64,
    /// Its number within the run, from 0.
    pub number: u32,
    /// Where it began; `None` for the usual starting position.
    pub start: Option<Box<Position>>,
    /// Plies at the beginning that were played at random.
    pub random_plies: u16,
    /// Every ply, the random ones with them.
    pub moves: Vec<ScoredMove>,
    /// How the game ended, for its label.
    pub result: LabelledResult,
    /// How it ended.
    pub ending: Termination,
}

/// A position with a score, of a game whose moves are not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LooseSample {
    /// The position that the sample is of.
    pub position: Position,
    /// The score for the side to move, in units of the evaluation.
    pub score: i16,
}

/// Positions of one game whose moves are not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LooseRecord {
    /// The positions in the order of the game.
    pub samples: Vec<LooseSample>,
    /// The result of the game.
    pub result: LabelledResult,
}

/// One game as a file holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// A whole game.
    Game(TrainingGame),
    /// Some positions of a game.
    Loose(LooseRecord),
}

impl TrainingGame {
    /// The position in which the game began.
    pub fn start_position(&self) -> Position {
        self.start
            .as_deref()
            .cloned()
            .unwrap_or_else(Position::startpos)
    }

    /// Appends the game; see the [format](super).
    pub(super) fn encode(&self, bytes: &mut Vec<u8>) {
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

    /// Reads a game; `None` when the bytes are none.
    pub(super) fn decode(bytes: &mut &[u8]) -> Option<Self> {
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
            result: LabelledResult::from_index(usize::from(result))?,
            ending: Termination::from_index(usize::from(ending))?,
        })
    }
}

impl LooseRecord {
    /// Appends the samples; see the [format](super).
    pub(super) fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&(self.samples.len() as u16).to_le_bytes());
        bytes.push(self.result.index() as u8);
        for sample in &self.samples {
            bytes.extend_from_slice(&sample.score.to_le_bytes());
            encode_position(&sample.position, bytes);
        }
    }

    /// Reads samples; `None` when the bytes are none.
    pub(super) fn decode(bytes: &mut &[u8]) -> Option<Self> {
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
            result: LabelledResult::from_index(usize::from(result))?,
        })
    }
}

fn encode_position(position: &Position, bytes: &mut Vec<u8>) {
    let place = bytes.len();
    bytes.push(0);
    pack(position, bytes);
    bytes[place] = (bytes.len() - place - 1) as u8;
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    bytes.split_off(..N)?.try_into().ok()
}

fn take_u16(bytes: &mut &[u8]) -> Option<u16> {
    take(bytes).map(u16::from_le_bytes)
}
