//! The PGN file of a tournament, to which others may add their games as well.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

use crate::notation::MoveStyle;
use crate::notation::pgn::{self, GameResult, PgnGame};
use crate::tournament::{GameRecord, Journal, Tournament, pgn_game};

/// The file, to whose end games are added.
pub(super) struct PgnFile {
    file: File,
    notation: MoveStyle,
    date: String,
}

/// What a killed run has left behind.
struct Left {
    /// Where to cut the file: behind the last record that stays.
    end: usize,
    /// The numbers of the games that it holds.
    written: Vec<u64>,
}

impl PgnFile {
    /// Opens the file, or begins it.
    ///
    /// # Errors
    /// It cannot be read or written.
    pub(super) fn open(path: &Path, notation: MoveStyle) -> io::Result<Self> {
        let file = File::options().append(true).create(true).open(path)?;
        let mut opened = Self {
            file,
            notation,
            date: today(),
        };
        let ending = match fs::read(path)? {
            text if text.is_empty() || text.ends_with(b"\n\n") => "",
            text if text.ends_with(b"\n") => "\n",
            _ => "\n\n",
        };
        opened.file.write_all(ending.as_bytes())?;
        Ok(opened)
    }

    /// Opens the file of a tournament that goes on, and adds those games of its journal that it has
    /// not.
    ///
    /// What stood in it before the tournament, and what others have added since, stays. Cut off are
    /// only a last record that was not written to its end and the game whose line in the journal was
    /// not, for it is played again.
    ///
    /// # Errors
    /// It cannot be read or written.
    pub(super) fn resume(
        path: &Path,
        notation: MoveStyle,
        tournament: &Tournament,
        journal: &Journal,
        done: &[GameRecord],
    ) -> io::Result<Self> {
        let mut text = match fs::read(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            text => text?,
        };
        // One that is shorter than it was is another file.
        let before = usize::try_from(journal.pgn_length()).unwrap_or(usize::MAX);
        let before = if before <= text.len() { before } else { 0 };
        let left = left(&text[before..], tournament, journal, done);
        let end = before + left.end;
        if end < text.len() {
            File::options()
                .write(true)
                .open(path)?
                .set_len(end as u64)?;
            text.truncate(end);
        }
        let mut opened = Self::open(path, notation)?;
        for record in done {
            if !left.written.contains(&record.number) {
                opened.write(tournament, record)?;
            }
        }
        Ok(opened)
    }

    /// Adds a game.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn write(&mut self, tournament: &Tournament, record: &GameRecord) -> io::Result<()> {
        let game = pgn_game(tournament, record, &self.date).map_err(io::Error::other)?;
        self.file.write_all(game.write(self.notation).as_bytes())
    }
}

/// Looks through what was added since the tournament began.
fn left(text: &[u8], tournament: &Tournament, journal: &Journal, done: &[GameRecord]) -> Left {
    let done: HashMap<u64, &GameRecord> = done.iter().map(|r| (r.number, r)).collect();
    let parts = records(text);
    let mut left = Left {
        end: text.len(),
        written: Vec::new(),
    };
    for (index, range) in parts.iter().enumerate() {
        let part = String::from_utf8_lossy(&text[range.clone()]);
        let is_last = index + 1 == parts.len();
        let game = game(&part, tournament);
        let is_ours = game.as_ref().is_some_and(|(number, game)| {
            done.get(number)
                .is_some_and(|record| is_same(game, record, tournament))
        });
        match game {
            Some((number, _)) if is_ours => left.written.push(number),
            Some((number, _)) if is_last && journal.has_dropped(number) => left.end = range.start,
            None if is_last && !is_whole(&part) && may_be_ours(&part, tournament) => {
                left.end = range.start;
            }
            _ => {}
        }
    }
    left
}

/// Where records begin and end: with tags behind something that is none.
fn records(text: &[u8]) -> Vec<Range<usize>> {
    let mut starts = Vec::new();
    let mut at = 0;
    let mut in_tags = false;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let is_tag = line.starts_with(b"[");
        if (is_tag && !in_tags) || at == 0 {
            starts.push(at);
        }
        in_tags = is_tag;
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts
        .iter()
        .copied()
        .zip(ends)
        .map(|(a, b)| a..b)
        .collect()
}

/// The game of a record, if it may be one of the tournament, with its number.
fn game(part: &str, tournament: &Tournament) -> Option<(u64, PgnGame)> {
    if !is_whole(part) {
        return None;
    }
    let game = pgn::read(part).pop()?.ok()?;
    let (_, number) = game.tag("Round")?.split_once('.')?;
    let number = number.parse::<u64>().ok()?.checked_sub(1)?;
    let fixture = tournament.schedule().fixture(number)?;
    let names = fixture
        .players
        .map(|player| Some(tournament.engines[player].name.as_str()));
    (names == [game.tag("Red"), game.tag("Black")]).then_some((number, game))
}

/// Whether a record is that of a game: another tournament may have the same engines and numbers, but
/// not the same moves at the same times.
fn is_same(game: &PgnGame, record: &GameRecord, tournament: &Tournament) -> bool {
    pgn_game(tournament, record, "").is_ok_and(|ours| {
        (&ours.line.moves, &ours.comments, ours.result)
            == (&game.line.moves, &game.comments, game.result)
    })
}

/// Whether a record ends with a result.
fn is_whole(part: &str) -> bool {
    let last = part.split_ascii_whitespace().next_back();
    last.is_some_and(|word| word.parse::<GameResult>().is_ok())
}

/// Whether the whole lines of a torn record name nobody else's game.
fn may_be_ours(part: &str, tournament: &Tournament) -> bool {
    let lines = part
        .split_inclusive('\n')
        .filter(|line| line.ends_with('\n'));
    let tags: String = lines.take_while(|line| line.starts_with('[')).collect();
    if tags.is_empty() {
        return part.starts_with('[');
    }
    let game = match pgn::read(&tags).pop() {
        Some(Ok(game)) => game,
        Some(Err(_)) => return false,
        // Tags that every record has.
        None => return true,
    };
    let is_player = |name: &str| tournament.engines.iter().any(|e| e.name == name);
    game.tag("Event")
        .is_none_or(|event| event == tournament.event)
        && game.tag("Red").is_none_or(is_player)
        && game.tag("Black").is_none_or(is_player)
}

/// The date (UTC) as PGN has it.
fn today() -> String {
    jiff::Timestamp::now().strftime("%Y.%m.%d").to_string()
}
