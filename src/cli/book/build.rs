//! `chuhe book build`: a book of games, or of searches.

use std::cell::Cell;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::ArgGroup;
use crossbeam_channel::Receiver;

use super::file::Output;
use super::games::of_games;
use crate::book::{BookTable, drop_unreached};
use crate::cli::common::{Failure, INTERRUPTED, ProgressMeter, interrupts, note};
use crate::cli::selfplay::{GAME_HASH, play_games};
use crate::training::book::{BookCheck, Expansion, check, expand};
use crate::training::{GoodOpening, Interrupt, Opening, SelfPlay};

/// Make a book of games (PGN in any notation, XQF, CBR, CBL, DhtmlXQ, self-play files), which
/// --self-play plays first, or of searches from the starting position with --self.
///
/// A move of games weighs three for each game won by the side that plays it, one for each draw, minus
/// one for each loss; those that come to nothing are left out, but for --by-score. With --check or --self
/// every position is searched, and moves that are worse than the best one by more than the margin are left
/// out. The same command makes the same book again.
#[derive(Debug, clap::Args)]
#[command(group = ArgGroup::new("searches").args(["check", "self_made"]))]
#[command(group = ArgGroup::new("own").args(["self_play", "self_made"]))]
pub(super) struct Arguments {
    /// The book to make; it must not exist.
    out: PathBuf,
    /// Files of games; `-` for standard input.
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
    /// First play the engine against itself until the file of games, the only one, has N: good moves up to
    /// --max-ply, the best ones behind. The file is made, or gone on with.
    #[arg(
        long,
        value_name = "N",
        requires = "check",
        conflicts_with = "self_made"
    )]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    self_play: Option<u32>,
    /// Nodes a move of --self-play; up to --max-ply as many for each of the --lines.
    #[arg(long, value_name = "N", requires = "self_play", default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..))]
    game_nodes: u64,
    /// How much worse than the best a move of --self-play may be up to --max-ply, in hundredths of a minor
    /// piece.
    #[arg(long, value_name = "N", requires = "self_play", default_value_t = 30, value_parser = clap::value_parser!(u16).range(0..=1000))]
    game_margin: u16,
    /// Seed of --self-play: game n of a seed is always the same.
    #[arg(long, value_name = "N", requires = "self_play", default_value_t = 0)]
    seed: u64,
    /// Search the moves of games.
    #[arg(long, conflicts_with = "self_made")]
    check: bool,
    /// Weigh the moves that stay by the scores of --check, taken back from the ends of the lines, instead of
    /// by results.
    #[arg(long, requires = "check")]
    by_score: bool,
    /// Games of --self-play and searches of --check at a time; the book does not depend on it.
    #[arg(long, value_name = "N", requires = "check", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Nodes of a search, after which the iteration under way is finished.
    #[arg(long, value_name = "N", requires = "searches", default_value_t = 50_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// How much worse than the best a move of the book may be, in hundredths of a minor piece.
    #[arg(long, value_name = "N", requires = "searches", default_value_t = 40, value_parser = clap::value_parser!(u16).range(0..=1000))]
    margin: u16,
    /// Positions to search with --self.
    #[arg(long, value_name = "N", conflicts_with = "games", default_value_t = 2000, value_parser = clap::value_parser!(u32).range(1..))]
    positions: u32,
    /// The most moves of a position with --self or --self-play.
    #[arg(long, value_name = "N", requires = "own", default_value_t = 5, value_parser = clap::value_parser!(u8).range(1..=44))]
    lines: u8,
}

/// Makes the book. Ctrl-C ends the searches; the book is then made of what there is.
///
/// # Errors
/// A file cannot be read or written.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let out = Output::new(&arguments.out)?;
    let interrupts = interrupts()?;
    if let Some(games) = arguments.self_play
        && !play(arguments, games, &interrupts)?
    {
        note("the work was cut short; the same command goes on with the games");
        return Ok(ExitCode::from(INTERRUPTED));
    }
    let meter = BuildMeter::new(interrupts);
    let table = match arguments.self_made {
        true => of_searches(arguments, &meter)?,
        false => {
            let files = &arguments.games;
            let mut table = of_games(
                files,
                usize::from(arguments.max_ply),
                arguments.min_games,
                arguments.by_score,
            )?;
            if arguments.check {
                check_moves(&mut table, arguments, &meter)?;
            }
            if arguments.self_play.is_some() {
                leave_out_unreached(&mut table)?;
            }
            table
        }
    };
    out.write(&table)?;
    if !meter.is_stopped.get() {
        return Ok(ExitCode::SUCCESS);
    }
    note(match arguments.check {
        true => {
            "the search was cut short: positions that it had not come to keep all their moves, and all \
             moves the weights of their results"
        }
        false => "the work was cut short; the book holds what was done",
    });
    Ok(ExitCode::from(INTERRUPTED))
}

/// Plays the games; `false` where there are fewer in the end, for the user has asked to stop.
fn play(arguments: &Arguments, games: u32, interrupts: &Receiver<()>) -> Result<bool, Failure> {
    let [file] = &arguments.games[..] else {
        let why = "the games of --self-play go into one file";
        return Err(Failure::usage("book", why));
    };
    let plan = SelfPlay {
        games,
        nodes: arguments.game_nodes,
        threads: usize::from(arguments.threads),
        hash: GAME_HASH,
        seed: arguments.seed,
        opening: Opening::Good(GoodOpening {
            plies: arguments.max_ply,
            lines: arguments.lines,
            margin: arguments.game_margin,
        }),
        network: None,
    };
    let interrupt = Interrupt::default();
    play_games(file, plan, &interrupt, || {
        if interrupts.try_recv().is_ok() {
            note("finishing the games under way");
            interrupt.ask();
        }
    })?;
    Ok(!interrupt.is_asked())
}

fn of_searches(arguments: &Arguments, meter: &BuildMeter) -> Result<BookTable, Failure> {
    let plan = Expansion {
        positions: arguments.positions as usize,
        plies: usize::from(arguments.max_ply),
        nodes: arguments.nodes,
        lines: usize::from(arguments.lines),
        margin: i32::from(arguments.margin),
    };
    meter.progress.begin(plan.positions as u64, 0);
    expand(&plan, |done| meter.goes_on(done)).map_err(|error| Failure::new("book", error))
}

fn check_moves(
    table: &mut BookTable,
    arguments: &Arguments,
    meter: &BuildMeter,
) -> Result<(), Failure> {
    let plan = BookCheck {
        nodes: arguments.nodes,
        margin: i32::from(arguments.margin),
        threads: usize::from(arguments.threads),
        weighs: arguments.by_score,
    };
    meter.progress.begin(table.positions() as u64, 0);
    let checked = check(table, plan, |done| meter.goes_on(done))
        .map_err(|error| Failure::new("book", error))?;
    note(&format!(
        "{} positions searched, {} moves dropped",
        checked.positions, checked.dropped
    ));
    Ok(())
}

/// Leaves out what no line reaches from the starting position, where all games of self-play begin.
fn leave_out_unreached(table: &mut BookTable) -> Result<(), Failure> {
    let dropped = drop_unreached(table).map_err(|error| Failure::new("book", error))?;
    if dropped > 0 {
        note(&format!(
            "left out {dropped} moves that no line of the book reaches"
        ));
    }
    Ok(())
}

/// Shows how far the searches have come, and stops them at Ctrl-C.
struct BuildMeter {
    progress: ProgressMeter,
    interrupts: Receiver<()>,
    is_stopped: Cell<bool>,
}

impl BuildMeter {
    fn new(interrupts: Receiver<()>) -> Self {
        Self {
            progress: ProgressMeter::new("positions"),
            interrupts,
            is_stopped: Cell::new(false),
        }
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
