//! Arguments that several subcommands share.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use parking_lot::Mutex;

use super::{Context, Failure, Place, Unread, at_place, note, refuse_if};
use crate::book::{BUILTIN, BookLibrary};
use crate::eval::Knowledge;
use crate::eval::nnue::Network;
use crate::notation::diagram::{DiagramStyle, Letters};
use crate::notation::{Line, MoveStyle, opening};
use crate::rules::RuleSet;
use crate::search::{Degree, Limits, MAX_DEPTH};
use crate::tablebase::{SkippedFile, Tables};
use crate::text::{SecondsError, names_of_list, path_of_name, printable, read_seconds};

/// Reads a time in seconds, which must be positive.
pub fn parse_seconds(text: &str) -> Result<Duration, SecondsError> {
    match read_seconds(text)? {
        Duration::ZERO => Err(SecondsError::OutOfRange),
        time => Ok(time),
    }
}

#[derive(Clone, Debug, clap::Args)]
pub struct OpeningArgument {
    /// Only games whose opening has an ECCO code that begins with CODE, such as C, B2 (also B2*) or C44.
    #[arg(long, value_name = "CODE", value_parser = opening_code)]
    pub ecco: Option<String>,
}

impl OpeningArgument {
    /// Whether a game has the selected opening. Without a selection, every game has it.
    pub fn selects(&self, game: &Line) -> bool {
        self.ecco.as_ref().is_none_or(|code| {
            let opening = opening::of(game);
            opening.is_some_and(|opening| opening.code.starts_with(code))
        })
    }

    /// The error if no game has the selected opening; `None` without a selection.
    pub fn no_game(&self) -> Option<Failure> {
        let code = self.ecco.as_ref()?;
        let why = format!("no game has an opening with the code {code}");
        Some(Failure::new("--ecco", why))
    }
}

/// The beginning of an ECCO code, from an argument.
fn opening_code(text: &str) -> Result<String, String> {
    let code = text.strip_suffix('*').unwrap_or(text).to_uppercase();
    let digits = code.strip_prefix(['A', 'B', 'C', 'D', 'E']);
    if digits.is_some_and(|digits| digits.len() <= 2 && digits.bytes().all(|c| c.is_ascii_digit()))
    {
        return Ok(code);
    }
    let why = "a letter from A to E and up to two digits are expected, such as C, B2 or C44";
    Err(why.to_owned())
}

#[derive(Clone, Copy, Debug, Default, clap::Args)]
#[command(next_help_heading = "Search")]
pub struct LimitArguments {
    /// Think for SECONDS [default without another limit: 5 for `analyse`, otherwise 1 per position or move].
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub time: Option<Duration>,
    /// Search to depth N.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_DEPTH)))]
    pub depth: Option<u32>,
    /// Search N nodes.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,
}

impl LimitArguments {
    /// The limits; `default_time` if none is given.
    pub fn limits(&self, default_time: Duration) -> Limits {
        let is_unlimited = self.depth.is_none() && self.nodes.is_none();
        Limits {
            depth: self.depth,
            nodes: self.nodes,
            move_time: self.time.or(is_unlimited.then_some(default_time)),
            ..Limits::default()
        }
    }
}

#[derive(Clone, Copy, Debug, clap::Args)]
pub struct RulesArgument {
    /// Rule set for repetitions and the no-capture limit.
    #[arg(long, value_name = "SET", value_enum, ignore_case = true, default_value_t)]
    pub rules: RuleSet,
}

#[derive(Clone, Copy, Debug, clap::Args)]
pub struct GameRulesArgument {
    /// Rule set for repetitions and the no-capture limit [default: the tag `Rules` of the game, or asian; `batch` and
    /// `board` ignore the tag].
    #[arg(long, value_name = "SET", value_enum, ignore_case = true)]
    pub rules: Option<RuleSet>,
}

/// The errors that [`GameRulesArgument::of`] has reported. A file can have thousands of games with the same tag.
static REPORTED_RULES: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

impl GameRulesArgument {
    /// The rules for a game with the value `tag` of the tag `Rules`. Without `--rules`, an unknown name is reported
    /// once, with the `place` of the game, and has no effect.
    pub fn of(self, tag: Option<&str>, place: Option<(&Path, Place)>) -> RuleSet {
        self.rules.unwrap_or_else(|| match tag.map(named_rules).transpose() {
            Ok(named) => named.unwrap_or_default(),
            Err(error) => {
                if REPORTED_RULES.lock().insert(error.clone()) {
                    note(&at_place(place, &format!("{error}; the Asian rules are used")));
                }
                RuleSet::default()
            }
        })
    }
}

/// The rules that the value of a tag `Rules` names.
///
/// # Errors
/// There are no rules of this name.
pub fn named_rules(name: &str) -> Result<RuleSet, String> {
    name.trim().parse().map_err(|error| format!("rules \"{}\": {error}", printable(name)))
}

#[derive(Clone, Debug, clap::Args)]
pub struct NetworkArgument {
    /// Network file to use instead of the built-in one.
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
}

impl NetworkArgument {
    pub fn path(&self) -> Option<&Path> {
        self.network.as_deref()
    }

    /// The network of the file; `None` without `--network`.
    pub fn read(&self) -> Result<Option<Arc<Network>>, Failure> {
        let open = |path: &PathBuf| Network::open(path).context(path.display());
        Ok(self.network.as_ref().map(open).transpose()?.map(Arc::new))
    }
}

#[derive(Clone, Debug, clap::Args)]
pub struct TablebaseArguments {
    /// Directories of endgame tablebases (*.chtb), separated by `;`, in addition to the built-in tablebases.
    #[arg(long = "tables", value_name = "DIRS", default_value = "", hide_default_value = true)]
    tablebases: String,
}

impl TablebaseArguments {
    /// The directories as given, separated by `;`.
    pub fn paths(&self) -> &str {
        &self.tablebases
    }

    pub fn is_given(&self) -> bool {
        !self.tablebases.trim().is_empty()
    }

    /// Opens the tablebases; invalid files are skipped with a message on standard error.
    ///
    /// # Errors
    /// A directory cannot be read or has no tablebases.
    pub fn open(&self) -> Result<Arc<Tables>, Failure> {
        let (tablebases, skipped) = Tables::open(&self.tablebases);
        self.require_directories(&skipped)?;
        skipped.iter().for_each(|file| note(&file.to_string()));
        Ok(tablebases)
    }

    /// Opens the tablebases so that files are preferred to built-in tablebases. Invalid files are reported and counted.
    ///
    /// # Errors
    /// A directory cannot be read or has no tablebases.
    pub fn open_files_first(&self) -> Result<(Arc<Tables>, Unread), Failure> {
        let (tablebases, skipped) = Tables::open_files_first(&self.tablebases);
        self.require_directories(&skipped)?;
        let mut unread = Unread::default();
        for file in skipped {
            unread.add_skipped_file(&Failure::new("--tables", file));
        }
        Ok((tablebases, unread))
    }

    /// Fails if a directory cannot be read or has no tablebases.
    fn require_directories(&self, skipped: &[SkippedFile]) -> Result<(), Failure> {
        let is_directory = |skipped: &&SkippedFile| {
            names_of_list(&self.tablebases).any(|directory| path_of_name(directory) == skipped.path)
        };
        match skipped.iter().find(is_directory) {
            Some(directory) => Err(Failure::new("--tables", directory)),
            None => Ok(()),
        }
    }
}

#[derive(Clone, Debug, clap::Args)]
pub struct BookArguments {
    /// Opening books, separated by `;`.
    #[arg(long, value_name = "FILES", default_value = BUILTIN)]
    book: String,
    /// Use no opening book.
    #[arg(long, conflicts_with = "book")]
    no_book: bool,
}

impl BookArguments {
    /// The books, separated by `;`; empty with `--no-book`.
    pub fn names(&self) -> &str {
        if self.no_book { "" } else { &self.book }
    }

    pub fn open(&self) -> Result<BookLibrary, Failure> {
        open_books("--book", self.names())
    }
}

/// Opens the books of a list separated by `;`. `argument` is the name of the argument for error messages.
///
/// # Errors
/// A book cannot be opened.
pub fn open_books(argument: &str, names: &str) -> Result<BookLibrary, Failure> {
    let (library, problems) = BookLibrary::open(names);
    if problems.is_empty() { Ok(library) } else { Err(Failure::new(argument, problems.join("; "))) }
}

#[derive(Clone, Copy, Debug, clap::Args)]
pub struct BoardArguments {
    /// Draw boards with Latin letters and ASCII characters, even if the terminal can show Chinese ones.
    #[arg(long)]
    ascii: bool,
    /// Draw boards with black at the bottom.
    #[arg(long)]
    flip: bool,
}

impl BoardArguments {
    /// The style: Chinese characters if the locale is UTF-8 and `--ascii` is not given, colors if the terminal has
    /// them.
    pub fn style(self) -> DiagramStyle {
        let letters = if self.ascii || !is_utf8() { Letters::Latin } else { Letters::Chinese };
        DiagramStyle {
            letters,
            color: io::stdout().is_terminal() && console::colors_enabled(),
            flipped: self.flip,
            ..DiagramStyle::default()
        }
    }
}

/// Returns an error if `--notation` is given. Called if neither text nor `--pgn` nor `--svg` is written.
pub fn require_no_notation(notation: Option<MoveStyle>) -> Result<(), Failure> {
    let why = "has an effect only on text, --pgn and --svg";
    refuse_if(notation.is_some(), "--notation", why)
}

/// The user who runs the program, from the environment.
pub fn user_name() -> Option<String> {
    let mut names = ["USER", "USERNAME"].into_iter();
    names.find_map(|name| std::env::var(name).ok())
}

/// The current local date in the format of PGN.
pub fn today() -> String {
    jiff::Zoned::now().strftime("%Y.%m.%d").to_string()
}

/// The name of the locale of a category such as `LC_MESSAGES`, in lower case.
pub fn locale(category: &str) -> Option<String> {
    let named = ["LC_ALL", category, "LANG"].into_iter();
    let mut values = named.filter_map(std::env::var_os);
    let locale = values.find(|value| !value.is_empty())?;
    Some(locale.to_string_lossy().to_ascii_lowercase())
}

/// Whether boards and moves can have Chinese characters: the encoding of the locale is UTF-8. Without a locale in the
/// environment, this is assumed on Windows only. A locale without an encoding, such as `C`, is assumed to have UTF-8
/// only for messages, which are in Chinese only if the locale is Chinese.
pub fn is_utf8() -> bool {
    match locale_encoding() {
        LocaleEncoding::Utf8 => true,
        LocaleEncoding::Unnamed => cfg!(windows) && locale("LC_CTYPE").is_none(),
        LocaleEncoding::Gbk | LocaleEncoding::Other => false,
    }
}

/// The encoding of the locale in the environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocaleEncoding {
    Utf8,
    /// GB18030 or a part of it: GBK, GB2312.
    Gbk,
    Other,
    Unnamed,
}

pub fn locale_encoding() -> LocaleEncoding {
    let name = locale("LC_CTYPE").unwrap_or_default();
    // On macOS, the locale may be only `UTF-8`.
    let encoding = name.split_once('.').map_or(&*name, |(_, encoding)| encoding);
    if encoding.starts_with("utf") {
        LocaleEncoding::Utf8
    } else if !name.contains('.') {
        LocaleEncoding::Unnamed
    } else if encoding.starts_with("gb") || encoding == "euccn" {
        LocaleEncoding::Gbk
    } else {
        LocaleEncoding::Other
    }
}

/// Implements [`ValueEnum`] for a named enum; the closure adds help and aliases.
macro_rules! choice {
    ($type:ty, $describe:expr) => {
        impl ValueEnum for $type {
            fn value_variants<'a>() -> &'a [Self] {
                &Self::ALL
            }

            fn to_possible_value(&self) -> Option<PossibleValue> {
                let describe: fn(&Self, PossibleValue) -> PossibleValue = $describe;
                Some(describe(self, PossibleValue::new(self.name())))
            }
        }
    };
}

choice!(RuleSet, |rules, value| match rules {
    RuleSet::CheckOnly => value.alias("check_only"),
    _ => value,
});

choice!(Degree, |_, value| value);
choice!(Knowledge, |_, value| value);

/// The roles that clients without a token may have: all except `admin`.
#[cfg(feature = "cloud")]
impl ValueEnum for crate::cloud::access::Role {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Nothing, Self::Read, Self::Queue, Self::Write]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
}

#[cfg(feature = "match")]
choice!(crate::tournament::TournamentFormat, |format, value| {
    use crate::tournament::TournamentFormat::{Gauntlet, Knockout, RoundRobin, Swiss};
    value.help(match format {
        RoundRobin => "every engine plays every other",
        Gauntlet => "the first engine plays all others",
        Swiss => "in each round, engines with about the same number of points play each other",
        Knockout => {
            "the loser of a match is out; ties are decided by wins as black, then by the order of the engines"
        }
    })
});

impl ValueEnum for MoveStyle {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Chinese, Self::Wxf, Self::Iccs, Self::San, Self::Coordinate]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Self::Chinese => PossibleValue::new("chinese").help("炮二平五"),
            Self::Wxf => PossibleValue::new("wxf").help("C2=5"),
            Self::Iccs => PossibleValue::new("iccs").help("H2-E2"),
            Self::San => PossibleValue::new("san").help("Che2"),
            Self::Coordinate => PossibleValue::new("coordinate").help("h2e2"),
        })
    }
}

#[cfg(feature = "cloud")]
impl clap::builder::ValueParserFactory for crate::cloud::store::Location {
    type Parser = clap::builder::TryMapValueParser<
        clap::builder::OsStringValueParser,
        fn(std::ffi::OsString) -> Result<Self, crate::cloud::store::LocationError>,
    >;

    fn value_parser() -> Self::Parser {
        use clap::builder::TypedValueParser;
        clap::builder::OsStringValueParser::new().try_map(|text| Self::parse(&text))
    }
}
