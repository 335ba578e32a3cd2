//! The PGN file of a match, to which other programs may append games as well.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

use crate::board::ByColor;
use crate::notation::MoveStyle;
use crate::notation::pgn::{self, GameResult, tag_line};
use crate::notation::tree::GameTree;
use crate::text::{self, BoundedLine, read_bounded_line};
use crate::tournament::{GameRecord, Journal, MATCH_ID, Tournament, tree_of_record};

/// Maximum number of bytes that are read of a game record; the rest is ignored.
const MAX_RECORD: usize = 64 << 20;

pub struct PgnFile {
    file: File,
    notation: MoveStyle,
    id: Option<String>,
}

/// Opens or creates a file to append to it. If the file is not empty, makes it end with at least `line_feeds` line
/// feeds.
pub fn open_to_append(path: &Path, line_feeds: usize) -> io::Result<File> {
    let mut file = text::open_to_append(File::options().read(true), path)?;
    let begin = file.metadata()?.len().saturating_sub(line_feeds as u64);
    let mut tail = Vec::new();
    file.seek(SeekFrom::Start(begin))?;
    (&mut file).take(line_feeds as u64).read_to_end(&mut tail)?;
    if !tail.is_empty() {
        let present = tail.iter().rev().take_while(|byte| **byte == b'\n').count();
        file.write_all("\n".repeat(line_feeds - present).as_bytes())?;
    }
    Ok(file)
}

/// Appends bytes to a file that was opened to append. If only a part can be written, for example to a full disk, this
/// part is removed.
pub fn append(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    let length = file.metadata()?.len();
    file.write_all(bytes).inspect_err(|_| {
        // If this fails as well, the first error is reported.
        let _ = file.set_len(length);
    })
}

impl PgnFile {
    /// Opens or creates the file, and makes an existing one end with an empty line. `id` is the id of the journal.
    pub fn open(path: &Path, notation: MoveStyle, id: Option<&str>) -> io::Result<Self> {
        Ok(Self { file: open_to_append(path, 2)?, notation, id: id.map(str::to_owned) })
    }

    /// Opens the file of a resumed tournament, and appends those games of the journal, `done`, that the file lacks.
    /// Returns warnings as well.
    ///
    /// All complete games are kept. Only an incomplete last record of this tournament is removed.
    pub fn resume(
        path: &Path,
        notation: MoveStyle,
        tournament: &Tournament,
        journal: &Journal,
        done: &[GameRecord],
    ) -> io::Result<(Self, Vec<String>)> {
        let mut warnings = Vec::new();
        let mut written = HashSet::new();
        let mut file = open_to_append(path, 0)?;
        let length = file.metadata()?.len();
        // A file that has become shorter was replaced by another one.
        let before = Some(journal.pgn_length()).filter(|before| *before <= length);
        let before = before.unwrap_or(0);
        file.seek(SeekFrom::Start(before))?;
        let mut cut = None;
        for_each_record(BufReader::new(file), before, |range, part| {
            let part = String::from_utf8_lossy(part);
            let is_last = range.end == length;
            match complete_game(&part) {
                Some(game) if game.tag(MATCH_ID) == Some(journal.id()) => {
                    written.extend(number_and_players(&game, &part));
                }
                Some(_) => {}
                None if is_complete(&part) || !may_be_ours(&part, tournament, journal.id()) => {}
                None if is_last => cut = Some(range.start),
                None => warnings.push(format!(
                    "the record at byte {} is incomplete, but other games follow: it is kept, and its game is written \
                     again at the end",
                    range.start
                )),
            }
        })?;
        if let Some(end) = cut {
            File::options().write(true).open(path)?.set_len(end)?;
        }
        let mut opened = Self::open(path, notation, Some(journal.id()))?;
        for record in done {
            let ByColor([red, black]) = record.players.map(|p| &tournament.engines[p].name);
            let players = ByColor::new(tag_line("Red", red), tag_line("Black", black));
            // After `--repair`, other players may have played a game with this number.
            if !written.contains(&(record.number + 1, players)) {
                opened.write(tournament, record)?;
            }
        }
        Ok((opened, warnings))
    }

    /// Appends a game and syncs the file to the disk.
    pub fn write(&mut self, tournament: &Tournament, record: &GameRecord) -> io::Result<()> {
        let id = self.id.as_deref();
        let game = tree_of_record(tournament, record, id, self.notation);
        let game = game.map_err(io::Error::other)?;
        append(&mut self.file, game.write_pgn(self.notation).as_bytes())?;
        self.file.sync_data()
    }
}

/// The number of a game of the tournament, from 1, and the lines of the tags of its players. The lines are compared as
/// they were written, because the reader changes names with invisible characters.
fn number_and_players(game: &GameTree, part: &str) -> Option<(u64, ByColor<String>)> {
    let (_, number) = game.tag("Round")?.split_once('.')?;
    let line_of = |tag: &str| part.lines().find(|line| line.starts_with(tag)).map(str::to_owned);
    let players = ByColor::new(line_of("[Red ")?, line_of("[Black ")?);
    Some((number.parse().ok()?, players))
}

/// Calls `found` with each record and its range of bytes. A record starts with a tag that does not follow another tag.
fn for_each_record(
    mut source: impl BufRead,
    start: u64,
    mut found: impl FnMut(Range<u64>, &[u8]),
) -> io::Result<()> {
    let (mut start, mut at) = (start, start);
    let mut record = Vec::new();
    let mut line = Vec::new();
    let mut in_tags = false;
    loop {
        let read = read_bounded_line(&mut source, MAX_RECORD, &mut line)?;
        let is_tag = line.starts_with(b"[");
        if read == BoundedLine::End || (is_tag && !in_tags) {
            if !record.is_empty() {
                found(start..at, &record);
            }
            record.clear();
            start = at;
        }
        in_tags = is_tag;
        at += match read {
            BoundedLine::End => return Ok(()),
            BoundedLine::Whole => line.len() as u64 + 1,
            BoundedLine::Unterminated(length) => length,
            BoundedLine::TooLong(length) => length + 1,
        };
        if !matches!(read, BoundedLine::Unterminated(_)) {
            line.push(b'\n');
        }
        let room = MAX_RECORD.saturating_sub(record.len());
        record.extend_from_slice(&line[..line.len().min(room)]);
    }
}

/// The game of a record; `None` if the record is incomplete or invalid.
fn complete_game(part: &str) -> Option<GameTree> {
    if is_complete(part) { pgn::read(part).pop()?.ok() } else { None }
}

/// Whether a record ends with a result.
fn is_complete(part: &str) -> bool {
    let last = part.split_ascii_whitespace().next_back();
    last.is_some_and(|word| word.parse::<GameResult>().is_ok())
}

/// Whether an incomplete record may belong to this tournament, judging by its complete lines.
fn may_be_ours(part: &str, tournament: &Tournament, id: &str) -> bool {
    let own = [
        tag_line("Game", "Chinese Chess"),
        tag_line("Event", &tournament.event),
        tag_line(MATCH_ID, id),
    ];
    let whole = part.split_inclusive('\n').filter(|l| l.ends_with('\n'));
    match whole.count() {
        0 => part.starts_with('['),
        count => part.lines().zip(&own).take(count).all(|(line, own)| line == own),
    }
}
