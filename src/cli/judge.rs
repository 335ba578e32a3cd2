//! `chuhe judge`: verdicts on games by the rules.

use std::fmt;
use std::io::BufRead;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use super::common::{
    Context, Failure, GameArguments, RulesArgument, TableArguments, describe_ending, explain,
    explain_plies, open_input, play_line, print, print_if_read, read_game, row, terminal_width,
};
use crate::board::Color;
use crate::notation::pgn::PgnReader;
use crate::rules::{Game, Judgement, RuleSet, judge, judge_outcome};
use crate::tablebase::Tables;
use crate::text::{bytes_without_byte_order_mark, read_line, without_byte_order_mark};

/// Width of a column of verdicts: the longest one, `black_loses`, and the longest rule set.
const VERDICT_WIDTH: usize = 11;
/// Length limit of the lines of a file of games, in MB.
const LONGEST_LINE: u64 = 16;

/// Judge games by the repetition rules and the no-capture limit: none, draw, red_loses or black_loses.
///
/// A file (`-` is standard input) judges all games in it: those of a PGN, or one `FEN moves M…` per line, where
/// empty lines and lines that begin with `#` are skipped.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    #[command(flatten)]
    rules: RulesArgument,
    /// Explain the verdict: the class of each move of the repetition, and the result of the endgame tables.
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

/// The settings of the judgement.
struct Judging<'a> {
    arguments: &'a Arguments,
    tables: Arc<Tables>,
}

/// The place of a game in a file, from 1.
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

/// Prints the verdicts. A game that cannot be read does not stop the others, but makes the command fail.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.tables.is_given() && !arguments.explain {
        return Err(Failure::usage(
            "--tables",
            "has an effect only with --explain",
        ));
    }
    let judging = Judging {
        arguments,
        tables: arguments.tables.open()?,
    };
    if let Some(path) = arguments.game.file() {
        judge_file(&judging, &path)
    } else if arguments.game.is_given() {
        let game = arguments.game.read()?;
        print(&(heading(arguments) + &report(&judging, &game, None)))
    } else {
        Err(Failure::usage("judge", "no game and no file is given"))
    }
}

fn judge_file(judging: &Judging<'_>, path: &Path) -> Result<(), Failure> {
    let mut input = open_input(path).context(path.display())?;
    let beginning = input.fill_buf().context(path.display())?;
    // A FEN never begins with a bracket.
    let is_pgn = bytes_without_byte_order_mark(beginning)
        .trim_ascii_start()
        .starts_with(b"[");
    if !print_if_read(&heading(judging.arguments))? {
        return Ok(());
    }
    let (bad, kind) = if is_pgn {
        (judge_games(judging, path, PgnReader::new(input))?, "game")
    } else {
        (judge_lines(judging, path, input)?, "line")
    };
    let why = match bad {
        0 => return Ok(()),
        1 => format!("one {kind} cannot be read"),
        _ => format!("{bad} {kind}s cannot be read"),
    };
    Err(Failure::new(path.display(), why))
}

/// Judges the game of each line, and returns how many cannot be read.
fn judge_lines(
    judging: &Judging<'_>,
    path: &Path,
    mut input: impl BufRead,
) -> Result<usize, Failure> {
    let mut bad = 0;
    let (mut number, mut line) = (0, Vec::new());
    while read_line(&mut input, LONGEST_LINE, &mut line).context(path.display())? {
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
    games.finish().context(path.display())?;
    Ok(bad)
}

/// The names above the verdicts of all rule sets.
fn heading(arguments: &Arguments) -> String {
    if arguments.all && !arguments.json {
        side_by_side(RuleSet::name, None)
    } else {
        String::new()
    }
}

/// The text about a game, with its place in a file if it has one.
fn report(judging: &Judging<'_>, game: &Game, place: Option<Place>) -> String {
    let arguments = judging.arguments;
    let judgement = judge(game, arguments.rules.rules);
    if arguments.json {
        return format!("{}\n", object(judging, game, &judgement, place));
    }
    let mut text = if arguments.all {
        side_by_side(|rules| judge_outcome(game, rules).verdict.name(), place)
    } else {
        let place = place.map_or_else(String::new, |place| format!("{place}: "));
        format!("{place}{}\n", judgement.verdict)
    };
    if arguments.explain {
        text += &explain(game, &judgement);
        if let Some(ending) = describe_ending(game, &judging.tables, judgement.rules) {
            text += &format!("{ending}\n");
        }
    }
    text
}

/// A word for each rule set in columns, then the place of the game.
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
        object["ending"] = json!(describe_ending(game, &judging.tables, judgement.rules));
    }
    object
}
