//! The rows of the option table.

use std::time::Duration;

use super::preferences::parse_opponent;
use super::{Effect, OptionKind, OptionSpec, PathKind, Preferences};
use crate::board::MAX_MOVES;
use crate::book::BUILTIN;
use crate::eval::Knowledge;
use crate::protocol::codec::Protocol;
use crate::protocol::strength;
use crate::rules::RuleSet;
use crate::search::{Degree, Driver, MAX_HASH, MAX_THREADS, Randomness, Style};

/// The opening books of a protocol if the client has not set `bookfiles`.
pub const fn default_books(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Worker => "",
        _ => BUILTIN,
    }
}

/// Whether the engine plays from its books if the client has not set `usebook`: in UCCI the engine plays the opening,
/// in the other protocols the graphical interface does.
pub const fn plays_from_books(protocol: Protocol) -> bool {
    matches!(protocol, Protocol::Ucci)
}

/// An option with its names in UCCI and UCI. An empty name means that the protocol does not list the option.
const fn option(ucci: &'static str, uci: &'static str, kind: OptionKind) -> OptionSpec {
    OptionSpec {
        ucci: if ucci.is_empty() { None } else { Some(ucci) },
        uci: if uci.is_empty() { None } else { Some(uci) },
        kind,
        effect: Effect::None,
    }
}

const fn check(
    ucci: &'static str,
    uci: &'static str,
    default: bool,
    set: fn(&mut Preferences, bool),
) -> OptionSpec {
    let kind = OptionKind::Check { default, ucci_default: default, set };
    option(ucci, uci, kind)
}

/// A check with the same name in UCCI and UCI.
const fn switch(name: &'static str, default: bool, set: fn(&mut Preferences, bool)) -> OptionSpec {
    check(name, name, default, set)
}

const fn text(
    ucci: &'static str,
    uci: &'static str,
    default: &'static str,
    form: &'static str,
    set: fn(&mut Preferences, &str) -> bool,
) -> OptionSpec {
    let kind = OptionKind::Text { default, set, form, path_kind: PathKind::None };
    option(ucci, uci, kind)
}

const fn spin(
    ucci: &'static str,
    uci: &'static str,
    [min, max, default]: [u64; 3],
    set: fn(&mut Preferences, u64),
) -> OptionSpec {
    let kind = OptionKind::Spin { min, max, default, set };
    option(ucci, uci, kind)
}

/// A combo with the same name in UCCI and UCI.
const fn combo(
    name: &'static str,
    words: &'static [&'static str],
    default: usize,
    set: fn(&mut Preferences, usize) -> bool,
) -> OptionSpec {
    let kind = OptionKind::Combo { words, uci_words: &[], aliases: &[], default, set };
    option(name, name, kind)
}

impl OptionSpec {
    const fn with(self, effect: Effect) -> Self {
        Self { effect, ..self }
    }

    /// A text option that names files or directories.
    const fn naming(mut self, kind: PathKind) -> Self {
        if let OptionKind::Text { path_kind, .. } = &mut self.kind {
            *path_kind = kind;
        }
        self
    }

    /// A combo with another name and other words in UCI.
    const fn in_uci(mut self, name: &'static str, words: &'static [&'static str]) -> Self {
        self.uci = Some(name);
        if let OptionKind::Combo { uci_words, .. } = &mut self.kind {
            *uci_words = words;
        }
        self
    }

    /// A combo with further words that are understood but not offered.
    const fn also_understands(mut self, words: &'static [(&'static str, usize)]) -> Self {
        if let OptionKind::Combo { aliases, .. } = &mut self.kind {
            *aliases = words;
        }
        self
    }
}

/// Assigns a value, if there is one. Returns whether there is one.
fn assign<T>(field: &mut T, value: Option<T>) -> bool {
    let is_valid = value.is_some();
    if let Some(value) = value {
        *field = value;
    }
    is_valid
}

/// Whether a file is named after Pikafish. A client that sets a network with such a name, or runs the engine under such
/// a name, counts ranks from 0, as Pikafish does.
pub fn is_named_pikafish(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    name.to_ascii_lowercase().contains("pikafish")
}

/// The names of the rule sets in UCI, in the style of the names in Pikafish and in the order of [`RuleSet::ALL`].
const UCI_RULES: [&str; RuleSet::COUNT] =
    ["AsianRule", "ComputerRule", "ChineseRule", "ElephantEyeRule", "AllowChase", "AllowAll"];

/// The names of rule sets in older versions of UCCI that are not in [`UCI_RULES`].
const OLD_UCCI_RULES: [(&str, usize); 2] =
    [("AlwaysDraw", RuleSet::None.index()), ("CheckBan", RuleSet::CheckOnly.index())];

/// In the order in which the protocols list them.
const OPTIONS: &[OptionSpec] = &[
    check("usemillisec", "", true, |p, on| p.milliseconds = on),
    switch("batch", false, |p, on| p.batch = on),
    switch("debug", false, |p, on| p.debug = on),
    check("ponder", "Ponder", false, |p, on| p.search.ponder = on),
    spin("hashsize", "Hash", [0, MAX_HASH as u64, 0], |p, n| p.hash_size = n as usize)
        .with(Effect::Resize),
    spin("threads", "Threads", [0, MAX_THREADS as u64, 1], |p, n| p.threads = n as usize)
        .with(Effect::Threads),
    spin("multipv", "MultiPV", [1, MAX_MOVES as u64, 1], |p, n| {
        p.search.multipv = n as usize;
    }),
    combo("idle", &Degree::NAMES, Degree::None.index(), |p, i| {
        assign(&mut p.search.idle, Degree::from_index(i))
    }),
    combo("repetition", &RuleSet::NAMES, RuleSet::Asian.index(), |p, i| {
        assign(&mut p.search.rules, RuleSet::from_index(i))
    })
    .in_uci("Repetition Rule", &UCI_RULES)
    .also_understands(&OLD_UCCI_RULES),
    switch("promotion", false, |p, on| p.promotion = on).with(Effect::Position),
    combo("pruning", &Degree::NAMES, Degree::Large.index(), |p, i| {
        assign(&mut p.search.pruning, Degree::from_index(i))
    }),
    combo("knowledge", &Knowledge::NAMES, Knowledge::Large.index(), |p, i| {
        assign(&mut p.search.knowledge, Knowledge::from_index(i))
    }),
    combo("randomness", &Randomness::NAMES, Randomness::None.index(), |p, i| {
        assign(&mut p.randomness, Randomness::from_index(i))
    }),
    combo("style", &Style::NAMES, Style::Normal.index(), |p, i| {
        assign(&mut p.search.style, Style::from_index(i))
    }),
    option(
        "usebook",
        "OwnBook",
        OptionKind::Check {
            default: plays_from_books(Protocol::Uci),
            ucci_default: plays_from_books(Protocol::Ucci),
            set: |p, on| p.use_book = Some(on),
        },
    ),
    text(
        "bookfiles",
        "BookFile",
        default_books(Protocol::Uci),
        "the files of opening books",
        |p, files| {
            p.books = Some(files.to_owned());
            true
        },
    )
    .naming(PathKind::File)
    .with(Effect::Books),
    check("naturallimit", "Sixty Move Rule", true, |p, on| {
        p.search.no_capture_draws = on;
    }),
    combo("search", &Driver::NAMES, Driver::NegaScout.index(), |p, i| {
        assign(&mut p.search.techniques.driver, Driver::from_index(i))
    }),
    switch("nullmove", true, |p, on| p.search.techniques.null_move = on),
    switch("verifynull", true, |p, on| p.search.techniques.null_move_verification = on),
    switch("usehash", true, |p, on| p.search.techniques.hash = on),
    switch("hashadjust", false, |p, on| p.search.techniques.hash_window = on),
    switch("iterative", true, |p, on| p.search.techniques.iterative = on),
    check("draw", "", false, |p, on| p.draw = on),
    check("resign", "", false, |p, on| p.resign = Some(on)),
    option("newgame", "Clear Hash", OptionKind::Button).with(Effect::NewGame),
    spin("", "Move Overhead", [0, 5000, 0], |p, n| {
        p.move_overhead = Duration::from_millis(n);
    }),
    check("", "UCI_ShowWDL", false, |p, on| p.show_wdl = on),
    check("", "UCI_ShowCurrLine", false, |p, on| p.search.reports.current_lines = on),
    check("", "UCI_ShowRefutations", false, |p, on| p.search.reports.refutations = on),
    check("", "UCI_LimitStrength", false, |p, on| p.limit_strength = on),
    spin(
        "",
        "UCI_Elo",
        [strength::MIN_ELO as u64, strength::MAX_ELO as u64, strength::DEFAULT_ELO as u64],
        |p, n| p.elo = n as u32,
    ),
    spin("", "Skill Level", [0, strength::MAX_SKILL as u64, strength::MAX_SKILL as u64], |p, n| {
        p.skill = n as u32
    }),
    check("", "UCI_AnalyseMode", false, |p, on| p.analyse_mode = on),
    text("", "UCI_Opponent", "", "TITLE ELO computer|human NAME", |p, text| {
        assign(&mut p.opponent_elo, parse_opponent(text))
    }),
    text("evalapi", "EvalFile", "", "the file of a network", |p, file| {
        p.note_ranks_from_zero(is_named_pikafish(file));
        p.network = file.to_owned();
        true
    })
    .naming(PathKind::File)
    .with(Effect::Network),
    check("useegtb", "UseEGTB", true, |p, on| p.use_tables = on).with(Effect::ClearHash),
    text("egtbpaths", "EGTBPath", "", "directories of tables, separated by ;", |p, paths| {
        p.table_paths = paths.to_owned();
        true
    })
    .naming(PathKind::Directory)
    .with(Effect::Tables),
    #[cfg(feature = "cloud")]
    text("cloud", "Cloud", "", "the address of a cloud library", |p, address| {
        p.cloud = address.to_owned();
        true
    })
    .with(Effect::Cloud),
    text(
        "",
        "UCI_EngineAbout",
        concat!("Chuhe ", env!("CARGO_PKG_VERSION"), " by the Chuhe authors, MIT license"),
        "any text",
        |p, _| {
            p.has_set_about = true;
            true
        },
    ),
    OptionSpec {
        ucci: None,
        ..combo("UCI_Variant", &["xiangqi"], 0, |p, index| {
            p.has_set_variant = true;
            index == 0
        })
    },
    // An option of Fairy-Stockfish, which counts ranks from 0 in these protocols.
    text("", "Protocol", "", "the protocol", |p, protocol| {
        let protocol = protocol.to_ascii_lowercase();
        p.note_ranks_from_zero(matches!(protocol.as_str(), "ucci" | "ucicyclone"));
        true
    }),
    check("", "UCI_Chess960", false, |p, _| p.has_set_chess960 = true),
];

/// Every option, including those of the feature `tune`.
pub fn all() -> impl Iterator<Item = OptionSpec> {
    OPTIONS.iter().copied().chain(parameters())
}

#[cfg(feature = "tune")]
fn parameters() -> impl Iterator<Item = OptionSpec> {
    crate::search::PARAMETERS.iter().map(|parameter| OptionSpec {
        ucci: Some(parameter.name),
        uci: Some(parameter.name),
        kind: OptionKind::Parameter(parameter),
        effect: Effect::None,
    })
}

#[cfg(not(feature = "tune"))]
fn parameters() -> impl Iterator<Item = OptionSpec> {
    std::iter::empty()
}
