//! The command line: the engine without a subcommand, and the subcommands, each with a struct of its arguments.
//!
//! Each subcommand is in the file or folder with its name, except `perft` in `bench`, `match` in `tournament`, and
//! `completions` and `manual` in `help`.

mod analyse;
mod batch;
mod bench;
#[cfg(feature = "cloud")]
mod board;
mod book;
#[cfg(feature = "match")]
mod check;
#[cfg(feature = "cloud")]
mod cloud;
mod common;
mod convert;
#[cfg(feature = "training")]
mod data;
mod egtb;
mod help;
mod judge;
#[cfg(feature = "match")]
mod openings;
mod play;
#[cfg(feature = "match")]
mod replay;
mod review;
#[cfg(feature = "training")]
mod selfplay;
#[cfg(feature = "cloud")]
mod serve;
mod show;
mod solve;
#[cfg(feature = "match")]
mod tournament;
#[cfg(feature = "training")]
mod train;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::protocol::RunError;
use crate::text::{printable, without_secrets};
use common::{
    Context, Failure, INTERRUPTED, Language, LocaleEncoding, ignore_closed_pipe, locale,
    locale_encoding, log_panics, require_not_stdout, start_log, translated,
};

/// The display order of the options that all commands have. The help shows them after the command's own options.
const LAST: usize = 1000;

/// Chuhe (楚河), a xiangqi engine. Without a subcommand it speaks UCCI, UCI or XBoard on standard
/// input and output.
#[derive(Debug, Parser)]
#[command(name = "chuhe", version)]
struct Arguments {
    /// Append a log to FILE: the command line, the protocol traffic and the searches.
    #[arg(long, value_name = "FILE", global = true, display_order = LAST)]
    log: Option<PathBuf>,
    /// Language of messages and help [default: by the locale].
    #[arg(long, value_name = "LANG", value_enum, ignore_case = true, global = true, display_order = LAST)]
    lang: Option<Language>,
    #[command(subcommand)]
    command: Option<CliCommand>,
}

#[derive(Debug, Subcommand)]
enum CliCommand {
    #[command(alias = "analyze")]
    Analyse(analyse::Arguments),
    Batch(batch::Arguments),
    /// Print a completion script for a shell to standard output.
    #[command(hide = true)]
    Completions {
        shell: Shell,
    },
    /// Write the man pages of the program and its commands to a directory.
    #[command(hide = true)]
    Manual {
        /// The directory, created if it is missing; pages in it are overwritten.
        directory: PathBuf,
    },
    Bench(bench::BenchArguments),
    #[cfg(feature = "cloud")]
    Board(Box<board::Arguments>),
    Book(book::Arguments),
    #[cfg(feature = "match")]
    Check(check::Arguments),
    #[cfg(feature = "cloud")]
    Cloud(cloud::Arguments),
    Convert(convert::Arguments),
    #[cfg(feature = "training")]
    Data(data::Arguments),
    Egtb(egtb::Arguments),
    Judge(judge::Arguments),
    #[cfg(feature = "match")]
    Match(Box<tournament::Arguments>),
    #[cfg(feature = "match")]
    Openings(openings::Arguments),
    Perft(bench::PerftArguments),
    Play(play::Arguments),
    #[cfg(feature = "match")]
    Replay(replay::Arguments),
    Review(review::Arguments),
    #[cfg(feature = "training")]
    Selfplay(selfplay::Arguments),
    #[cfg(feature = "cloud")]
    Serve(serve::Arguments),
    Show(show::Arguments),
    Solve(solve::Arguments),
    #[cfg(feature = "training")]
    Train(train::Arguments),
}

const GREETING: &str = "\
Chuhe (楚河), a xiangqi engine, waits for UCCI, UCI or XBoard commands.
`chuhe play` plays a game, `chuhe --help` lists all commands, `quit` exits.";

/// Runs the program. The first of the `arguments` is the name of the program.
///
/// The exit code is 0 after success, 1 after an error, 2 for invalid arguments, 130 after Ctrl-C.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut words: Vec<OsString> = arguments.into_iter().collect();
    // Programs with a field for arguments pass an empty argument if the field is empty.
    if words.len() == 2 && words[1].to_string_lossy().trim().is_empty() {
        words.pop();
    }
    #[cfg(all(windows, feature = "cloud"))]
    let words = if words.len() == 1 && board::is_double_clicked() {
        [words, vec![OsString::from("board")]].concat()
    } else {
        words
    };
    // Not in `parse`, because a unit test of it would choose the language of all tests.
    Language::choose(language_of(&words).unwrap_or_else(|| language_of_locale(&words)));
    let arguments = match parse(&words) {
        Ok(arguments) => arguments,
        Err(error) => {
            let printed = print_clap(&error).or_else(ignore_closed_pipe);
            // Nothing can be done about a closed standard error.
            if let (Err(why), false) = (printed, error.use_stderr()) {
                Failure::new("standard output", why).report();
                return ExitCode::FAILURE;
            }
            if error.use_stderr() {
                help::note_wide_word(&words);
            }
            return u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from);
        }
    };
    match execute(arguments, &words) {
        Ok(code) => code,
        Err(failure) => {
            failure.report();
            if failure.code != INTERRUPTED {
                help::note_wide_word(&words);
            }
            ExitCode::from(failure.code)
        }
    }
}

/// Prints an error message or help text of clap in the chosen language.
fn print_clap(error: &clap::Error) -> io::Result<()> {
    let mut text = error.render().to_string();
    if error.kind() == ErrorKind::ValueValidation {
        text = help::plain_reason(&text);
    } else if Language::chosen() == Language::En {
        return error.print();
    }
    text = help::translate_clap(&text);
    if error.use_stderr() {
        io::stderr().write_all(text.as_bytes())
    } else {
        io::stdout().write_all(text.as_bytes())
    }
}

/// The commands and their arguments, with the help in the chosen language.
fn command() -> Command {
    let command = Arguments::command();
    if Language::chosen() == Language::Zh { help::translate(command) } else { command }
}

/// Reads negative numbers as values, so that the error for `--depth -1` names the option.
fn with_negative_numbers(command: Command) -> Command {
    command.allow_negative_numbers(true).mut_subcommands(with_negative_numbers)
}

/// Parses the arguments. Errors do not show passwords in addresses.
fn parse(words: &[OsString]) -> Result<Arguments, clap::Error> {
    let mut command = command().mut_subcommands(with_negative_numbers);
    #[cfg(feature = "match")]
    {
        command = command.mut_subcommand("match", tournament::with_programs);
    }
    let given = help::without_options_of_help(words, &command);
    let matches = command.try_get_matches_from_mut(given);
    let parsed = matches.and_then(|matches| Arguments::from_arg_matches(&matches));
    parsed.map_err(|mut error| {
        help::add_tips(&mut error, words, &command);
        use ContextKind::{InvalidArg, InvalidSubcommand, InvalidValue};
        for kind in [InvalidArg, InvalidSubcommand, InvalidValue] {
            if let Some(ContextValue::String(word)) = error.get(kind) {
                let word = without_secrets(word);
                error.insert(kind, ContextValue::String(word));
            }
        }
        error
    })
}

/// The language of the locale; English if the program does not write in the encoding of the locale. The engine writes
/// in UTF-8 or GBK, commands write only in UTF-8.
fn language_of_locale(words: &[OsString]) -> Language {
    let is_written = match locale_encoding() {
        LocaleEncoding::Utf8 | LocaleEncoding::Unnamed => true,
        LocaleEncoding::Gbk => !has_command(words),
        LocaleEncoding::Other => false,
    };
    match locale("LC_MESSAGES").or_else(|| system_locale(words)) {
        Some(name) if is_written => Language::of_locale(&name),
        _ => Language::En,
    }
}

/// The locale in the settings of Windows or macOS, if there is a subcommand, `-h` or `--help`. Otherwise the program
/// usually runs as an engine in a GUI, and its messages are in English because the GUI may not read UTF-8.
#[cfg(any(windows, target_os = "macos"))]
fn system_locale(words: &[OsString]) -> Option<String> {
    has_command(words).then(sys_locale::get_locale).flatten()
}

/// Whether there is a subcommand, `-h` or `--help`, possibly after options with a value such as `--log FILE`.
fn has_command(words: &[OsString]) -> bool {
    let mut words = words.iter().skip(1).map(|word| word.to_string_lossy());
    while let Some(word) = words.next() {
        match &*word {
            "-h" | "--help" => return true,
            option if !option.starts_with('-') => return true,
            option if option.contains('=') => {}
            _ => drop(words.next()),
        }
    }
    false
}

/// On other systems the locale is in environment variables only.
#[cfg(not(any(windows, target_os = "macos")))]
fn system_locale(_: &[OsString]) -> Option<String> {
    None
}

/// The language given by `--lang`. Help and parse errors need it before the arguments are parsed.
fn language_of(words: &[OsString]) -> Option<Language> {
    let name = words.iter().enumerate().find_map(|(n, word)| {
        let word = word.to_str()?;
        match word.strip_prefix("--lang") {
            Some("") => words.get(n + 1)?.to_str(),
            Some(name) => name.strip_prefix('='),
            None => None,
        }
    });
    Language::from_str(name?, true).ok()
}

/// Prints the greeting if the engine was started in a terminal, not by a client.
fn print_greeting() {
    if io::stdin().is_terminal() && io::stderr().is_terminal() {
        // Nothing can be done about a closed standard error.
        let _ = writeln!(io::stderr(), "{}", translated(GREETING));
    }
}

/// Starts the log if `--log` is given. The log file must not be a file that a match reads or writes.
fn open_log(arguments: &Arguments, words: &[OsString]) -> Result<(), Failure> {
    let Some(file) = &arguments.log else {
        return Ok(());
    };
    require_not_stdout("--log", file)?;
    #[cfg(feature = "match")]
    if let Some(CliCommand::Match(command)) = &arguments.command {
        let log = ("--log", file.as_path());
        common::require_distinct(command.files().into_iter().chain([log]))?;
    }
    start_log(file)?;
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    let command = printable(&words.join(" "));
    log::info!("chuhe {}: {command}", env!("CARGO_PKG_VERSION"));
    Ok(())
}

fn execute(arguments: Arguments, words: &[OsString]) -> Result<ExitCode, Failure> {
    open_log(&arguments, words)?;
    let success = |()| ExitCode::SUCCESS;
    match arguments.command {
        None => {
            if arguments.log.is_some() {
                log_panics();
            }
            print_greeting();
            // A Windows console accepts only UTF-8.
            let is_console = cfg!(windows) && io::stdout().is_terminal();
            let in_gbk = locale_encoding() == LocaleEncoding::Gbk && !is_console;
            match crate::protocol::run(in_gbk) {
                Err(error @ RunError::Output(_)) => Err(Failure::message(error)),
                ended => ended.map(success).context("the engine cannot start"),
            }
        }
        Some(CliCommand::Analyse(arguments)) => analyse::run(&arguments),
        Some(CliCommand::Batch(arguments)) => batch::run(&arguments),
        Some(CliCommand::Bench(arguments)) => bench::run_bench(&arguments).map(success),
        #[cfg(feature = "cloud")]
        Some(CliCommand::Board(arguments)) => board::run(&arguments).map(success),
        Some(CliCommand::Book(arguments)) => book::run(&arguments),
        #[cfg(feature = "match")]
        Some(CliCommand::Check(arguments)) => check::run(&arguments),
        #[cfg(feature = "cloud")]
        Some(CliCommand::Cloud(arguments)) => cloud::run(&arguments),
        Some(CliCommand::Completions { shell }) => {
            help::print_completions(shell, Arguments::command()).map(success)
        }
        Some(CliCommand::Manual { directory }) => {
            help::write_manual(&directory, Arguments::command()).map(success)
        }
        Some(CliCommand::Convert(arguments)) => convert::run(&arguments).map(success),
        #[cfg(feature = "training")]
        Some(CliCommand::Data(arguments)) => data::run(&arguments).map(success),
        Some(CliCommand::Egtb(arguments)) => egtb::run(&arguments).map(success),
        Some(CliCommand::Judge(arguments)) => judge::run(&arguments).map(success),
        #[cfg(feature = "match")]
        Some(CliCommand::Match(arguments)) => tournament::run(&arguments),
        #[cfg(feature = "match")]
        Some(CliCommand::Openings(arguments)) => openings::run(&arguments),
        Some(CliCommand::Perft(arguments)) => bench::run_perft(&arguments),
        Some(CliCommand::Play(arguments)) => play::run(&arguments),
        #[cfg(feature = "match")]
        Some(CliCommand::Replay(arguments)) => replay::run(&arguments).map(success),
        Some(CliCommand::Review(arguments)) => review::run(&arguments),
        #[cfg(feature = "training")]
        Some(CliCommand::Selfplay(arguments)) => selfplay::run(&arguments),
        #[cfg(feature = "cloud")]
        Some(CliCommand::Serve(arguments)) => serve::run(&arguments).map(success),
        Some(CliCommand::Show(arguments)) => show::run(&arguments).map(success),
        Some(CliCommand::Solve(arguments)) => solve::run(&arguments),
        #[cfg(feature = "training")]
        Some(CliCommand::Train(arguments)) => train::run(&arguments),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::text::translated_texts;

    /// Adds to `found` the lines of the help of a command and its subcommands that have no Chinese translation.
    fn untranslated_lines(
        command: &Command,
        translations: &BTreeSet<String>,
        found: &mut BTreeSet<String>,
    ) {
        let arguments = command.get_arguments();
        let texts = arguments.flat_map(|argument| {
            let values = argument.get_possible_values();
            let values = values.iter().filter_map(|value| value.get_help());
            let mut texts: Vec<String> = values.map(ToString::to_string).collect();
            texts.extend(argument.get_help_heading().map(|text| format!("{text}:")));
            let helps = [argument.get_help(), argument.get_long_help()];
            texts.extend(helps.into_iter().flatten().map(ToString::to_string));
            texts
        });
        let abouts = [command.get_about(), command.get_long_about()];
        let abouts = abouts.into_iter().flatten().map(ToString::to_string);
        for text in texts.chain(abouts) {
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            let lines = lines.map(|line| line.trim_end_matches('.').to_owned());
            found.extend(lines.filter(|line| !translations.contains(line)));
        }
        for sub in command.get_subcommands() {
            untranslated_lines(sub, translations, found);
        }
    }

    #[test]
    fn help_is_complete_in_chinese() {
        let translations = translated_texts().into_iter().collect();
        let mut found = BTreeSet::new();
        untranslated_lines(&Arguments::command(), &translations, &mut found);
        // Names of languages, and moves.
        let names = ["C2=5", "Che2", "English", "H2-E2", "h2e2", "中文", "炮二平五"];
        assert_eq!(found.into_iter().collect::<Vec<_>>(), names);
    }

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[cfg(feature = "cloud")]
    #[test]
    fn errors_show_no_passwords() {
        for line in ["chuhe http://secret@x", "chuhe serve postgres://me:secret@x:port/y"] {
            let error = parse(&words(line)).err().unwrap().to_string();
            assert!(error.contains("://…@x"), "{error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn options_before_a_command_are_skipped() {
        let has_command = |line: &str| has_command(&words(line));
        for options in ["", " --log x", " --log=x", " --lang en --log x"] {
            assert!(!has_command(&format!("chuhe{options}")), "{options}");
            for command in ["play", "-h", "--help"] {
                assert!(has_command(&format!("chuhe{options} {command}")));
            }
        }
    }

    #[test]
    fn language_is_found_before_parsing() {
        let language = |line: &str| language_of(&words(line));
        assert_eq!(language("chuhe --lang zh --help"), Some(Language::Zh));
        assert_eq!(language("chuhe play --lang=EN"), Some(Language::En));
        for text in ["chuhe", "chuhe --lang", "chuhe --lang x", "chuhe --language zh"] {
            assert_eq!(language(text), None, "{text}");
        }
    }
}
