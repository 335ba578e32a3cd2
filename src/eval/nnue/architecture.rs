//! The architecture of a network.

use std::fmt;

use super::features::FEATURES;
use super::simd::Block;
use crate::board::{Color, PieceKind, Position};

/// The quantization factor of the first layer, which is also the upper bound on the value of a neuron.
pub const INPUT_QUANT: i32 = 255;
/// The quantization factor of the output weights.
pub const OUTPUT_QUANT: i32 = 64;
/// The maximum width.
pub const MAX_WIDTH: usize = 1024;

/// The sets of input weights (buckets). The names of the values are part of [`Architecture::hash`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputBuckets {
    /// One for all positions.
    One,
    /// Four, numbered 2·rook + minor: whether the side has a rook, and whether it has a knight or cannon.
    Attackers,
}

impl InputBuckets {
    /// The number of buckets.
    pub const fn count(self) -> usize {
        match self {
            Self::One => 1,
            Self::Attackers => 4,
        }
    }

    /// The bucket of `side` in a position.
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

    /// The value with this number of buckets, if there is one.
    pub fn with_count(count: usize) -> Option<Self> {
        let mut all = [Self::One, Self::Attackers].into_iter();
        all.find(|buckets| buckets.count() == count)
    }
}

/// The sets of output weights (buckets). The names of the values are part of [`Architecture::hash`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputBuckets {
    /// One for all positions.
    One,
    /// Eight, by the number of pieces on the board: 2 to 4, 5 to 8, … 29 to 32.
    Pieces,
}

impl OutputBuckets {
    /// The number of buckets.
    pub const fn count(self) -> usize {
        match self {
            Self::One => 1,
            Self::Pieces => 8,
        }
    }

    /// The bucket for `pieces` pieces on the board, 2 to 32 including kings.
    #[inline]
    pub const fn for_pieces(self, pieces: usize) -> usize {
        match self {
            Self::One => 0,
            Self::Pieces => (pieces - 1) / 4,
        }
    }

    /// The value with this number of buckets, if there is one.
    pub fn with_count(count: usize) -> Option<Self> {
        let mut all = [Self::One, Self::Pieces].into_iter();
        all.find(|buckets| buckets.count() == count)
    }
}

/// The architecture of a network: inputs -> two perspectives of `width` neurons (squared clipped ReLU)
/// -> one output, with buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Architecture {
    /// The number of neurons of each perspective: a multiple of 32, up to [`MAX_WIDTH`].
    pub width: usize,
    /// The input buckets.
    pub inputs: InputBuckets,
    /// The output buckets.
    pub outputs: OutputBuckets,
}

impl fmt::Display for Architecture {
    /// Writes the keys of a training recipe with their values.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (inputs, outputs) = (self.inputs.count(), self.outputs.count());
        let width = self.width;
        write!(f, "width={width}, input_buckets={inputs}, output_buckets={outputs}")
    }
}

impl Architecture {
    /// The number of blocks in a row of weights.
    #[inline]
    pub const fn blocks(self) -> usize {
        self.width / Block::LEN
    }

    /// The number of rows of input weights.
    pub const fn rows(self) -> usize {
        self.inputs.count() * FEATURES
    }

    /// A hash of the inputs, buckets, activation and quantization, to reject files that differ in one of them.
    pub fn hash(self) -> u32 {
        let Self { inputs, outputs, .. } = self;
        let buckets =
            format!("buckets {inputs:?} {outputs:?}, screlu {INPUT_QUANT} {OUTPUT_QUANT}");
        let text = format!("mirrored reachable piece-squares {FEATURES}, {buckets}");
        crc32c::crc32c(text.as_bytes())
    }

    pub(super) fn is_valid(self) -> bool {
        self.width > 0 && self.width <= MAX_WIDTH && self.width.is_multiple_of(Block::LEN)
    }

    /// The size of the weights and biases in a file, in bytes.
    pub(super) fn parameter_bytes(self) -> usize {
        let (width, outputs) = (self.width, self.outputs.count());
        2 * (self.rows() * width + width + outputs * 2 * width) + 4 * outputs
    }
}
