//! The shape of a network and what its numbers mean.

use super::features::FEATURES;
use super::simd::Block;
use crate::board::{Color, PieceKind, Position};

/// What the first layer's weights are multiplied by to become whole numbers; also the upper bound of
/// a neuron.
pub const INPUT_QUANT: i32 = 255;
/// What the weights of the output are multiplied by.
pub const OUTPUT_QUANT: i32 = 64;
/// Largest width.
pub const MAX_WIDTH: usize = 1024;

/// Which of several sets of input weights a side uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputBuckets {
    /// One for all positions.
    One,
    /// Four, by what the side has to attack with: any rook; any knight or cannon.
    Attackers,
}

impl InputBuckets {
    /// How many there are.
    pub const fn count(self) -> usize {
        match self {
            Self::One => 1,
            Self::Attackers => 4,
        }
    }

    /// The one that `side` uses.
    #[inline]
    pub fn of(self, position: &Position, side: Color) -> usize {
        match self {
            Self::One => 0,
            Self::Attackers => {
                let rooks = position.pieces(side, PieceKind::Rook).any();
                let minors = position.pieces(side, PieceKind::Knight).any()
                    || position.pieces(side, PieceKind::Cannon).any();
                2 * usize::from(rooks) + usize::from(minors)
            }
        }
    }

    /// What the hash of a network's meaning calls it; files depend on it.
    const fn name(self) -> &'static str {
        match self {
            Self::One => "One",
            Self::Attackers => "Attackers",
        }
    }

    pub(super) const fn from_code(code: u8) -> Option<Self> {
        match code {
            1 => Some(Self::One),
            4 => Some(Self::Attackers),
            _ => None,
        }
    }
}

/// Which of several outputs counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputBuckets {
    /// One for all positions.
    One,
    /// Eight, by the number of pieces: 2 to 4, 5 to 8, … 29 to 32.
    Pieces,
}

impl OutputBuckets {
    /// How many there are.
    pub const fn count(self) -> usize {
        match self {
            Self::One => 1,
            Self::Pieces => 8,
        }
    }

    /// The one for `pieces` on the board, 2 to 32, kings included.
    #[inline]
    pub const fn for_pieces(self, pieces: usize) -> usize {
        match self {
            Self::One => 0,
            Self::Pieces => (pieces - 1) / 4,
        }
    }

    /// As [`InputBuckets::name`].
    const fn name(self) -> &'static str {
        match self {
            Self::One => "One",
            Self::Pieces => "Pieces",
        }
    }

    pub(super) const fn from_code(code: u8) -> Option<Self> {
        match code {
            1 => Some(Self::One),
            8 => Some(Self::Pieces),
            _ => None,
        }
    }
}

/// The shape of a network: inputs -> two perspectives of `width` neurons (squared clipped ReLU) -> one
/// output, with buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Architecture {
    /// Neurons of each perspective: a multiple of 32, up to [`MAX_WIDTH`].
    pub width: usize,
    /// Sets of input weights.
    pub inputs: InputBuckets,
    /// Sets of output weights.
    pub outputs: OutputBuckets,
}

impl Architecture {
    /// Blocks of a row of weights.
    #[inline]
    pub const fn blocks(self) -> usize {
        self.width / Block::LEN
    }

    /// Rows of input weights.
    pub const fn rows(self) -> usize {
        self.inputs.count() * FEATURES
    }

    /// Names what the numbers mean: changes with the inputs, the buckets, the activation or the
    /// quantisation, so that a file made for another meaning is refused.
    pub fn hash(self) -> u32 {
        let meaning = format!(
            "mirrored reachable piece-squares {FEATURES}, buckets {} {}, screlu {INPUT_QUANT} {OUTPUT_QUANT}",
            self.inputs.name(),
            self.outputs.name()
        );
        crc32c::crc32c(meaning.as_bytes())
    }

    pub(super) fn is_valid(self) -> bool {
        self.width > 0 && self.width <= MAX_WIDTH && self.width.is_multiple_of(Block::LEN)
    }

    /// Bytes of all weights in a file.
    pub(super) fn payload(self) -> usize {
        let (width, outputs) = (self.width, self.outputs.count());
        2 * (self.rows() * width + width + outputs * 2 * width) + 4 * outputs
    }
}
