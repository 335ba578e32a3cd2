//! The header of a table's file and its list of blocks.

use std::io::Read;

use flate2::read::DeflateDecoder;

use super::error::TableError;
use super::index::{Indexer, SCHEME};
use super::material::Material;
use super::metric::Metric;
use super::solved::DrawsHold;
use super::value::{LARGEST_LEVEL, Value};
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

/// What the header of a file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub material: Material,
    pub metric: Metric,
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

impl TableBlock {
    /// Compares the checksum with that of what was read.
    ///
    /// # Errors
    /// The block is damaged.
    pub(super) fn check(&self, packed: &[u8]) -> Result<(), TableError> {
        match crc32c::crc32c(packed) == self.checksum {
            true => Ok(()),
            false => Err(DAMAGED_BLOCK),
        }
    }
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

    /// A number that no other table has, but for one of the same class, metric and rules.
    pub(super) fn number(&self) -> u16 {
        let kind = match (self.metric, self.draws) {
            (Metric::Conversion, _) => 1 + RuleSet::ALL.len(),
            (Metric::Mate, DrawsHold::Under(rules)) => 1 + rules.index(),
            (Metric::Mate, DrawsHold::Always | DrawsHold::Unproven) => 0,
        };
        (self.material.index() + kind * Material::COUNT) as u16
    }

    /// The versions of the format, each with what values count.
    const VERSIONS: [(u16, u8); 3] = [Self::MATES, Self::TWO_SIDED, Self::CONVERSIONS];
    const MATES: (u16, u8) = (1, 0);
    const TWO_SIDED: (u16, u8) = (4, 1);
    const CONVERSIONS: (u16, u8) = (3, 2);

    /// The version of the format and what values count.
    const fn version(material: Material, metric: Metric) -> (u16, u8) {
        match (material.is_two_sided(), metric) {
            (true, _) => Self::TWO_SIDED,
            (false, Metric::Mate) => Self::MATES,
            (false, Metric::Conversion) => Self::CONVERSIONS,
        }
    }

    /// The header as bytes.
    pub(super) fn write(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER);
        bytes.extend_from_slice(MAGIC);
        let (version, metric) = Self::version(self.material, self.metric);
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
        if !Self::VERSIONS.contains(&(version, metric)) || scheme != SCHEME {
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
            metric: match (version, metric) {
                Self::CONVERSIONS => Metric::Conversion,
                _ => Metric::Mate,
            },
            draws: draws_from(rules).ok_or(TableError::Damaged("its rules"))?,
            positions: fields.u64(),
            block: fields.u32(),
            largest: [fields.u8(), fields.u8()],
            rest: fields.u64(),
        };
        let most = match header.material.is_two_sided() {
            true => Value::NOT_WON.0,
            // Wins at that level are too long to be stored.
            false => LARGEST_LEVEL - 1,
        };
        let is_whole = header.positions == Indexer::new(header.material).len() as u64
            && header.block == values_in_block(header.positions)
            && Self::version(header.material, header.metric) == (version, metric)
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

    /// Unpacks the block with this number of a side to move, 0 for the armed side.
    ///
    /// # Errors
    /// The block is damaged.
    pub(super) fn unpack(
        &self,
        side: usize,
        number: usize,
        block: &TableBlock,
        packed: &[u8],
    ) -> Result<Vec<u8>, TableError> {
        block.check(packed)?;
        let mut values = vec![0; self.values_in(number)];
        let mut decoder = DeflateDecoder::new(packed);
        decoder.read_exact(&mut values).map_err(|_| DAMAGED_BLOCK)?;
        let largest = self.largest[side];
        match values.iter().all(|value| *value <= largest) {
            true => Ok(values),
            false => Err(DAMAGED_BLOCK),
        }
    }
}

/// How many values a block of a table of so many positions has.
pub(super) const fn values_in_block(positions: u64) -> u32 {
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

const DAMAGED_BLOCK: TableError = TableError::Damaged("a block");
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_blocks_of_a_table_have_one_size() {
        for (class, block) in [("KR-K", LARGE_BLOCK), ("KRR-KAABB", SMALL_BLOCK)] {
            let material: Material = class.parse().unwrap();
            let header = |block| Header {
                material,
                metric: Metric::Mate,
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
