//! The arguments of `chuhe batch`, and what they ask for.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ValueEnum;

use crate::cli::common::{NetworkArgument, TableArguments, parse_seconds};
use crate::notation::epd::Epd;
use crate::rules::RuleSet;
use crate::search::{Limits, MAX_DEPTH};

/// Search many positions and write what is found of each as JSON or CSV.
///
/// FILE has one position a line, as FEN or EPD or `startpos`, or with the `moves` to it; empty lines and
/// lines that begin with `#` are skipped.
/// Where an EPD says what is to be found (`bm`, `am`, `dm`), each answer tells whether it was, and the
/// sum is printed at the end. Each position is searched by one thread with an empty hash table, so that
/// its answer does not depend on the others.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// The positions; `-` for standard input; `games.pgn:3@42` is that of a PGN after 42 plies of game 3,
    /// `games.pgn` those at the ends of all its games.
    pub(super) file: PathBuf,
    /// The file to write; standard output without it, or as `-`. It must not exist, unless with --go-on.
    #[arg(long, short, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    /// Go on with the file of a run that was interrupted.
    #[arg(long, requires = "out")]
    pub(super) go_on: bool,
    /// What to write [default: csv where the name of --out ends so, else json].
    #[arg(long, value_enum, value_name = "FORM")]
    pub(super) to: Option<BatchFormat>,
    /// Think for SECONDS a position [default: 1, unless there is another limit].
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub(super) time: Option<Duration>,
    /// Search to depth N.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_DEPTH)))]
    pub(super) depth: Option<u32>,
    /// Search N nodes.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) nodes: Option<u64>,
    /// Positions at a time; 0 is one a processor core.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=1024))]
    pub(super) threads: u16,
    /// Hash table of each search, in MB.
    #[arg(long, value_name = "MB", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub(super) hash: u32,
    /// The rules.
    #[arg(
        long,
        value_enum,
        ignore_case = true,
        value_name = "SET",
        default_value_t
    )]
    pub(super) rules: RuleSet,
    #[command(flatten)]
    pub(super) network: NetworkArgument,
    #[command(flatten)]
    pub(super) tables: TableArguments,
}

/// How answers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum BatchFormat {
    /// A JSON object a line.
    Json,
    /// Comma-separated values with a line of names.
    Csv,
}

/// How long to think when nothing else is said.
const DEFAULT_TIME: Duration = Duration::from_secs(1);
/// A position of the file.
#[derive(Clone, Debug)]
pub(super) struct BatchTask {
    /// Its place among the positions, from 0.
    pub(super) number: usize,
    /// Its line from 1; of a PGN its game.
    pub(super) line: usize,
    pub(super) epd: Epd,
}

impl Arguments {
    pub(super) fn limits(&self) -> Limits {
        let unlimited = self.depth.is_none() && self.nodes.is_none();
        Limits {
            depth: self.depth,
            nodes: self.nodes,
            move_time: self.time.or(unlimited.then_some(DEFAULT_TIME)),
            ..Limits::default()
        }
    }

    /// What is asked for, in words: everything that the answers depend on.
    pub(super) fn search(&self) -> String {
        let network = self
            .network
            .path()
            .map(|path| format!(", network {}", path.display()));
        let tables = (self.tables.is_given()).then(|| format!(", tables {}", self.tables.paths()));
        format!(
            "{}, {} rules, {} MB{}{}",
            self.limits(),
            self.rules,
            self.hash,
            network.unwrap_or_default(),
            tables.unwrap_or_default()
        )
    }

    pub(super) fn form(&self) -> BatchFormat {
        let extension = self.out.as_deref().and_then(Path::extension);
        let is_csv = extension.is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
        self.to.unwrap_or(if is_csv {
            BatchFormat::Csv
        } else {
            BatchFormat::Json
        })
    }
}
