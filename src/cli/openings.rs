//! `chuhe openings`: balanced openings for tournaments.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressStyle};

use super::Failure;
use crate::search::MAX_PLY;
use crate::tournament::{Found, OpeningSearch, find_openings};

/// Find balanced openings for `chuhe match`: short random lines after which the search finds nobody
/// better. One a line, as moves from the starting position with the score for red behind them.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The file to write; it must not exist.
    out: PathBuf,
    /// How many openings.
    #[arg(long, value_name = "N", default_value_t = 600, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    count: u32,
    /// Shortest line, in plies.
    #[arg(long, value_name = "PLIES", default_value_t = 4, value_parser = clap::value_parser!(u16).range(2..=40))]
    shortest: u16,
    /// Longest line, in plies.
    #[arg(long, value_name = "PLIES", default_value_t = 8, value_parser = clap::value_parser!(u16).range(2..=40))]
    longest: u16,
    /// How far the score may be from zero, in hundredths of a minor piece.
    #[arg(long, value_name = "SCORE", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
    within: u16,
    /// Depth of the search.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=MAX_PLY as i64))]
    depth: u32,
    /// Seed of the random lines: the same seed gives the same openings.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// Searches and writes.
///
/// # Errors
/// The bounds make no sense, or the file exists or cannot be written.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let fault = |error: io::Error| Failure::new(arguments.out.display(), error);
    if arguments.shortest > arguments.longest {
        return Err(Failure::new("--shortest", "longer than the longest"));
    }
    let mut file = BufWriter::new(File::create_new(&arguments.out).map_err(fault)?);
    let plan = OpeningSearch {
        count: arguments.count as usize,
        shortest: usize::from(arguments.shortest),
        longest: usize::from(arguments.longest),
        within: i32::from(arguments.within),
        depth: arguments.depth,
        seed: arguments.seed,
    };
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} openings, {eta} left");
    let bar = ProgressBar::new(u64::from(arguments.count))
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let mut written = writeln!(
        file,
        "# {} openings of {} to {} plies, score within {} at depth {}, seed {}",
        plan.count, plan.shortest, plan.longest, plan.within, plan.depth, plan.seed
    );
    find_openings(&plan, |opening| {
        bar.inc(1);
        if written.is_ok() {
            written = writeln!(file, "{}", line(opening));
        }
        written.is_ok()
    });
    bar.finish();
    written.and_then(|()| file.flush()).map_err(fault)
}

fn line(opening: &Found) -> String {
    let moves: Vec<_> = opening.moves.iter().map(ToString::to_string).collect();
    format!("{} ; {:+}", moves.join(" "), opening.score)
}
