//! Writing and continuing game files.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::reader::{FileDamage, GameReader, ReadError};
use super::record::Record;
use super::{BlockKind, MAGIC, MAX_PAYLOAD, encode_block};
use crate::text::{open_or_create, require_regular};

/// Maximum number of records in a block, small so that little is lost with an incomplete block.
const BLOCK_RECORDS: u16 = 16;
/// A block is written once its payload is larger than this, in bytes.
const FULL_PAYLOAD: usize = MAX_PAYLOAD / 2;

#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("another process is writing this file")]
    Locked,
    /// A record does not fit into a block or has more than 65,535 moves or positions, or the plan is too long.
    #[error("a game or the plan is too long for the file format")]
    TooLong,
}

#[derive(Debug)]
pub struct GameWriter<W: Write> {
    out: W,
    kind: BlockKind,
    payload: Vec<u8>,
    records: u16,
}

impl<W: Write> GameWriter<W> {
    /// Writes the header of a new file.
    pub fn new(mut out: W) -> io::Result<Self> {
        out.write_all(&MAGIC)?;
        Ok(Self::append(out))
    }

    /// Continues a file at its end.
    fn append(out: W) -> Self {
        Self { out, kind: BlockKind::Games, payload: Vec::new(), records: 0 }
    }

    /// Writes the plan, JSON that describes how the games are made.
    pub fn plan(&mut self, json: &str) -> Result<(), AppendError> {
        self.flush()?;
        if json.len() > MAX_PAYLOAD {
            return Err(AppendError::TooLong);
        }
        self.out.write_all(&encode_block(BlockKind::Plan, 1, json.as_bytes()))?;
        Ok(())
    }

    /// Adds a record to the current block, which is written once it is full. A record that does not fit, or is of
    /// another kind, begins a new block. Returns whether the block with the record was written.
    pub fn record(&mut self, record: &Record) -> Result<bool, AppendError> {
        let (kind, count) = match record {
            Record::Game(game) => (BlockKind::Games, game.moves.len()),
            Record::Loose(loose) => (BlockKind::Loose, loose.samples.len()),
        };
        if u16::try_from(count).is_err() {
            return Err(AppendError::TooLong);
        }
        if kind != self.kind {
            self.flush()?;
            self.kind = kind;
        }
        let start = self.payload.len();
        match record {
            Record::Game(game) => game.encode(&mut self.payload),
            Record::Loose(loose) => loose.encode(&mut self.payload),
        }
        if self.payload.len() - start > MAX_PAYLOAD {
            self.payload.truncate(start);
            return Err(AppendError::TooLong);
        }
        if self.payload.len() > MAX_PAYLOAD {
            let record = self.payload.split_off(start);
            self.flush()?;
            self.payload = record;
        }
        self.records += 1;
        let is_full = self.records == BLOCK_RECORDS || self.payload.len() > FULL_PAYLOAD;
        if is_full {
            self.flush()?;
        }
        Ok(is_full)
    }

    /// Writes the current block even if it is not full, and returns the output.
    pub fn flush(&mut self) -> Result<&mut W, AppendError> {
        if self.records > 0 {
            let block = encode_block(self.kind, self.records, &self.payload);
            self.out.write_all(&block)?;
            self.records = 0;
            self.payload.clear();
        }
        self.out.flush()?;
        Ok(&mut self.out)
    }
}

/// The content of a file that is continued.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Existing {
    /// The plan as JSON; `None` in a new file.
    pub plan: Option<String>,
    /// Number of games, including those of which only loose positions are stored.
    pub games: u64,
    /// The numbers of the games within their run, in ascending order.
    pub numbers: Vec<u32>,
    /// The seeds of the games.
    pub seeds: BTreeSet<u64>,
    /// Number of positions with a score, without loose samples.
    pub scored: u64,
    pub damage: FileDamage,
}

/// An existing or new file, which is locked and not yet changed.
#[derive(Debug)]
pub struct OpenedFile {
    file: File,
    /// File offset where the next block is written: after the last valid block, or 0 if the file has no header.
    end: u64,
}

impl OpenedFile {
    /// Opens a file to continue it, or creates it, and reads its content. Locks the file, so that no other process
    /// writes it.
    ///
    /// # Errors
    /// The file is not a game file or not a regular file, another process is writing it, or it cannot be read or
    /// written.
    pub fn open(path: &Path) -> Result<(Self, Existing), AppendError> {
        require_regular(path)?;
        let mut file = open_or_create(path)?;
        lock(&file)?;
        let mut existing = Existing::default();
        if is_torn_beginning(&mut file)? {
            return Ok((Self { file, end: 0 }, existing));
        }
        let mut reader = GameReader::new(&file)?;
        while let Some(record) = reader.next_record()? {
            existing.games += 1;
            if let Record::Game(game) = &record {
                existing.numbers.push(game.number);
                existing.seeds.insert(game.seed);
                existing.scored += record.scored_positions() as u64;
            }
        }
        existing.numbers.sort_unstable();
        existing.plan = reader.plan().map(str::to_owned);
        existing.damage = reader.damage();
        let end = reader.valid_bytes();
        Ok((Self { file, end }, existing))
    }

    /// Removes everything after the last valid block: an incomplete block, or damage. Then continues the file.
    pub fn writer(mut self) -> io::Result<GameWriter<File>> {
        self.file.set_len(self.end)?;
        self.file.seek(SeekFrom::Start(self.end))?;
        match self.end {
            0 => GameWriter::new(self.file),
            _ => Ok(GameWriter::append(self.file)),
        }
    }
}

/// Whether the file is empty or ends within the magic number.
fn is_torn_beginning(file: &mut File) -> io::Result<bool> {
    let mut head = Vec::new();
    file.take(MAGIC.len() as u64).read_to_end(&mut head)?;
    file.rewind()?;
    Ok(head.len() < MAGIC.len() && MAGIC.starts_with(&head))
}

/// Locks the file against writing by other processes until it is closed. On Windows it locks it against reading too.
fn lock(file: &File) -> Result<(), AppendError> {
    fs4::FileExt::try_lock(file).map_err(|error| match error {
        fs4::TryLockError::WouldBlock => AppendError::Locked,
        fs4::TryLockError::Error(error) => AppendError::Io(error),
    })
}
