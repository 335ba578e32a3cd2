//! Reads what a journal holds.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use super::entry::{JournalContent, JournalEntry};
use super::error::JournalError;
use super::head::{JournalHeader, VERSION, Version};
use crate::text::{BoundedLine, read_bounded_line};
use crate::tournament::plan::Tournament;
use crate::tournament::record::GameRecord;
use crate::tournament::schedule::Schedule;

/// How every journal begins.
const BEGINNING: &[u8] = b"{\"chuhe_match\":";
/// No line is longer, in bytes: that of a game of some hundred thousand plies.
const LONGEST_LINE: usize = 64 << 20;

/// What has been read of a file.
pub(super) struct ReadJournal {
    pub(super) head: JournalHeader,
    pub(super) content: JournalContent,
    /// Notes of void games, which a repaired journal keeps.
    pub(super) voids: Vec<JournalEntry>,
    /// The first damaged line and what is wrong with it.
    pub(super) damage: Option<(usize, String)>,
    /// Where the last whole line ends, in bytes.
    pub(super) end: u64,
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

/// The process that has opened the journal last.
pub(super) fn last_process(mut file: &File) -> Option<u32> {
    file.seek(SeekFrom::Start(0)).ok()?;
    let mut source = BufReader::new(file);
    let mut last = None;
    let mut line = Vec::new();
    while let Ok(BoundedLine::Whole) = read_bounded_line(&mut source, LONGEST_LINE, &mut line) {
        if let Ok(JournalEntry::Run { process, .. }) = serde_json::from_slice(&line) {
            last = Some(process);
        }
    }
    last
}

/// Reads the whole lines of a journal: its head, which has to fit `ours`, and the entries.
pub(super) fn read(
    mut file: &File,
    ours: &JournalHeader,
    tournament: &Tournament,
) -> Result<ReadJournal, JournalError> {
    file.seek(SeekFrom::Start(0))?;
    let mut source = BufReader::with_capacity(1 << 16, file);
    let mut line = Vec::new();
    let FirstLine {
        head,
        length: mut end,
        damage: head_damage,
    } = read_head(&mut source, &mut line)?;
    if let Some(difference) = head.difference(ours) {
        return Err(JournalError::Other(difference));
    }
    let mut accepted = AcceptedEntries {
        schedule: tournament.schedule(),
        numbers: HashSet::new(),
        voids: Vec::new(),
    };
    let mut content = JournalContent {
        damaged_lines: usize::from(head_damage.is_some()),
        ..JournalContent::default()
    };
    let mut damage = head_damage.map(|reason| (1, reason));
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

/// What the first line says.
struct FirstLine {
    head: JournalHeader,
    /// Its length in bytes, with its end.
    length: u64,
    /// Why it cannot be read; the head is then that of a later line.
    damage: Option<String>,
}

/// Reads the first line. Where it is damaged, the runs of the program have repeated it.
fn read_head(source: &mut BufReader<&File>, line: &mut Vec<u8>) -> Result<FirstLine, JournalError> {
    let beginning = io::BufRead::fill_buf(source)?;
    let common = beginning.len().min(BEGINNING.len());
    let begins_well = beginning[..common] == BEGINNING[..common];
    let (length, reason) = match read_bounded_line(source, LONGEST_LINE, line)? {
        BoundedLine::End | BoundedLine::Unended(_) if begins_well => {
            return Err(JournalError::Headless);
        }
        BoundedLine::End | BoundedLine::Unended(_) => return Err(JournalError::Foreign),
        BoundedLine::TooLong(length) => (length + 1, "it is too long".to_owned()),
        BoundedLine::Whole => {
            let length = line.len() as u64 + 1;
            let read = match serde_json::from_slice::<Version>(line) {
                Ok(version) if version.chuhe_match != VERSION => {
                    return Err(JournalError::Version(version.chuhe_match));
                }
                Ok(_) => serde_json::from_slice(line),
                Err(error) => Err(error),
            };
            match read {
                Ok(head) => {
                    return Ok(FirstLine {
                        head,
                        length,
                        damage: None,
                    });
                }
                Err(error) => (length, error.to_string()),
            }
        }
    };
    let (repeated, safe) = repeated_head(source, line)?;
    // Whoever has got here has read to the end.
    source.seek(SeekFrom::Start(length))?;
    match repeated {
        Some(head) => Ok(FirstLine {
            head,
            length,
            damage: Some(reason),
        }),
        None if begins_well || safe > 0 => Err(JournalError::Head { reason, safe }),
        None => Err(JournalError::Foreign),
    }
}

/// The last head that a later line repeats, and the number of games in those lines.
fn repeated_head(
    source: &mut BufReader<&File>,
    line: &mut Vec<u8>,
) -> io::Result<(Option<JournalHeader>, u64)> {
    let (mut found, mut games) = (None, 0);
    loop {
        match read_bounded_line(source, LONGEST_LINE, line)? {
            BoundedLine::End | BoundedLine::Unended(_) => return Ok((found, games)),
            BoundedLine::TooLong(_) => {}
            BoundedLine::Whole => match serde_json::from_slice(line) {
                Ok(JournalEntry::Run {
                    head: Some(head), ..
                }) if head.chuhe_match == VERSION => found = Some(*head),
                Ok(JournalEntry::Game(_)) => games += 1,
                _ => {}
            },
        }
    }
}
