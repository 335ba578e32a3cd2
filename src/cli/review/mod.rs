//! `chuhe review`: the moves of a game judged.

mod game;
mod graph;
mod page;
mod search;
mod text;
mod verdict;

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget};

use super::common::{
    Failure, INTERRUPTED, LimitArguments, NetworkArgument, OutputFile, PgnPlace, TableArguments,
    bar_style, ignore_closed_pipe, interrupts, require_not_input,
};
use crate::notation::MoveStyle;
use crate::rules::{Game, RuleSet};
use crate::search::{MAX_HASH, MAX_THREADS};
use game::{Review, decided_score, review, stages};
use search::{ReviewPlan, ReviewedPosition, search_all};

/// Judge the moves of a game: what was best, how much of the chances each move gave away, how accurate
/// both sides were, and what the rules say to repetitions.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The game: a PGN, its first game unless another is named, as in `games.pgn:3`; up to a ply, as in
    /// `games.pgn:3@42`.
    #[arg(value_name = "GAME")]
    game: String,
    #[command(flatten)]
    limits: LimitArguments,
    /// Positions to search at the same time, each in one thread; 0 is one a processor core.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=i64::from(MAX_THREADS)))]
    threads: u16,
    /// Hash table of each thread in MB.
    #[arg(long, value_name = "MB", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_HASH)))]
    hash: u32,
    /// How to write moves.
    #[arg(long, value_enum, default_value_t = MoveStyle::Chinese)]
    notation: MoveStyle,
    /// The rules of repetition.
    #[arg(long, value_name = "SET", value_enum, ignore_case = true, default_value_t = RuleSet::default())]
    rules: RuleSet,
    /// Write the game with scores, glyphs and better lines to FILE.
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Write the course of the game as a picture to FILE.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write a page with board, moves and graph for a browser to FILE.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    network: NetworkArgument,
    #[command(flatten)]
    tables: TableArguments,
}

/// Time for a position unless there is another limit.
const USUAL: Duration = Duration::from_secs(1);

impl Arguments {
    fn plan(&self) -> Result<ReviewPlan, Failure> {
        Ok(ReviewPlan {
            limits: self.limits.limits(USUAL),
            threads: match usize::from(self.threads) {
                0 => std::thread::available_parallelism().map_or(1, usize::from),
                threads => threads,
            },
            hash: self.hash as usize,
            rules: self.rules,
            network: self.network.read()?,
            tables: Some(self.tables.open()?),
        })
    }
}

/// Searches the game, prints the table and writes the files.
///
/// # Errors
/// The game cannot be read, a file cannot be written, or the search fails.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let place = PgnPlace::parse(&arguments.game);
    let record = place.read()?;
    let fault = |error: &dyn std::fmt::Display| Failure::new(place.path.display(), error);
    if record.line.moves.is_empty() {
        return Err(fault(&"the game has no moves"));
    }
    let plan = arguments.plan()?;
    let mut files = Vec::new();
    for (option, path) in [
        ("--pgn", &arguments.pgn),
        ("--svg", &arguments.svg),
        ("--html", &arguments.html),
    ] {
        if let Some(path) = path {
            require_not_input(option, path, [&place.path])?;
        }
        files.push(path.as_deref().map(OutputFile::open).transpose()?);
    }
    let stages = stages(&record).map_err(|error| fault(&error))?;
    let Some(found) = search_game(&stages, &plan)? else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let review = review(record, &stages, &found, plan.rules);
    write!(io::stdout(), "{}", text::table(&review, arguments.notation))
        .or_else(ignore_closed_pipe)
        .map_err(|error| Failure::new("standard output", error))?;
    let writers: [fn(&Review, &Arguments) -> String; 3] = [
        |review, arguments| text::pgn(review, arguments.notation),
        |review, arguments| graph::draw(review, arguments.notation),
        |review, arguments| page::page(review, arguments.notation),
    ];
    for (file, write) in files.into_iter().zip(writers) {
        if let Some(file) = file {
            file.write(&write(&review, arguments))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What the search finds at each stage of a game; `None` after an interrupt. A last position that the
/// rules decide needs no search.
fn search_game(
    stages: &[Game],
    plan: &ReviewPlan,
) -> Result<Option<Vec<ReviewedPosition>>, Failure> {
    let last = stages.last();
    let decided = last.and_then(|game| decided_score(game, plan.rules));
    let open = match decided {
        Some(_) => &stages[..stages.len() - 1],
        None => stages,
    };
    let bar = progress_bar(open.len());
    let interrupts = interrupts()?;
    let (found, interrupted) = search_all(open, plan, &interrupts, || bar.inc(1));
    bar.finish_and_clear();
    if interrupted {
        return Ok(None);
    }
    let found: Option<Vec<ReviewedPosition>> = found.into_iter().collect();
    let mut found = found.ok_or_else(|| Failure::new("review", "the search has failed"))?;
    found.extend(decided.map(|score| ReviewedPosition {
        score,
        depth: 0,
        line: Vec::new(),
    }));
    Ok(Some(found))
}

/// A bar on standard error, if that is a terminal.
fn progress_bar(positions: usize) -> ProgressBar {
    let target = match io::stderr().is_terminal() {
        true => ProgressDrawTarget::stderr(),
        false => ProgressDrawTarget::hidden(),
    };
    let bar = ProgressBar::with_draw_target(Some(positions as u64), target);
    bar.with_style(bar_style("{bar:40} {pos}/{len} positions, {left} left"))
}
