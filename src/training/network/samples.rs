//! Training samples, packed to save memory.

use std::io::{self, BufRead};
use std::sync::LazyLock;

use super::recipe::Recipe;
use crate::board::zobrist::splitmix64;
use crate::board::{Color, Piece, PieceKind, Position, Square};
use crate::eval::nnue::features::{FEATURES, MAX_ACTIVE, Perspective};
use crate::eval::nnue::{Architecture, InputBuckets};
use crate::rules::{RuleSet, counted_plies};
use crate::search::evaluation_scale;
use crate::training::data::{BadRecord, FileDamage, GameReader, ReadError, Record};
use crate::training::{ReadSamplesError, SampleGames};

/// Stored as the square of a captured piece.
const ABSENT: u8 = u8::MAX;
/// First slot of each kind of piece among the sixteen of a side.
const FIRST_SLOT: [usize; PieceKind::COUNT] = [0, 1, 3, 5, 7, 9, 11];
/// Slots of a side, one per piece of the starting position.
const SLOTS: usize = 16;

/// The kind of piece of each slot.
const KINDS: [PieceKind; SLOTS] = {
    use PieceKind::{Advisor, Bishop, Cannon, King, Knight, Pawn, Rook};
    [
        King, Advisor, Advisor, Bishop, Bishop, Knight, Knight, Rook, Rook, Cannon, Cannon, Pawn,
        Pawn, Pawn, Pawn, Pawn,
    ]
};

/// The input of a piece, indexed by the side of the perspective, whether files are mirrored, the slot and the square; 0
/// for squares that the piece cannot reach.
static INPUTS: LazyLock<[[[[u16; Square::COUNT]; 2 * SLOTS]; 2]; Color::COUNT]> =
    LazyLock::new(|| {
        Color::ALL.map(|side| {
            [false, true].map(|mirrored| {
                let perspective = Perspective { side, mirrored };
                std::array::from_fn(|slot| {
                    let piece = Piece::new(KINDS[slot % SLOTS], Color::ALL[slot / SLOTS]);
                    std::array::from_fn(|index| match Square::from_index(index) {
                        Some(square) if piece.can_stand_on(square, false) => {
                            perspective.feature(piece, square) as u16
                        }
                        _ => 0,
                    })
                })
            })
        })
    });

/// A position with its score and the result of its game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedSample {
    /// Squares by slot, first red, then black; [`ABSENT`] for captured pieces.
    squares: [u8; 2 * SLOTS],
    /// Score for the side to move, in evaluation units.
    pub score: i16,
    /// Result for the side to move: 0 lost, 1 drawn, 2 won.
    pub result: u8,
    side: u8,
    /// Plies without a capture, as the Asian rules count them.
    counted: u8,
}

impl PackedSample {
    /// Packs a position with its score and result for the side to move (0 lost, 1 drawn, 2 won). Returns `None` if
    /// a piece is on a square that only the promotion variant allows, or if a side has more pieces of a kind than in
    /// the starting position.
    pub fn new(position: &Position, score: i16, result: u8) -> Option<Self> {
        let mut squares = [ABSENT; 2 * SLOTS];
        for piece in Piece::ALL {
            if position.pieces(piece.color(), piece.kind()).len() > piece.kind().max_per_side() {
                return None;
            }
            let first = FIRST_SLOT[piece.kind().index()] + SLOTS * piece.color().index();
            for (slot, square) in (first..).zip(position.pieces(piece.color(), piece.kind())) {
                if !piece.can_stand_on(square, false) {
                    return None;
                }
                squares[slot] = square.index() as u8;
            }
        }
        let counted = counted_plies(position.clock(), RuleSet::Asian);
        Some(Self {
            squares,
            score,
            result,
            side: position.side_to_move().index() as u8,
            counted: u8::try_from(counted).unwrap_or(u8::MAX),
        })
    }

    /// The factor by which the search scales the evaluation of the position.
    pub fn scale(&self) -> f32 {
        evaluation_scale(self.counted)
    }

    /// The pieces on the board with their squares.
    pub fn pieces(&self) -> impl Iterator<Item = (Piece, Square)> + '_ {
        self.squares.iter().enumerate().filter_map(|(slot, square)| {
            let square = Square::from_index(usize::from(*square))?;
            let color = Color::ALL[slot / SLOTS];
            Some((Piece::new(KINDS[slot % SLOTS], color), square))
        })
    }

    /// Lists the active inputs of both perspectives, side to move first. `mirror` swaps left and right.
    #[inline]
    pub fn features(&self, architecture: Architecture, mirror: bool, list: &mut FeatureList) {
        let side = Color::ALL[usize::from(self.side)];
        let views = [side, !side].map(|color| {
            let bucket = match architecture.inputs {
                InputBuckets::One => 0,
                InputBuckets::Attackers => self.attackers(color),
            };
            let king = Square::from_index(usize::from(self.squares[SLOTS * color.index()]));
            let mirrored = king.is_some_and(|king| {
                let king = if mirror { king.flip_file() } else { king };
                Perspective::new(color, king).mirrored
            });
            // Two mirrorings cancel each other.
            (&INPUTS[color.index()][usize::from(mirrored != mirror)], (bucket * FEATURES) as u32)
        });
        list.count = 0;
        for (slot, &square) in self.squares.iter().enumerate() {
            if square == ABSENT {
                continue;
            }
            for ((inputs, offset), indices) in views.iter().zip(&mut list.indices) {
                indices[list.count] = offset + u32::from(inputs[slot][usize::from(square)]);
            }
            list.count += 1;
        }
    }

    /// The input bucket of a side by [`InputBuckets::Attackers`].
    fn attackers(&self, color: Color) -> usize {
        let slots = KINDS.iter().zip(&self.squares[SLOTS * color.index()..]);
        let has = |wanted: PieceKind| {
            slots.clone().any(|(kind, square)| *kind == wanted && *square != ABSENT)
        };
        2 * usize::from(has(PieceKind::Rook))
            + usize::from(has(PieceKind::Knight) || has(PieceKind::Cannon))
    }
}

/// The active inputs of a sample.
#[derive(Clone, Debug)]
pub struct FeatureList {
    /// Number of pieces on the board.
    pub count: usize,
    /// By perspective, side to move first.
    pub indices: [[u32; MAX_ACTIVE]; Color::COUNT],
}

impl FeatureList {
    pub const fn new() -> Self {
        Self { count: 0, indices: [[0; MAX_ACTIVE]; Color::COUNT] }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Samples {
    pub training: Vec<PackedSample>,
    /// Samples of other games, for the test loss.
    pub test: Vec<PackedSample>,
    /// Number of scored positions that the filter of the recipe skipped.
    pub filtered: u64,
    /// Number of samples skipped because the network has no input for a piece: it is on a square that only the
    /// promotion variant allows, or its side has more pieces of its kind than in the starting position.
    pub without_input: u64,
    /// Number of loose samples found.
    pub loose: u64,
    /// Number of games that the loose samples are from.
    pub loose_games: u64,
}

impl Samples {
    /// Number of samples found, including those that are not used.
    pub fn found(&self) -> u64 {
        (self.training.len() + self.test.len()) as u64 + self.filtered + self.without_input
    }

    /// Adds a sample. The number of its game decides between training and test.
    pub fn add(&mut self, recipe: &Recipe, game: u64, position: &Position, score: i16, result: u8) {
        let Some(packed) = PackedSample::new(position, score, result) else {
            self.without_input += 1;
            return;
        };
        let (_, hash) = splitmix64(game ^ recipe.seed);
        if hash.is_multiple_of(recipe.hold_out) {
            self.test.push(packed);
        } else {
            self.training.push(packed);
        }
    }

    /// A checksum of the training and test samples in their order, by which a checkpoint recognizes them.
    pub fn checksum(&self) -> u64 {
        let checksum_of = |samples: &[PackedSample]| {
            let mut checksum = 0;
            for sample in samples {
                checksum = crc32c::crc32c_append(checksum, &sample.squares);
                checksum = crc32c::crc32c_append(checksum, &sample.score.to_le_bytes());
                let rest = [sample.result, sample.side, sample.counted];
                checksum = crc32c::crc32c_append(checksum, &rest);
            }
            u64::from(checksum)
        };
        checksum_of(&self.training) << 32 | checksum_of(&self.test)
    }

    /// Adds the positions of a game file that the filter of the recipe keeps. Returns the number of records with an
    /// illegal move, of which only the positions before it are added, and the damage found in the file. Scores of games
    /// are averaged with [`Recipe::later_share`].
    ///
    /// The seed and number of a game decide between training and test. For games without a seed, such as converted
    /// ones, and for loose samples, the moves or positions decide ([`Record::checksum`]).
    pub fn add_games(
        &mut self,
        recipe: &Recipe,
        reader: impl io::Read,
    ) -> Result<(u64, FileDamage), ReadError> {
        let mut reader = GameReader::new(reader)?;
        let mut illegal = 0;
        while let Some(record) = reader.next_record()? {
            illegal += u64::from(self.add_record(recipe, &record).is_err());
        }
        Ok((illegal, reader.damage()))
    }

    /// Adds the positions of a record that the filter of the recipe keeps, up to the first illegal move.
    fn add_record(&mut self, recipe: &Recipe, record: &Record) -> Result<(), BadRecord> {
        let number = match record {
            Record::Game(game) if game.seed != 0 => {
                game.seed.rotate_left(32) ^ u64::from(game.number)
            }
            _ => record.checksum().into(),
        };
        let averaged = match record {
            Record::Game(game) if recipe.later_share > 0.0 => {
                game.averaged_scores(recipe.later_share, recipe.scale)
            }
            _ => Vec::new(),
        };
        if let Record::Loose(loose) = record {
            self.loose += loose.samples.len() as u64;
            self.loose_games += 1;
        }
        let mut allowed = 0;
        record.visit(&recipe.filter(), |sample| {
            allowed += 1;
            let score = averaged.get(sample.ply).copied();
            let score = score.unwrap_or(sample.score);
            let result = (2.0 * sample.points()).round() as u8;
            self.add(recipe, number, sample.position, score, result);
        })?;
        self.filtered += (record.scored_positions() - allowed) as u64;
        Ok(())
    }

    /// Adds the samples of a text file that the filter of the recipe keeps: `FEN | score for red | result for red`,
    /// one per line, in the order of the games. Skips invalid lines, and returns how many there are and the number of
    /// the first one, from 1 (0 if all are valid).
    ///
    /// The positions of a game (see [`SampleGames`]) decide between training and test, as they do if
    /// `chuhe data convert` has converted the file.
    ///
    /// # Errors
    /// The file cannot be read, or has a line of more than 1 MB.
    pub fn add_text(&mut self, recipe: &Recipe, reader: impl BufRead) -> io::Result<(u64, usize)> {
        let (mut invalid, mut first_invalid) = (0, None);
        let mut games = SampleGames::new(reader);
        for game in games.by_ref() {
            match game {
                Ok(game) => {
                    // Only moves can be invalid, and loose samples have none.
                    let _ = self.add_record(recipe, &Record::Loose(game));
                }
                Err(ReadSamplesError::Io(error)) => return Err(error),
                Err(ReadSamplesError::Line { line, .. }) => {
                    invalid += 1;
                    first_invalid.get_or_insert(line);
                }
            }
        }
        if games.is_torn {
            invalid += 1;
            first_invalid.get_or_insert(games.line);
        }
        Ok((invalid, first_invalid.unwrap_or_default()))
    }
}
