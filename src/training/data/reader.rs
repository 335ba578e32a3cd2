//! Reading game files block by block.

use std::io::{self, Read};

use super::record::{LooseRecord, Record, TrainingGame};
use super::{BLOCK_HEADER, BLOCK_START, BlockKind, DecodedBlock, MAGIC, MAX_PAYLOAD, decode_block};
use crate::text::counted;

#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("the file is empty")]
    Empty,
    #[error("not a game file (.chg)")]
    Foreign,
    #[error("a game file (.chg) of format version {0}, but this program reads version {version}", version = MAGIC[7])]
    Version(u8),
}

/// The parts of a file that a reader skips, because they are damaged or of an unknown kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct FileDamage {
    /// Bytes that belong to no block with a correct checksum, without [`Self::torn_bytes`].
    pub damaged_bytes: u64,
    /// Bytes of an incomplete block at the end.
    pub torn_bytes: u64,
    /// Blocks with a correct checksum but an unknown kind or invalid records.
    pub unknown_blocks: u64,
}

impl FileDamage {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl std::fmt::Display for FileDamage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut separator = "";
        for (count, noun, place) in [
            (self.damaged_bytes, "damaged byte", ""),
            (self.torn_bytes, "byte", " of an incomplete last block"),
            (self.unknown_blocks, "unknown or invalid block", ""),
        ] {
            if count > 0 {
                write!(f, "{separator}skipped {}{place}", counted(count, noun))?;
                separator = "; ";
            }
        }
        Ok(())
    }
}

/// Reads the records of a file in order and in bounded memory. Skips damaged blocks; [`Self::damage`]
/// reports them.
#[derive(Debug)]
pub struct GameReader<R> {
    source: R,
    /// A part of the file, of which the bytes from `start` on have not been decoded yet.
    window: Vec<u8>,
    start: usize,
    is_at_end: bool,
    /// The file offset of `start`.
    offset: u64,
    /// The file offset of the end of the last block with a correct checksum.
    valid_bytes: u64,
    plan: Option<String>,
    records: std::vec::IntoIter<Record>,
    damage: FileDamage,
}

impl<R: Read> GameReader<R> {
    /// Reads the header and the plan. `source` need not be buffered.
    pub fn new(mut source: R) -> Result<Self, ReadError> {
        let mut head = Vec::with_capacity(MAGIC.len());
        source.by_ref().take(MAGIC.len() as u64).read_to_end(&mut head)?;
        match head.split_last() {
            None => return Err(ReadError::Empty),
            Some((version, name)) if *name == MAGIC[..MAGIC.len() - 1] => {
                if *version != MAGIC[MAGIC.len() - 1] {
                    return Err(ReadError::Version(*version));
                }
            }
            _ => return Err(ReadError::Foreign),
        }
        let mut reader = Self {
            source,
            window: Vec::new(),
            start: 0,
            is_at_end: false,
            offset: MAGIC.len() as u64,
            valid_bytes: MAGIC.len() as u64,
            plan: None,
            records: Vec::new().into_iter(),
            damage: FileDamage::default(),
        };
        // If there is a plan, it is the first block.
        reader.next_block()?;
        Ok(reader)
    }

    /// The plan of the file as JSON, if it has one.
    pub fn plan(&self) -> Option<&str> {
        self.plan.as_deref()
    }

    pub fn damage(&self) -> FileDamage {
        self.damage
    }

    /// File offset of the end of the last block so far with a correct checksum.
    pub fn valid_bytes(&self) -> u64 {
        self.valid_bytes
    }

    /// Returns the next record, or `None` at the end of the file.
    pub fn next_record(&mut self) -> io::Result<Option<Record>> {
        loop {
            if let Some(record) = self.records.next() {
                return Ok(Some(record));
            }
            if !self.next_block()? {
                return Ok(None);
            }
        }
    }

    /// Reads the next block with a correct checksum. Returns `false` at the end of the file.
    fn next_block(&mut self) -> io::Result<bool> {
        loop {
            match decode_block(&self.window[self.start..]) {
                DecodedBlock::Block(kind, records, length) => {
                    let payload = self.start + BLOCK_HEADER..self.start + BLOCK_HEADER + length;
                    let payload = self.window[payload].to_vec();
                    self.skip(BLOCK_HEADER + length);
                    self.valid_bytes = self.offset;
                    // Only the last block can be incomplete.
                    self.damage.damaged_bytes += std::mem::take(&mut self.damage.torn_bytes);
                    self.open_block(kind, records, payload);
                    return Ok(true);
                }
                DecodedBlock::Needs(bytes) if !self.is_at_end => self.fill(bytes)?,
                DecodedBlock::Needs(_) if self.window.len() == self.start => return Ok(false),
                DecodedBlock::Needs(_) | DecodedBlock::Damaged => self.skip_damage(),
            }
        }
    }

    fn open_block(&mut self, kind: Option<BlockKind>, records: u16, payload: Vec<u8>) {
        match (kind, parse(kind, records, &payload)) {
            (Some(BlockKind::Plan), _) if self.plan.is_none() => {
                self.plan = Some(String::from_utf8_lossy(&payload).into_owned());
            }
            (Some(BlockKind::Plan), _) => {}
            (_, Some(records)) => self.records = records.into_iter(),
            (_, None) => self.damage.unknown_blocks += 1,
        }
    }

    /// Skips to the next offset at which a block may begin. The skipped bytes count as an incomplete block if they
    /// begin like one, and as damaged otherwise.
    fn skip_damage(&mut self) {
        let rest = &self.window[self.start..];
        let begins_block = !matches!(decode_block(rest), DecodedBlock::Damaged);
        let next = (1..rest.len()).find(|at| {
            let known = (rest.len() - at).min(BLOCK_START.len());
            rest[*at..at + known] == BLOCK_START[..known]
        });
        let skipped = next.unwrap_or(rest.len());
        if begins_block {
            self.damage.torn_bytes += skipped as u64;
        } else {
            self.damage.damaged_bytes += skipped as u64;
        }
        self.skip(skipped);
    }

    fn skip(&mut self, bytes: usize) {
        self.start += bytes;
        self.offset += bytes as u64;
    }

    /// Reads until the window holds at least `bytes` bytes or the file ends.
    fn fill(&mut self, bytes: usize) -> io::Result<()> {
        self.window.drain(..self.start);
        self.start = 0;
        let wanted = bytes.max(MAX_PAYLOAD / 8) - self.window.len();
        let read = self.source.by_ref().take(wanted as u64).read_to_end(&mut self.window)?;
        self.is_at_end = read < wanted;
        Ok(())
    }
}

/// Decodes the records of a block. Returns `None` if the payload is invalid.
fn parse(kind: Option<BlockKind>, records: u16, mut payload: &[u8]) -> Option<Vec<Record>> {
    let bytes = &mut payload;
    let read = |_| match kind? {
        BlockKind::Games => TrainingGame::decode(bytes).map(Record::Game),
        BlockKind::Loose => LooseRecord::decode(bytes).map(Record::Loose),
        BlockKind::Plan => None,
    };
    let records = (0..records).map(read).collect::<Option<_>>()?;
    payload.is_empty().then_some(records)
}
