//! The help in Chinese.

use std::borrow::Cow;

use clap::{Arg, Command};

use crate::text::translated;

/// The words that clap writes around the help, and those of this crate in values.
const CLAP_WORDS: &[(&str, &str)] = &[
    ("Usage: ", "用法："),
    ("Commands:", "命令："),
    ("Arguments:", "参数："),
    ("Options:", "选项："),
    ("Possible values:", "可用的值："),
    ("[possible values: ", "[可用的值："),
    ("[subcommands: ", "[子命令："),
    ("[default: ", "[默认："),
    ("[OPTIONS]", "[选项]"),
    ("[COMMAND]", "[命令]"),
    ("<COMMAND>", "<命令>"),
    (
        "Print this message or the help of the given subcommand(s)",
        "显示本帮助或子命令的帮助",
    ),
    (
        "Print help (see a summary with '-h')",
        "显示帮助（-h 为摘要）",
    ),
    (
        "Print help (see more with '--help')",
        "显示帮助（--help 更详细）",
    ),
    ("Print help", "显示帮助"),
    ("Print version", "显示版本"),
];

/// Translates a help or an error message of clap.
pub fn translate_clap(text: &str) -> String {
    let text = CLAP_WORDS
        .iter()
        .fold(text.to_owned(), |text, (word, chinese)| {
            text.replace(word, chinese)
        });
    let lines = text.split_inclusive('\n').map(translate_line);
    lines.collect()
}

/// Translates a line, the rest of a line that begins with `error:`, or the description of a value:
/// `- pgn:     Game records`.
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

/// Replaces the texts of a command, its arguments and its subcommands by Chinese ones.
pub fn translate(mut command: Command) -> Command {
    if let Some(about) = command.get_about().map(ToString::to_string) {
        command = command.about(translated(&about).into_owned());
    }
    if let Some(about) = command.get_long_about().map(ToString::to_string) {
        command = command.long_about(translated(&about).into_owned());
    }
    command
        .mut_args(translate_argument)
        .mut_subcommands(translate)
}

fn translate_argument(mut argument: Arg) -> Arg {
    if let Some(help) = argument.get_help().map(ToString::to_string) {
        argument = argument.help(translated(&help).into_owned());
    }
    if let Some(help) = argument.get_long_help().map(ToString::to_string) {
        argument = argument.long_help(translated(&help).into_owned());
    }
    argument
}
