//! Reads a journal.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use super::format::{JournalContent, JournalEntry, JournalError, JournalHeader, VERSION, Version};
use crate::text::{BoundedLine, read_bounded_line};
use crate::tournament::Tournament;
use crate::tournament::record::{GameRecord, GameSummary};
use crate::tournament::schedule::Schedule;

/// The first bytes of every journal.
const BEGINNING: &[u8] = b"{\"chuhe_match\":";
/// Maximum length of a line in bytes, enough for a game of some hundred thousand plies.
const MAX_LINE: usize = 64 << 20;

/// A journal that was read.
pub struct ReadJournal {
    pub header: JournalHeader,
    pub content: JournalContent,
    /// Entries of void games, which a repaired journal keeps.
    pub voids: Vec<JournalEntry>,
    /// Number of the first damaged line, and its error.
    pub damage: Option<(usize, String)>,
    /// End of the last complete line, in bytes.
    pub end: u64,
}

/// Whether a file starts like a journal.
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

/// The process that opened the journal last.
pub fn last_process(mut file: &File) -> Option<u32> {
    file.seek(SeekFrom::Start(0)).ok()?;
    let mut source = BufReader::new(file);
    let mut last = None;
    let mut line = Vec::new();
    while let Ok(BoundedLine::Whole) = read_bounded_line(&mut source, MAX_LINE, &mut line) {
        if let Ok(JournalEntry::Run { process, .. }) = serde_json::from_slice(&line) {
            last = Some(process);
        }
    }
    last
}

/// Reads the complete lines of a journal: its header, which must agree with `ours`, and its entries.
pub fn read(
    mut file: &File,
    ours: &JournalHeader,
    tournament: &Tournament,
) -> Result<ReadJournal, JournalError> {
    file.seek(SeekFrom::Start(0))?;
    let mut source = BufReader::with_capacity(1 << 16, file);
    let mut line = Vec::new();
    let FirstLine {
        header,
        length: mut end,
        damage: header_damage,
    } = read_header(&mut source, &mut line)?;
    if let Some(difference) = header.difference(ours) {
        return Err(JournalError::Other(difference));
    }
    let mut accepted = AcceptedEntries {
        schedule: tournament.schedule(),
        numbers: HashSet::new(),
        games: Vec::new(),
        voids: Vec::new(),
    };
    let mut content = JournalContent {
        damaged_lines: usize::from(header_damage.is_some()),
        ..JournalContent::default()
    };
    let mut damage = header_damage.map(|reason| (1, reason));
    for number in 2.. {
        let entry = match read_bounded_line(&mut source, MAX_LINE, &mut line)? {
            BoundedLine::End => break,
            BoundedLine::Unended(_) => {
                content.has_incomplete_line = true;
                break;
            }
            BoundedLine::TooLong(length) => {
                end += length + 1;
                Err("the line is too long".to_owned())
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
        header,
        content,
        voids: accepted.voids,
        damage,
        end,
    })
}

/// The entries that were read so far.
struct AcceptedEntries {
    schedule: Schedule,
    /// Indexes of the games.
    numbers: HashSet<u64>,
    /// The accepted games, on whose results later pairings may depend.
    games: Vec<GameSummary>,
    voids: Vec<JournalEntry>,
}

impl AcceptedEntries {
    /// Adds an entry, and returns its game if the schedule has it. Duplicate games and games with other players than
    /// in the schedule are errors.
    fn add(&mut self, entry: JournalEntry) -> Result<Option<GameRecord>, String> {
        match entry {
            JournalEntry::Game(game) if !self.numbers.insert(game.number) => {
                Err(format!("game {} is a duplicate", game.number + 1))
            }
            // Skips games that the schedule does not have: the number of rounds was reduced, or the pairing depends on
            // the result of a game that is missing, for example because its line is damaged.
            JournalEntry::Game(game) => {
                if game.number >= self.schedule.known_games() {
                    self.schedule.advance(&self.games);
                }
                match self.schedule.fixture(game.number) {
                    Some(fixture) if fixture.players != game.players => {
                        Err(format!("game {} has the wrong players", game.number + 1))
                    }
                    Some(_) => {
                        self.games.push(GameSummary::from(&game));
                        Ok(Some(game))
                    }
                    None => Ok(None),
                }
            }
            void @ JournalEntry::Void { .. } => {
                self.voids.push(void);
                Ok(None)
            }
            JournalEntry::Run { .. } => Ok(None),
        }
    }
}

/// The first line.
struct FirstLine {
    header: JournalHeader,
    /// Its length in bytes, including the newline.
    length: u64,
    /// Why it is damaged; the header is then the copy in a later line.
    damage: Option<String>,
}

/// Reads the header from the first line, or if that is damaged from its last copy.
fn read_header(
    source: &mut BufReader<&File>,
    line: &mut Vec<u8>,
) -> Result<FirstLine, JournalError> {
    let beginning = io::BufRead::fill_buf(source)?;
    let common = beginning.len().min(BEGINNING.len());
    let begins_well = beginning[..common] == BEGINNING[..common];
    let (length, reason) = match read_bounded_line(source, MAX_LINE, line)? {
        BoundedLine::End | BoundedLine::Unended(_) if begins_well => {
            return Err(JournalError::IncompleteHeader);
        }
        BoundedLine::End | BoundedLine::Unended(_) => return Err(JournalError::NotAJournal),
        BoundedLine::TooLong(length) => (length + 1, "the line is too long".to_owned()),
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
                Ok(header) => {
                    return Ok(FirstLine {
                        header,
                        length,
                        damage: None,
                    });
                }
                Err(error) => (length, error.to_string()),
            }
        }
    };
    let (copy, safe) = header_copy(source, line)?;
    source.seek(SeekFrom::Start(length))?;
    match copy {
        Some(header) => Ok(FirstLine {
            header,
            length,
            damage: Some(reason),
        }),
        None if begins_well || safe > 0 => Err(JournalError::Header { reason, safe }),
        None => Err(JournalError::NotAJournal),
    }
}

/// The last copy of the header in the remaining lines, and the number of games in them.
fn header_copy(
    source: &mut BufReader<&File>,
    line: &mut Vec<u8>,
) -> io::Result<(Option<JournalHeader>, u64)> {
    let (mut found, mut games) = (None, 0);
    loop {
        match read_bounded_line(source, MAX_LINE, line)? {
            BoundedLine::End | BoundedLine::Unended(_) => return Ok((found, games)),
            BoundedLine::TooLong(_) => {}
            BoundedLine::Whole => match serde_json::from_slice(line) {
                Ok(JournalEntry::Run {
                    header: Some(header),
                    ..
                }) if header.chuhe_match == VERSION => found = Some(*header),
                Ok(JournalEntry::Game(_)) => games += 1,
                _ => {}
            },
        }
    }
}
