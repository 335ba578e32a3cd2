//! `chuhe openings`: balanced openings for tournaments.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressStyle};

use super::common::Failure;
use crate::search::MAX_DEPTH;
use crate::tournament::{FoundOpening, LINES_IN_VAIN, OpeningSearch, find_openings};

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
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_DEPTH)))]
    depth: u32,
    /// Seed of the random lines: the same seed gives the same openings.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// Searches, and writes each opening as soon as it is found, so that it is there when somebody ends
/// the search.
///
/// # Errors
/// The bounds make no sense, the file exists or cannot be written, or there are not so many openings.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let fault = |error: io::Error| Failure::new(arguments.out.display(), error);
    if arguments.shortest > arguments.longest {
        return Err(Failure::usage("--shortest", "longer than the longest"));
    }
    let mut file = File::create_new(&arguments.out).map_err(fault)?;
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
    let heading = format!(
        "# openings of {} to {} plies, score within {} at depth {}, seed {}\n",
        plan.shortest, plan.longest, plan.within, plan.depth, plan.seed
    );
    let mut written = file.write_all(heading.as_bytes());
    let count = find_openings(&plan, |opening| {
        bar.inc(1);
        if written.is_ok() {
            written = file.write_all(line(opening).as_bytes());
        }
        written.is_ok()
    });
    bar.finish();
    written.map_err(fault)?;
    match count < plan.count {
        true => Err(Failure::new(
            arguments.out.display(),
            format_args!(
                "only {count} of {} openings found: {LINES_IN_VAIN} lines in a row brought nothing new",
                plan.count
            ),
        )),
        false => Ok(()),
    }
}

fn line(opening: &FoundOpening) -> String {
    let moves: Vec<_> = opening.moves.iter().map(ToString::to_string).collect();
    format!("{} ; {:+}\n", moves.join(" "), opening.score)
}
