//! The arguments of a batch.

use std::path::PathBuf;

use clap::ValueEnum;

use crate::cli::common::{ForceArgument, SearchArguments, SearchPlan};
use crate::search::Settings;
use crate::text::has_extension;

/// Search many positions and write the results as JSON or CSV.
///
/// A file has one position per line: a FEN, an EPD or `startpos`, optionally followed by `moves` and moves.
/// Empty lines and lines that begin with `#` are skipped. Of game records in any format the final positions of
/// all games are searched. With several files each result has the name of its file.
/// If an EPD has a task (`bm`, `am`, `dm`), the result says whether it was solved, and the number of solved
/// tasks is printed at the end. Each position is searched by one thread with an empty hash table, so that
/// results do not depend on each other.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Positions or game records (PGN, XQF, CBR, CBL, CBF, DhtmlXQ, WXF); `-` is standard input.
    /// `games.pgn:3@42` is the position after 42 plies of game 3.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Output file [default: standard output, as `-`].
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub force: ForceArgument,
    /// Continue the output file of an interrupted run.
    #[arg(long, requires = "out", conflicts_with = "force")]
    pub go_on: bool,
    /// Output format [default: csv if --out ends in .csv, otherwise json].
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub to: Option<BatchFormat>,
    #[command(flatten)]
    pub search: SearchArguments,
}

/// The output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BatchFormat {
    /// One JSON object per line.
    Json,
    /// Comma-separated values with a header.
    Csv,
}

impl Arguments {
    /// The limits and settings that the results depend on, as text.
    pub fn search_text(&self, plan: &SearchPlan) -> String {
        let SearchPlan {
            limits, settings, ..
        } = plan;
        let usual = Settings::default();
        let mut text = format!("{limits}, {} rules, {} MB", settings.rules, plan.hash);
        if settings.pruning != usual.pruning {
            text += &format!(", pruning {}", settings.pruning);
        }
        if settings.knowledge != usual.knowledge {
            text += &format!(", knowledge {}", settings.knowledge);
        }
        if let Some(path) = self.search.network.path() {
            text += &format!(", network {}", path.display());
        }
        if self.search.tables.is_given() {
            text += &format!(", tables {}", self.search.tables.paths());
        }
        text
    }

    pub fn format(&self) -> BatchFormat {
        let out = self.out.as_deref();
        let is_csv = out.is_some_and(|out| has_extension(out, "csv"));
        self.to.unwrap_or(if is_csv {
            BatchFormat::Csv
        } else {
            BatchFormat::Json
        })
    }
}
