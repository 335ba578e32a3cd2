//! `chuhe openings`: finds balanced openings.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use indicatif::ProgressBar;

use super::common::{
    Context, Failure, FileLock, ForceArgument, INTERRUPTED, create_locked, ignore_closed_pipe,
    interrupts, note, register_bar, require_extension,
};
use crate::board::Move;
use crate::search::MAX_DEPTH;
use crate::text::{open_or_create, printable, read_all, require_regular};
use crate::tournament::{FoundOpening, MAX_FAILED_LINES, OpeningSearch, Openings, find_openings};

/// Maximum size of a file whose search is resumed, in MB.
const MAX_FILE_MB: u64 = 256;

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
    if arguments.shortest > arguments.longest {
        return Err(Failure::usage("--shortest", "must not be greater than --longest"));
    }
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
    let mut output = open_output(arguments, &heading)?;
    // Ctrl-C is handled only after the output has been opened, because opening a FIFO can block.
    let interrupts = interrupts()?;
    let bar =
        ProgressBar::new(u64::from(arguments.count)).with_position(output.present.len() as u64);
    let bar = register_bar(bar, "{bar:30} {pos}/{len} openings, {left} left");
    bar.reset_eta();
    let (mut written, mut is_interrupted) = (Ok(()), false);
    let count = find_openings(&plan, &output.present, |opening| {
        if let Some(opening) = opening {
            bar.inc(1);
            written = output.file.write_all(line(opening).as_bytes());
        }
        is_interrupted = interrupts.try_recv().is_ok();
        written.is_ok() && !is_interrupted
    })
    .context(arguments.out.display())?;
    bar.abandon();
    if let Err(error) = written {
        return if arguments.out.as_os_str() != "-" {
            Err(Failure::new(arguments.out.display(), error))
        } else {
            let ended = ignore_closed_pipe(error).map(|()| ExitCode::SUCCESS);
            ended.context("standard output")
        };
    }
    if count >= plan.count {
        return Ok(ExitCode::SUCCESS);
    }
    if !is_interrupted {
        let why = why_too_few(&plan, count, output.present.len());
        return Err(Failure::new(arguments.out.display(), why));
    }
    // Only a regular file is locked, and only its search can be resumed.
    note(&if output.lock.is_none() {
        format!("{count} of {} openings found", plan.count)
    } else {
        format!(
            "{}: {count} of {} openings found; --continue resumes the search",
            arguments.out.display(),
            plan.count
        )
    });
    Ok(ExitCode::from(INTERRUPTED))
}

/// The reason why a complete search has only `count` openings. The file had `present` openings.
fn why_too_few(plan: &OpeningSearch, count: usize, present: usize) -> String {
    if count < present {
        return format!("a search with these settings does not find opening {}", count + 1);
    }
    format!(
        "only {count} of {} openings found: {MAX_FAILED_LINES} random lines in a row gave no new opening",
        plan.count
    )
}

struct Output {
    file: Box<dyn Write>,
    /// The moves of the openings that are already in the file.
    present: Vec<Vec<Move>>,
    lock: Option<FileLock>,
}

/// Opens the output file and writes the heading, or reads the openings of a search that is resumed. Locks a regular
/// file.
fn open_output(arguments: &Arguments, heading: &str) -> Result<Output, Failure> {
    let out = &arguments.out;
    let output = |file: Box<dyn Write>, present, lock| Output { file, present, lock };
    if out.as_os_str() == "-" {
        if arguments.resume {
            let why = "a search on standard output cannot be resumed";
            return Err(Failure::usage("--continue", why));
        }
        let mut stdout = io::stdout();
        let written = stdout.write_all(heading.as_bytes());
        let written = written.or_else(ignore_closed_pipe);
        written.context("standard output")?;
        return Ok(output(Box::new(stdout), Vec::new(), None));
    }
    if arguments.resume {
        require_regular(out).context(out.display())?;
        let lock = Some(FileLock::acquire(out)?);
        let (file, present) = reopen(out, heading).context(out.display())?;
        return Ok(output(Box::new(file), present, lock));
    }
    let hint = "--continue resumes its search, --force overwrites it";
    let (mut file, lock) = create_locked(out, arguments.force, hint)?;
    file.write_all(heading.as_bytes()).context(out.display())?;
    Ok(output(Box::new(file), Vec::new(), lock))
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

/// Opens a file to resume its search: drops an incomplete last line and returns the openings. Creates a file that does
/// not exist.
fn reopen(path: &Path, heading: &str) -> io::Result<(File, Vec<Vec<Move>>)> {
    let mut file = open_or_create(path)?;
    let bytes = read_all(&mut file, MAX_FILE_MB)?;
    let foreign = || io::Error::other("the file was not written by `chuhe openings`");
    let mut text = String::from_utf8(bytes).map_err(|_| foreign())?;
    let end = text.rfind('\n').map_or(0, |end| end + 1);
    // A file without a complete line is overwritten only if it contains nothing but the start of the heading.
    if end > 0 || heading.starts_with(&text) {
        text.truncate(end);
    }
    if text.is_empty() {
        text = heading.to_owned();
    }
    let Some(openings) = text.strip_prefix(heading) else {
        let Some(first_line) = text.lines().next().filter(|line| line.starts_with(BEGINNING))
        else {
            return Err(foreign());
        };
        let (old, new) = (settings(first_line), settings(heading));
        let why =
            format!("the file was made with other settings: {old}; the current ones are {new}");
        return Err(io::Error::other(why));
    };
    let present = if openings.is_empty() {
        Vec::new()
    } else {
        let read = Openings::read(openings).map_err(io::Error::other)?;
        read.lines().iter().map(|line| line.moves.clone()).collect()
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
