//! The parameters of a network and their file format.
//!
//! # File format
//!
//! All numbers are little-endian.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `CHUHENN` and a zero byte |
//! | 4 | version of the format, 1 |
//! | 4 | [`Architecture::hash`] |
//! | 2 | width of the hidden layer, a multiple of 32 up to 1024 |
//! | 1 | number of input buckets ([`InputBuckets`]) |
//! | 1 | number of output buckets ([`OutputBuckets`]) |
//! | 4 | scale: the value of an *output* of 255 · 64, in units of the evaluation |
//! | 2 | length of the description |
//! | … | description of how the network was made, UTF-8 |
//! | … | weights of the inputs by bucket, input ([`features`](super::features)), neuron (16 bits) |
//! | … | biases of the neurons (16 bits) |
//! | … | weights of the outputs by bucket, neurons of the side to move, then the opponent's (16 bits) |
//! | … | biases of the outputs (32 bits) |
//! | 4 | CRC-32C of everything before |
//!
//! The hash is the CRC-32C of `mirrored reachable piece-squares 692, buckets Attackers Pieces, screlu 255 64`, with the
//! names of the values of [`InputBuckets`] and [`OutputBuckets`].
//!
//! # The evaluation
//!
//! For each perspective, the value of a neuron is its bias plus its weights for the active inputs (in wrapping 16-bit
//! arithmetic), clamped to 0 to 255 and squared. The values of both perspectives are multiplied by the weights of the
//! output bucket. The sum of these products, divided by 255, plus the bias of the bucket is the *output*. The
//! evaluation for the side to move is *output* · scale / (255 · 64), clamped to ±32,767. Both divisions round toward
//! zero.

use std::fmt;
use std::io;
use std::path::Path;

use super::architecture::{Architecture, InputBuckets, OutputBuckets};
use super::features::FEATURES;
use super::simd::Block;
use crate::text::{open_regular, read_all};

/// The maximum size of a network file, in MB.
const MAX_FILE_MB: u64 = 64;

/// A quantized network, ready for evaluation.
#[derive(Clone, PartialEq, Eq)]
pub struct Network {
    /// The architecture.
    pub(crate) architecture: Architecture,
    /// The value of an output of 255 · 64 (1 before quantization), in units of the evaluation.
    pub(crate) scale: i32,
    /// A description of how the network was made.
    pub description: String,
    pub(super) input_weights: Vec<Block>,
    pub(super) input_biases: Vec<Block>,
    pub(super) output_weights: Vec<Block>,
    pub(super) output_biases: Vec<i32>,
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network")
            .field("architecture", &self.architecture)
            .field("scale", &self.scale)
            .finish_non_exhaustive()
    }
}

/// The parameters of a network.
#[derive(Clone, Debug)]
pub struct NetworkParameters {
    /// By bucket, input, neuron; multiplied by [`INPUT_QUANT`](super::INPUT_QUANT).
    pub input_weights: Vec<i16>,
    /// By neuron; multiplied by [`INPUT_QUANT`](super::INPUT_QUANT).
    pub input_biases: Vec<i16>,
    /// By bucket, perspective (side to move first), neuron; multiplied by
    /// [`OUTPUT_QUANT`](super::OUTPUT_QUANT), -127 to 127.
    pub output_weights: Vec<i16>,
    /// By bucket; multiplied by both factors.
    pub output_biases: Vec<i32>,
}

impl Network {
    /// A network with these parameters.
    ///
    /// # Errors
    /// The architecture is invalid, the number of parameters does not match it, the scale is outside 1 to 100,000, or
    /// an output weight is outside -127 to 127.
    pub fn new(
        architecture: Architecture,
        scale: i32,
        description: String,
        parameters: &NetworkParameters,
    ) -> Result<Self, NetworkError> {
        let Architecture { width, outputs, .. } = architecture;
        if !architecture.is_valid() {
            return Err(NetworkError::Architecture {
                width,
                inputs: architecture.inputs.count(),
                outputs: outputs.count(),
            });
        }
        let fits = parameters.input_weights.len() == architecture.rows() * width
            && parameters.input_biases.len() == width
            && parameters.output_weights.len() == outputs.count() * 2 * width
            && parameters.output_biases.len() == outputs.count();
        if !fits {
            return Err(NetworkError::Count);
        }
        if !(1..=MAX_SCALE).contains(&scale) {
            return Err(NetworkError::Scale(scale));
        }
        let is_large = |weight: &&i16| weight.unsigned_abs() > MAX_OUTPUT_WEIGHT;
        if let Some(weight) = parameters.output_weights.iter().find(is_large) {
            return Err(NetworkError::OutputWeight(*weight));
        }
        Ok(Self {
            architecture,
            scale,
            description,
            input_weights: blocks(&parameters.input_weights),
            input_biases: blocks(&parameters.input_biases),
            output_weights: blocks(&parameters.output_weights),
            output_biases: parameters.output_biases.clone(),
        })
    }

    /// The architecture.
    pub fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// The value of an output of 255 · 64 (1 before quantization), in units of the evaluation.
    pub fn scale(&self) -> i32 {
        self.scale
    }

    /// The parameters of the network.
    pub fn parameters(&self) -> NetworkParameters {
        let numbers = |blocks: &[Block]| blocks.iter().flat_map(|block| block.0).collect();
        NetworkParameters {
            input_weights: numbers(&self.input_weights),
            input_biases: numbers(&self.input_biases),
            output_weights: numbers(&self.output_weights),
            output_biases: self.output_biases.clone(),
        }
    }

    /// Reads a network from the bytes of a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        if !bytes.starts_with(MAGIC) {
            return Err(NetworkError::Foreign);
        }
        let actual = bytes.len();
        let parts = bytes.split_last_chunk::<CHECKSUM>();
        let parts = parts.and_then(|(content, checksum)| {
            Some((content, checksum, content.split_first_chunk::<HEADER>()?))
        });
        let Some((content, checksum, (header, rest))) = parts else {
            let expected = HEADER + CHECKSUM;
            return Err(NetworkError::Length { expected, actual });
        };
        let shape = read_header(header);
        // The header of a damaged file is only used to check whether the file is truncated.
        if crc32c::crc32c(content).to_le_bytes() != *checksum {
            return Err(match shape {
                Ok((_, expected)) if expected > actual => NetworkError::Length { expected, actual },
                _ => NetworkError::Checksum,
            });
        }
        let (architecture, expected) = shape?;
        if actual != expected {
            return Err(NetworkError::Length { expected, actual });
        }
        let (description, numbers) = rest.split_at(u16_at(header, 24).into());
        let description = String::from_utf8_lossy(description).into_owned();
        let scale = u32_at(header, 20) as i32;
        let mut numbers = Numbers(numbers);
        let width = architecture.width;
        let parameters = NetworkParameters {
            input_weights: numbers.take(architecture.rows() * width, i16::from_le_bytes),
            input_biases: numbers.take(width, i16::from_le_bytes),
            output_weights: numbers
                .take(architecture.outputs.count() * 2 * width, i16::from_le_bytes),
            output_biases: numbers.take(architecture.outputs.count(), i32::from_le_bytes),
        };
        Self::new(architecture, scale, description, &parameters)
    }

    /// Reads a network from a file.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let bytes = read_all(open_regular(path)?, MAX_FILE_MB)?;
        Ok(Self::from_bytes(&bytes)?)
    }

    /// The network as the bytes of a file. A description of more than 65,535 bytes is truncated.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut length = self.description.len().min(usize::from(u16::MAX));
        while !self.description.is_char_boundary(length) {
            length -= 1;
        }
        let mut bytes =
            Vec::with_capacity(HEADER + length + self.architecture.parameter_bytes() + CHECKSUM);
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(self.architecture.hash().to_le_bytes());
        bytes.extend((self.architecture.width as u16).to_le_bytes());
        bytes.push(self.architecture.inputs.count() as u8);
        bytes.push(self.architecture.outputs.count() as u8);
        bytes.extend(self.scale.to_le_bytes());
        bytes.extend((length as u16).to_le_bytes());
        bytes.extend(&self.description.as_bytes()[..length]);
        for part in [&self.input_weights, &self.input_biases, &self.output_weights] {
            for number in part.iter().flat_map(|block| block.0) {
                bytes.extend(number.to_le_bytes());
            }
        }
        for number in &self.output_biases {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(crc32c::crc32c(&bytes).to_le_bytes());
        bytes
    }

    /// The checksum at the end of the file of the network. The checksum of the whole file would be the same for all
    /// networks, because a CRC of data that end with their own CRC is a constant.
    pub fn checksum(&self) -> u32 {
        let bytes = self.to_bytes();
        bytes.last_chunk().map_or(0, |checksum| u32::from_le_bytes(*checksum))
    }

    /// The weights of an input for a bucket.
    #[inline(always)]
    pub(super) fn row(&self, bucket: usize, feature: usize) -> &[Block] {
        let length = self.architecture.blocks();
        let start = (bucket * FEATURES + feature) * length;
        &self.input_weights[start..start + length]
    }

    /// The weights of an output bucket for the side to move and for the opponent.
    #[inline(always)]
    pub(super) fn output_row(&self, bucket: usize) -> (&[Block], &[Block]) {
        let length = self.architecture.blocks();
        let start = bucket * 2 * length;
        self.output_weights[start..start + 2 * length].split_at(length)
    }
}

fn blocks(numbers: &[i16]) -> Vec<Block> {
    let (chunks, rest) = numbers.as_chunks::<{ Block::LEN }>();
    debug_assert!(rest.is_empty());
    chunks.iter().copied().map(Block).collect()
}

fn u32_at(header: &[u8; HEADER], at: usize) -> u32 {
    u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
}

fn u16_at(header: &[u8; HEADER], at: usize) -> u16 {
    u16::from_le_bytes([header[at], header[at + 1]])
}

/// The architecture, if it and the version are supported, and the length of the whole file in bytes.
fn read_header(header: &[u8; HEADER]) -> Result<(Architecture, usize), NetworkError> {
    let version = u32_at(header, 8);
    if version != VERSION {
        return Err(NetworkError::Version(version));
    }
    let width = u16_at(header, 16).into();
    let [inputs, outputs] = [18, 19].map(|at| header[at].into());
    let architecture = InputBuckets::with_count(inputs)
        .zip(OutputBuckets::with_count(outputs))
        .map(|(inputs, outputs)| Architecture { width, inputs, outputs })
        .filter(|architecture| architecture.is_valid())
        .ok_or(NetworkError::Architecture { width, inputs, outputs })?;
    if architecture.hash() != u32_at(header, 12) {
        return Err(NetworkError::Hash);
    }
    let description = usize::from(u16_at(header, 24));
    let length = HEADER + description + architecture.parameter_bytes() + CHECKSUM;
    Ok((architecture, length))
}

/// Reads consecutive numbers. Panics if too few bytes are left, so check the length first.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn take<const BYTES: usize, T>(
        &mut self,
        count: usize,
        number: impl Fn([u8; BYTES]) -> T,
    ) -> Vec<T> {
        let (head, tail) = self.0.split_at(BYTES * count);
        self.0 = tail;
        head.as_chunks().0.iter().map(|bytes| number(*bytes)).collect()
    }
}

const MAGIC: &[u8; 8] = b"CHUHENN\0";
const VERSION: u32 = 1;
/// The number of bytes before the description.
const HEADER: usize = 26;
/// The number of bytes of the checksum at the end.
const CHECKSUM: usize = 4;
const MAX_SCALE: i32 = 100_000;
/// The maximum absolute value of an output weight, so that its product with a neuron of at most 255 fits in 16 bits.
const MAX_OUTPUT_WEIGHT: u16 = 127;

/// The bytes are not a valid network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// The file does not start with the signature of a network.
    #[error("not a Chuhe network file")]
    Foreign,
    /// An unsupported version of the format.
    #[error("unsupported format version {0} (this program reads version {VERSION})")]
    Version(u32),
    /// An unsupported architecture.
    #[error(
        "unsupported architecture: width={width}, input_buckets={inputs}, output_buckets={outputs}"
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
    #[error(
        "the network differs from this program in its inputs, buckets, activation or quantization"
    )]
    Hash,
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
        /// The length according to the header, or that of the header and checksum if the file is shorter.
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
