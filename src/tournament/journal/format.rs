//! The lines of a journal, and the reasons why a journal cannot be used.
//!
//! The serialized names of the settings are the keys of the file: a change of them requires a new [`VERSION`] and
//! another stored journal in the tests.

use std::io;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::notation::{Line, fen};
use crate::text::without_credentials;
use crate::tournament::Tournament;
use crate::tournament::record::GameRecord;
use crate::tournament::schedule::TournamentFormat;

pub const VERSION: u32 = 2;

/// The first line of the file: the settings that must be the same when a tournament is resumed. Settings that are
/// only compared are JSON values. Paths below the folder of the journal are relative to it, so that the folder can be
/// moved.
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
    /// The canonical and the absolute path of the folder of the journal; empty in a header that was read.
    #[serde(skip)]
    folders: [PathBuf; 2],
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
    /// The header of a tournament with the journal `path`. `pgn` is the path of the PGN file and its current length.
    pub fn new(tournament: &Tournament, pgn: Option<(String, u64)>, path: &Path) -> Self {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let folders = [folder.canonicalize().unwrap_or_else(|_| folder.clone()), folder];
        Self {
            chuhe_match: VERSION,
            id: format!("{:016x}", rand::random::<u64>()),
            engines: with_relative_paths(cleaned(json!(tournament.engines)), &folders),
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
            pgn: pgn.map(|(path, length)| JournalPgn { path: relative(&path, &folders), length }),
            folders,
        }
    }

    /// An error about the first setting that differs from the header `ours` of the current tournament, with the first
    /// differing key, if any, and its values as JSON. The version, the id and the length of the PGN are ignored.
    pub fn difference(&self, ours: &Self) -> Option<JournalError> {
        // Older versions wrote absolute paths, and passwords in URLs.
        let pgn = |header: &Self| {
            let path = header.pgn.as_ref().map(|pgn| relative(&pgn.path, &ours.folders));
            path.map_or(Value::Null, |path| json!({ "path": path }))
        };
        let (pgn, our_pgn) = (pgn(self), pgn(ours));
        let [factors, spsa, engines] =
            [&self.factors, &self.spsa, &self.engines].map(|value| cleaned(value.clone()));
        let engines = with_relative_paths(engines, &ours.folders);
        // Journals of other formats, and knockout journals of older versions of the program, have no rounds.
        let rounds = if self.rounds.is_null() { &ours.rounds } else { &self.rounds };
        let settings = [
            // Compared before the engines, because factors and tuning set options of the engines.
            (&factors, &ours.factors, "factors"),
            (&spsa, &ours.spsa, "tuned parameters"),
            (&engines, &ours.engines, "engines"),
            (&self.format, &ours.format, "formats"),
            (rounds, &ours.rounds, "numbers of rounds"),
            (&self.seeds, &ours.seeds, "seeds"),
            (&self.colors, &ours.colors, "color orders"),
            (&self.games, &ours.games, "numbers of games in a round"),
            (&self.rules, &ours.rules, "rules"),
            (&self.sprt, &ours.sprt, "SPRTs"),
            (&self.openings, &ours.openings, "openings or their order"),
            (&pgn, &our_pgn, "PGN files"),
        ];
        let mut differences = settings.into_iter().filter(|(stored, ours, _)| stored != ours);
        let (stored, ours, setting) = differences.next()?;
        Some(JournalError::OtherTournament(match first_difference(stored, ours) {
            Some((key, old, new)) => format!(
                "the journal belongs to another tournament: the {setting} differ ({key}: {new} instead of {old})"
            ),
            None => format!("the journal belongs to another tournament: the {setting} differ"),
        }))
    }
}

/// The first key with different values in two objects or lists of objects, and its values; `None` for other values.
fn first_difference<'a>(old: &'a Value, new: &'a Value) -> Option<(&'a str, &'a Value, &'a Value)> {
    match (old, new) {
        (Value::Array(old), Value::Array(new)) => {
            old.iter().zip(new).find_map(|(old, new)| first_difference(old, new))
        }
        (Value::Object(old), Value::Object(new)) => old.iter().find_map(|(key, old)| {
            let new = new.get(key).filter(|new| *new != old)?;
            first_difference(old, new).or(Some((key.as_str(), old, new)))
        }),
        _ => None,
    }
}

/// A path below one of the folders as a path relative to it, such as `./engine`; any other path unchanged.
fn relative(path: &str, folders: &[PathBuf]) -> String {
    let is_name = |part: Component<'_>| matches!(part, Component::Normal(_));
    let mut rests = folders.iter().filter_map(|folder| Path::new(path).strip_prefix(folder).ok());
    match rests.find(|rest| rest.components().all(is_name)) {
        Some(rest) => Path::new(".").join(rest).display().to_string(),
        None => path.to_owned(),
    }
}

/// Engines with the [`relative`] paths of their programs and working directories.
fn with_relative_paths(mut engines: Value, folders: &[PathBuf]) -> Value {
    for engine in engines.as_array_mut().into_iter().flatten() {
        for key in ["command", "directory"] {
            if let Some(Value::String(path)) = engine.get_mut(key) {
                *path = relative(path, folders);
            }
        }
    }
    engines
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

/// The reason why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file cannot be read or written.
    #[error(transparent)]
    File(#[from] io::Error),
    /// The journal belongs to a tournament with other settings. The text is the message.
    #[error("{0}")]
    OtherTournament(String),
    /// The journal cannot be used for another reason. The text is the message.
    #[error("{0}")]
    Unusable(String),
}
