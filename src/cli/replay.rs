//! `chuhe replay`: game records before the referee.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use super::Failure;
use crate::notation::pgn::{self, PgnGame};
use crate::rules::RuleSet;
use crate::tournament::{Replay, verify};

/// Replay the games of PGN files and see whether the rules agree with them: every move legal, no game
/// over before its last move, and ended as the record says.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The files, in UTF-8 or GBK, with moves in any notation.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The rules; without this those that a game names in its tag `Rules`, or else asian.
    #[arg(long, value_name = "SET")]
    rules: Option<RuleSet>,
}

/// Prints a line for each game that does not agree, and the sum.
///
/// # Errors
/// A file cannot be read, or a game does not agree.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let mut bad = 0;
    let mut lines = String::new();
    for path in &arguments.files {
        let bytes = fs::read(path).map_err(|error| Failure::new(path.display(), error))?;
        let games = pgn::read(&pgn::decode(&bytes));
        let mut agreed = 0;
        for (number, game) in (1..).zip(&games) {
            let told = match game {
                Ok(game) => verdict(game, arguments.rules),
                Err(error) => Some(error.to_string()),
            };
            match told {
                None => agreed += 1,
                Some(why) => {
                    bad += 1;
                    lines += &format!("{}: game {number}: {why}\n", path.display());
                }
            }
        }
        let count = games.len();
        lines += &format!("{}: {agreed} of {count} games agree\n", path.display());
    }
    out.write_all(lines.as_bytes())
        .or_else(super::ignore_closed_pipe)
        .map_err(|error| Failure::new("standard output", error))?;
    match bad {
        0 => Ok(()),
        1 => Err(Failure::new("replay", "one game does not agree")),
        _ => Err(Failure::new(
            "replay",
            format_args!("{bad} games do not agree"),
        )),
    }
}

/// What is wrong with a game.
fn verdict(game: &PgnGame, rules: Option<RuleSet>) -> Option<String> {
    let named = match (rules, game.tag("Rules")) {
        (Some(rules), _) => rules,
        (None, Some(name)) => match name.parse() {
            Ok(rules) => rules,
            Err(error) => return Some(format!("rules {name:?}: {error}")),
        },
        (None, None) => RuleSet::default(),
    };
    match verify(game, named) {
        Replay::Agrees => None,
        Replay::Disagrees(why) => Some(why),
    }
}
