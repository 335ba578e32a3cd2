//! `chuhe openings`: balanced openings for tournaments.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use indicatif::ProgressBar;

use super::common::{Failure, FileLock, INTERRUPTED, bar_style, create_new, interrupts};
use crate::board::Move;
use crate::search::MAX_DEPTH;
use crate::text::{printable, read_all};
use crate::tournament::{FoundOpening, LINES_IN_VAIN, OpeningSearch, Openings, find_openings};

/// No file of openings is larger, in MB.
const LARGEST_FILE: u64 = 256;

/// Find balanced openings for `chuhe match`: short random lines after which the search finds
/// neither side better. One a line, as moves from the starting position with the score for red behind them.
///
/// Each is written as soon as it is found; Ctrl-C ends the search, and --go-on takes it up again.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The file to write; without --go-on it must not exist.
    out: PathBuf,
    /// Go on with the file of a search that was interrupted, or add more openings: the same ones are
    /// found as without the interruption.
    #[arg(long)]
    go_on: bool,
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

/// Searches, and writes each opening as soon as it is found. Ctrl-C ends the search; `--go-on` takes it up
/// again.
///
/// # Errors
/// The bounds make no sense, the file exists or cannot be written, it is to be gone on with and was made
/// otherwise, or there are not so many openings.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let fault = |error: &dyn Display| Failure::new(arguments.out.display(), error);
    if arguments.shortest > arguments.longest {
        return Err(Failure::usage("--shortest", "longer than the longest"));
    }
    let plan = OpeningSearch {
        count: arguments.count as usize,
        shortest: usize::from(arguments.shortest),
        longest: usize::from(arguments.longest),
        within: i32::from(arguments.within),
        depth: arguments.depth,
        seed: arguments.seed,
    };
    let heading = heading(&plan);
    let interrupts = interrupts()?;
    let _lock = FileLock::of(&arguments.out)?;
    let (mut file, present) = match arguments.go_on {
        true => reopen(&arguments.out, &heading).map_err(|error| fault(&error))?,
        false => {
            let hint = "--go-on goes on with it, or name another file";
            let mut file = create_new(&arguments.out, hint)?;
            let written = file.write_all(heading.as_bytes());
            written.map_err(|error| fault(&error))?;
            (file, Vec::new())
        }
    };
    let bar = ProgressBar::new(u64::from(arguments.count))
        .with_style(bar_style("{bar:30} {pos}/{len} openings, {left} left"))
        .with_position(present.len() as u64);
    bar.reset_eta();
    let mut written = Ok(());
    let mut is_interrupted = false;
    let count = find_openings(&plan, &present, |opening| {
        if let Some(opening) = opening {
            bar.inc(1);
            written = file.write_all(line(opening).as_bytes());
        }
        is_interrupted = interrupts.try_recv().is_ok();
        written.is_ok() && !is_interrupted
    })
    .map_err(|error| fault(&error))?;
    bar.abandon();
    written.map_err(|error| fault(&error))?;
    if is_interrupted {
        // A closed standard error is no failure.
        let _ = writeln!(
            io::stderr(),
            "{}: {count} of {} openings found; --go-on looks for the others",
            arguments.out.display(),
            plan.count
        );
        return Ok(ExitCode::from(INTERRUPTED));
    }
    match count < plan.count {
        true => Err(fault(&format_args!(
            "only {count} of {} openings found: {LINES_IN_VAIN} lines in a row brought nothing new",
            plan.count
        ))),
        false => Ok(ExitCode::SUCCESS),
    }
}

/// How the first line of the file begins.
const BEGINNING: &str = "# openings of ";

/// The settings that a first line tells, with no more than a screen has room for.
fn settings(heading: &str) -> String {
    /// Characters of the longest settings that this command writes, and some more.
    const LONGEST: usize = 120;
    let settings = heading.trim_end().trim_start_matches(BEGINNING);
    printable(&settings.chars().take(LONGEST).collect::<String>())
}

/// The first line of the file: all that bears on what openings are found.
fn heading(plan: &OpeningSearch) -> String {
    format!(
        "{BEGINNING}{} to {} plies, score within {} at depth {}, seed {}\n",
        plan.shortest, plan.longest, plan.within, plan.depth, plan.seed
    )
}

/// Opens a file to go on with, behind its last whole line, and reads the openings that it has. A file that
/// does not exist is begun.
fn reopen(path: &Path, heading: &str) -> io::Result<(File, Vec<Vec<Move>>)> {
    let mut file = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)?;
    let bytes = read_all(&mut file, LARGEST_FILE)?;
    let mut text = String::from_utf8(bytes).map_err(io::Error::other)?;
    text.truncate(text.rfind('\n').map_or(0, |end| end + 1));
    if text.is_empty() {
        text = heading.to_owned();
    }
    let Some(openings) = text.strip_prefix(heading) else {
        let Some(made) = text
            .lines()
            .next()
            .filter(|line| line.starts_with(BEGINNING))
        else {
            return Err(io::Error::other(
                "it is no file of openings of this command",
            ));
        };
        let (made, wanted) = (settings(made), settings(heading));
        let why = format!("it was made with other settings: {made}; these are {wanted}");
        return Err(io::Error::other(why));
    };
    let present = match openings.is_empty() {
        true => Vec::new(),
        false => {
            let read = Openings::read(openings).map_err(io::Error::other)?;
            read.lines().iter().map(|line| line.moves.clone()).collect()
        }
    };
    let length = text.len() as u64;
    file.rewind()?;
    file.write_all(text.as_bytes())?;
    file.set_len(length)?;
    Ok((file, present))
}

fn line(opening: &FoundOpening) -> String {
    let moves: Vec<_> = opening.moves.iter().map(ToString::to_string).collect();
    format!("{} ; {:+}\n", moves.join(" "), opening.score)
}
