//! `chuhe judge`: what the rules say of a game.

use std::fmt;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use super::common::{
    Failure, GameArguments, TableArguments, describe_ending, explain, explain_plies, open_input,
    play_line, print, print_if_read, read_game, row, terminal_width,
};
use crate::board::Color;
use crate::notation::pgn::PgnReader;
use crate::rules::{Game, Judgement, RuleSet, judge, judge_outcome};
use crate::tablebase::Tables;
use crate::text::{bytes_without_byte_order_mark, without_byte_order_mark};

/// Width of a column of verdicts: the longest one, `black_loses`, and the longest rule set.
const VERDICT_WIDTH: usize = 11;

/// No line of a file of games is longer, in MB.
const LONGEST_LINE: u64 = 16;

/// Judge a game by repetition rules and limits: none, draw, red_loses or black_loses.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    /// Judge the games in FILE (`-` for standard input): those of a PGN, or one `FEN moves M…` a line, where
    /// empty lines and lines that begin with `#` are skipped.
    #[arg(long, value_name = "FILE", conflicts_with = "game")]
    file: Option<PathBuf>,
    /// Whose rules decide about repetitions and limits.
    #[arg(long, value_name = "SET", value_enum, ignore_case = true, default_value_t = RuleSet::default())]
    rules: RuleSet,
    /// Tell what each move of the repetition was, and what endgame tables say (--tables).
    #[arg(long)]
    explain: bool,
    /// Print a JSON object for each game.
    #[arg(long)]
    json: bool,
    /// Print the verdicts of all rule sets side by side.
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    tables: TableArguments,
}

/// What games are judged by.
struct Judging<'a> {
    arguments: &'a Arguments,
    tables: Arc<Tables>,
}

/// Where a game stands in a file, from 1.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// A line of its own.
    Line(usize),
    /// A game of a PGN.
    Game(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(number) => write!(f, "line {number}"),
            Self::Game(number) => write!(f, "game {number}"),
        }
    }
}

/// Prints the verdicts.
///
/// # Errors
/// A game cannot be read, nor the file; all the other games are judged first.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.tables.is_given() && !arguments.explain {
        return Err(Failure::usage(
            "--tables",
            "tables are asked with --explain",
        ));
    }
    let judging = Judging {
        arguments,
        tables: arguments.tables.open()?,
    };
    match &arguments.file {
        Some(path) => judge_file(&judging, path),
        None => {
            if !arguments.game.is_given() {
                return Err(Failure::usage(
                    "judge",
                    "no game is given, nor a file of games",
                ));
            }
            let game = arguments.game.read()?;
            print(&(heading(arguments) + &report(&judging, &game, None)))
        }
    }
}

fn judge_file(judging: &Judging<'_>, path: &Path) -> Result<(), Failure> {
    let fault = |error: &dyn std::fmt::Display| Failure::new(path.display(), error);
    let mut input = open_input(path).map_err(|error| fault(&error))?;
    let beginning = input.fill_buf().map_err(|error| fault(&error))?;
    // No position begins so.
    let is_pgn = bytes_without_byte_order_mark(beginning)
        .trim_ascii_start()
        .starts_with(b"[");
    if !print_if_read(&heading(judging.arguments))? {
        return Ok(());
    }
    let bad = match is_pgn {
        true => judge_games(judging, path, PgnReader::new(input))?,
        false => judge_lines(judging, path, input)?,
    };
    match (bad, is_pgn) {
        (0, _) => Ok(()),
        (1, true) => Err(fault(&"one game cannot be read")),
        (_, true) => Err(fault(&format_args!("{bad} games cannot be read"))),
        (1, false) => Err(fault(&"one line is no game")),
        (_, false) => Err(fault(&format_args!("{bad} lines are no games"))),
    }
}

/// Judges a game a line, and returns how many lines are none.
fn judge_lines(
    judging: &Judging<'_>,
    path: &Path,
    mut input: impl BufRead,
) -> Result<usize, Failure> {
    let mut bad = 0;
    let (mut number, mut line) = (0, Vec::new());
    while crate::text::read_line(&mut input, LONGEST_LINE, &mut line)
        .map_err(|error| Failure::new(path.display(), error))?
    {
        number += 1;
        let line = String::from_utf8_lossy(&line);
        let line = without_byte_order_mark(&line).trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let place = Place::Line(number);
        match read_game(line) {
            Ok(game) => {
                if !print_if_read(&report(judging, &game, Some(place)))? {
                    break;
                }
            }
            Err(failure) => {
                bad += 1;
                Failure::new(place, failure.text).report();
            }
        }
    }
    Ok(bad)
}

/// Judges the games of a PGN, and returns how many cannot be read.
fn judge_games(
    judging: &Judging<'_>,
    path: &Path,
    mut games: PgnReader<impl BufRead>,
) -> Result<usize, Failure> {
    let mut bad = 0;
    for (number, game) in (1..).zip(games.by_ref()) {
        let place = Place::Game(number);
        let game = match game {
            Ok(game) => play_line(game.line)?,
            Err(error) => {
                bad += 1;
                Failure::new(place, error).report();
                continue;
            }
        };
        if !print_if_read(&report(judging, &game, Some(place)))? {
            return Ok(bad);
        }
    }
    let finished = games.finish();
    finished.map_err(|error| Failure::new(path.display(), error))?;
    Ok(bad)
}

/// The names above the verdicts of all rule sets.
fn heading(arguments: &Arguments) -> String {
    match arguments.all && !arguments.json {
        true => side_by_side(RuleSet::name, None),
        false => String::new(),
    }
}

/// What is to be said of a game, with its place in a file if it has one.
fn report(judging: &Judging<'_>, game: &Game, place: Option<Place>) -> String {
    let arguments = judging.arguments;
    let judgement = judge(game, arguments.rules);
    if arguments.json {
        return format!("{}\n", object(judging, game, &judgement, place));
    }
    let mut text = match arguments.all {
        true => side_by_side(|rules| judge_outcome(game, rules).verdict.name(), place),
        false => match place {
            Some(place) => format!("{place}: {}\n", judgement.verdict),
            None => format!("{}\n", judgement.verdict),
        },
    };
    if arguments.explain {
        text += &explain(game, &judgement);
        if let Some(ending) = describe_ending(game, &judging.tables, judgement.rules) {
            text += &format!("{ending}\n");
        }
    }
    text
}

/// One word a rule set, in columns, and behind them the place that they stand for.
fn side_by_side(word: impl Fn(RuleSet) -> &'static str, place: Option<Place>) -> String {
    let mut cells: Vec<String> = RuleSet::ALL.map(|rules| word(rules).to_owned()).into();
    cells.extend(place.map(|place| place.to_string()));
    row(&cells, &vec![VERDICT_WIDTH; cells.len()], terminal_width())
}

/// The verdict as JSON.
fn object(
    judging: &Judging<'_>,
    game: &Game,
    judgement: &Judgement,
    place: Option<Place>,
) -> Value {
    let arguments = judging.arguments;
    let perpetual = |color: Color| judgement.perpetuals[color].to_string();
    let mut object = json!({
        "verdict": judgement.verdict.name(),
        "cause": judgement.cause.to_string(),
        "rules": judgement.rules.name(),
        "occurrences": judgement.occurrences,
        "red": perpetual(Color::Red),
        "black": perpetual(Color::Black),
    });
    match place {
        Some(Place::Line(number)) => object["line"] = json!(number),
        Some(Place::Game(number)) => object["game"] = json!(number),
        None => {}
    }
    if arguments.all {
        for rules in RuleSet::ALL {
            object["all"][rules.name()] = json!(judge_outcome(game, rules).verdict.name());
        }
    }
    if arguments.explain {
        object["plies"] = explain_plies(game, judgement);
        object["ending"] = json!(describe_ending(game, &Tables::embedded(), judgement.rules));
    }
    object
}
