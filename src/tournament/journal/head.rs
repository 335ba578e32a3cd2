//! The header of a journal: the settings that must be the same when a tournament is resumed.
//!
//! The serialized field names are the keys of the file: changing them increments [`VERSION`] and adds a stored
//! journal to the tests.

use serde::{Deserialize, Serialize};

use crate::notation::{Line, fen};
use crate::tournament::limit::Limit;
use crate::tournament::plan::{GameRules, Tournament};
use crate::tournament::schedule::ColorOrder;
use crate::tournament::spec::EngineSpec;

/// Version of the file format.
pub(super) const VERSION: u32 = 2;

/// The first line of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JournalHeader {
    pub(super) chuhe_match: u32,
    /// A random id, also written to the PGN tag `MatchId`.
    pub(super) id: String,
    engines: Vec<EngineEntry>,
    format: String,
    #[serde(default = "one")]
    seeds: usize,
    #[serde(default = "alternating")]
    colors: String,
    rules: RulesEntry,
    sprt: Option<SprtEntry>,
    /// A hash of the list of openings.
    openings: String,
    pub(super) pgn: Option<PgnEntry>,
}

/// The version alone, which all formats have.
#[derive(Debug, Deserialize)]
pub(super) struct Version {
    pub(super) chuhe_match: u32,
}

/// The PGN file of the tournament.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PgnEntry {
    path: String,
    /// Its length in bytes at the start of the tournament.
    pub(super) length: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EngineEntry {
    name: String,
    command: String,
    arguments: Vec<String>,
    directory: Option<String>,
    protocol: Option<String>,
    options: Vec<(String, String)>,
    init: Vec<String>,
    first_rank: Option<u8>,
    limit: LimitEntry,
    margin_ms: u64,
    ponder: bool,
    restart: bool,
    nice: Option<i32>,
    cpus: Option<Vec<usize>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum LimitEntry {
    /// In the form of `tc=`.
    Clock(String),
    MoveTimeMs(u64),
    Nodes(u64),
    Depth(u32),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RulesEntry {
    set: String,
    max_plies: Option<u64>,
    banmoves: bool,
    win: Option<WinEntry>,
    draw: Option<DrawEntry>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    resign: Option<WinEntry>,
    /// The directories of the adjudicating tablebases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tables: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WinEntry {
    score: i32,
    moves: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DrawEntry {
    score: i32,
    moves: u32,
    after: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SprtEntry {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    model: String,
}

/// The default number of seeds.
const fn one() -> usize {
    1
}

/// The default color order.
fn alternating() -> String {
    ColorOrder::default().name().to_owned()
}

impl JournalHeader {
    pub(super) fn new(tournament: &Tournament, pgn: Option<(String, u64)>) -> Self {
        Self {
            chuhe_match: VERSION,
            id: format!("{:016x}", rand::random::<u64>()),
            engines: tournament.engines.iter().map(EngineEntry::from).collect(),
            format: tournament.format.name().to_owned(),
            seeds: tournament.seeds,
            colors: tournament.colors.name().to_owned(),
            rules: RulesEntry::from(&tournament.rules),
            sprt: tournament.sprt.map(|sprt| SprtEntry {
                elo0: sprt.elo0,
                elo1: sprt.elo1,
                alpha: sprt.alpha,
                beta: sprt.beta,
                model: sprt.model.name().to_owned(),
            }),
            openings: format!("{:016x}", fingerprint(tournament.openings.lines())),
            pgn: pgn.map(|(path, length)| PgnEntry { path, length }),
        }
    }

    /// The first setting that differs from another header; the id and the length of the PGN are ignored.
    pub(super) fn difference(&self, other: &Self) -> Option<&'static str> {
        let pgn = |header: &Self| header.pgn.as_ref().map(|pgn| pgn.path.clone());
        let checks = [
            (self.engines == other.engines, "engines"),
            (self.format == other.format, "formats"),
            (self.seeds == other.seeds, "seeds"),
            (self.colors == other.colors, "color orders"),
            (self.rules == other.rules, "rules"),
            (self.sprt == other.sprt, "SPRTs"),
            (self.openings == other.openings, "openings or their order"),
            (pgn(self) == pgn(other), "PGN files"),
        ];
        let mut differences = checks.into_iter().filter(|(is_same, _)| !is_same);
        differences.next().map(|(_, name)| name)
    }
}

impl From<&EngineSpec> for EngineEntry {
    fn from(spec: &EngineSpec) -> Self {
        Self {
            name: spec.name.clone(),
            command: spec.command.display().to_string(),
            arguments: spec.arguments.clone(),
            directory: spec.directory.as_ref().map(|d| d.display().to_string()),
            protocol: spec.protocol.map(|protocol| protocol.to_string()),
            options: spec.options.clone(),
            init: spec.init.clone(),
            first_rank: spec.first_rank,
            limit: match spec.limit {
                Limit::Clock(control) => LimitEntry::Clock(control.to_string()),
                Limit::MoveTime(time) => LimitEntry::MoveTimeMs(milliseconds(time)),
                Limit::Nodes(nodes) => LimitEntry::Nodes(nodes),
                Limit::Depth(depth) => LimitEntry::Depth(depth),
            },
            margin_ms: milliseconds(spec.margin),
            ponder: spec.ponder,
            restart: spec.restart,
            nice: spec.nice,
            cpus: spec.cpus.clone(),
        }
    }
}

fn milliseconds(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl From<&GameRules> for RulesEntry {
    fn from(rules: &GameRules) -> Self {
        Self {
            set: rules.rules.name().to_owned(),
            max_plies: rules.max_plies.map(|plies| plies as u64),
            banmoves: rules.banmoves,
            win: rules.adjudication.win.map(|win| WinEntry {
                score: win.score,
                moves: win.moves,
            }),
            resign: rules.adjudication.resign.map(|resign| WinEntry {
                score: resign.score,
                moves: resign.moves,
            }),
            tables: rules.tablebases.as_ref().map(|t| t.paths().to_owned()),
            draw: rules.adjudication.draw.map(|draw| DrawEntry {
                score: draw.score,
                moves: draw.moves,
                after: draw.after as u64,
            }),
        }
    }
}

/// A hash of a list of openings.
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
