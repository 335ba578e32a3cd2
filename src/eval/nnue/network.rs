//! The parameters of a network and their file format.
//!
//! # File format
//!
//! All numbers are little-endian.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `CHUHENN` and a zero |
//! | 4 | version of the format, 1 |
//! | 4 | [`Architecture::hash`] |
//! | 2 | width of the hidden layer, a multiple of 32 up to 1024 |
//! | 1 | input buckets ([`InputBuckets`]) |
//! | 1 | output buckets ([`OutputBuckets`]) |
//! | 4 | scale: the value of an output of 1, in units of the evaluation |
//! | 2 | length of the description |
//! | … | description of how the network was made, UTF-8 |
//! | … | weights of the inputs by bucket, input, neuron (16 bits) |
//! | … | biases of the neurons (16 bits) |
//! | … | weights of the outputs by bucket, neurons of the side to move, then the opponent's (16 bits) |
//! | … | biases of the outputs (32 bits) |
//! | 4 | CRC-32C of everything before |

use std::fmt;
use std::fs;
use std::io;
use std::path::Path;

use super::architecture::Architecture;
use super::features::FEATURES;
use super::header::{
    CHECKSUM, HEADER, Header, MAGIC, MAX_OUTPUT_WEIGHT, MAX_SCALE, NetworkError, OpenError, VERSION,
};
use super::simd::Block;
use crate::text::read_file;

/// The maximum size of a network file, in MB.
const LARGEST_FILE: u64 = 64;

/// A quantized network, ready for evaluation.
#[derive(Clone, PartialEq, Eq)]
pub struct Network {
    /// The architecture.
    pub architecture: Architecture,
    /// The value of an output of 1, in units of the evaluation.
    pub scale: i32,
    /// A description of how it was made.
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
    /// By bucket; multiplied by both.
    pub output_biases: Vec<i32>,
}

impl Network {
    /// A network with these parameters.
    ///
    /// # Errors
    /// The architecture is invalid, the number of parameters does not match it, the scale is not 1 to 100,000, or an
    /// output weight is not -127 to 127.
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
        let Some((header, rest)) = bytes
            .split_at_checked(HEADER)
            .filter(|(_, rest)| rest.len() >= CHECKSUM)
        else {
            let (expected, actual) = (HEADER + CHECKSUM, bytes.len());
            return Err(NetworkError::Length { expected, actual });
        };
        let header = Header::read(header);
        // The header of a damaged file is only used to recognise a truncated file.
        let (content, checksum) = bytes.split_at(bytes.len() - CHECKSUM);
        if crc32c::crc32c(content).to_le_bytes() != checksum {
            return Err(match header.length() {
                Ok(expected) if expected > bytes.len() => NetworkError::Length {
                    expected,
                    actual: bytes.len(),
                },
                _ => NetworkError::Checksum,
            });
        }
        let (architecture, expected) = (header.architecture()?, header.length()?);
        if bytes.len() != expected {
            return Err(NetworkError::Length {
                expected,
                actual: bytes.len(),
            });
        }
        let (scale, text) = (header.scale, header.text);
        let description = String::from_utf8_lossy(&rest[..text]).into_owned();
        let mut numbers = Numbers(&rest[text..rest.len() - CHECKSUM]);
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
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        // Reading from a pipe without a writer would block. `read_file` limits the size of devices.
        if is_pipe(&fs::metadata(path)?) {
            let error = io::Error::new(io::ErrorKind::InvalidInput, "not a regular file");
            return Err(error.into());
        }
        Ok(Self::from_bytes(&read_file(path, LARGEST_FILE)?)?)
    }

    /// The bytes of a file. A description of more than 65,535 bytes is truncated.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut length = self.description.len().min(usize::from(u16::MAX));
        while !self.description.is_char_boundary(length) {
            length -= 1;
        }
        let mut bytes =
            Vec::with_capacity(HEADER + length + self.architecture.payload() + CHECKSUM);
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

/// Whether the file is a pipe or a socket.
fn is_pipe(file: &fs::Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let kind = file.file_type();
        kind.is_fifo() || kind.is_socket()
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        false
    }
}

fn blocks(numbers: &[i16]) -> Vec<Block> {
    let (chunks, rest) = numbers.as_chunks::<{ Block::LEN }>();
    debug_assert!(rest.is_empty());
    chunks.iter().copied().map(Block).collect()
}

/// Reads consecutive numbers. Panics if too few bytes are left, so check the length before.
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
