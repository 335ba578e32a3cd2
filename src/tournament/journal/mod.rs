//! The journal: the file from which an interrupted or killed tournament is resumed.
//!
//! The file consists of JSON lines. The first is a [`JournalHeader`] with the settings of the tournament. A
//! [`JournalEntry`] follows for each run of the program (with a copy of the header), each game and each void game.
//! The writing process holds an advisory lock, which the system releases when the process ends. A game is synced to
//! the disk before it is written anywhere else. Therefore the journal has every game of the PGN file, unless the disk
//! loses synced data.

mod format;
mod reading;

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::Tournament;
use super::record::GameRecord;
use crate::text::{Replacement, open_or_create, require_regular};
pub use format::{JournalContent, JournalError};
use format::{JournalEntry, JournalHeader};
pub use reading::is_journal;
use reading::{ReadJournal, has_only_runs, last_process, read};

#[derive(Debug)]
pub struct Journal {
    file: File,
    header: JournalHeader,
}

/// How to treat damaged lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnDamage {
    /// Return an error and leave the file unchanged.
    Refuse,
    /// Skip them, and keep a copy of the damaged file.
    Repair,
}

impl Journal {
    /// Opens the journal of a tournament and returns its content, or creates it if the file does not exist or is
    /// empty. A journal of another tournament that ended before its first game, for example because an engine did not
    /// start, is replaced. `pgn` is the path of the PGN file and its current length.
    ///
    /// Drops an incomplete last line, which a killed run may leave.
    ///
    /// # Errors
    /// The file is not a regular file or not a journal, belongs to another tournament, has another version or no
    /// readable header, is locked by another process, or is damaged and `on_damage` is [`OnDamage::Refuse`]. In
    /// these cases it is unchanged. Reading or writing may also fail.
    pub fn open(
        path: &Path,
        tournament: &Tournament,
        pgn: Option<(String, u64)>,
        on_damage: OnDamage,
    ) -> Result<(Self, JournalContent), JournalError> {
        let mut file = open_locked(path)?;
        let ours = JournalHeader::new(tournament, pgn, path);
        if file.metadata()?.len() == 0 {
            return Self::begin(file, ours);
        }
        let read = match read(&file, &ours, tournament) {
            Err(JournalError::OtherTournament(_)) if has_only_runs(&file)? => {
                file.set_len(0)?;
                file.rewind()?;
                return Self::begin(file, ours);
            }
            read => read?,
        };
        match read.damage {
            Some((line, reason)) if on_damage == OnDamage::Refuse => {
                let readable = read.content.games.len();
                return Err(JournalError::Unusable(format!(
                    "line {line}: {reason}; readable games: {readable}; --repair continues from them and keeps a \
                     copy of the damaged file"
                )));
            }
            Some(_) => file = rewrite(path, file, &read)?,
            // Drops an incomplete last line, now that the header is checked.
            None => file.set_len(read.end)?,
        }
        file.seek(SeekFrom::End(0))?;
        let journal = Self { file, header: read.header };
        Ok((journal.add_run()?, read.content))
    }

    /// Writes the first lines of an empty journal.
    fn begin(
        mut file: File,
        header: JournalHeader,
    ) -> Result<(Self, JournalContent), JournalError> {
        write_line(&mut file, &header)?;
        let journal = Self { file, header };
        Ok((journal.add_run()?, JournalContent::default()))
    }

    fn add_run(mut self) -> io::Result<Self> {
        let process = std::process::id();
        let header = Some(Box::new(self.header.clone()));
        self.write(&JournalEntry::Run { process, header })?;
        Ok(self)
    }

    /// Adds a game and syncs the file to the disk.
    pub fn add(&mut self, game: &GameRecord) -> io::Result<()> {
        self.write(&JournalEntry::Game(game.clone()))
    }

    pub fn add_void(&mut self, number: u64, detail: &str) -> io::Result<()> {
        let detail = detail.to_owned();
        self.write(&JournalEntry::Void { number, detail })
    }

    fn write(&mut self, entry: &JournalEntry) -> io::Result<()> {
        write_line(&mut self.file, entry)?;
        self.file.sync_data()
    }

    /// Length of the PGN file at the start of the tournament, in bytes.
    pub fn pgn_length(&self) -> u64 {
        self.header.pgn.as_ref().map_or(0, |pgn| pgn.length)
    }

    pub fn id(&self) -> &str {
        &self.header.id
    }
}

/// Opens or creates the file and locks it.
fn open_locked(path: &Path) -> Result<File, JournalError> {
    let irregular = |_| JournalError::Unusable("the journal must be a regular file".to_owned());
    require_regular(path).map_err(irregular)?;
    let file = open_or_create(path)?;
    match fs4::FileExt::try_lock(&file) {
        Ok(()) => Ok(file),
        Err(fs4::TryLockError::WouldBlock) => {
            let owner = last_process(&file).map(|process| format!("process {process}"));
            let owner = owner.as_deref().unwrap_or("another process");
            Err(JournalError::Unusable(format!("{owner} is playing this tournament")))
        }
        Err(fs4::TryLockError::Error(error)) => Err(error.into()),
    }
}

fn write_line(file: &mut File, value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    file.write_all(&line)
}

/// Copies a damaged journal to a new file, and replaces the journal with its readable part.
fn rewrite(path: &Path, mut file: File, read: &ReadJournal) -> Result<File, JournalError> {
    let mut copy = new_file_beside(path)?;
    file.seek(SeekFrom::Start(0))?;
    io::copy(&mut file, &mut copy)?;
    copy.sync_all()?;
    let mut repaired = Replacement::beside(path)?;
    write_line(repaired.file.as_file_mut(), &read.header)?;
    for game in &read.content.games {
        write_line(repaired.file.as_file_mut(), &JournalEntry::Game(game.clone()))?;
    }
    for other in &read.others {
        write_line(repaired.file.as_file_mut(), other)?;
    }
    // Windows does not replace a file that is open.
    #[cfg(windows)]
    drop(file);
    repaired.commit(true)?;
    open_locked(path)
}

/// Creates the file for the copy of a damaged journal: `NAME.damaged`, `NAME.damaged.2` and so on.
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
