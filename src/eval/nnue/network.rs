//! The numbers of a network and the file that holds them.
//!
//! # The file
//!
//! All numbers are little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `CHUHENN` and a zero |
//! | 4 | version of the format, 1 |
//! | 4 | [`Architecture::hash`]: what the inputs and buckets mean |
//! | 2 | width of the hidden layer, a multiple of 32 up to 1024 |
//! | 1 | input buckets ([`InputBuckets`]) |
//! | 1 | output buckets ([`OutputBuckets`]) |
//! | 4 | scale: units of evaluation for an output of 1 |
//! | 2 | length of the description |
//! | … | the description, UTF-8: how the network was made |
//! | … | weights of the inputs by bucket, input, neuron (16 bits) |
//! | … | biases of the neurons (16 bits) |
//! | … | weights of the outputs by bucket, neurons of the side to move, then the opponent's (16 bits) |
//! | … | biases of the outputs (32 bits) |
//! | 4 | CRC-32C of all before |

use std::fmt;
use std::io;
use std::path::Path;

use super::architecture::{Architecture, InputBuckets, OutputBuckets};
use super::features::FEATURES;
use super::simd::Block;
use crate::text::read_file;

const MAGIC: &[u8; 8] = b"CHUHENN\0";
const VERSION: u32 = 1;
const HEADER: usize = 26;
/// No file of a network is larger, in MB.
const LARGEST_FILE: u64 = 64;
/// Output weights are no larger, so that the products with them fit 16 bits.
const MAX_OUTPUT_WEIGHT: u16 = 127;

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
    #[error("the architecture is not known to this program")]
    Architecture,
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

/// A network in whole numbers, ready to be evaluated.
#[derive(Clone, PartialEq, Eq)]
pub struct Network {
    /// Its shape.
    pub architecture: Architecture,
    /// Units of evaluation for an output of 1.
    pub scale: i32,
    /// How it was made.
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

/// The numbers of a network, to make one of.
#[derive(Clone, Debug)]
pub struct NetworkParameters {
    /// By bucket, input, neuron; multiplied by [`INPUT_QUANT`](super::INPUT_QUANT).
    pub input_weights: Vec<i16>,
    /// By neuron; multiplied by [`INPUT_QUANT`](super::INPUT_QUANT).
    pub input_biases: Vec<i16>,
    /// By bucket, perspective (side to move first), neuron; multiplied by
    /// [`OUTPUT_QUANT`](super::OUTPUT_QUANT), -127 to 127.
    pub output_weights: Vec<i16>,
    /// By bucket; multiplied by both.
    pub output_biases: Vec<i32>,
}

impl Network {
    /// A network of these numbers.
    ///
    /// # Errors
    /// When there are more or fewer of them than the shape asks for, or an output weight is not within -127
    /// to 127.
    pub fn new(
        architecture: Architecture,
        scale: i32,
        description: String,
        parameters: &NetworkParameters,
    ) -> Result<Self, NetworkError> {
        let Architecture { width, outputs, .. } = architecture;
        let fits = architecture.is_valid()
            && parameters.input_weights.len() == architecture.rows() * width
            && parameters.input_biases.len() == width
            && parameters.output_weights.len() == outputs.count() * 2 * width
            && parameters.output_biases.len() == outputs.count()
            && (parameters.output_weights.iter())
                .all(|weight| weight.unsigned_abs() <= MAX_OUTPUT_WEIGHT);
        if !fits {
            return Err(NetworkError::Architecture);
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

    /// The numbers, to make another network of.
    pub fn parameters(&self) -> NetworkParameters {
        let numbers = |blocks: &[Block]| blocks.iter().flat_map(|block| block.0).collect();
        NetworkParameters {
            input_weights: numbers(&self.input_weights),
            input_biases: numbers(&self.input_biases),
            output_weights: numbers(&self.output_weights),
            output_biases: self.output_biases.clone(),
        }
    }

    /// Reads a network.
    ///
    /// # Errors
    /// When the bytes are of another kind, version or shape, cut or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        let (header, rest) = bytes
            .split_at_checked(HEADER)
            .filter(|(header, _)| header.starts_with(MAGIC))
            .ok_or(NetworkError::Foreign)?;
        let long = |at: usize| {
            u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
        };
        let short = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
        if long(8) != VERSION {
            return Err(NetworkError::Version(long(8)));
        }
        let architecture = Architecture {
            width: short(16).into(),
            inputs: InputBuckets::from_code(header[18]).ok_or(NetworkError::Architecture)?,
            outputs: OutputBuckets::from_code(header[19]).ok_or(NetworkError::Architecture)?,
        };
        let scale = long(20) as i32;
        if !architecture.is_valid()
            || architecture.hash() != long(12)
            || !(1..=100_000).contains(&scale)
        {
            return Err(NetworkError::Architecture);
        }
        let text = usize::from(short(24));
        let expected = HEADER + text + architecture.payload() + 4;
        if bytes.len() != expected {
            return Err(NetworkError::Length {
                expected,
                actual: bytes.len(),
            });
        }
        let (content, checksum) = bytes.split_at(bytes.len() - 4);
        if crc32c::crc32c(content).to_le_bytes() != checksum {
            return Err(NetworkError::Checksum);
        }
        let description = String::from_utf8_lossy(&rest[..text]).into_owned();
        let mut numbers = Numbers(&rest[text..rest.len() - 4]);
        let width = architecture.width;
        let parameters = NetworkParameters {
            input_weights: numbers.shorts(architecture.rows() * width),
            input_biases: numbers.shorts(width),
            output_weights: numbers.shorts(architecture.outputs.count() * 2 * width),
            output_biases: numbers.longs(architecture.outputs.count()),
        };
        Self::new(architecture, scale, description, &parameters)
    }

    /// Reads a network from a file.
    ///
    /// # Errors
    /// When the file cannot be read or holds something else.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        // A device or a foreign file may be endless.
        Ok(Self::from_bytes(&read_file(path, LARGEST_FILE)?)?)
    }

    /// The network as the bytes of a file. A description of more than 65,535 bytes is cut.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut length = self.description.len().min(usize::from(u16::MAX));
        while !self.description.is_char_boundary(length) {
            length -= 1;
        }
        let mut bytes = Vec::with_capacity(HEADER + length + self.architecture.payload() + 4);
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(self.architecture.hash().to_le_bytes());
        bytes.extend((self.architecture.width as u16).to_le_bytes());
        bytes.push(self.architecture.inputs.count() as u8);
        bytes.push(self.architecture.outputs.count() as u8);
        bytes.extend(self.scale.to_le_bytes());
        bytes.extend((length as u16).to_le_bytes());
        bytes.extend(&self.description.as_bytes()[..length]);
        for part in [
            &self.input_weights,
            &self.input_biases,
            &self.output_weights,
        ] {
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

    /// The weights of an input, for the set of a bucket.
    #[inline(always)]
    pub(super) fn row(&self, bucket: usize, feature: usize) -> &[Block] {
        let length = self.architecture.blocks();
        let start = (bucket * FEATURES + feature) * length;
        &self.input_weights[start..start + length]
    }

    /// The weights of an output: those of the side to move, then those of the opponent.
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

/// Numbers that are read one after the other; the length was checked before.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn shorts(&mut self, count: usize) -> Vec<i16> {
        let (head, tail) = self.0.split_at(2 * count);
        self.0 = tail;
        head.chunks_exact(2)
            .map(|b| i16::from_le_bytes([b[0], b[1]]))
            .collect()
    }

    fn longs(&mut self, count: usize) -> Vec<i32> {
        let (head, tail) = self.0.split_at(4 * count);
        self.0 = tail;
        let number = |b: &[u8]| i32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        head.chunks_exact(4).map(number).collect()
    }
}
