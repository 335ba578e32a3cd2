//! Tips in error messages about arguments.

use std::ffi::OsString;

use clap::Command;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

/// Commands of the protocols that users write as arguments.
const PROTOCOL_COMMANDS: [&str; 11] = [
    "cxboard",
    "d",
    "go",
    "isready",
    "position",
    "quit",
    "setoption",
    "ucci",
    "uci",
    "ucinewgame",
    "xboard",
];

/// Arguments of cutechess-cli and fastchess, with those of `chuhe match` that have the same effect.
const REPLACED: [(&str, &str); 7] = [
    ("draw", "adjudicate-draw"),
    ("epdout", "epd"),
    ("maxmoves", "max-plies"),
    ("pgnout", "pgn"),
    ("srand", "shuffle"),
    ("tb", "adjudicate-tables"),
    ("tournament", "format"),
];

/// Arguments of cutechess-cli and fastchess whose effect is the default of `chuhe match`.
const DEFAULTS: [&str; 2] = ["recover", "repeat"];

/// Adds tips to an error, or replaces those of clap. `words` is the command line, with the name of the program.
pub fn add_tips(error: &mut Error, words: &[OsString], program: &Command) {
    match error.kind() {
        ErrorKind::UnknownArgument => add_argument_tip(error, words, program),
        ErrorKind::InvalidSubcommand => add_command_tip(error, words, program),
        _ => {}
    }
}

fn set_tip(error: &mut Error, tip: &'static str) {
    let tip = ContextValue::StyledStrs(vec![tip.into()]);
    error.insert(ContextKind::Suggested, tip);
}

fn word_of(error: &Error, kind: ContextKind) -> Option<String> {
    match error.get(kind) {
        Some(ContextValue::String(word)) => Some(word.clone()),
        _ => None,
    }
}

/// The tip to write `--` is shown only for words with one dash, which may be moves (WXF: `-C=4`), not for unknown
/// options. For `-engine`, the tip suggests `--engine` instead.
fn add_argument_tip(error: &mut Error, words: &[OsString], program: &Command) {
    let Some(word) = word_of(error, ContextKind::InvalidArg) else {
        return;
    };
    // clap suggests `--` only for commands with positional arguments.
    let may_be_positional = error.remove(ContextKind::Suggested).is_some();
    let mut texts = words.iter().skip(1).map(|word| word.to_string_lossy());
    let command = words
        .iter()
        .skip(1)
        .fold(program, |command, word| command.find_subcommand(word).unwrap_or(command));
    // Of a word with one dash, clap names only the first letter.
    let whole = texts.find(|text| text.starts_with(&word));
    let whole = whole.map_or_else(|| word.clone(), |text| text.into_owned());
    let name = whole.trim_start_matches('-');
    let is_match = command.get_name() == "match";
    let mut replaced = REPLACED.iter().filter(|_| is_match);
    let replacement = replaced.find(|(old, _)| *old == name);
    let mut known = command.get_arguments().filter_map(|known| known.get_long());
    if let Some(new) = replacement.map_or_else(|| known.find(|long| *long == name), |r| Some(r.1)) {
        let new = ContextValue::String(format!("--{new}"));
        error.insert(ContextKind::SuggestedArg, new);
    } else if is_match && DEFAULTS.contains(&name) {
        error.remove(ContextKind::SuggestedArg);
        set_tip(error, "this is the default; leave the argument out");
    } else {
        if may_be_positional && !word.starts_with("--") {
            set_tip(
                error,
                "write arguments that begin with a dash last, after `--`, and file names as `./-NAME`",
            );
        }
        return;
    }
    error.remove(ContextKind::Usage);
    error.insert(ContextKind::InvalidArg, ContextValue::String(whole));
}

/// Commands of a subcommand such as `book` get no tip.
fn add_command_tip(error: &mut Error, words: &[OsString], program: &Command) {
    let Some(word) = word_of(error, ContextKind::InvalidSubcommand) else {
        return;
    };
    let mut before = words.iter().skip(1).take_while(|text| **text != *word);
    if before.any(|text| program.find_subcommand(text).is_some()) {
        return;
    }
    let verb = word.split(' ').next().unwrap_or_default();
    if PROTOCOL_COMMANDS.contains(&verb) {
        error.remove(ContextKind::SuggestedSubcommand);
        set_tip(
            error,
            "this is a protocol command: start `chuhe` without arguments and write it to standard input",
        );
    } else if error.get(ContextKind::SuggestedSubcommand).is_none() {
        set_tip(
            error,
            "write a command first, as in `chuhe review FILE`; `chuhe --help` lists the commands",
        );
    }
}
