//! The beginning of a file of a network, and what is wrong with files that give none.

use std::io;

use super::architecture::{Architecture, InputBuckets, OutputBuckets};

/// The first bytes of a file.
pub(super) const MAGIC: &[u8; 8] = b"CHUHENN\0";
/// Version of the format.
pub(super) const VERSION: u32 = 1;
/// Bytes before the description.
pub(super) const HEADER: usize = 26;
/// Bytes of the checksum at the end.
pub(super) const CHECKSUM: usize = 4;
/// Largest scale.
pub(super) const MAX_SCALE: i32 = 100_000;
/// Output weights are no larger, so that the products with them fit 16 bits.
pub(super) const MAX_OUTPUT_WEIGHT: u16 = 127;

/// Why bytes are no network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// The file does not begin as a network of ours does.
    #[error("not a network of Chuhe's")]
    Foreign,
    /// A version that this program does not read.
    #[error("version {0} of the format is not known (this program reads version {VERSION})")]
    Version(u32),
    /// A shape that this program does not support.
    #[error(
        "the architecture is not known to this program: width {width}, {inputs} input and {outputs} output \
         buckets"
    )]
    Architecture {
        /// Neurons of each perspective.
        width: usize,
        /// Sets of input weights.
        inputs: usize,
        /// Sets of output weights.
        outputs: usize,
    },
    /// The shape is known, but its numbers mean something else: other inputs, buckets or quantisation.
    #[error("its inputs or units are others than those of this program")]
    Meaning,
    /// Units of evaluation that no output can have.
    #[error("the scale is {0}, but must be 1 to {MAX_SCALE}")]
    Scale(i32),
    /// More or fewer numbers than the shape asks for.
    #[error("there are more or fewer numbers than its architecture asks for")]
    Count,
    /// An output weight with which products do not fit 16 bits.
    #[error("an output weight is {0}, but must be within {MAX_OUTPUT_WEIGHT} either way")]
    OutputWeight(i16),
    /// Too short or too long for its shape.
    #[error("the file has {actual} bytes where {expected} are due: it is cut or damaged")]
    Length {
        /// Bytes that the header announces.
        expected: usize,
        /// Bytes that there are.
        actual: usize,
    },
    /// The checksum is wrong.
    #[error("the checksum is wrong: the file is damaged")]
    Checksum,
}

/// Why a file gives no network.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It holds something else.
    #[error(transparent)]
    Network(#[from] NetworkError),
}

/// What stands before the description.
#[derive(Clone, Copy)]
pub(super) struct Header {
    version: u32,
    hash: u32,
    width: usize,
    inputs: u8,
    outputs: u8,
    /// Units of evaluation for an output of 1.
    pub scale: i32,
    /// Length of the description.
    pub text: usize,
}

impl Header {
    /// Reads the bytes, of which there are [`HEADER`].
    pub fn read(bytes: &[u8]) -> Self {
        let long = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        let short = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        Self {
            version: long(8),
            hash: long(12),
            width: short(16).into(),
            inputs: bytes[18],
            outputs: bytes[19],
            scale: long(20) as i32,
            text: short(24).into(),
        }
    }

    /// The shape, if the version and it are known.
    pub fn architecture(self) -> Result<Architecture, NetworkError> {
        if self.version != VERSION {
            return Err(NetworkError::Version(self.version));
        }
        let inputs = InputBuckets::from_code(self.inputs);
        let shape = inputs
            .zip(OutputBuckets::from_code(self.outputs))
            .map(|(inputs, outputs)| Architecture {
                width: self.width,
                inputs,
                outputs,
            })
            .filter(|architecture| architecture.is_valid())
            .ok_or(NetworkError::Architecture {
                width: self.width,
                inputs: self.inputs.into(),
                outputs: self.outputs.into(),
            })?;
        match shape.hash() == self.hash {
            true => Ok(shape),
            false => Err(NetworkError::Meaning),
        }
    }

    /// Bytes of the whole file.
    pub fn length(self) -> Result<usize, NetworkError> {
        Ok(HEADER + self.text + self.architecture()?.payload() + CHECKSUM)
    }
}
