//! The lines of a journal, and the reasons why a journal cannot be used.
//!
//! The serialized names of the settings are the keys of the file: a change of them requires a new [`VERSION`] and
//! another stored journal in the tests.

use std::io;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::notation::{Line, fen};
use crate::text::without_credentials;
use crate::tournament::Tournament;
use crate::tournament::record::GameRecord;
use crate::tournament::schedule::TournamentFormat;

pub const VERSION: u32 = 2;

/// The first line of the file: the settings that must be the same when a tournament is resumed. Settings that are
/// only compared are JSON values.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JournalHeader {
    /// The version of the file format.
    pub chuhe_match: u32,
    /// A random id, also written to the PGN tag `MatchId`.
    pub id: String,
    engines: Value,
    format: Value,
    /// Openings per match of a knockout, on which its pairings depend; null for other formats.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    rounds: Value,
    seeds: Value,
    colors: Value,
    /// 1 if each pairing plays one game in a round; null if it plays two.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    games: Value,
    rules: Value,
    sprt: Value,
    /// Options of the engines that vary between pairs of games; null without such options.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    factors: Value,
    /// Options of the engines that are tuned; null without such options.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    spsa: Value,
    openings: Value,
    pub pgn: Option<JournalPgn>,
}

/// The part that the headers of all versions have.
#[derive(Debug, Deserialize)]
pub struct Version {
    pub chuhe_match: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JournalPgn {
    path: String,
    /// The length of the file in bytes at the start of the tournament.
    pub length: u64,
}

impl JournalHeader {
    pub fn new(tournament: &Tournament, pgn: Option<(String, u64)>) -> Self {
        Self {
            chuhe_match: VERSION,
            id: format!("{:016x}", rand::random::<u64>()),
            engines: cleaned(json!(tournament.engines)),
            format: json!(tournament.format),
            rounds: match tournament.format {
                TournamentFormat::Knockout => json!(tournament.rounds.unwrap_or(1)),
                _ => Value::Null,
            },
            seeds: json!(tournament.seeds),
            colors: json!(tournament.colors),
            games: json!(tournament.has_single_games.then_some(1)),
            rules: json!(tournament.rules),
            sprt: json!(tournament.sprt),
            factors: cleaned(json!(tournament.factors)),
            spsa: cleaned(json!(tournament.spsa)),
            openings: json!(format!("{:016x}", fingerprint(tournament.openings.lines()))),
            pgn: pgn.map(|(path, length)| JournalPgn { path, length }),
        }
    }

    /// The first setting that differs from another header; the version, the id and the length of the PGN are ignored.
    pub fn difference(&self, other: &Self) -> Option<&'static str> {
        let pgn = |header: &Self| header.pgn.as_ref().map(|pgn| pgn.path.clone());
        // URLs in journals of older versions may contain passwords.
        let is_same = |a: &Value, b: &Value| cleaned(a.clone()) == cleaned(b.clone());
        let checks = [
            // Compared before the engines, because factors and tuning set options of the engines.
            (is_same(&self.factors, &other.factors), "factors"),
            (is_same(&self.spsa, &other.spsa), "tuned parameters"),
            (is_same(&self.engines, &other.engines), "engines"),
            (self.format == other.format, "formats"),
            // Journals of other formats, and knockout journals of older versions of the program, have no rounds.
            (self.rounds.is_null() || self.rounds == other.rounds, "numbers of rounds"),
            (self.seeds == other.seeds, "seeds"),
            (self.colors == other.colors, "color orders"),
            (self.games == other.games, "numbers of games in a round"),
            (self.rules == other.rules, "rules"),
            (self.sprt == other.sprt, "SPRTs"),
            (self.openings == other.openings, "openings or their order"),
            (pgn(self) == pgn(other), "PGN files"),
        ];
        let mut differences = checks.into_iter().filter(|(is_same, _)| !is_same);
        differences.next().map(|(_, name)| name)
    }
}

/// A value without the user names, passwords and tokens in its URLs.
fn cleaned(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(without_credentials(&text)),
        Value::Array(values) => values.into_iter().map(cleaned).collect(),
        Value::Object(entries) => {
            entries.into_iter().map(|(key, value)| (key, cleaned(value))).collect()
        }
        other => other,
    }
}

/// The 64-bit FNV-1a hash of a list of openings.
fn fingerprint(lines: &[Line]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |text: &str| {
        for byte in text.bytes().chain([b'\n']) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    for line in lines {
        add(&fen::write_position(&line.start));
        for m in &line.moves {
            add(&m.to_string());
        }
        add("");
    }
    hash
}

#[derive(Debug, Default)]
pub struct JournalContent {
    /// The games of the tournament, in the order of the schedule.
    pub games: Vec<GameRecord>,
    pub voids: u64,
    /// Whether an incomplete last line was dropped.
    pub has_incomplete_line: bool,
    /// Number of damaged lines that were skipped.
    pub damaged_lines: usize,
}

/// A line after the header.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JournalEntry {
    /// The program opened the journal.
    Run {
        process: u32,
        /// A copy of the header, in case the first line is damaged.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        header: Option<Box<JournalHeader>>,
    },
    Game(GameRecord),
    /// A game is void and will be replayed.
    Void {
        number: u64,
        detail: String,
    },
}

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file cannot be read or written.
    #[error(transparent)]
    File(#[from] io::Error),
    /// The path is a directory, a device or a pipe.
    #[error("the journal must be a regular file")]
    Irregular,
    /// Another process has locked the journal; `None` if its id cannot be read.
    #[error("{} is playing this tournament", owner(*.0))]
    Locked(Option<u32>),
    #[error("the file is not a match journal")]
    NotAJournal,
    /// The file has no complete line.
    #[error(
        "the first line is incomplete: the match was stopped before its first game; remove the file"
    )]
    IncompleteHeader,
    #[error(
        "the journal has version {0}, but this program reads version {VERSION}: finish that tournament with \
         the program that started it, or use another file"
    )]
    Version(u32),
    /// The first line is damaged and no other line repeats it.
    #[error(
        "line 1: {reason}; no other line has a copy of the header, so the readable games ({readable}) cannot be \
         used"
    )]
    Header { reason: String, readable: usize },
    #[error("the journal belongs to another tournament: the {0} differ")]
    OtherTournament(&'static str),
    /// A line is not a valid entry, or its game is a duplicate, has the wrong players or depends on missing games.
    #[error(
        "line {line}: {reason}; readable games: {readable}; --repair continues from them and keeps a copy of \
         the damaged file"
    )]
    Damaged {
        /// Line number, from 1.
        line: usize,
        reason: String,
        readable: usize,
    },
}

fn owner(process: Option<u32>) -> String {
    process.map_or("another process".to_owned(), |process| format!("process {process}"))
}
