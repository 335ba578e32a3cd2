//! Reads a journal.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufReader, Seek, SeekFrom};
use std::path::Path;

use super::format::{JournalContent, JournalEntry, JournalError, JournalHeader, VERSION, Version};
use crate::notation::Line;
use crate::notation::fen::parse_position;
use crate::rules::Game;
use crate::text::{BoundedLine, first_bytes, read_bounded_line};
use crate::tournament::Tournament;
use crate::tournament::record::{GameRecord, GameSummary};
use crate::tournament::schedule::Schedule;

/// The first bytes of every journal.
const BEGINNING: &[u8] = b"{\"chuhe_match\":";
/// Maximum length of a line in bytes, enough for a game of some hundred thousand plies.
const MAX_LINE: usize = 64 << 20;
const TOO_LONG: &str = "the line is too long";

pub struct ReadJournal {
    pub header: JournalHeader,
    pub content: JournalContent,
    /// Entries that a repaired journal keeps in addition to the games: void games, and games after the last round.
    pub others: Vec<JournalEntry>,
    /// Number of the first damaged line, and its error.
    pub damage: Option<(usize, String)>,
    /// End of the last complete line, in bytes.
    pub end: u64,
}

/// Whether a file starts like a journal.
pub fn is_journal(path: &Path) -> bool {
    first_bytes(path, BEGINNING.len()) == BEGINNING
}

/// The id of the process that opened the journal last. Lines after an overlong or incomplete line are not read.
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

/// Whether the lines after the header are complete, and only name the processes that opened the journal.
pub fn has_only_runs(mut file: &File) -> io::Result<bool> {
    file.seek(SeekFrom::Start(0))?;
    let mut source = BufReader::new(file);
    let mut line = Vec::new();
    read_bounded_line(&mut source, MAX_LINE, &mut line)?;
    let later = read_later_lines(&mut source, &mut line)?;
    let mut entries = later.entries.iter().map(|(_, entry)| entry);
    Ok(!later.has_incomplete_line
        && entries.all(|entry| matches!(entry, Ok(JournalEntry::Run { .. }))))
}

/// Reads the complete lines of a journal: its header, which must agree with `ours`, and its entries.
pub fn read(
    mut file: &File,
    ours: &JournalHeader,
    tournament: &Tournament,
) -> Result<ReadJournal, JournalError> {
    file.seek(SeekFrom::Start(0))?;
    let mut source = BufReader::with_capacity(1 << 16, file);
    let beginning = io::BufRead::fill_buf(&mut source)?;
    let common = beginning.len().min(BEGINNING.len());
    let has_journal_start = beginning[..common] == BEGINNING[..common];
    let mut line = Vec::new();
    let (header, length) = match read_bounded_line(&mut source, MAX_LINE, &mut line)? {
        BoundedLine::End | BoundedLine::Unterminated(_) if has_journal_start => {
            return Err(JournalError::Unusable(
                "the first line is incomplete: the match was stopped before its first game; remove the file"
                    .to_owned(),
            ));
        }
        BoundedLine::End | BoundedLine::Unterminated(_) => return Err(not_a_journal()),
        BoundedLine::TooLong(length) => (Err(TOO_LONG.to_owned()), length + 1),
        BoundedLine::Whole => (read_header(&line)?, line.len() as u64 + 1),
    };
    let require_ours = |header: &JournalHeader| header.difference(ours).map_or(Ok(()), Err);
    // Checked before the other lines are read, which may be many.
    header.as_ref().map_or(Ok(()), require_ours)?;
    let mut later = read_later_lines(&mut source, &mut line)?;
    let (header, header_damage) = match header {
        Ok(header) => (header, None),
        Err(reason) => {
            let copy = later.header_copy(&reason, has_journal_start)?;
            require_ours(&copy)?;
            (copy, Some(reason))
        }
    };
    // A game that was replayed after a repair may follow games that depend on it.
    later.entries.sort_by_key(|(_, entry)| match entry {
        Ok(JournalEntry::Game(game)) => game.number,
        _ => 0,
    });
    let mut accepted = AcceptedEntries {
        schedule: tournament.schedule(),
        numbers: HashSet::new(),
        games: Vec::new(),
        voids: 0,
        others: Vec::new(),
    };
    let mut games = Vec::new();
    let mut damage = Vec::from_iter(header_damage.map(|reason| (1, reason)));
    for (number, entry) in later.entries {
        match entry.and_then(|entry| accepted.add(entry)) {
            Ok(game) => games.extend(game),
            Err(reason) => damage.push((number, reason)),
        }
    }
    Ok(ReadJournal {
        header,
        content: JournalContent {
            games,
            voids: accepted.voids,
            has_incomplete_line: later.has_incomplete_line,
            damaged_lines: damage.len(),
        },
        others: accepted.others,
        damage: damage.into_iter().min(),
        end: length + later.length,
    })
}

fn not_a_journal() -> JournalError {
    JournalError::Unusable("the file is not a match journal".to_owned())
}

/// Reads the header from the first line. The inner error is the damage of the line.
fn read_header(line: &[u8]) -> Result<Result<JournalHeader, String>, JournalError> {
    let header = match serde_json::from_slice::<Version>(line) {
        Ok(Version { chuhe_match: version }) if version != VERSION => {
            return Err(JournalError::Unusable(format!(
                "the journal has version {version}, but this program reads version {VERSION}: finish that \
                 tournament with the program that started it, or use another file"
            )));
        }
        Ok(_) => serde_json::from_slice(line),
        Err(error) => Err(error),
    };
    Ok(header.map_err(|error| reason(&error)))
}

/// An error in a line. Only the column is given, because the number of the line is always 1.
fn reason(error: &serde_json::Error) -> String {
    error.to_string().replacen(" at line 1 column ", " at column ", 1)
}

/// The complete lines after the first one.
struct LaterLines {
    /// The numbers of the lines, from 2, with their entries or errors.
    entries: Vec<(usize, Result<JournalEntry, String>)>,
    /// The total length in bytes.
    length: u64,
    /// Whether an incomplete line follows.
    has_incomplete_line: bool,
}

impl LaterLines {
    /// The last copy of the header. `reason` is the damage of the first line.
    fn header_copy(
        &self,
        reason: &str,
        has_journal_start: bool,
    ) -> Result<JournalHeader, JournalError> {
        let (mut found, mut readable) = (None, 0);
        for (_, entry) in &self.entries {
            match entry {
                Ok(JournalEntry::Run { header: Some(header), .. })
                    if header.chuhe_match == VERSION =>
                {
                    found = Some(header)
                }
                Ok(JournalEntry::Game(_)) => readable += 1,
                _ => {}
            }
        }
        match found {
            Some(header) => Ok((**header).clone()),
            None if has_journal_start || readable > 0 => Err(JournalError::Unusable(format!(
                "line 1: {reason}; no other line has a copy of the header, so the readable games ({readable}) \
                 cannot be used"
            ))),
            None => Err(not_a_journal()),
        }
    }
}

fn read_later_lines(source: &mut BufReader<&File>, line: &mut Vec<u8>) -> io::Result<LaterLines> {
    let mut lines = LaterLines { entries: Vec::new(), length: 0, has_incomplete_line: false };
    for number in 2.. {
        let entry = match read_bounded_line(source, MAX_LINE, line)? {
            BoundedLine::End => break,
            BoundedLine::Unterminated(_) => {
                lines.has_incomplete_line = true;
                break;
            }
            BoundedLine::TooLong(length) => {
                lines.length += length + 1;
                Err(TOO_LONG.to_owned())
            }
            BoundedLine::Whole => {
                lines.length += line.len() as u64 + 1;
                serde_json::from_slice(line).map_err(|error| reason(&error))
            }
        };
        lines.entries.push((number, entry));
    }
    Ok(lines)
}

/// The valid entries so far.
struct AcceptedEntries {
    schedule: Schedule,
    /// Numbers of the games, from 0.
    numbers: HashSet<u64>,
    /// The accepted games in the order of the schedule, on whose results later pairings may depend.
    games: Vec<GameSummary>,
    voids: u64,
    others: Vec<JournalEntry>,
}

impl AcceptedEntries {
    /// Adds an entry, and returns its game if the schedule has it. Duplicate games, games with illegal moves or other
    /// players than in the schedule, and games whose players depend on missing games are errors.
    fn add(&mut self, entry: JournalEntry) -> Result<Option<GameRecord>, String> {
        match entry {
            JournalEntry::Game(game) if self.numbers.contains(&game.number) => {
                Err(format!("game {} is a duplicate", game.number + 1))
            }
            JournalEntry::Game(game) if !has_legal_moves(&game) => {
                Err(format!("game {} has an invalid position or an illegal move", game.number + 1))
            }
            JournalEntry::Game(game) => {
                let number = game.number;
                // If the players are not known yet, adds the pairings that follow from the results so far.
                while number >= self.schedule.known_games() && self.schedule.advance(&self.games) {}
                match self.schedule.game(number) {
                    Some(scheduled) if scheduled.players != game.players => {
                        Err(format!("game {} has the wrong players", number + 1))
                    }
                    None if number < self.schedule.total_games() => {
                        Err(format!("game {} depends on missing games", number + 1))
                    }
                    scheduled => {
                        self.numbers.insert(number);
                        if scheduled.is_some() {
                            self.games.push(GameSummary::from(&game));
                            return Ok(Some(game));
                        }
                        // If the number of rounds was reduced, later games do not count.
                        self.others.push(JournalEntry::Game(game));
                        Ok(None)
                    }
                }
            }
            void @ JournalEntry::Void { .. } => {
                self.voids += 1;
                self.others.push(void);
                Ok(None)
            }
            JournalEntry::Run { .. } => Ok(None),
        }
    }
}

/// Whether the first position is valid and all moves are legal.
fn has_legal_moves(record: &GameRecord) -> bool {
    let moves = record.moves.iter().map(|m| m.played).collect();
    parse_position(&record.start).is_ok_and(|start| Game::try_from(Line { start, moves }).is_ok())
}
