//! The file by which a killed tournament goes on: what is played, then a line a game.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::record::GameRecord;
use super::runner::Tournament;
use crate::notation::Line;
use crate::notation::fen;

/// Which form the file has.
const VERSION: u32 = 1;

/// The games of a tournament on disk.
#[derive(Debug)]
pub struct Journal {
    file: File,
    head: Head,
    /// The last line when it had no end.
    dropped: String,
}

/// What has to be the same when a tournament goes on. The number of rounds may change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Head {
    chuhe_match: u32,
    engines: Vec<String>,
    format: String,
    rules: String,
    sprt: String,
    openings: String,
    pgn: Option<(String, u64)>,
}

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file cannot be read or written.
    #[error(transparent)]
    File(#[from] io::Error),
    /// It has no whole line.
    #[error(
        "its first line has no end: it is no journal, or one cut short before its first game that \
         you may remove"
    )]
    Headless,
    /// A line is no game.
    #[error("line {line}: {error}")]
    Line {
        /// Which one, from 1.
        line: usize,
        /// Why.
        error: serde_json::Error,
    },
    /// It belongs to another tournament.
    #[error("it belongs to another tournament: the {0} are not the same")]
    Other(&'static str),
    /// A game is there twice, or is none of this tournament.
    #[error("line {line}: game {number} is there twice or belongs to no pairing")]
    Game {
        /// Which line, from 1.
        line: usize,
        /// The number of the game.
        number: u64,
    },
}

impl Head {
    fn new(tournament: &Tournament, pgn: Option<(String, u64)>) -> Self {
        Self {
            chuhe_match: VERSION,
            engines: tournament
                .engines
                .iter()
                .map(|e| format!("{e:?}"))
                .collect(),
            format: tournament.format.name().to_owned(),
            rules: format!("{:?}", tournament.rules),
            sprt: tournament
                .sprt
                .map_or(String::new(), |sprt| sprt.to_string()),
            openings: format!("{:016x}", fingerprint(tournament.openings.lines())),
            pgn,
        }
    }

    /// What differs from another one, apart from how long the PGN was.
    fn difference(&self, other: &Self) -> Option<&'static str> {
        let pgn = |head: &Self| head.pgn.as_ref().map(|(path, _)| path.clone());
        let checks = [
            (self.chuhe_match == other.chuhe_match, "versions"),
            (self.engines == other.engines, "engines"),
            (self.format == other.format, "formats"),
            (self.rules == other.rules, "rules"),
            (self.sprt == other.sprt, "tests"),
            (self.openings == other.openings, "openings or their order"),
            (pgn(self) == pgn(other), "PGN files"),
        ];
        checks
            .into_iter()
            .find(|(same, _)| !same)
            .map(|(_, name)| name)
    }
}

/// A number that tells lists of openings apart (FNV-1a).
fn fingerprint(lines: &[Line]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |bytes: &[u8]| {
        for byte in bytes {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    for line in lines {
        add(fen::write_position(&line.start).as_bytes());
        for m in &line.moves {
            add(&m.bits().to_le_bytes());
        }
        add(b"\n");
    }
    hash
}

/// Reads the whole lines of a journal: its head, which has to fit `ours`, and the games that belong
/// to the tournament.
fn read(
    text: &str,
    ours: &Head,
    tournament: &Tournament,
) -> Result<(Head, Vec<GameRecord>), JournalError> {
    let fault = |line: usize| move |error| JournalError::Line { line, error };
    let mut lines = (1..).zip(text.lines());
    let (line, first) = lines.next().ok_or(JournalError::Headless)?;
    let head: Head = serde_json::from_str(first).map_err(fault(line))?;
    if let Some(difference) = head.difference(ours) {
        return Err(JournalError::Other(difference));
    }
    let schedule = tournament.schedule();
    let mut games: Vec<GameRecord> = Vec::new();
    let mut numbers = HashSet::new();
    for (line, text) in lines {
        let game: GameRecord = serde_json::from_str(text).map_err(fault(line))?;
        let number = game.number;
        // Fewer rounds than before leave games out that have been played.
        let fits = schedule
            .fixture(number)
            .is_none_or(|f| f.players == game.players);
        if !fits || !numbers.insert(number) {
            return Err(JournalError::Game { line, number });
        }
        if schedule.fixture(number).is_some() {
            games.push(game);
        }
    }
    Ok((head, games))
}

fn write_line(file: &mut File, value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    file.write_all(&line)
}

impl Journal {
    /// Opens the journal of a tournament, or begins it if there is no such file or an empty one, and
    /// returns the games that it holds. `pgn` is the file that the games also go to, with its length
    /// now.
    ///
    /// A last line without its end, which a killed run may leave, is dropped.
    ///
    /// # Errors
    /// The file cannot be read or written, is no journal, or is that of another tournament; what it
    /// holds then stays as it is.
    pub fn open(
        path: &Path,
        tournament: &Tournament,
        pgn: Option<(String, u64)>,
    ) -> Result<(Self, Vec<GameRecord>), JournalError> {
        let mut file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let last_end = bytes.iter().rposition(|byte| *byte == b'\n');
        let (whole, torn) = bytes.split_at(last_end.map_or(0, |end| end + 1));
        let ours = Head::new(tournament, pgn);
        let (head, games) = if bytes.is_empty() {
            write_line(&mut file, &ours)?;
            (ours, Vec::new())
        } else {
            let read = read(&String::from_utf8_lossy(whole), &ours, tournament)?;
            // Only now is it known whose file this is.
            file.set_len(whole.len() as u64)?;
            file.seek(SeekFrom::End(0))?;
            read
        };
        let dropped = String::from_utf8_lossy(torn).into_owned();
        let journal = Self {
            file,
            head,
            dropped,
        };
        Ok((journal, games))
    }

    /// Adds a game.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add(&mut self, game: &GameRecord) -> io::Result<()> {
        write_line(&mut self.file, game)
    }

    /// How long the PGN file was before the tournament began.
    pub fn pgn_length(&self) -> u64 {
        self.head.pgn.as_ref().map_or(0, |(_, length)| *length)
    }

    /// Whether the line that was dropped is that of a game.
    pub fn has_dropped(&self, number: u64) -> bool {
        self.dropped.starts_with(&format!("{{\"number\":{number},"))
    }
}
