//! The header of a network file, and the errors of reading one.

use std::io;

use super::architecture::{Architecture, InputBuckets, OutputBuckets};

/// The first bytes of a file.
pub(super) const MAGIC: &[u8; 8] = b"CHUHENN\0";
/// Version of the format.
pub(super) const VERSION: u32 = 1;
/// The number of bytes before the description.
pub(super) const HEADER: usize = 26;
/// The number of bytes of the checksum at the end.
pub(super) const CHECKSUM: usize = 4;
/// The maximum scale.
pub(super) const MAX_SCALE: i32 = 100_000;
/// The maximum absolute value of an output weight, so that products with it fit 16 bits.
pub(super) const MAX_OUTPUT_WEIGHT: u16 = 127;

/// The bytes are not a valid network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// The file does not start with the signature of a network.
    #[error("not a network file of Chuhe")]
    Foreign,
    /// An unsupported version of the format.
    #[error("unsupported format version {0} (this program reads version {VERSION})")]
    Version(u32),
    /// An unsupported architecture.
    #[error(
        "unsupported architecture: width {width}, {inputs} input buckets and {outputs} output buckets"
    )]
    Architecture {
        /// The number of neurons of each perspective.
        width: usize,
        /// The number of input buckets.
        inputs: usize,
        /// The number of output buckets.
        outputs: usize,
    },
    /// [`Architecture::hash`] differs: other inputs, buckets, activation or quantization.
    #[error("the network has other inputs or units than this program supports")]
    Meaning,
    /// The scale is out of range.
    #[error("the scale is {0}, but must be 1 to {MAX_SCALE}")]
    Scale(i32),
    /// The number of parameters does not match the architecture.
    #[error("the number of parameters does not match the architecture")]
    Count,
    /// An output weight is too large.
    #[error("an output weight is {0}, but must be -{MAX_OUTPUT_WEIGHT} to {MAX_OUTPUT_WEIGHT}")]
    OutputWeight(i16),
    /// The file has the wrong length.
    #[error("the file has {actual} bytes instead of {expected}: it is truncated or damaged")]
    Length {
        /// The length by the header.
        expected: usize,
        /// The length of the file.
        actual: usize,
    },
    /// The checksum is wrong.
    #[error("the checksum is wrong: the file is damaged")]
    Checksum,
}

/// A network file cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file is not a valid network.
    #[error(transparent)]
    Network(#[from] NetworkError),
}

/// The header before the description.
#[derive(Clone, Copy)]
pub(super) struct Header {
    version: u32,
    hash: u32,
    width: usize,
    inputs: u8,
    outputs: u8,
    /// The value of an output of 1, in units of the evaluation.
    pub scale: i32,
    /// Length of the description.
    pub text: usize,
}

impl Header {
    /// Reads the header from [`HEADER`] bytes.
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

    /// The architecture, if version and architecture are supported.
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
        if shape.hash() == self.hash {
            Ok(shape)
        } else {
            Err(NetworkError::Meaning)
        }
    }

    /// The length of the whole file in bytes.
    pub fn length(self) -> Result<usize, NetworkError> {
        Ok(HEADER + self.text + self.architecture()?.payload() + CHECKSUM)
    }
}
