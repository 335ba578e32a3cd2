//! `chuhe book build`: makes a book from games or searches.

use std::cell::Cell;
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ArgGroup;
use crossbeam_channel::Receiver;

use super::file::Output;
use crate::book::{BookTable, drop_unreached};
use crate::cli::common::{
    Context, Failure, ForceArgument, ProgressMeter, Unread, exit_code, interrupts, note,
    note_repeated, open_with_beginning, require_not_input, with_files_of_folders,
};
use crate::cli::data;
use crate::cli::selfplay::{GAME_HASH, open_games, play_games};
use crate::notation::records::RecordReader;
use crate::text::counted;
use crate::training::book::{BookCheck, Expansion, GameBook, check, expand};
use crate::training::data::{
    GameReader, LabeledResult, MAGIC, NO_SCORE, Record, ScoredMove, is_game_file,
};
use crate::training::{GoodOpening, Interrupt, Opening, SelfPlaySettings};

/// Make a book from games or, with --self, from searches.
///
/// Games are PGN in any notation, XQF, CBR, CBL, CBF, PFC, DhtmlXQ, WXF or self-play files. With --self-play and
/// --check the engine plays the games first.
///
/// From games, the value of a move is three for each win of the side that plays it, one for each
/// draw, minus one for each loss; moves with a value of 0 or less are dropped, except with
/// --by-score. With --check or --self every position is searched, and moves that are worse than the
/// best by more than the margin are dropped. The same command makes the same book again.
#[derive(Debug, clap::Args)]
#[command(group = ArgGroup::new("searches").args(["check", "self_made"]))]
#[command(group = ArgGroup::new("own").args(["self_play", "self_made"]))]
pub struct Arguments {
    /// New book; `-` is standard output.
    out: PathBuf,
    #[command(flatten)]
    force: ForceArgument,
    /// Files of games, or folders with game records; `-` for standard input.
    #[arg(required_unless_present = "self_made", conflicts_with = "self_made")]
    games: Vec<PathBuf>,
    /// Make the book from searches, without games.
    #[arg(long = "self")]
    self_made: bool,
    /// Depth of the book, in plies from the start.
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u16).range(1..=200))]
    max_ply: u16,
    /// Keep moves that were played in at least N games.
    #[arg(long, value_name = "N", default_value_t = 4, conflicts_with = "self_made")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    min_games: u32,
    /// With --check: first play the engine against itself until the file of games has N games. Up to --max-ply it
    /// chooses among good moves, then it plays the best move. An existing file is continued.
    #[arg(long, value_name = "N", requires = "check", conflicts_with = "self_made")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    self_play: Option<u32>,
    /// Nodes for each move of --self-play; up to --max-ply, N times the number of --lines.
    #[arg(long, value_name = "N", requires = "self_play", conflicts_with = "self_made", default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..))]
    game_nodes: u64,
    /// How much worse than the best a move of --self-play may be up to --max-ply, in hundredths of
    /// a minor piece.
    #[arg(long, value_name = "N", requires = "self_play", conflicts_with = "self_made", default_value_t = 30, value_parser = clap::value_parser!(u16).range(0..=1000))]
    game_margin: u16,
    /// Seed of --self-play; a seed always gives the same games.
    #[arg(
        long,
        value_name = "N",
        requires = "self_play",
        conflicts_with = "self_made",
        default_value_t = 0
    )]
    seed: u64,
    /// Search the moves of games and drop bad ones.
    #[arg(long, conflicts_with = "self_made")]
    check: bool,
    /// With --check: weight moves by their search scores, backed up from the ends of the lines, instead of by results.
    #[arg(long, requires = "check", conflicts_with = "self_made")]
    by_score: bool,
    /// Number of games or searches at the same time; does not change the book.
    #[arg(long, value_name = "N", requires = "check", conflicts_with = "self_made", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Nodes for each search; the iteration in progress is completed.
    #[arg(long, value_name = "N", requires = "searches", default_value_t = 50_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// How much worse than the best a book move may be, in hundredths of a minor piece.
    #[arg(long, value_name = "N", requires = "searches", default_value_t = 40, value_parser = clap::value_parser!(u16).range(0..=1000))]
    margin: u16,
    /// Number of positions to search with --self.
    #[arg(long, value_name = "N", conflicts_with = "games", default_value_t = 2000, value_parser = clap::value_parser!(u32).range(1..))]
    positions: u32,
    /// Maximum number of moves per position with --self or --self-play.
    #[arg(long, value_name = "N", requires = "own", default_value_t = 5, value_parser = clap::value_parser!(u8).range(1..=44))]
    lines: u8,
}

/// After Ctrl-C during self-play, no book is written. After Ctrl-C during the searches, the book is made from the
/// results so far.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let mut unread = Unread::default();
    let files = with_files_of_folders(&arguments.games, &mut unread)?;
    require_not_input("OUT", &arguments.out, &files)?;
    note_repeated(&files);
    let out = Output::new(&arguments.out, arguments.force)?;
    // Ctrl-C is handled only after the files have been opened, because opening a FIFO can block.
    let (interrupts, table_of_games) = if let Some(games) = arguments.self_play {
        let (interrupts, is_interrupted) = play(arguments, games)?;
        if is_interrupted {
            note("interrupted; run the same command again to continue the games");
            return Ok(exit_code(true));
        }
        (interrupts, Some(from_games(arguments, &files, &mut unread)?))
    } else if arguments.self_made {
        (interrupts()?, None)
    } else {
        let table = from_games(arguments, &files, &mut unread)?;
        (interrupts()?, Some(table))
    };
    let meter = BuildMeter {
        progress: ProgressMeter::new("positions"),
        interrupts,
        is_stopped: Cell::new(false),
    };
    let mut table = match table_of_games {
        Some(table) => table,
        None => from_searches(arguments, &meter)?,
    };
    if arguments.check {
        check_moves(&mut table, arguments, &meter)?;
    }
    if arguments.self_play.is_some() {
        // All games of --self-play begin at the starting position.
        let dropped = drop_unreached(&mut table).context("book")?;
        if dropped > 0 {
            note(&format!("dropped {} that no line of the book reaches", counted(dropped, "move")));
        }
    }
    out.write(&table, Vec::new(), &[])?;
    let is_interrupted = meter.is_stopped.get();
    if is_interrupted {
        note(if arguments.check {
            "interrupted: the book was written, but positions that were not searched keep all their moves, \
             and the weights come from the game results"
        } else {
            "interrupted: the book was made from the results so far"
        });
    } else {
        unread.finish("book")?;
    }
    Ok(exit_code(is_interrupted))
}

/// Builds a book from the first `--max-ply` plies of all games: moves that were played in at least
/// `--min-games` games and have a positive value, or any value with `--by-score`. Games without a result count only
/// with `--by-score`.
fn from_games(
    arguments: &Arguments,
    files: &[PathBuf],
    unread: &mut Unread,
) -> Result<BookTable, Failure> {
    let mut book = GameBook::new(usize::from(arguments.max_ply));
    let by_score = arguments.by_score;
    unread.each_file(files, |unread, path| add_file(&mut book, path, by_score, unread))?;
    note(&counted(book.games(), "game"));
    let (min_value, kind) =
        if by_score { (i64::MIN, "move") } else { (1, "move with a positive value") };
    let table = book.finish(arguments.min_games, min_value);
    if table.positions_count() == 0 {
        let min_games = counted(arguments.min_games, "game");
        let why = format!("no {kind} was played in at least {min_games}; see --min-games");
        return Err(Failure::new("book", why));
    }
    Ok(table)
}

fn add_file(
    book: &mut GameBook,
    path: &Path,
    by_score: bool,
    unread: &mut Unread,
) -> Result<(), Failure> {
    let (beginning, file) =
        open_with_beginning(path, MAGIC.len() as u64).context(path.display())?;
    if is_game_file(&beginning) {
        add_data(book, path, file)
    } else {
        add_records(book, path, file, by_score, unread)
    }
}

fn add_data(book: &mut GameBook, path: &Path, file: impl Read) -> Result<(), Failure> {
    let mut reader = GameReader::new(file).context(path.display())?;
    let mut with_random = 0;
    while let Some(record) = reader.next_record().context(path.display())? {
        // The moves of a loose record are unknown.
        if let Record::Game(game) = record {
            // In a game with a random opening, only random moves have no score.
            let is_random = |m: &ScoredMove| game.random_plies > 0 && m.score == NO_SCORE;
            with_random += u64::from(game.random_plies > 0);
            let moves = game.moves.iter().map(|m| (m.played, !is_random(m)));
            book.add(&game.start_position(), moves, Some(game.result));
        }
    }
    if with_random > 0 {
        let (path, games) = (path.display(), counted(with_random, "game"));
        note(&format!(
            "{path}: skipped the random moves of {games}; games of --self-play have none"
        ));
    }
    data::warn_of_damage(path, reader.damage());
    Ok(())
}

fn add_records(
    book: &mut GameBook,
    path: &Path,
    file: impl BufRead + Send,
    by_score: bool,
    unread: &mut Unread,
) -> Result<(), Failure> {
    let games = RecordReader::new(file).context(path.display())?;
    let mut unfinished = 0;
    let read = unread.read_games(path, games, |_, game| {
        let result = LabeledResult::of(game.result);
        if by_score || result.is_some() {
            let moves = game.main_line().moves.into_iter().map(|played| (played, true));
            book.add(&game.start, moves, result);
        } else {
            unfinished += 1;
        }
        Ok::<_, io::Error>(())
    });
    if unfinished > 0 {
        let path = path.display();
        note(&format!("{path}: skipped {} without a result", counted(unfinished, "game")));
    }
    read.context(path.display())
}

/// Plays the games. Returns the channel of Ctrl-C, and whether Ctrl-C has stopped the games.
fn play(arguments: &Arguments, games: u32) -> Result<(Receiver<()>, bool), Failure> {
    let [file] = &arguments.games[..] else {
        let why = "--self-play needs exactly one file of games";
        return Err(Failure::usage("book", why));
    };
    let settings = SelfPlaySettings {
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
        opening_score: 0,
        random_moves: 0,
        network: None,
    };
    let run = open_games(file, settings)?;
    let interrupts = interrupts()?;
    let interrupt = Interrupt::default();
    play_games(file, run, games, &interrupt, || {
        if interrupts.try_recv().is_ok() {
            note("finishing the current games");
            interrupt.request();
        }
    })?;
    Ok((interrupts, interrupt.is_requested()))
}

fn from_searches(arguments: &Arguments, meter: &BuildMeter) -> Result<BookTable, Failure> {
    let plan = Expansion {
        positions: arguments.positions as usize,
        plies: usize::from(arguments.max_ply),
        nodes: arguments.nodes,
        lines: usize::from(arguments.lines),
        margin: i32::from(arguments.margin),
    };
    meter.progress.begin(plan.positions as u64, 0);
    expand(&plan, |done| meter.continue_after(done)).context("book")
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
        reweights: arguments.by_score,
    };
    meter.progress.begin(table.positions_count() as u64, 0);
    let checked = check(table, plan, |done| meter.continue_after(done)).context("book")?;
    note(&format!(
        "{} searched, {} dropped",
        counted(checked.positions, "position"),
        counted(checked.dropped, "move")
    ));
    Ok(())
}

/// Shows the progress of searches and stops them at Ctrl-C.
struct BuildMeter {
    progress: ProgressMeter,
    interrupts: Receiver<()>,
    is_stopped: Cell<bool>,
}

impl BuildMeter {
    /// Shows the number of positions done. Returns `false` after Ctrl-C.
    fn continue_after(&self, done: usize) -> bool {
        self.progress.show(done as u64, "");
        if self.interrupts.try_recv().is_ok() {
            self.is_stopped.set(true);
        }
        !self.is_stopped.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;
    use crate::training::data::{GameWriter, Termination, TrainingGame};

    /// Games with random openings can have a later random move. Other games can have moves without a score, such as
    /// book moves.
    #[test]
    fn random_moves_of_self_play_are_not_counted() {
        let moves = [("h2e2", NO_SCORE), ("h9g7", 5), ("h0g2", NO_SCORE), ("i9h9", 5)];
        let moves =
            moves.map(|(played, score)| ScoredMove { played: played.parse().unwrap(), score });
        for (random_plies, counted) in [(1, [false, true, false, true]), (0, [true; 4])] {
            let game = TrainingGame {
                seed: 1,
                number: 0,
                start: None,
                random_plies,
                moves: moves.to_vec(),
                result: LabeledResult::Draw,
                ending: Termination::PlyLimit,
            };
            let mut writer = GameWriter::new(Vec::new()).unwrap();
            writer.record(&Record::Game(game)).unwrap();
            let mut book = GameBook::new(40);
            add_data(&mut book, Path::new("a.chg"), &writer.flush().unwrap()[..])
                .unwrap_or_else(|_| panic!("a file of games"));
            let table = book.finish(1, i64::MIN);
            let mut position = Position::startpos();
            for (m, counted) in moves.iter().zip(counted) {
                let is_in_book = !table.all_moves(&position).is_empty();
                assert_eq!(is_in_book, counted, "{random_plies} {}", m.played);
                position.make(m.played);
            }
        }
    }
}
