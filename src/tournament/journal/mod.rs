//! The file by which an interrupted or killed tournament goes on.
//!
//! It holds JSON lines: a [`JournalHeader`] that describes the tournament, then a [`JournalEntry`] for
//! each run of the program, which repeats the first line, each game, and each game that was declared void. Whoever writes it holds an
//! advisory lock on it, which the system releases when the process ends. Each game is on the disk before
//! anything else is written of it, so that the journal is never behind a PGN.

mod entry;
mod error;
mod head;
mod reading;

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::plan::Tournament;
use super::record::GameRecord;
use crate::text::Replacement;
pub use entry::JournalContent;
use entry::JournalEntry;
pub use error::JournalError;
use head::JournalHeader;
pub use reading::is_journal;
use reading::{ReadJournal, last_process, read};

/// The games of a tournament on disk.
#[derive(Debug)]
pub struct Journal {
    file: File,
    head: JournalHeader,
}

/// What to do about lines that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// Nothing is done with a damaged journal.
    Refuse,
    /// They are left out, and a copy of the damaged file is kept.
    Repair,
}

impl Journal {
    /// Opens the journal of a tournament, or begins it if there is no such file or an empty one, and
    /// returns what it holds. `pgn` is the file that the games also go to, with its length now.
    ///
    /// A last line without its end, which a killed run may leave, is dropped.
    ///
    /// # Errors
    /// The file cannot be read or written, is no journal, is that of another tournament, is used by
    /// another process, or is damaged and not to be repaired; what it holds then stays as it is.
    pub fn open(
        path: &Path,
        tournament: &Tournament,
        pgn: Option<(String, u64)>,
        damage: Damage,
    ) -> Result<(Self, JournalContent), JournalError> {
        let mut file = open_locked(path)?;
        let ours = JournalHeader::new(tournament, pgn);
        if file.metadata()?.len() == 0 {
            write_line(&mut file, &ours)?;
            let journal = Self { file, head: ours };
            return Ok((journal.begin()?, JournalContent::default()));
        }
        let read = read(&file, &ours, tournament)?;
        match read.damage {
            Some((line, reason)) if damage == Damage::Refuse => {
                let safe = read.content.games.len();
                return Err(JournalError::Damaged { line, reason, safe });
            }
            Some(_) => file = rewrite(path, &read)?,
            // Only now is it known whose file this is.
            None => file.set_len(read.end)?,
        }
        file.seek(SeekFrom::End(0))?;
        let journal = Self {
            file,
            head: read.head,
        };
        Ok((journal.begin()?, read.content))
    }

    fn begin(mut self) -> io::Result<Self> {
        let process = std::process::id();
        let head = Some(Box::new(self.head.clone()));
        self.write(&JournalEntry::Run { process, head })?;
        Ok(self)
    }

    /// Adds a game and has it written to the disk.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add(&mut self, game: &GameRecord) -> io::Result<()> {
        self.write(&JournalEntry::Game(game.clone()))
    }

    /// Notes that a game was declared void.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add_void(&mut self, number: u64, detail: &str) -> io::Result<()> {
        let detail = detail.to_owned();
        self.write(&JournalEntry::Void { number, detail })
    }

    fn write(&mut self, entry: &JournalEntry) -> io::Result<()> {
        write_line(&mut self.file, entry)?;
        self.file.sync_data()
    }

    /// How long the PGN file was before the tournament began, in bytes.
    pub fn pgn_length(&self) -> u64 {
        self.head.pgn.as_ref().map_or(0, |pgn| pgn.length)
    }

    /// A number that no other tournament has.
    pub fn id(&self) -> &str {
        &self.head.id
    }
}

/// Opens or creates the file for this process alone.
fn open_locked(path: &Path) -> Result<File, JournalError> {
    if std::fs::metadata(path).is_ok_and(|data| !data.is_file()) {
        return Err(JournalError::Irregular);
    }
    let file = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)?;
    match fs4::FileExt::try_lock(&file) {
        Ok(()) => Ok(file),
        Err(fs4::TryLockError::WouldBlock) => Err(JournalError::Locked(last_process(&file))),
        Err(fs4::TryLockError::Error(error)) => Err(error.into()),
    }
}

fn write_line(file: &mut File, value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    file.write_all(&line)
}

/// Replaces a damaged journal by what can be read of it, and keeps it beside.
fn rewrite(path: &Path, read: &ReadJournal) -> Result<File, JournalError> {
    let mut copy = new_file_beside(path)?;
    io::copy(&mut File::open(path)?, &mut copy)?;
    copy.sync_all()?;
    let mut whole = Replacement::beside(path)?;
    write_line(whole.as_file_mut(), &read.head)?;
    for void in &read.voids {
        write_line(whole.as_file_mut(), void)?;
    }
    for game in &read.content.games {
        write_line(whole.as_file_mut(), &JournalEntry::Game(game.clone()))?;
    }
    whole.commit()?;
    open_locked(path)
}

/// A new file for a damaged journal: its name with `.damaged` behind it, and a number from the second on.
fn new_file_beside(path: &Path) -> io::Result<File> {
    for number in 1.. {
        let mut name = path.as_os_str().to_owned();
        name.push(match number {
            1 => ".damaged".to_owned(),
            _ => format!(".damaged.{number}"),
        });
        let name = PathBuf::from(name);
        match File::create_new(&name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => {
                let why = format!("{}: {error}", name.display());
                return Err(io::Error::new(error.kind(), why));
            }
            Ok(file) => return Ok(file),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

#[cfg(test)]
mod tests;
