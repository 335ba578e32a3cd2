//! `chuhe openings`: finds balanced openings.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use indicatif::ProgressBar;

use super::common::{
    Context, Failure, ForceArgument, INTERRUPTED, LineFormat, LineOutput, interrupts, note,
    refuse_if, register_bar, require_extension,
};
use crate::board::Move;
use crate::search::MAX_DEPTH;
use crate::text::{counted, printable, without_byte_order_mark};
use crate::tournament::{FoundOpening, MAX_FAILED_LINES, OpeningSearch, Openings, find_openings};

const FOREIGN: &str = "the file was not written by `chuhe openings`";

/// Find balanced openings for `chuhe match`: short random lines that the search evaluates as nearly equal.
///
/// Each line of the file has the moves from the starting position and the score for red. Openings are written as they
/// are found. Ctrl-C stops the search, and --continue resumes it.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The output file; `-` is standard output.
    out: PathBuf,
    #[command(flatten)]
    force: ForceArgument,
    /// Resume an interrupted search, or add openings to a file: the result is the same as without the
    /// interruption.
    #[arg(long = "continue", alias = "go-on", conflicts_with = "force")]
    resume: bool,
    /// Number of openings.
    #[arg(long, value_name = "N", default_value_t = 600, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    count: u32,
    /// Minimum length of a line in plies.
    #[arg(long, value_name = "PLIES", default_value_t = 4, value_parser = clap::value_parser!(u16).range(2..=40))]
    shortest: u16,
    /// Maximum length of a line in plies.
    #[arg(long, value_name = "PLIES", default_value_t = 8, value_parser = clap::value_parser!(u16).range(2..=40))]
    longest: u16,
    /// Maximum absolute score, in hundredths of a minor piece.
    #[arg(long, value_name = "SCORE", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
    within: u16,
    /// Depth of the search.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_DEPTH)))]
    depth: u32,
    /// Seed of the random lines: the same seed gives the same openings.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let why = "must not be greater than --longest";
    refuse_if(arguments.shortest > arguments.longest, "--shortest", why)?;
    require_extension("OUT", &arguments.out, &["txt"])?;
    let plan = OpeningSearch {
        count: arguments.count as usize,
        min_plies: usize::from(arguments.shortest),
        max_plies: usize::from(arguments.longest),
        max_score: i32::from(arguments.within),
        depth: arguments.depth,
        seed: arguments.seed,
    };
    let heading = heading(&plan);
    let format = LineFormat { heading: &heading, beginning: &heading, foreign: FOREIGN };
    let (mut output, present) =
        LineOutput::open(&arguments.out, arguments.resume, arguments.force, &format, |text| {
            read_openings(text, &heading)
        })?;
    if !present.is_empty() {
        note(&format!("continuing after {}", counted(present.len(), "opening")));
    }
    // Ctrl-C is handled only after the output has been opened, because opening a FIFO can block.
    let interrupts = interrupts()?;
    let bar = ProgressBar::new(u64::from(arguments.count)).with_position(present.len() as u64);
    let bar = register_bar(bar, "{bar:30} {pos}/{len} openings, {left} left");
    bar.reset_eta();
    let (mut written, mut is_interrupted) = (Ok(()), false);
    let count = find_openings(&plan, &present, |opening| {
        if let Some(opening) = opening {
            bar.inc(1);
            written = output.write(&line(opening));
        }
        is_interrupted = interrupts.try_recv().is_ok();
        written.is_ok() && !output.is_closed && !is_interrupted
    })
    .context(arguments.out.display())?;
    bar.abandon();
    written?;
    if count >= plan.count || output.is_closed {
        return Ok(ExitCode::SUCCESS);
    }
    if !is_interrupted {
        let why = why_too_few(&plan, count, present.len());
        return Err(Failure::new(arguments.out.display(), why));
    }
    note(&if output.can_be_continued() {
        format!(
            "{}: {count} of {} openings found; --continue resumes the search",
            arguments.out.display(),
            plan.count
        )
    } else {
        format!("{count} of {} openings found", plan.count)
    });
    Ok(ExitCode::from(INTERRUPTED))
}

/// The reason why a search that was not interrupted has only `count` openings. The file had `present` openings, which
/// the same settings and seed find again in the same order, if it is unchanged.
fn why_too_few(plan: &OpeningSearch, count: usize, present: usize) -> String {
    if count < present {
        return format!("a search with these settings does not find opening {}", count + 1);
    }
    format!(
        "only {count} of {} openings found: {MAX_FAILED_LINES} random lines in a row gave no new opening",
        plan.count
    )
}

/// The beginning of the first line of the file, before the settings.
const BEGINNING: &str = "# openings of ";

/// The settings in the first line of a file, for messages: truncated, and without unprintable characters.
fn settings(heading: &str) -> String {
    /// Longer than any settings that this command writes.
    const MAX_LENGTH: usize = 120;
    let settings = heading.trim_end().trim_start_matches(BEGINNING);
    printable(&settings.chars().take(MAX_LENGTH).collect::<String>())
}

/// The first line of the file: all settings that affect the result.
fn heading(plan: &OpeningSearch) -> String {
    format!(
        "{BEGINNING}{} to {} plies, score within {} at depth {}, seed {}\n",
        plan.min_plies, plan.max_plies, plan.max_score, plan.depth, plan.seed
    )
}

/// The moves of the openings in a file, which must begin with this heading.
fn read_openings(text: &str, heading: &str) -> io::Result<Vec<Vec<Move>>> {
    // An editor may have changed the line ends and added a byte order mark.
    let text = without_byte_order_mark(text);
    let (first_line, openings) = text.split_once('\n').unwrap_or((text, ""));
    if !first_line.starts_with(BEGINNING) {
        return Err(io::Error::other(FOREIGN));
    }
    if first_line.trim_end() != heading.trim_end() {
        let (old, new) = (settings(first_line), settings(heading));
        let why =
            format!("the file was made with other settings: {old}; the current ones are {new}");
        return Err(io::Error::other(why));
    }
    if openings.is_empty() {
        return Ok(Vec::new());
    }
    let read = Openings::read(openings).map_err(io::Error::other)?;
    Ok(read.lines().iter().map(|line| line.moves.clone()).collect())
}

fn line(opening: &FoundOpening) -> String {
    let moves: Vec<_> = opening.moves.iter().map(ToString::to_string).collect();
    format!("startpos moves {} # {:+}\n", moves.join(" "), opening.score)
}
