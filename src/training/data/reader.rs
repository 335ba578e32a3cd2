//! Reading files of games, a block at a time.

use std::io::{self, Read};

use super::MAGIC;
use super::block::{BlockKind, Decoded, HEADER, MAX_PAYLOAD, SYNC, decode};
use super::record::{LooseRecord, Record, TrainingGame};

/// Why a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system cannot read it.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is something else.
    #[error("not a file of games")]
    Foreign,
    /// It was written in another version of the format.
    #[error("version {0} of the format, not {version}", version = MAGIC[7])]
    Version(u8),
}

/// What a reader had to leave out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct RecoveredGames {
    /// Bytes between blocks that belong to no sound block.
    pub damaged_bytes: u64,
    /// Bytes of a block at the end that is cut short.
    pub torn_bytes: u64,
    /// Sound blocks of a kind that is not known, or whose records make no sense.
    pub strange_blocks: u64,
}

impl RecoveredGames {
    /// Whether nothing was left out.
    pub fn is_clean(&self) -> bool {
        *self == Self::default()
    }
}

impl std::fmt::Display for RecoveredGames {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "left out {} damaged bytes, {} bytes of a torn last block, {} blocks not understood",
            self.damaged_bytes, self.torn_bytes, self.strange_blocks
        )
    }
}

/// Reads the records of a file one after another, in bounded memory. Damaged blocks are left out, and
/// [`Self::recovered`] tells how much that was.
#[derive(Debug)]
pub struct GameReader<R> {
    source: R,
    /// Bytes read and not yet used, from `start` on.
    window: Vec<u8>,
    start: usize,
    is_at_end: bool,
    /// Where in the file the bytes not yet used begin.
    offset: u64,
    sound_bytes: u64,
    plan: Option<String>,
    records: std::vec::IntoIter<Record>,
    recovered: RecoveredGames,
}

impl<R: Read> GameReader<R> {
    /// Begins to read; `source` needs no buffer of its own.
    ///
    /// # Errors
    /// The source cannot be read, or is no file of games.
    pub fn new(mut source: R) -> Result<Self, ReadError> {
        let mut head = Vec::with_capacity(MAGIC.len());
        source
            .by_ref()
            .take(MAGIC.len() as u64)
            .read_to_end(&mut head)?;
        match head.split_last() {
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
            sound_bytes: MAGIC.len() as u64,
            plan: None,
            records: Vec::new().into_iter(),
            recovered: RecoveredGames::default(),
        };
        // The plan, where there is one, is the first block.
        reader.next_block()?;
        Ok(reader)
    }

    /// How the games were made, as JSON, where the file tells.
    pub fn plan(&self) -> Option<&str> {
        self.plan.as_deref()
    }

    /// What has been left out so far.
    pub fn recovered(&self) -> RecoveredGames {
        self.recovered
    }

    /// Where in the file the last sound block so far ends.
    pub(super) fn sound_bytes(&self) -> u64 {
        self.sound_bytes
    }

    /// The next record; `None` at the end of the file.
    ///
    /// # Errors
    /// The file cannot be read.
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

    /// Reads the next sound block; `false` at the end of the file.
    fn next_block(&mut self) -> io::Result<bool> {
        loop {
            match decode(&self.window[self.start..]) {
                Decoded::Block(kind, records, length) => {
                    let payload = self.start + HEADER..self.start + HEADER + length;
                    let payload = self.window[payload].to_vec();
                    self.skip(HEADER + length);
                    self.sound_bytes = self.offset;
                    self.open_block(kind, records, payload);
                    return Ok(true);
                }
                Decoded::Needs(bytes) if !self.is_at_end => self.fill(bytes)?,
                Decoded::Needs(_) if self.window.len() == self.start => return Ok(false),
                Decoded::Needs(_) | Decoded::Damaged => self.skip_damage(),
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
            (_, None) => self.recovered.strange_blocks += 1,
        }
    }

    /// Goes on to where the next block may begin. What is left at the end, though it begins like a
    /// block, is torn.
    fn skip_damage(&mut self) {
        let rest = &self.window[self.start..];
        let begins_block = !matches!(decode(rest), Decoded::Damaged);
        let next = (1..rest.len()).find(|at| {
            let known = (rest.len() - at).min(SYNC.len());
            rest[*at..at + known] == SYNC[..known]
        });
        let skipped = next.unwrap_or(rest.len());
        match begins_block {
            true => self.recovered.torn_bytes += skipped as u64,
            false => self.recovered.damaged_bytes += skipped as u64,
        }
        self.skip(skipped);
    }

    fn skip(&mut self, bytes: usize) {
        self.start += bytes;
        self.offset += bytes as u64;
    }

    /// Reads until the window holds `bytes` bytes or the file ends.
    fn fill(&mut self, bytes: usize) -> io::Result<()> {
        self.window.drain(..self.start);
        self.start = 0;
        let wanted = bytes.max(MAX_PAYLOAD / 8) - self.window.len();
        let read = self
            .source
            .by_ref()
            .take(wanted as u64)
            .read_to_end(&mut self.window)?;
        self.is_at_end = read < wanted;
        Ok(())
    }
}

/// The records of a block; `None` when its bytes are none.
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
