//! The file by which an interrupted or killed tournament goes on.
//!
//! It holds JSON lines: a [`JournalHeader`] that describes the tournament, then a [`JournalEntry`] for
//! each run of the program, each game, and each game that was declared void. Whoever writes it holds an
//! advisory lock on it, which the system releases when the process ends. Each game is on the disk before
//! anything else is written of it, so that the journal is never behind a PGN.

mod head;

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::plan::Tournament;
use super::record::GameRecord;
use super::schedule::Schedule;
use crate::text::{BoundedLine, Replacement, read_bounded_line};
use head::{JournalHeader, VERSION, Version};

/// How every journal begins.
const BEGINNING: &[u8] = b"{\"chuhe_match\":";
/// No line is longer, in bytes: that of a game of some hundred thousand plies.
const LONGEST_LINE: usize = 64 << 20;

/// The games of a tournament on disk.
#[derive(Debug)]
pub struct Journal {
    file: File,
    head: JournalHeader,
}

/// What a journal holds when it is opened.
#[derive(Debug, Default)]
pub struct JournalContent {
    /// The games that belong to the tournament.
    pub games: Vec<GameRecord>,
    /// How many games were declared void and played again.
    pub voids: u64,
    /// Whether a last line without its end was dropped.
    pub has_torn_line: bool,
    /// How many lines could not be read and were left out.
    pub damaged_lines: usize,
}

/// A line behind the first.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum JournalEntry {
    /// The program has opened the journal.
    Run { process: u32 },
    /// A game has ended.
    Game(GameRecord),
    /// A game has been declared void and will be played again.
    Void { number: u64, detail: String },
}

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file cannot be read or written.
    #[error(transparent)]
    File(#[from] io::Error),
    /// It is a directory, a device, a pipe.
    #[error("a journal is a regular file, and this is none")]
    Irregular,
    /// Another process plays this tournament.
    #[error("{} plays this tournament at the moment", owner(*.0))]
    Locked(Option<u32>),
    /// It begins otherwise.
    #[error("it is no journal of a tournament")]
    Foreign,
    /// It has no whole line.
    #[error(
        "its first line has no end: it was cut short before its first game, and you may remove it"
    )]
    Headless,
    /// Another version of the program has written it.
    #[error(
        "it has form {0}, and this version of the program reads form {VERSION}: finish that \
         tournament with the version that began it, or name another file"
    )]
    Version(u32),
    /// The first line cannot be read.
    #[error("line 1: {0}")]
    Head(serde_json::Error),
    /// It belongs to another tournament.
    #[error("it belongs to another tournament: the {0} are not the same")]
    Other(&'static str),
    /// A line is no entry, or that of a game that is there twice or does not belong there.
    #[error(
        "line {line}: {reason}; {safe} games can be read, and --repair goes on from them (the \
         damaged file is kept beside it)"
    )]
    Damaged {
        /// Which one, from 1.
        line: usize,
        /// Why.
        reason: String,
        /// How many games the other lines hold.
        safe: usize,
    },
}

fn owner(process: Option<u32>) -> String {
    process.map_or("another process".to_owned(), |process| {
        format!("process {process}")
    })
}

/// What to do about lines that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// Nothing is done with a damaged journal.
    Refuse,
    /// They are left out, and a copy of the damaged file is kept.
    Repair,
}

/// What has been read of a file.
struct ReadJournal {
    head: JournalHeader,
    content: JournalContent,
    /// Notes of void games, which a repaired journal keeps.
    voids: Vec<JournalEntry>,
    /// The first damaged line and what is wrong with it.
    damage: Option<(usize, String)>,
    /// Where the last whole line ends, in bytes.
    end: u64,
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
        self.write(&JournalEntry::Run { process })?;
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

/// Whether a file is the journal of a tournament: its first line begins as theirs do.
pub fn is_journal(path: &Path) -> bool {
    let mut beginning = Vec::new();
    std::fs::metadata(path).is_ok_and(|data| data.is_file())
        && File::open(path)
            .and_then(|file| {
                file.take(BEGINNING.len() as u64)
                    .read_to_end(&mut beginning)
            })
            .is_ok()
        && beginning == BEGINNING
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

/// The process that has opened the journal last.
fn last_process(mut file: &File) -> Option<u32> {
    file.seek(SeekFrom::Start(0)).ok()?;
    let mut source = BufReader::new(file);
    let mut last = None;
    let mut line = Vec::new();
    while let Ok(BoundedLine::Whole) = read_bounded_line(&mut source, LONGEST_LINE, &mut line) {
        if let Ok(JournalEntry::Run { process }) = serde_json::from_slice(&line) {
            last = Some(process);
        }
    }
    last
}

fn write_line(file: &mut File, value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    file.write_all(&line)
}

/// Reads the whole lines of a journal: its head, which has to fit `ours`, and the entries.
fn read(
    mut file: &File,
    ours: &JournalHeader,
    tournament: &Tournament,
) -> Result<ReadJournal, JournalError> {
    file.seek(SeekFrom::Start(0))?;
    let mut source = BufReader::with_capacity(1 << 16, file);
    let mut line = Vec::new();
    let (head, mut end) = read_head(&mut source, &mut line)?;
    if let Some(difference) = head.difference(ours) {
        return Err(JournalError::Other(difference));
    }
    let mut accepted = AcceptedEntries {
        schedule: tournament.schedule(),
        numbers: HashSet::new(),
        voids: Vec::new(),
    };
    let mut content = JournalContent::default();
    let mut damage = None;
    for number in 2.. {
        let entry = match read_bounded_line(&mut source, LONGEST_LINE, &mut line)? {
            BoundedLine::End => break,
            BoundedLine::Unended(_) => {
                content.has_torn_line = true;
                break;
            }
            BoundedLine::TooLong(length) => {
                end += length + 1;
                Err("it is too long".to_owned())
            }
            BoundedLine::Whole => {
                end += line.len() as u64 + 1;
                serde_json::from_slice(&line).map_err(|error| error.to_string())
            }
        };
        match entry.and_then(|entry| accepted.add(entry)) {
            Ok(game) => content.games.extend(game),
            Err(reason) => {
                content.damaged_lines += 1;
                damage.get_or_insert((number, reason));
            }
        }
    }
    content.voids = accepted.voids.len() as u64;
    Ok(ReadJournal {
        head,
        content,
        voids: accepted.voids,
        damage,
        end,
    })
}

/// What has been read of the entries of a journal.
struct AcceptedEntries {
    schedule: Schedule,
    /// The numbers of the games so far.
    numbers: HashSet<u64>,
    voids: Vec<JournalEntry>,
}

impl AcceptedEntries {
    /// Takes an entry in, and returns its game if that belongs to the tournament.
    ///
    /// # Errors
    /// The game is there twice or belongs to no pairing.
    fn add(&mut self, entry: JournalEntry) -> Result<Option<GameRecord>, String> {
        match entry {
            JournalEntry::Game(game) if !self.numbers.insert(game.number) => {
                Err(format!("game {} is there twice", game.number + 1))
            }
            // Fewer rounds than before leave games out that have been played.
            JournalEntry::Game(game) => match self.schedule.fixture(game.number) {
                Some(fixture) if fixture.players != game.players => {
                    Err(format!("game {} belongs to no pairing", game.number + 1))
                }
                fixture => Ok(fixture.is_some().then_some(game)),
            },
            void @ JournalEntry::Void { .. } => {
                self.voids.push(void);
                Ok(None)
            }
            JournalEntry::Run { .. } => Ok(None),
        }
    }
}

/// Reads the first line, and returns its length with its end as well.
fn read_head(
    source: &mut BufReader<&File>,
    line: &mut Vec<u8>,
) -> Result<(JournalHeader, u64), JournalError> {
    let beginning = io::BufRead::fill_buf(source)?;
    let common = beginning.len().min(BEGINNING.len());
    if beginning[..common] != BEGINNING[..common] {
        return Err(JournalError::Foreign);
    }
    match read_bounded_line(source, LONGEST_LINE, line)? {
        BoundedLine::Whole => {}
        BoundedLine::TooLong(_) => return Err(JournalError::Foreign),
        BoundedLine::End | BoundedLine::Unended(_) => return Err(JournalError::Headless),
    }
    let version: Version = serde_json::from_slice(line).map_err(JournalError::Head)?;
    if version.chuhe_match != VERSION {
        return Err(JournalError::Version(version.chuhe_match));
    }
    let head = serde_json::from_slice(line).map_err(JournalError::Head)?;
    Ok((head, line.len() as u64 + 1))
}

/// Replaces a damaged journal by what can be read of it, and keeps it beside.
fn rewrite(path: &Path, read: &ReadJournal) -> Result<File, JournalError> {
    let mut kept = path.as_os_str().to_owned();
    kept.push(".damaged");
    let kept = PathBuf::from(kept);
    let mut copy = File::create_new(&kept)
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", kept.display())))?;
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

#[cfg(test)]
mod tests;
