//! The file of a table.
//!
//! All numbers are little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `CHUHETB` and a zero |
//! | 2 | version of the format: 1, or 2 for a class with an attacker a side |
//! | 2 | scheme of the index, 1 |
//! | 1 | what values count: 0 moves to mate, 1 plies to mate and what is known besides |
//! | 1 | under which rules draws hold: 0 all that the engine implements, 1 not proven; or 2 and more: one rule set (`asian`, `computer`, `chinese`, `elephanteye`, `check-only`, `none`) |
//! | 16 | the class, such as `KRA-KAB`, padded with zeros |
//! | 8 | positions |
//! | 4 | values in a block; the last block of a side has the rest |
//! | 1, 1 | the largest value of each side to move, the armed side first; 0 without blocks: all draws |
//! | 8 | bytes of the file from here on, but for the next four |
//! | 4 | CRC-32C of all before |
//! | 8 each | the blocks of the armed side to move, then those of the other: length in bytes, CRC-32C of these |
//! | 4 | CRC-32C of the list of blocks |
//! | … | the blocks, one after the other: deflate streams (RFC 1951), a byte a position |
//!
//! Values of classes of one armed side: 0 a draw; n a win of the armed side in 2n - 1 plies, a loss of
//! the other one in 2n - 2. With an attacker a side: 0 a draw; n up to 240 mate in n - 1 plies, a loss
//! of the side to move where that is even, a win where it is odd; 241 a win and 242 a loss by the rules
//! on repetitions; 243 nothing is known, 244 the side to move does not lose, 245 it does not win.
//!
//! A position that is not legal has the value of the one before it, which packs best.

use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

use super::index::{Indexer, SCHEME};
use super::material::Material;
use super::parallel::map_threads;
use super::solved::{DrawsHold, SolvedClass};
use super::value::{DRAW, ILLEGAL, LARGEST_LEVEL, Value};
use crate::rules::RuleSet;

const MAGIC: &[u8; 8] = b"CHUHETB\0";
const NAME: usize = 16;
/// Bytes of the header.
pub(super) const HEADER: usize = 8 + 2 + 2 + 1 + 1 + NAME + 8 + 4 + 2 + 8 + 4;
/// Added to the number of the rule set under which draws hold.
const RULES: u8 = 2;
/// Bytes of an entry in the list of blocks.
const ENTRY: usize = 8;
/// Values in a block of a table that is probed block by block.
const SMALL_BLOCK: u32 = 16 << 10;
/// Values in a block of a table that is unpacked whole.
const LARGE_BLOCK: u32 = 128 << 10;
/// Tables of up to so many positions are unpacked whole when they are first probed.
pub(super) const WHOLE: usize = 2 << 20;

/// Why a file is no table that can be used.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file holds something else.
    #[error("not a table of Chuhe")]
    Foreign,
    /// The file was written by a program with other formats.
    #[error("a table of another version")]
    Version,
    /// The file was cut or changed.
    #[error("damaged: {0}")]
    Damaged(&'static str),
}

/// What the header of a file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub material: Material,
    /// Under which rules its draws hold.
    pub draws: DrawsHold,
    pub positions: u64,
    pub block: u32,
    /// The largest values, the armed side to move first.
    pub largest: [u8; 2],
    /// Bytes behind the header.
    pub rest: u64,
}

/// A block of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TableBlock {
    /// Where it begins, counted from the beginning of the file.
    pub offset: u64,
    pub length: u32,
    pub checksum: u32,
}

impl Header {
    /// Blocks of each side to move.
    pub(super) fn blocks(&self) -> [usize; 2] {
        let all = self.positions.div_ceil(self.block.into()) as usize;
        self.largest
            .map(|largest| if largest == 0 { 0 } else { all })
    }

    /// Bytes of the list of blocks, its checksum included.
    pub(super) fn list_length(&self) -> usize {
        self.blocks().iter().sum::<usize>() * ENTRY + 4
    }

    /// How many values the block with this number holds.
    pub(super) fn values_in(&self, block: usize) -> usize {
        let before = block as u64 * u64::from(self.block);
        (self.positions - before).min(self.block.into()) as usize
    }

    /// A number that no other table has, but for one of the same class and rules.
    pub(super) fn number(&self) -> u16 {
        let rules = match self.draws {
            DrawsHold::Under(rules) => 1 + rules.index(),
            DrawsHold::Always | DrawsHold::Unproven => 0,
        };
        (self.material.index() + rules * Material::COUNT) as u16
    }

    /// The version of the format and what values count.
    const fn version(material: Material) -> (u16, u8) {
        match material.is_two_sided() {
            true => (2, 1),
            false => (1, 0),
        }
    }

    fn write(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER);
        bytes.extend_from_slice(MAGIC);
        let (version, metric) = Self::version(self.material);
        let rules = match self.draws {
            DrawsHold::Always => 0,
            DrawsHold::Unproven => 1,
            DrawsHold::Under(rules) => RULES + rules.index() as u8,
        };
        bytes.extend_from_slice(&version.to_le_bytes());
        bytes.extend_from_slice(&SCHEME.to_le_bytes());
        bytes.extend_from_slice(&[metric, rules]);
        let mut name = self.material.to_string().into_bytes();
        name.resize(NAME, 0);
        bytes.extend_from_slice(&name);
        bytes.extend_from_slice(&self.positions.to_le_bytes());
        bytes.extend_from_slice(&self.block.to_le_bytes());
        bytes.extend_from_slice(&self.largest);
        bytes.extend_from_slice(&self.rest.to_le_bytes());
        let checksum = crc32c::crc32c(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads the header at the beginning of `bytes`.
    ///
    /// # Errors
    /// It is none, or not of this version.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, TableError> {
        if !bytes.starts_with(MAGIC) {
            return Err(TableError::Foreign);
        }
        let mut fields = Fields(bytes.get(8..HEADER).ok_or(CUT)?);
        let [version, scheme] = [fields.u16(), fields.u16()];
        let [metric, rules] = [fields.u8(), fields.u8()];
        if ![(1, 0), (2, 1)].contains(&(version, metric)) || scheme != SCHEME {
            return Err(TableError::Version);
        }
        if crc32c::crc32c(&bytes[..HEADER - 4]).to_le_bytes() != bytes[HEADER - 4..HEADER] {
            return Err(TableError::Damaged("the header"));
        }
        let name = fields.take(NAME);
        let name = std::str::from_utf8(name)
            .unwrap_or("")
            .trim_end_matches('\0');
        let header = Self {
            material: name.parse().map_err(|_| TableError::Damaged("its class"))?,
            draws: draws_from(rules).ok_or(TableError::Damaged("its rules"))?,
            positions: fields.u64(),
            block: fields.u32(),
            largest: [fields.u8(), fields.u8()],
            rest: fields.u64(),
        };
        let most = match header.material.is_two_sided() {
            true => Value::NOT_WON.0,
            false => LARGEST_LEVEL,
        };
        let is_whole = header.positions == Indexer::new(header.material).len() as u64
            && header.block == values_in_block(header.positions)
            && Self::version(header.material) == (version, metric)
            && matches!(header.draws, DrawsHold::Under(_)) == header.material.is_two_sided()
            && header.draws != DrawsHold::Under(RuleSet::Chinese)
            && header.largest.iter().all(|largest| *largest <= most);
        match is_whole {
            true => Ok(header),
            false => Err(TableError::Damaged("the header")),
        }
    }

    /// Reads the list of blocks, which follows the header.
    ///
    /// # Errors
    /// It is damaged.
    pub(super) fn read_list(&self, bytes: &[u8]) -> Result<[Vec<TableBlock>; 2], TableError> {
        let list = bytes.get(..self.list_length()).ok_or(CUT)?;
        let (entries, checksum) = list.split_at(list.len() - 4);
        if crc32c::crc32c(entries).to_le_bytes() != checksum {
            return Err(TableError::Damaged("the list of blocks"));
        }
        let mut fields = Fields(entries);
        let mut offset = (HEADER + list.len()) as u64;
        let lists = self.blocks().map(|count| {
            let block = |_| {
                let block = TableBlock {
                    offset,
                    length: fields.u32(),
                    checksum: fields.u32(),
                };
                offset += u64::from(block.length);
                block
            };
            (0..count).map(block).collect()
        });
        match offset == HEADER as u64 + self.rest {
            true => Ok(lists),
            false => Err(TableError::Damaged("its length")),
        }
    }

    /// Unpacks the block with this number.
    ///
    /// # Errors
    /// The block is damaged.
    pub(super) fn unpack(
        &self,
        number: usize,
        block: &TableBlock,
        packed: &[u8],
    ) -> Result<Vec<u8>, TableError> {
        const DAMAGED: TableError = TableError::Damaged("a block");
        if crc32c::crc32c(packed) != block.checksum {
            return Err(DAMAGED);
        }
        let mut values = vec![0; self.values_in(number)];
        let mut decoder = DeflateDecoder::new(packed);
        decoder.read_exact(&mut values).map_err(|_| DAMAGED)?;
        Ok(values)
    }
}

/// How many values a block of a table of so many positions has.
const fn values_in_block(positions: u64) -> u32 {
    match positions <= WHOLE as u64 {
        true => LARGE_BLOCK,
        false => SMALL_BLOCK,
    }
}

/// Under which rules draws hold, by the number in a header.
fn draws_from(number: u8) -> Option<DrawsHold> {
    match number {
        0 => Some(DrawsHold::Always),
        1 => Some(DrawsHold::Unproven),
        n => RuleSet::from_index((n - RULES).into()).map(DrawsHold::Under),
    }
}

const CUT: TableError = TableError::Damaged("it is cut short");

/// Numbers of a header one after the other; the caller has checked that they are there.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count);
        self.0 = rest;
        taken
    }

    fn array<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        bytes.copy_from_slice(self.take(N));
        bytes
    }

    fn u8(&mut self) -> u8 {
        u8::from_le_bytes(self.array())
    }

    fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.array())
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.array())
    }

    fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.array())
    }
}

impl SolvedClass {
    /// The class as a file.
    pub fn to_file(&self, threads: usize) -> Vec<u8> {
        let positions = self.armed.len() as u64;
        let block = values_in_block(positions);
        let sides = [&self.armed, &self.bare];
        let is_value = |v: &&u8| **v != ILLEGAL;
        let largest = sides.map(|values| values.iter().filter(is_value).max().map_or(0, |v| *v));
        let mut header = Header {
            material: self.material,
            draws: self.draws,
            positions,
            block,
            largest,
            rest: 0,
        };
        let mut chunks: Vec<&[u8]> = Vec::new();
        for (values, largest) in sides.into_iter().zip(largest) {
            if largest > 0 {
                chunks.extend(values.chunks(block as usize));
            }
        }
        let packed = pack_all(&chunks, threads);
        let mut list = Vec::new();
        for block in &packed {
            list.extend_from_slice(&(block.len() as u32).to_le_bytes());
            list.extend_from_slice(&crc32c::crc32c(block).to_le_bytes());
        }
        let checksum = crc32c::crc32c(&list);
        list.extend_from_slice(&checksum.to_le_bytes());
        header.rest = (list.len() + packed.iter().map(Vec::len).sum::<usize>()) as u64;
        let mut file = header.write();
        file.extend_from_slice(&list);
        packed
            .iter()
            .for_each(|block| file.extend_from_slice(block));
        file
    }
}

/// Packs blocks; of n threads each packs every nth block.
fn pack_all(chunks: &[&[u8]], threads: usize) -> Vec<Vec<u8>> {
    let threads = threads.max(1);
    let packed = map_threads(threads, |first| -> Vec<Vec<u8>> {
        let own = chunks.iter().skip(first).step_by(threads);
        own.map(|chunk| pack(chunk)).collect()
    });
    let mut parts: Vec<_> = packed.into_iter().map(Vec::into_iter).collect();
    let next = |i: usize| parts[i % threads].next().unwrap_or_default();
    (0..chunks.len()).map(next).collect()
}

/// Packs the values of a block.
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
    // Writing to memory cannot fail.
    encoder
        .write_all(&filled)
        .and_then(|()| encoder.finish())
        .expect("memory can be written")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_blocks_of_a_table_have_one_size() {
        for (class, block) in [("KR-K", LARGE_BLOCK), ("KRR-KAABB", SMALL_BLOCK)] {
            let material: Material = class.parse().unwrap();
            let header = |block| Header {
                material,
                draws: DrawsHold::Always,
                positions: Indexer::new(material).len() as u64,
                block,
                largest: [1, 1],
                rest: 0,
            };
            let read = |block| Header::read(&header(block).write());
            assert_eq!(read(block).unwrap(), header(block));
            assert!(read(LARGE_BLOCK + SMALL_BLOCK - block).is_err(), "{class}");
        }
    }
}
