//! `chuhe replay`: game records before the referee.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

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
    #[arg(long, value_name = "SET", value_enum, ignore_case = true)]
    rules: Option<RuleSet>,
}

/// Prints a line for each game that does not agree, and the sum, file by file.
///
/// # Errors
/// A file cannot be read, which is told at its turn, or a game does not agree; all the other files
/// are looked at first.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let (mut bad, mut unread) = (0, 0);
    for path in &arguments.files {
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) => {
                Failure::new(path.display(), error).tell();
                unread += 1;
                continue;
            }
        };
        let (text, disagreeing) = report(path, &bytes, arguments.rules);
        bad += disagreeing;
        out.write_all(text.as_bytes())
            .and_then(|()| out.flush())
            .or_else(super::ignore_closed_pipe)
            .map_err(|error| Failure::new("standard output", error))?;
    }
    let games = match bad {
        0 => None,
        1 => Some("one game does not agree".to_owned()),
        _ => Some(format!("{bad} games do not agree")),
    };
    let files = match unread {
        0 => None,
        1 => Some("one file cannot be read".to_owned()),
        _ => Some(format!("{unread} files cannot be read")),
    };
    let faults: Vec<String> = games.into_iter().chain(files).collect();
    match faults.is_empty() {
        true => Ok(()),
        false => Err(Failure::new("replay", faults.join(", "))),
    }
}

/// What is to be said of a file, and how many of its games do not agree.
fn report(path: &Path, bytes: &[u8], rules: Option<RuleSet>) -> (String, usize) {
    let mut text = String::new();
    let games = pgn::read(&pgn::decode(bytes));
    let mut bad = 0;
    for (number, game) in (1..).zip(&games) {
        let told = match game {
            Ok(game) => verdict(game, rules),
            Err(error) => Some(error.to_string()),
        };
        if let Some(why) = told {
            bad += 1;
            text += &format!("{}: game {number}: {why}\n", path.display());
        }
    }
    let (agreed, count) = (games.len() - bad, games.len());
    text += &format!("{}: {agreed} of {count} games agree\n", path.display());
    (text, bad)
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
