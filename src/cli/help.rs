//! The help, and errors of arguments: translation into Chinese, tips, man pages (`chuhe manual`) and shell completions
//! (`chuhe completions`).

use std::borrow::Cow;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

use clap::builder::PossibleValuesParser;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use clap::{Arg, Command};
use clap_complete::Shell;

use super::common::{Context, Failure, Language, note, print, refuse_if, translated};
use crate::text::{excerpt, without_secrets};

/// The fixed texts of clap in help and errors, with their translations.
const CLAP_TEXTS: &[(&str, &str)] = &[
    ("Usage: ", "用法："),
    ("Commands:", "命令："),
    ("Arguments:", "参数："),
    ("Options:", "选项："),
    ("Possible values:", "可用的值："),
    ("[possible values: ", "[可用的值："),
    ("[subcommands: ", "[命令："),
    ("[default: ", "[默认："),
    ("[alias: ", "[别名："),
    ("[OPTIONS]", "[选项]"),
    ("[COMMAND]", "[命令]"),
    ("<COMMAND>", "<命令>"),
    ("Print this message or the help of the given subcommand(s)", "显示本帮助或某个命令的帮助"),
    ("Print help for the subcommand(s)", "显示命令的帮助"),
    ("Print help (see a summary with '-h')", "显示帮助（-h 为摘要）"),
    ("Print help (see more with '--help')", "显示帮助（--help 更详细）"),
    ("Print help", "显示帮助"),
    ("Print version", "显示版本"),
];

/// The fixed headings of man pages, with their translations.
const PAGE_HEADINGS: &[(&str, &str)] = &[
    ("NAME", "名称"),
    ("SYNOPSIS", "概要"),
    ("DESCRIPTION", "描述"),
    ("OPTIONS", "选项"),
    ("SUBCOMMANDS", "命令"),
    ("VERSION", "版本"),
];

/// Protocol commands that users may write as arguments by mistake.
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

/// Rewrites the reason in an error message of clap: a range such as `0 is not in 1..=64`, and the errors of the
/// standard library about numbers. The maximum of a type of integers is not mentioned as the end of a range.
pub fn plain_reason(text: &str) -> String {
    // The value in the message may itself contain ` is not in `, so the text after it must be a range.
    let is_range = |range: &str| {
        let line = range.lines().next().unwrap_or_default();
        line.contains("..") && line.bytes().all(|byte| b"-.=0123456789".contains(&byte))
    };
    let parts = text.rsplit_once(" is not in ");
    let Some((before, range)) = parts.filter(|(_, range)| is_range(range)) else {
        let expected = "expected a whole number (digits only)";
        return text
            .replace("invalid digit found in string", expected)
            .replace("cannot parse integer from empty string", expected)
            .replace("number too large to fit in target type", "the number is too large");
    };
    let is_below = |low: &str| {
        let value = before.rsplit(' ').next().and_then(|value| value.parse::<i64>().ok());
        value.zip(low.parse().ok()).is_some_and(|(value, low)| value < low)
    };
    // The maximum of `u64` has no `=` before it.
    for end in ["..=65535", "..=4294967295", "..18446744073709551615"] {
        if let Some((low, after)) = range.split_once(end)
            && is_below(low)
        {
            return format!("{before} is less than {low}{after}");
        }
    }
    let range = range.replacen("..=", " to ", 1).replacen("..", " to ", 1);
    format!("{before} is not in the range {range}")
}

/// Prints a note about the first argument with full-width characters (except parentheses) or typographic quotation
/// marks, or with a typographic dash at its beginning. Arguments with Chinese characters and names of existing files
/// are ignored.
pub fn note_wide_word(words: &[OsString]) {
    let is_wide = |c: char| matches!(c, '！'..='～' | '“' | '”' | '‘' | '’') && !"（）".contains(c);
    let is_mistake = |word: &str| {
        let is_chinese = word.contains(|c: char| ('\u{4E00}'..='\u{9FFF}').contains(&c));
        let has_dash = word.starts_with(['–', '—', '―', '−']);
        !is_chinese && (has_dash || word.contains(is_wide)) && !Path::new(word).exists()
    };
    let mut words = words.iter().skip(1).map(|word| word.to_string_lossy());
    if let Some(word) = words.find(|word| is_mistake(word)) {
        let word = excerpt(&without_secrets(&word));
        note(&format!(
            "{word} has full-width or typographic characters; write options, numbers and signs in ASCII"
        ));
    }
}

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

/// Sets the tip for an unknown argument. The tip to write `--` is shown only for words with one dash, which may be
/// moves (WXF: `-C=4`), not for unknown options. For `-engine`, the tip suggests `--engine` instead.
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
    let replacement =
        REPLACED.iter().find(|(old, _)| is_match && *old == name).map(|(_, new)| *new);
    let mut known = command.get_arguments().filter_map(|known| known.get_long());
    if let Some(new) = replacement.or_else(|| known.find(|long| *long == name)) {
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

/// Sets the tip for an unknown command. Commands of a subcommand such as `book` get no tip.
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

/// Translates a help text or an error message of clap into the chosen language.
pub fn translate_clap(text: &str) -> String {
    if Language::chosen() == Language::En {
        return text.to_owned();
    }
    translate_fixed(text).split_inclusive('\n').map(translate_line).collect()
}

/// Translates the fixed texts of clap in a text into Chinese.
fn translate_fixed(text: &str) -> String {
    let text = CLAP_TEXTS
        .iter()
        .fold(text.to_owned(), |text, (english, chinese)| text.replace(english, chinese));
    let mut parts = text.split("[可用的值：");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let (values, after) = part.split_at(part.find(']').unwrap_or(0));
        text + "[可用的值：" + &values.replace(", ", "、") + after
    })
}

/// Translates a line. In an error, only the message after `error:` is looked up; in the line of a possible value
/// (`- pgn:  Game records`), only the description.
fn translate_line(line: &str) -> Cow<'_, str> {
    if let Some(message) = line.strip_prefix("error: ") {
        return Cow::Owned(format!("错误：{}", translated(message)));
    }
    match line.split_once(':') {
        Some((name, description)) if name.trim_start().starts_with("- ") => {
            Cow::Owned(format!("{name}:{}", translated(description)))
        }
        _ => translated(line),
    }
}

/// The words of the command line without the options after the subcommand `help`, because clap takes them for names of
/// commands.
pub fn without_options_of_help(words: &[OsString], mut command: &Command) -> Vec<OsString> {
    let has_value = |word: &OsString| word == "--lang" || word == "--log";
    let mut rest = words.iter().enumerate().skip(1);
    while let Some((index, word)) = rest.next() {
        if word == "help" && command.has_subcommands() {
            let (before, after) = words.split_at(index + 1);
            let is_name = |n: &usize| {
                let is_value = *n > 0 && has_value(&after[n - 1]);
                !is_value && !after[*n].to_string_lossy().starts_with('-')
            };
            let names = (0..after.len()).filter(is_name);
            return before.iter().chain(names.map(|n| &after[n])).cloned().collect();
        }
        if has_value(word) {
            rest.next();
        } else if !word.to_string_lossy().starts_with('-') {
            let Some(found) = command.find_subcommand(word) else {
                break;
            };
            command = found;
        }
    }
    words.to_vec()
}

/// Translates the texts of a command, its arguments and its subcommands into Chinese.
pub fn translate(mut command: Command) -> Command {
    if let Some(about) = command.get_about().map(ToString::to_string) {
        command = command.about(translate_help(&about));
    }
    if let Some(about) = command.get_long_about().map(ToString::to_string) {
        command = command.long_about(translate_help(&about));
    }
    command.mut_args(translate_argument).mut_subcommands(translate)
}

fn translate_argument(mut argument: Arg) -> Arg {
    if let Some(help) = argument.get_help().map(ToString::to_string) {
        argument = argument.help(translate_help(&help));
    }
    if let Some(help) = argument.get_long_help().map(ToString::to_string) {
        argument = argument.long_help(translate_help(&help));
    }
    argument
}

/// Translates a help text of the program, or a fixed one of clap.
fn translate_help(text: &str) -> String {
    let fixed = CLAP_TEXTS.iter().find(|(english, _)| *english == text);
    fixed.map_or_else(|| translated(text).into_owned(), |(_, chinese)| (*chinese).to_owned())
}

/// The command for man pages and completion scripts: with the arguments that clap adds, such as `--help`, and all texts
/// in the chosen language.
fn documented(mut command: Command) -> Command {
    command.build();
    match Language::chosen() {
        Language::En => command,
        Language::Zh => translate_values(translate(command)),
    }
}

/// Translates the descriptions of the possible values of all arguments into Chinese. The command can no longer parse
/// its arguments, because their values are now texts.
fn translate_values(command: Command) -> Command {
    command.mut_args(translate_values_of_argument).mut_subcommands(translate_values)
}

fn translate_values_of_argument(argument: Arg) -> Arg {
    let values = argument.get_possible_values();
    if values.is_empty() {
        return argument;
    }
    let values = values.into_iter().map(|value| match value.get_help().map(ToString::to_string) {
        Some(help) => value.help(translate_help(&help)),
        None => value,
    });
    argument.value_parser(PossibleValuesParser::new(values))
}

/// Prints the completion script of a shell for the program's untranslated `command`.
pub fn print_completions(shell: Shell, command: Command) -> Result<(), Failure> {
    let mut command = documented(command);
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "chuhe", &mut script);
    print(&String::from_utf8_lossy(&script))
}

/// Writes the man pages of the program's untranslated `command` into a directory, which is created if it is missing.
pub fn write_manual(directory: &Path, command: Command) -> Result<(), Failure> {
    let why = "the man pages are written to a directory, not to standard output";
    refuse_if(directory.as_os_str() == "-", directory.display(), why)?;
    if directory.exists() && !directory.is_dir() {
        let error = io::Error::from(io::ErrorKind::NotADirectory);
        return Err(Failure::new(directory.display(), error));
    }
    fs::create_dir_all(directory).context(directory.display())?;
    let command = documented(command.disable_help_subcommand(true));
    write_pages(directory, command).context(directory.display())
}

/// Writes the man pages of a command and its subcommands, with the name and version of the program in each footer.
fn write_pages(directory: &Path, mut command: Command) -> io::Result<()> {
    for command in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        write_pages(directory, command.clone())?;
    }
    let source = concat!("chuhe ", env!("CARGO_PKG_VERSION"));
    // `roff` writes an empty date as nothing, so that the source would be taken for the date.
    let manual = clap_mangen::Man::new(command.clone()).date("\"\"").source(source);
    let mut page = Vec::new();
    manual.render(&mut page)?;
    let page = rewrite_page(&String::from_utf8_lossy(&page), &mut command);
    fs::write(directory.join(manual.get_filename()), page)
}

/// Rewrites a man page of clap: its synopsis becomes the usage of the help, which also shows the values of options and
/// which arguments can be repeated, and its headings and fixed texts are in the chosen language.
fn rewrite_page(page: &str, command: &mut Command) -> String {
    let usage = command.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").replace('-', "\\-");
    let in_language = |line: &str| match Language::chosen() {
        Language::En => line.to_owned(),
        Language::Zh => translate_fixed(line),
    };
    let mut rewritten = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let heading = line.strip_prefix(".SH ").map(|heading| heading.trim_matches('"'));
        let translation = heading.and_then(|heading| heading_in_chinese(heading, command));
        rewritten += &translation.map_or_else(|| in_language(line), |text| format!(".SH {text}"));
        rewritten.push('\n');
        if heading == Some("SYNOPSIS") {
            rewritten += &in_language(&usage);
            rewritten.push('\n');
            lines.next();
        }
    }
    rewritten
}

/// The translation of a heading in the man page of a command; `None` in English, or if the heading is unknown.
fn heading_in_chinese(heading: &str, command: &Command) -> Option<String> {
    if Language::chosen() == Language::En {
        return None;
    }
    let fixed = PAGE_HEADINGS.iter().find(|(english, _)| *english == heading);
    if let Some((_, chinese)) = fixed {
        return Some((*chinese).to_owned());
    }
    // The headings are translated with the colon that they have in the help.
    let mut headings = command.get_arguments().filter_map(Arg::get_help_heading);
    let in_help = headings.find(|in_help| in_help.to_uppercase() == heading)?.to_owned() + ":";
    Some(translated(&in_help).trim_end_matches('：').to_owned())
}
