//! `chuhe batch`: many positions, on all processors.

mod arguments;
mod output;
mod worker;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use crossbeam_channel::{Receiver, bounded, select, unbounded};
use indicatif::ProgressBar;

use super::common::{Failure, INTERRUPTED, PgnPlace, bar_style, interrupts, open_input, read_game};
use crate::notation::epd::{Epd, EpdError};
use crate::notation::fen;
use crate::search::Settings;
use crate::text::{decode, excerpt, read_line, without_byte_order_mark};
pub(super) use arguments::Arguments;
use arguments::BatchTask;
use output::{BatchAnswer, Output};
use worker::{BatchResult, BatchSearcher};

/// No line is longer, in MB.
const LONGEST_LINE: u64 = 1;

/// Searches, and writes the answers in the order of the positions. Ctrl-C ends it: what is written is
/// whole, and `--go-on` does the rest.
///
/// # Errors
/// A line is no position, a file cannot be read or written or belongs to another run, or there is no
/// memory for so many searches.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let tasks = read_tasks(&arguments.file)?;
    let interrupts = interrupts()?;
    let mut output = Output::open(arguments, &tasks)?;
    let (over_sender, over) = bounded::<()>(0);
    let workers = workers(arguments, &over)?;
    let bar = ProgressBar::new(tasks.len() as u64)
        .with_style(bar_style("{bar:30} {pos}/{len} positions, {left} left"))
        .with_position(output.present as u64);
    bar.reset_eta();
    let (task_sender, inbox) = unbounded();
    for task in &tasks[output.present..] {
        // The receiver is here.
        let _ = task_sender.send(task.clone());
    }
    drop(task_sender);
    let (sender, answers) = unbounded();
    let collected = std::thread::scope(|scope| {
        for worker in workers {
            let (inbox, sender) = (inbox.clone(), sender.clone());
            let thread = std::thread::Builder::new();
            thread
                .spawn_scoped(scope, move || worker.work(&inbox, &sender))
                .map_err(|error| Failure::new("--threads", error))?;
        }
        drop(sender);
        let collected = collect(&tasks, &mut output, &answers, &interrupts, &bar);
        drop(over_sender);
        collected
    });
    bar.finish_and_clear();
    let is_interrupted = collected?;
    print_summary(arguments, &output, tasks.len());
    Ok(match is_interrupted {
        true => ExitCode::from(INTERRUPTED),
        false => ExitCode::SUCCESS,
    })
}

/// Takes the answers in and writes them in order. Returns whether there was an interrupt.
fn collect(
    tasks: &[BatchTask],
    output: &mut Output,
    answers: &Receiver<BatchResult>,
    interrupts: &Receiver<()>,
    bar: &ProgressBar,
) -> Result<bool, Failure> {
    let mut waiting = BTreeMap::new();
    while output.present < tasks.len() {
        let found = select! {
            recv(interrupts) -> _ => return Ok(true),
            recv(answers) -> found => found,
        };
        let found = found.map_err(|_| Failure::new("batch", "a search has failed"))?;
        bar.inc(1);
        waiting.insert(found.number, found);
        while let Some(found) = waiting.remove(&output.present) {
            let answer = BatchAnswer::new(&tasks[found.number], &found, &output.search);
            output.add(&answer)?;
            if output.is_closed {
                return Ok(false);
            }
        }
    }
    Ok(false)
}

/// A worker for each position at a time.
fn workers(arguments: &Arguments, over: &Receiver<()>) -> Result<Vec<BatchSearcher>, Failure> {
    let network = arguments.network.read()?;
    let tables = arguments.tables.open()?;
    let settings = Settings {
        rules: arguments.rules,
        ..Settings::default()
    };
    let wanted = match usize::from(arguments.threads) {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    let mut workers = Vec::new();
    while workers.len() < wanted {
        let worker = BatchSearcher::new(
            arguments.hash as usize,
            arguments.limits(),
            settings,
            (network.clone(), tables.clone()),
            over.clone(),
        );
        let fit = workers.len();
        workers.push(worker.map_err(|error| {
            let why =
                format!("cannot search {wanted} positions at a time, {fit} would do: {error}");
            Failure::new("--threads", why)
        })?);
    }
    Ok(workers)
}

/// Reads the positions.
fn read_tasks(path: &Path) -> Result<Vec<BatchTask>, Failure> {
    if let Some(text) = path.to_str() {
        let place = PgnPlace::parse(text);
        if place.is_pgn() || place.game.is_some() || place.ply.is_some() {
            return tasks_of_games(&place);
        }
    }
    let fault = |error: &dyn Display| Failure::new(path.display(), error);
    let mut source = open_input(path).map_err(|error| fault(&error))?;
    let mut tasks = Vec::new();
    let (mut line, mut bytes) = (0, Vec::new());
    while read_line(&mut source, LONGEST_LINE, &mut bytes).map_err(|error| fault(&error))? {
        line += 1;
        let text = decode(&bytes);
        let text = without_byte_order_mark(&text).trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let epd = read_position(text)
            .map_err(|error| fault(&format_args!("line {line}: {error} ({})", excerpt(text))))?;
        let number = tasks.len();
        tasks.push(BatchTask { number, line, epd });
    }
    match tasks.is_empty() {
        true => Err(fault(&"there are no positions")),
        false => Ok(tasks),
    }
}

/// Reads a line: an EPD or FEN, or a game as others take it, of which the position at the end counts.
fn read_position(text: &str) -> Result<Epd, String> {
    let mut words = text.split_whitespace();
    if !text.starts_with("startpos") && !words.any(|word| word == "moves") {
        return text.parse().map_err(|error: EpdError| error.to_string());
    }
    let game = read_game(text).map_err(|failure| failure.text)?;
    let position = fen::write_position(game.position());
    position
        .parse()
        .map_err(|error: EpdError| error.to_string())
}

/// The positions at a place of a PGN: of one game, or of all.
fn tasks_of_games(place: &PgnPlace) -> Result<Vec<BatchTask>, Failure> {
    let fault = |error: &dyn Display| Failure::new(place.path.display(), error);
    let mut games = place.games()?;
    let mut tasks = Vec::new();
    for (line, game) in (1..).zip(games.by_ref()) {
        if place.game.is_some_and(|only| only != line) {
            continue;
        }
        let game = game.map_err(|error| fault(&format_args!("game {line}: {error}")))?;
        let game = place.cut(game, line)?;
        let mut position = game.line.start.clone();
        for played in &game.line.moves {
            position.make(*played);
        }
        let name = |tag: &str| game.tag(tag).unwrap_or("?").to_owned();
        let id = format!("{} - {}", name("Red"), name("Black"));
        tasks.push(BatchTask {
            number: tasks.len(),
            line,
            epd: Epd::named(position, id),
        });
    }
    games.finish().map_err(|error| fault(&error))?;
    match tasks.is_empty() {
        true => Err(fault(&"there is no such game")),
        false => Ok(tasks),
    }
}

/// Tells on standard error how far the work has come and how many tasks are solved.
fn print_summary(arguments: &Arguments, output: &Output, positions: usize) {
    let mut text = format!("{} of {positions} positions", output.present);
    if output.with_goal > 0 {
        let share = 100.0 * f64::from(output.solved) / f64::from(output.with_goal);
        text += &format!(
            ", {} of {} solved ({share:.1} %)",
            output.solved, output.with_goal
        );
    }
    if output.present < positions && arguments.out.is_some() {
        text += "; --go-on does the others";
    }
    log::info!("{text}");
    // A closed standard error is no failure.
    let _ = writeln!(io::stderr(), "{text}");
}
