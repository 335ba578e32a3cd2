//! `chuhe book build`: a book of games, or of searches.

use std::cell::Cell;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ArgGroup;
use crossbeam_channel::Receiver;

use super::file::Output;
use crate::book::BookTable;
use crate::cli::common::interrupt::interrupts;
use crate::cli::common::meter::ProgressMeter;
use crate::cli::common::{Failure, INTERRUPTED, note};
use crate::notation::pgn::{GameResult, PgnReader};
use crate::training::book::{BookCheck, Expansion, GameBook, check, expand};
use crate::training::data::{GameReader, MAGIC, Record};

/// Make a book of games (PGN in any notation, self-play files), or of searches from the starting
/// position with --self.
///
/// A move of games weighs three for each game won by the side that plays it, one for each draw, minus
/// one for each loss. With --check or --self every position is searched, and moves that are worse than
/// the best one by more than the margin are left out. The same command makes the same book again.
#[derive(Debug, clap::Args)]
#[command(group = ArgGroup::new("searches").args(["check", "self_made"]))]
pub(super) struct Arguments {
    /// The book to make; it must not exist.
    out: PathBuf,
    /// Files of games.
    #[arg(required_unless_present = "self_made", conflicts_with = "self_made")]
    games: Vec<PathBuf>,
    /// Make the book of searches, without games.
    #[arg(long = "self")]
    self_made: bool,
    /// Plies from the start that the book may cover.
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u16).range(1..=200))]
    max_ply: u16,
    /// Games in which a move has to be played.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 4,
        conflicts_with = "self_made"
    )]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    min_games: u32,
    /// Search the moves of games.
    #[arg(long, conflicts_with = "self_made")]
    check: bool,
    /// Nodes of a search, after which the iteration under way is finished.
    #[arg(long, value_name = "N", requires = "searches", default_value_t = 50_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// How much worse than the best a move may be, in hundredths of a minor piece.
    #[arg(long, value_name = "N", requires = "searches", default_value_t = 40, value_parser = clap::value_parser!(i32).range(0..=1000))]
    margin: i32,
    /// Positions to search with --self.
    #[arg(long, value_name = "N", conflicts_with = "games", default_value_t = 2000, value_parser = clap::value_parser!(u32).range(1..))]
    positions: u32,
    /// The most moves of a position with --self.
    #[arg(long, value_name = "N", conflicts_with = "games", default_value_t = 5, value_parser = clap::value_parser!(u8).range(1..=44))]
    lines: u8,
}

/// Makes the book. Ctrl-C ends the searches; the book is then made of what there is.
///
/// # Errors
/// A file cannot be read or written.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let out = Output::new(&arguments.out)?;
    let meter = BuildMeter::new()?;
    let table = if arguments.self_made {
        let plan = Expansion {
            positions: arguments.positions as usize,
            plies: usize::from(arguments.max_ply),
            nodes: arguments.nodes,
            lines: usize::from(arguments.lines),
            margin: arguments.margin,
        };
        meter.progress.begin(plan.positions as u64, 0);
        expand(&plan, |done| meter.goes_on(done)).map_err(|error| Failure::new("book", error))?
    } else {
        let mut table = of_games(arguments)?;
        if arguments.check {
            let plan = BookCheck {
                nodes: arguments.nodes,
                margin: arguments.margin,
            };
            meter.progress.begin(table.positions() as u64, 0);
            let checked = check(&mut table, plan, |done| meter.goes_on(done))
                .map_err(|error| Failure::new("book", error))?;
            note(&format!(
                "{} positions searched, {} moves dropped",
                checked.positions, checked.dropped
            ));
        }
        table
    };
    out.write(&table)?;
    if meter.is_stopped.get() {
        note(match arguments.check {
            true => {
                "the search was cut short: positions that it had not come to keep all their moves"
            }
            false => "the work was cut short; the book holds what was done",
        });
        return Ok(ExitCode::from(INTERRUPTED));
    }
    Ok(ExitCode::SUCCESS)
}

/// Counts the games of all files.
fn of_games(arguments: &Arguments) -> Result<BookTable, Failure> {
    let mut book = GameBook::new(usize::from(arguments.max_ply));
    for path in &arguments.games {
        let fault = |error: &dyn std::fmt::Display| Failure::new(path.display(), error);
        let mut file = File::open(path).map_err(|error| fault(&error))?;
        let mut head = Vec::new();
        (file
            .by_ref()
            .take(MAGIC.len() as u64 - 1)
            .read_to_end(&mut head))
        .map_err(|error| fault(&error))?;
        let is_data = head == MAGIC[..MAGIC.len() - 1];
        match is_data {
            true => add_data(&mut book, path)?,
            false => add_pgn(&mut book, path)?,
        }
    }
    note(&format!("{} games", book.games()));
    let least = arguments.min_games;
    let table = book.finish(least);
    match table.positions() {
        0 => Err(Failure::new(
            "book",
            format!(
                "no moves were played in {least} games or more and won more than they lost (--min-games)"
            ),
        )),
        _ => Ok(table),
    }
}

fn add_data(book: &mut GameBook, path: &Path) -> Result<(), Failure> {
    let fault = |error: &dyn std::fmt::Display| Failure::new(path.display(), error);
    let file = File::open(path).map_err(|error| fault(&error))?;
    let mut reader = GameReader::new(file).map_err(|error| fault(&error))?;
    while let Some(record) = reader.next_record().map_err(|error| fault(&error))? {
        // Positions without their games have no moves.
        if let Record::Game(game) = record {
            let moves = game.moves.iter().map(|m| m.played);
            let skipped = usize::from(game.random_plies);
            book.add(&game.start_position(), moves, skipped, game.result.winner());
        }
    }
    if !reader.recovered().is_clean() {
        note(&format!("{}: {}", path.display(), reader.recovered()));
    }
    Ok(())
}

fn add_pgn(book: &mut GameBook, path: &Path) -> Result<(), Failure> {
    let fault = |error: &dyn std::fmt::Display| Failure::new(path.display(), error);
    let file = File::open(path).map_err(|error| fault(&error))?;
    let mut reader = PgnReader::new(BufReader::new(file));
    let (mut unread, mut unfinished) = (0, 0);
    for game in reader.by_ref() {
        match game {
            Ok(game) if game.result == GameResult::Unfinished => unfinished += 1,
            Ok(game) => book.add(&game.line.start, game.line.moves, 0, game.result.winner()),
            Err(_) => unread += 1,
        }
    }
    for (count, what) in [
        (unread, "that cannot be read"),
        (unfinished, "without a result"),
    ] {
        if count > 0 {
            note(&format!(
                "{}: left out {count} games {what}",
                path.display()
            ));
        }
    }
    reader.finish().map_err(|error| fault(&error))
}

/// Shows how far the searches have come, and stops them at Ctrl-C.
struct BuildMeter {
    progress: ProgressMeter,
    interrupts: Receiver<()>,
    is_stopped: Cell<bool>,
}

impl BuildMeter {
    fn new() -> Result<Self, Failure> {
        Ok(Self {
            progress: ProgressMeter::new("positions"),
            interrupts: interrupts()?,
            is_stopped: Cell::new(false),
        })
    }

    /// Shows how many positions are done; `false` after Ctrl-C.
    fn goes_on(&self, done: usize) -> bool {
        self.progress.show(done as u64, "");
        if self.interrupts.try_recv().is_ok() {
            self.is_stopped.set(true);
        }
        !self.is_stopped.get()
    }
}
