//! `chuhe review`: judges the moves of games.

mod game;
mod output;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use crossbeam_channel::Receiver;
use indicatif::ProgressBar;
use serde_json::Value;

use super::common::{
    Context, Failure, ForceArgument, GamePath, LimitArguments, OpeningArgument, OutputFile, Place,
    SearchArguments, SearchDefaults, SearchPlan, Unread, create_outputs, exit_code, interrupts,
    is_stdout, note, play_line, print, refuse_if, register_bar, report_damaged_tablebases,
    require_no_notation, rules_tag, search_games, with_files_of_folders,
};
use crate::notation::MoveStyle;
use crate::notation::tree::GameTree;
use crate::page;
use crate::rules::Game;
use crate::search::Score;
use game::{Review, SearchedPosition, decided_score, judged_plies, review};

/// Judge the moves of a game: best moves, loss of winning chances, accuracy, repetitions.
///
/// Opening moves that `chuhe match` has marked with the comment `book` are not judged. Ctrl-C ends the
/// searches and shows the moves that were judged so far.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Files of games in any format (PGN, XQF, CBR, CBL, CBF, PFC, DhtmlXQ, WXF, one game per line), or folders with
    /// such files; the first game of each, or `games.pgn:3` for the third, `games.pgn:3@42` for its first 42 plies.
    #[arg(required = true, value_name = "GAME")]
    games: Vec<OsString>,
    /// Review all games of the files.
    #[arg(long, conflicts_with = "svg")]
    all: bool,
    #[command(flatten)]
    opening: OpeningArgument,
    /// Judge the moves from ply N on.
    #[arg(long, value_name = "N", default_value_t = 1)]
    from: usize,
    /// Move notation [default: chinese].
    #[arg(long, value_enum, ignore_case = true)]
    notation: Option<MoveStyle>,
    /// Print a JSON object for each game.
    #[arg(long)]
    json: bool,
    /// Write the games with scores, glyphs and better lines to FILE (`-` for standard output, in place of the table).
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Write the expected points by ply as a picture to FILE (or `-`).
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write a web page with board, moves and graph to FILE (or `-`).
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgument,
    #[command(flatten)]
    limits: LimitArguments,
    #[command(flatten)]
    search: SearchArguments,
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let mut unread = Unread::default();
    let games = with_files_of_folders(&arguments.games, &mut unread)?;
    let game_paths: Vec<GamePath> = games.iter().map(GamePath::parse).collect();
    let has_number = |game_path: &GamePath| game_path.game.is_some() || game_path.ply.is_some();
    let why = "expected file names without the number of a game or a ply";
    refuse_if(arguments.all && game_paths.iter().any(has_number), "--all", why)?;
    let is_unused = arguments.opening.ecco.is_some() && !arguments.all;
    refuse_if(is_unused, "--ecco", "has an effect only with --all")?;
    let has_table = !arguments.json && !arguments.html.as_deref().is_some_and(is_stdout);
    if !has_table && arguments.pgn.is_none() && arguments.svg.is_none() {
        require_no_notation(arguments.notation)?;
    }
    let is_for_several = arguments.svg.is_some() && game_paths.len() > 1;
    refuse_if(is_for_several, "--svg", "expected only one game")?;
    let notation = arguments.notation.unwrap_or(MoveStyle::Chinese);
    let records = read_files(arguments, &game_paths, &mut unread)?;
    let mut plan = arguments.search.plan(SearchDefaults { threads: 0, hash: 32 })?;
    plan.limits = arguments.limits.limits(Duration::from_secs(1));
    let files = create_files(arguments, &game_paths)?;
    // The tables are not printed if a file is standard output.
    let uses_stdout = files.iter().flatten().any(OutputFile::is_stdout);
    let interrupts = interrupts()?;
    let mut reviews = Vec::new();
    let mut is_interrupted = false;
    for (game_path, (at, record)) in records {
        let review;
        (review, is_interrupted) =
            review_game(arguments, game_path, at, record, &plan, &interrupts)?;
        if !uses_stdout {
            let path = game_path.path.display();
            print(&if arguments.json {
                output::json(&review, &path.to_string(), at.1)
            } else {
                let table = output::table(&review, notation, arguments.all);
                if game_paths.len() > 1 { format!("{path}:\n{table}\n") } else { table }
            })?;
        }
        reviews.push(review);
        if is_interrupted {
            note("interrupted; the moves that were not searched are not judged");
            break;
        }
    }
    report_damaged_tablebases(&plan.tablebases);
    write_files(files, &reviews, notation)?;
    if !is_interrupted {
        unread.finish("review")?;
    }
    Ok(exit_code(is_interrupted))
}

/// A game to review: its number and its place in its file, and its record.
type NumberedGame = ((usize, Place), GameTree);
type FileGame<'a> = (&'a GamePath, NumberedGame);

/// The games of the files to review. Fails if no file can be read, or if no game has the opening of `--ecco`.
fn read_files<'a>(
    arguments: &Arguments,
    game_paths: &'a [GamePath],
    unread: &mut Unread,
) -> Result<Vec<FileGame<'a>>, Failure> {
    let mut records = Vec::new();
    let mut has_readable_file = false;
    unread.each_file(game_paths, |unread, game_path| {
        let games = read_records(arguments, game_path, unread)?;
        has_readable_file = true;
        records.extend(games.into_iter().map(|game| (game_path, game)));
        Ok(())
    })?;
    if !has_readable_file {
        // The errors end the command before it creates the output files.
        unread.finish("review")?;
    }
    if let (true, Some(failure)) = (records.is_empty(), arguments.opening.no_game()) {
        return Err(failure);
    }
    Ok(records)
}

/// The games of a file to review, with their numbers. Games without moves are reported and skipped.
fn read_records(
    arguments: &Arguments,
    game_path: &GamePath,
    unread: &mut Unread,
) -> Result<Vec<NumberedGame>, Failure> {
    let path = game_path.path.display();
    let mut records = Vec::new();
    if arguments.all {
        let read = unread.read_games(&game_path.path, game_path.games()?, |at, game| {
            records.push((at, game));
            Ok::<_, io::Error>(())
        });
        read.context(&path)?;
    } else {
        let (game, place) = game_path.read_with_place()?;
        records.push(((game_path.game.unwrap_or(1), place), game));
    }
    let count = records.len();
    records.retain(|(_, game)| !game.moves.is_empty());
    let skipped = count - records.len();
    if records.is_empty() {
        let why = match (count, arguments.all) {
            (0, _) => "no game can be read",
            (_, false) => "the game has no moves",
            (_, true) => "no game has moves",
        };
        return Err(Failure::new(path, why));
    }
    if skipped > 0 {
        note(&format!("{path}: games without moves are not reviewed ({skipped})"));
    }
    records.retain(|(_, game)| arguments.opening.selects(&game.main_line()));
    let from = arguments.from;
    let plies = records.iter().map(|(_, game)| game.plies());
    if let Some(last) = plies.max().filter(|last| from > *last) {
        let why = format!("--from {from} is after the last ply, {last}");
        return Err(Failure::new(path, why));
    }
    Ok(records)
}

pub fn page_game(review: &Review) -> Value {
    page::game(&output::annotated(review), &review.points, 0)
}

/// Reviews a game under the rules of `--rules` or else of its tag `Rules`, with a progress bar. Also returns whether
/// Ctrl-C has ended the searches.
fn review_game(
    arguments: &Arguments,
    game_path: &GamePath,
    (number, place): (usize, Place),
    record: GameTree,
    plan: &SearchPlan,
    interrupts: &Receiver<()>,
) -> Result<(Review, bool), Failure> {
    let variations = record.variations();
    if variations > 0 {
        note(&format!(
            "{}: game {number}: only the main line is reviewed, not the variations ({variations})",
            game_path.path.display()
        ));
    }
    let mut plan = plan.clone();
    let place = Some((&*game_path.path, place));
    plan.settings.rules = arguments.search.rules.of(rules_tag(&record).as_deref(), place);
    let bar = register_bar(ProgressBar::new(0), "{bar:40} {pos}/{len} positions, {left} left");
    let reviewed = review_tree(number, record, arguments.from, &plan, interrupts, |_, total| {
        bar.set_length(total as u64);
        bar.inc(1);
    });
    bar.finish_and_clear();
    reviewed.context(game_path.path.display())
}

/// Judges the moves of a game from ply number `from` on. Calls `on_progress` after each position with the number of
/// searched positions and the total. Also returns whether Ctrl-C has ended the searches.
pub fn review_tree(
    number: usize,
    record: GameTree,
    from: usize,
    plan: &SearchPlan,
    interrupts: &Receiver<()>,
    on_progress: impl FnMut(usize, usize),
) -> Result<(Review, bool), String> {
    let judged = judged_plies(&record, from);
    let game = play_line(record.main_line());
    let game = game.map_err(|failure| format!("game {number}: {}", failure.text))?;
    let searched = search_game(&game, &judged, plan, interrupts, on_progress);
    let (found, is_interrupted) = searched.map_err(|failure| failure.text)?;
    let rules = plan.settings.rules;
    Ok((review(number, record, &game, &judged, &found, rules), is_interrupted))
}

/// Searches the positions before and after each judged ply. A position that the rules decide is not searched, except a
/// draw after which the game continued, and a draw if the position before it was one too. Also returns whether Ctrl-C
/// has ended the searches.
fn search_game(
    game: &Game,
    judged: &[bool],
    plan: &SearchPlan,
    interrupts: &Receiver<()>,
    mut on_progress: impl FnMut(usize, usize),
) -> Result<(Vec<Option<SearchedPosition>>, bool), Failure> {
    let last = game.plies().len();
    let mut found: Vec<Option<SearchedPosition>> = vec![None; last + 1];
    let is_judged = |ply: usize| judged.get(ply) == Some(&true);
    let is_needed = |ply: usize| is_judged(ply) || ply > 0 && is_judged(ply - 1);
    let mut decided: Vec<Option<Score>> = vec![None; last + 1];
    let mut remaining = game.clone();
    for ply in (0..=last).rev() {
        decided[ply] = decided_score(&remaining, plan.settings.rules);
        remaining.pop();
    }
    let is_drawn = |ply: usize| decided[ply].is_some_and(|score| !score.is_proven());
    let completes_draw = |ply: usize| is_drawn(ply) && (ply == 0 || !is_drawn(ply - 1));
    for ply in (0..=last).filter(|ply| *ply == last || is_needed(*ply)) {
        if let Some(score) = decided[ply]
            && (score.is_proven() || ply == last && completes_draw(ply))
        {
            let (depth, line, completes_draw) = (0, Vec::new(), completes_draw(ply));
            found[ply] = Some(SearchedPosition { score, depth, line, completes_draw });
        }
    }
    let is_open = |ply: &usize| is_needed(*ply) && found[*ply].is_none();
    let numbers: Vec<usize> = (0..=last).filter(is_open).collect();
    let (total, mut count) = (numbers.len(), 0);
    let game_before = |n: usize| {
        let mut remaining = game.clone();
        while remaining.plies().len() > numbers[n] {
            remaining.pop();
        }
        remaining
    };
    let is_interrupted = search_games(total, game_before, plan, interrupts, |n, result| {
        count += 1;
        on_progress(count, total);
        found[numbers[n]] = SearchedPosition::of(&result, completes_draw(numbers[n]));
        Ok(true)
    });
    Ok((found, is_interrupted?))
}

/// The files of `--pgn`, `--svg` and `--html`.
type OutputFiles = [Option<OutputFile>; 3];

fn create_files(arguments: &Arguments, game_paths: &[GamePath]) -> Result<OutputFiles, Failure> {
    let files = [("--pgn", &arguments.pgn), ("--svg", &arguments.svg), ("--html", &arguments.html)];
    let json = arguments.json.then_some(("--json", Path::new("-")));
    let inputs: Vec<&PathBuf> = game_paths.iter().map(|game_path| &game_path.path).collect();
    create_outputs(files, json, &inputs, arguments.force)
}

fn write_files(
    [pgn, svg, html]: OutputFiles,
    reviews: &[Review],
    notation: MoveStyle,
) -> Result<(), Failure> {
    if let Some(file) = pgn {
        let games = reviews.iter().map(output::annotated);
        file.write(games.map(|game| game.write_pgn(notation)).collect::<String>())?;
    }
    if let (Some(file), [review]) = (svg, reviews) {
        file.write(output::graph(review, notation))?;
    }
    if let Some(file) = html {
        let title = reviews.first().map(|review| page::title(&review.record));
        let games: Vec<Value> = reviews.iter().map(page_game).collect();
        file.write(page::single_file(&title.unwrap_or_default(), &games))?;
    }
    Ok(())
}
