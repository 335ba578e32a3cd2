//! File format of tables: header, list of blocks, and packed values.
//!
//! All numbers are little-endian.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `CHUHETB` and a zero |
//! | 2 | format version: 1 DTM of a one-sided class, 3 DTC, 4 two-sided class |
//! | 2 | version of the numbering of positions: 1 |
//! | 1 | meaning of values: 0 moves to mate, 1 two-sided values, 2 moves to conversion |
//! | 1 | rule sets under which draws hold: 0 all, 1 not proven, or only one: 2 `asian`, 3 `computer`, 5 `elephanteye`, 6 `check-only`, 7 `none`; 4 (`chinese`) is never written |
//! | 16 | class name such as `KRA-KAB`, padded with zeros |
//! | 8 | number of positions |
//! | 4 | values in a block; the last block of a side to move may be shorter |
//! | 1, 1 | largest value with the strong side to move, then the weak side; if 0, all values are 0 and no blocks are stored |
//! | 8 | length of the file after the header |
//! | 4 | CRC-32C of the header so far |
//! | 8 each | blocks with the strong, then the weak side to move: length in bytes, CRC-32C |
//! | 4 | CRC-32C of the list of blocks |
//! | … | the blocks: deflate streams (RFC 1951), one byte a position |
//!
//! Values of one-sided classes: 0 is a draw, n a win of the strong side in 2n - 1 plies or a loss of the weak side in
//! 2n - 2. In a DTC table, 0 means that there is no win with at most 100 plies between captures, the lowest no-capture
//! limit of all rule sets.
//!
//! Values of two-sided classes, for the side to move:
//!
//! | value | meaning |
//! |---|---|
//! | 0 | draw |
//! | 1 to 150 | mate in p = n - 1 plies; a win if p is odd, a loss if p is even |
//! | 151 to 240 | the same by the repetition rules in p = n - 151 plies, not counting the loser's repetitions |
//! | 241, 242 | win, loss by rule in more plies |
//! | 243 | unknown |
//! | 244, 245 | not lost, not won |
//!
//! An illegal position repeats the value before it in its block, which compresses best; at the beginning of a block it
//! is 0.

use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

use super::index::{Indexer, NUMBERING_VERSION};
use super::material::Material;
use super::solved::{DrawsHold, SolvedClass, largest_value};
use super::solver_state::map_parts;
use super::value::{DRAW, ILLEGAL, LEVEL_LIMIT, Metric, Value};
use crate::board::{ByColor, Color};
use crate::rules::RuleSet;

const MAGIC: &[u8; 8] = b"CHUHETB\0";
const NAME_LENGTH: usize = 16;
/// Length of the header in bytes.
pub const HEADER_LENGTH: usize = 8 + 2 + 2 + 1 + 1 + NAME_LENGTH + 8 + 4 + 2 + 8 + 4;
/// Header value of the first rule set; the others follow in order.
const FIRST_RULE_SET: u8 = 2;
/// Length of an entry of the block list in bytes.
const ENTRY_LENGTH: usize = 8;
/// Values in a block of a table that is probed block by block.
const SMALL_BLOCK: u32 = 16 << 10;
/// Values in a block of a table that is unpacked whole.
const LARGE_BLOCK: u32 = 128 << 10;
/// Tables of up to this many positions are unpacked whole at the first probe.
pub const WHOLE_TABLE_LIMIT: usize = 2 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    pub material: Material,
    pub metric: Metric,
    pub draws: DrawsHold,
    pub positions: u64,
    /// Number of values in a block.
    pub block: u32,
    /// Largest values by side to move; the strong side is red.
    pub largest: ByColor<u8>,
    /// Length of the file after the header.
    pub body_length: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableBlock {
    /// Offset from the beginning of the file.
    pub offset: u64,
    pub length: u32,
    pub checksum: u32,
}

impl TableBlock {
    /// Compares the checksum with that of the data.
    pub fn check(&self, packed: &[u8]) -> Result<(), TableError> {
        if crc32c::crc32c(packed) == self.checksum { Ok(()) } else { Err(DAMAGED_BLOCK) }
    }
}

impl Header {
    /// Number of blocks for each side to move.
    pub fn blocks(&self) -> ByColor<usize> {
        let all = self.positions.div_ceil(self.block.into()) as usize;
        self.largest.map(|largest| if largest == 0 { 0 } else { all })
    }

    /// Length of the block list with its checksum, in bytes.
    pub fn list_length(&self) -> usize {
        self.blocks().iter().sum::<usize>() * ENTRY_LENGTH + 4
    }

    /// Number of values in the block with the number `block` of a side to move. The last block may be shorter.
    pub fn values_in(&self, block: usize) -> usize {
        let before = block as u64 * u64::from(self.block);
        (self.positions - before).min(self.block.into()) as usize
    }

    /// Format versions with their meaning of values.
    const VERSIONS: [(u16, u8); 3] = [Self::MATES, Self::TWO_SIDED, Self::CONVERSIONS];
    const MATES: (u16, u8) = (1, 0);
    const TWO_SIDED: (u16, u8) = (4, 1);
    const CONVERSIONS: (u16, u8) = (3, 2);

    /// Format version and meaning of values.
    const fn version(material: Material, metric: Metric) -> (u16, u8) {
        match (material.is_two_sided(), metric) {
            (true, _) => Self::TWO_SIDED,
            (false, Metric::Dtm) => Self::MATES,
            (false, Metric::Dtc) => Self::CONVERSIONS,
        }
    }

    pub fn write(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER_LENGTH);
        bytes.extend_from_slice(MAGIC);
        let (version, meaning) = Self::version(self.material, self.metric);
        let rules = match self.draws {
            DrawsHold::Always => 0,
            DrawsHold::Unproven => 1,
            DrawsHold::Under(rules) => FIRST_RULE_SET + rules.index() as u8,
        };
        bytes.extend_from_slice(&version.to_le_bytes());
        bytes.extend_from_slice(&NUMBERING_VERSION.to_le_bytes());
        bytes.extend_from_slice(&[meaning, rules]);
        let mut name = self.material.to_string().into_bytes();
        name.resize(NAME_LENGTH, 0);
        bytes.extend_from_slice(&name);
        bytes.extend_from_slice(&self.positions.to_le_bytes());
        bytes.extend_from_slice(&self.block.to_le_bytes());
        bytes.extend_from_slice(&self.largest.0);
        bytes.extend_from_slice(&self.body_length.to_le_bytes());
        let checksum = crc32c::crc32c(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads the header at the beginning of `bytes`.
    pub fn read(bytes: &[u8]) -> Result<Self, TableError> {
        // A truncated file may end within the first bytes.
        if !MAGIC.starts_with(&bytes[..bytes.len().min(MAGIC.len())]) {
            return Err(TableError::Foreign);
        }
        let fields = &mut bytes.get(8..HEADER_LENGTH).ok_or(TRUNCATED)?;
        let [version, numbering] = [take(fields), take(fields)].map(u16::from_le_bytes);
        let [meaning, rules] = take(fields);
        if !Self::VERSIONS.contains(&(version, meaning)) || numbering != NUMBERING_VERSION {
            return Err(TableError::Version);
        }
        if crc32c::crc32c(&bytes[..HEADER_LENGTH - 4]).to_le_bytes()
            != bytes[HEADER_LENGTH - 4..HEADER_LENGTH]
        {
            return Err(TableError::Damaged("invalid header"));
        }
        let name: [u8; NAME_LENGTH] = take(fields);
        let name = std::str::from_utf8(&name).unwrap_or("").trim_end_matches('\0');
        let header = Self {
            material: name.parse().map_err(|_| TableError::Damaged("invalid class name"))?,
            metric: match (version, meaning) {
                Self::CONVERSIONS => Metric::Dtc,
                _ => Metric::Dtm,
            },
            draws: draws_from(rules).ok_or(TableError::Damaged("invalid rule set"))?,
            positions: u64::from_le_bytes(take(fields)),
            block: u32::from_le_bytes(take(fields)),
            largest: ByColor(take(fields)),
            body_length: u64::from_le_bytes(take(fields)),
        };
        // A `Node` is up to twice the number of positions.
        if header.positions > usize::MAX as u64 / 2 {
            return Err(TableError::TooLarge);
        }
        let most = if header.material.is_two_sided() {
            Value::NOT_WON.0
        } else {
            // Longer wins are not stored.
            LEVEL_LIMIT - 1
        };
        let is_valid = header.positions == Indexer::new(header.material).len() as u64
            && header.block == values_in_block(header.positions)
            && Self::version(header.material, header.metric) == (version, meaning)
            && matches!(header.draws, DrawsHold::Under(_)) == header.material.is_two_sided()
            && header.draws != DrawsHold::Under(RuleSet::Chinese)
            && header.largest.iter().all(|largest| *largest <= most);
        if is_valid { Ok(header) } else { Err(TableError::Damaged("invalid header")) }
    }

    /// Reads the block list that follows the header.
    pub fn read_list(&self, bytes: &[u8]) -> Result<ByColor<Vec<TableBlock>>, TableError> {
        let list = bytes.get(..self.list_length()).ok_or(TRUNCATED)?;
        let (mut entries, checksum) = list.split_at(list.len() - 4);
        if crc32c::crc32c(entries).to_le_bytes() != checksum {
            return Err(TableError::Damaged("invalid list of blocks"));
        }
        let mut offset = (HEADER_LENGTH + list.len()) as u64;
        let lists = self.blocks().map(|count| {
            let block = |_| {
                let block = TableBlock {
                    offset,
                    length: u32::from_le_bytes(take(&mut entries)),
                    checksum: u32::from_le_bytes(take(&mut entries)),
                };
                offset += u64::from(block.length);
                block
            };
            (0..count).map(block).collect()
        });
        if offset == HEADER_LENGTH as u64 + self.body_length {
            Ok(lists)
        } else {
            Err(TableError::Damaged("wrong length"))
        }
    }

    /// Unpacks a block with `side` to move.
    pub fn unpack(
        &self,
        side: Color,
        number: usize,
        block: &TableBlock,
        packed: &[u8],
    ) -> Result<Vec<u8>, TableError> {
        block.check(packed)?;
        let mut values = vec![0; self.values_in(number)];
        let mut decoder = DeflateDecoder::new(packed);
        decoder.read_exact(&mut values).map_err(|_| DAMAGED_BLOCK)?;
        let largest = self.largest[side];
        if values.iter().all(|value| *value <= largest) { Ok(values) } else { Err(DAMAGED_BLOCK) }
    }
}

/// Values per block of a table of this size.
pub const fn values_in_block(positions: u64) -> u32 {
    if positions <= WHOLE_TABLE_LIMIT as u64 { LARGE_BLOCK } else { SMALL_BLOCK }
}

fn draws_from(number: u8) -> Option<DrawsHold> {
    match number {
        0 => Some(DrawsHold::Always),
        1 => Some(DrawsHold::Unproven),
        n => RuleSet::from_index((n - FIRST_RULE_SET).into()).map(DrawsHold::Under),
    }
}

const DAMAGED_BLOCK: TableError = TableError::Damaged("invalid block");
const TRUNCATED: TableError = TableError::Damaged("truncated file");

/// Takes the next bytes of a header or list whose length was checked.
fn take<const N: usize>(bytes: &mut &[u8]) -> [u8; N] {
    let (taken, rest) = bytes.split_first_chunk().expect("the length was checked");
    *bytes = rest;
    *taken
}

/// Error of a table file.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The directory contains no tablebases.
    #[error("the directory contains no tablebases (*.chtb)")]
    NoTables,
    /// The file is not a table.
    #[error("not a Chuhe tablebase")]
    Foreign,
    /// The table has another format version.
    #[error("unsupported version of the tablebase format")]
    Version,
    /// The table has more positions than a system of 32 bits can number.
    #[error("the tablebase is too large for this system")]
    TooLarge,
    /// The file is truncated or corrupt.
    #[error("damaged: {0}")]
    Damaged(&'static str),
}

impl SolvedClass {
    /// The class in the file format.
    pub fn to_file(&self, threads: usize) -> Vec<u8> {
        let positions = self.values[Color::Red].len() as u64;
        let block = values_in_block(positions);
        let largest = self.values.each_ref().map(|values| largest_value(values));
        let mut header = Header {
            material: self.material,
            metric: self.metric,
            draws: self.draws,
            positions,
            block,
            largest,
            body_length: 0,
        };
        let mut chunks: Vec<&[u8]> = Vec::new();
        for (values, largest) in self.values.iter().zip(largest.0) {
            if largest > 0 {
                chunks.extend(values.chunks(block as usize));
            }
        }
        let mut list = Vec::new();
        // Placeholder for the header and the list, which are written last.
        let mut file = vec![0; HEADER_LENGTH + header.list_length()];
        for batch in chunks.chunks(BATCH) {
            for block in map_parts(threads, batch.len(), |number| pack(batch[number])) {
                list.extend_from_slice(&(block.len() as u32).to_le_bytes());
                list.extend_from_slice(&crc32c::crc32c(&block).to_le_bytes());
                file.extend_from_slice(&block);
            }
        }
        let checksum = crc32c::crc32c(&list);
        list.extend_from_slice(&checksum.to_le_bytes());
        header.body_length = (file.len() - HEADER_LENGTH) as u64;
        file[..HEADER_LENGTH].copy_from_slice(&header.write());
        file[HEADER_LENGTH..][..list.len()].copy_from_slice(&list);
        file
    }
}

/// Number of blocks packed at a time. It is small because these blocks are in memory twice, as results and in the file.
const BATCH: usize = 256;

fn pack(values: &[u8]) -> Vec<u8> {
    let mut last = DRAW;
    let filled: Vec<u8> = (values.iter())
        .map(|value| {
            if *value != ILLEGAL {
                last = *value;
            }
            last
        })
        .collect();
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder
        .write_all(&filled)
        .and_then(|()| encoder.finish())
        .expect("writing to a vector cannot fail")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_with_another_block_size_is_refused() {
        for (class, block) in [("KR-K", LARGE_BLOCK), ("KRR-KAABB", SMALL_BLOCK)] {
            let material: Material = class.parse().unwrap();
            let header = |block| Header {
                material,
                metric: Metric::Dtm,
                draws: DrawsHold::Always,
                positions: Indexer::new(material).len() as u64,
                block,
                largest: ByColor::new(1, 1),
                body_length: 0,
            };
            let read = |block| Header::read(&header(block).write());
            assert_eq!(read(block).unwrap(), header(block));
            assert!(read(LARGE_BLOCK + SMALL_BLOCK - block).is_err(), "{class}");
            let large = Header { positions: u64::MAX, ..header(block) };
            assert!(matches!(Header::read(&large.write()), Err(TableError::TooLarge)));
        }
    }
}
