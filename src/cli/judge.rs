//! `chuhe judge`: what the rules say of a game.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::common::columns::{row, terminal_width};
use super::common::ending;
use super::common::explain;
use super::common::game_arguments::{GameArguments, read_line};
use super::common::{Failure, open_input, print, print_if_read};
use crate::board::Color;
use crate::rules::{Game, Judgement, RuleSet, judge, judge_outcome};
use crate::tablebase::Tables;

/// Width of a column of verdicts: the longest one, `black_loses`, and the longest rule set.
const VERDICT_WIDTH: usize = 11;

/// No line of a file of games is longer, in MB.
const LONGEST_LINE: u64 = 16;

/// Judge a game by repetition rules and limits: none, draw, red_loses or black_loses.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    game: GameArguments,
    /// Judge the games in FILE (`-` for standard input), one `FEN moves M…` a line; empty lines and
    /// lines that begin with `#` are skipped.
    #[arg(long, value_name = "FILE", conflicts_with = "game")]
    file: Option<PathBuf>,
    /// Whose rules decide about repetitions and limits.
    #[arg(long, value_name = "SET", value_enum, ignore_case = true, default_value_t = RuleSet::default())]
    rules: RuleSet,
    /// Tell what each move of the repetition was, and what endgame tables say.
    #[arg(long)]
    explain: bool,
    /// Print a JSON object for each game.
    #[arg(long)]
    json: bool,
    /// Print the verdicts of all rule sets side by side.
    #[arg(long)]
    all: bool,
}

/// Prints the verdicts.
///
/// # Errors
/// A game cannot be read, nor the file; all the other games are judged first.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.file {
        Some(path) => judge_file(arguments, path),
        None => {
            if !arguments.game.is_given() {
                return Err(Failure::usage(
                    "error",
                    "no game is given, nor a file of games",
                ));
            }
            let game = arguments.game.read()?;
            print(&(heading(arguments) + &report(arguments, &game, None)))
        }
    }
}

fn judge_file(arguments: &Arguments, path: &Path) -> Result<(), Failure> {
    let fault = |error: &dyn std::fmt::Display| Failure::new(path.display(), error);
    let mut input = open_input(path).map_err(|error| fault(&error))?;
    if !print_if_read(&heading(arguments))? {
        return Ok(());
    }
    let mut bad = 0;
    let (mut number, mut line) = (0, Vec::new());
    while crate::text::read_line(&mut input, LONGEST_LINE, &mut line)
        .map_err(|error| fault(&error))?
    {
        number += 1;
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_start_matches('\u{feff}').trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match read_line(line) {
            Ok(game) => {
                if !print_if_read(&report(arguments, &game, Some(number)))? {
                    return Ok(());
                }
            }
            Err(failure) => {
                bad += 1;
                Failure::new(format_args!("line {number}"), failure.text).report();
            }
        }
    }
    match bad {
        0 => Ok(()),
        1 => Err(fault(&"one line is no game")),
        _ => Err(fault(&format_args!("{bad} lines are no games"))),
    }
}

/// The names above the verdicts of all rule sets.
fn heading(arguments: &Arguments) -> String {
    match arguments.all && !arguments.json {
        true => side_by_side(RuleSet::name, None),
        false => String::new(),
    }
}

/// What is to be said of a game, with the number of its line if it has one.
fn report(arguments: &Arguments, game: &Game, line: Option<usize>) -> String {
    let judgement = judge(game, arguments.rules);
    if arguments.json {
        return format!("{}\n", object(arguments, game, &judgement, line));
    }
    let mut text = match arguments.all {
        true => side_by_side(|rules| judge_outcome(game, rules).verdict.name(), line),
        false => match line {
            Some(line) => format!("line {line}: {}\n", judgement.verdict),
            None => format!("{}\n", judgement.verdict),
        },
    };
    if arguments.explain {
        text += &explain::text(game, &judgement);
        if let Some(ending) = ending::text(game.position(), &Tables::embedded(), judgement.rules) {
            text += &format!("{ending}\n");
        }
    }
    text
}

/// One word a rule set, in columns, and behind them the line that they stand for.
fn side_by_side(word: impl Fn(RuleSet) -> &'static str, line: Option<usize>) -> String {
    let mut cells: Vec<String> = RuleSet::ALL.map(|rules| word(rules).to_owned()).into();
    cells.extend(line.map(|line| format!("line {line}")));
    row(&cells, &vec![VERDICT_WIDTH; cells.len()], terminal_width())
}

/// The verdict as JSON.
fn object(arguments: &Arguments, game: &Game, judgement: &Judgement, line: Option<usize>) -> Value {
    let perpetual = |color: Color| judgement.perpetuals[color].to_string();
    let mut object = json!({
        "verdict": judgement.verdict.name(),
        "cause": judgement.cause.to_string(),
        "rules": judgement.rules.name(),
        "occurrences": judgement.occurrences,
        "red": perpetual(Color::Red),
        "black": perpetual(Color::Black),
    });
    if let Some(line) = line {
        object["line"] = json!(line);
    }
    if arguments.all {
        for rules in RuleSet::ALL {
            object["all"][rules.name()] = json!(judge_outcome(game, rules).verdict.name());
        }
    }
    if arguments.explain {
        object["plies"] = explain::plies(game, judgement);
        object["ending"] = json!(ending::text(
            game.position(),
            &Tables::embedded(),
            judgement.rules
        ));
    }
    object
}
