//! The rows of the option table.

use std::time::Duration;

use super::{Effect, Opponent, OptionKind, OptionSpec, Place, Preferences};
use crate::board::MAX_MOVES;
use crate::book::BUILTIN;
use crate::eval::Knowledge;
use crate::protocol::codec::Protocol;
use crate::protocol::strength;
use crate::rules::RuleSet;
use crate::search::{Degree, Driver, MAX_HASH, MAX_THREADS, Randomness, Style};

type Name = Option<&'static str>;

/// The opening books of a protocol if the client has not set the option.
pub const fn default_books(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Ucci
        | Protocol::Uci
        | Protocol::UciCyclone
        | Protocol::XBoard
        | Protocol::CxBoard => BUILTIN,
        Protocol::Worker => "",
    }
}

/// Whether the engine plays from its books if the client has not set the option: in UCCI the engine plays the
/// opening, in the other protocols the graphical interface does.
pub const fn plays_from_books(protocol: Protocol) -> bool {
    matches!(protocol, Protocol::Ucci)
}

const fn check(
    ucci: Name,
    uci: Name,
    default: bool,
    set: fn(&mut Preferences, bool),
) -> OptionSpec {
    let kind = OptionKind::Check {
        default,
        ucci_default: default,
        set,
    };
    OptionSpec {
        ucci,
        uci,
        kind,
        effect: Effect::None,
    }
}

/// A check with the same name in UCCI and UCI.
const fn switch(name: &'static str, default: bool, set: fn(&mut Preferences, bool)) -> OptionSpec {
    check(Some(name), Some(name), default, set)
}

const fn text(
    ucci: Name,
    uci: Name,
    default: &'static str,
    form: &'static str,
    set: fn(&mut Preferences, &str) -> bool,
) -> OptionSpec {
    let kind = OptionKind::Text {
        default,
        set,
        form,
        place: Place::None,
    };
    OptionSpec {
        ucci,
        uci,
        kind,
        effect: Effect::None,
    }
}

const fn spin(
    ucci: Name,
    uci: &'static str,
    [min, max, default]: [u64; 3],
    set: fn(&mut Preferences, u64),
) -> OptionSpec {
    let kind = OptionKind::Spin {
        min,
        max,
        default,
        set,
    };
    OptionSpec {
        ucci,
        uci: Some(uci),
        kind,
        effect: Effect::None,
    }
}

const fn combo(
    ucci: &'static str,
    uci: &'static str,
    words: &'static [&'static str],
    default: usize,
    set: fn(&mut Preferences, usize) -> bool,
) -> OptionSpec {
    let kind = OptionKind::Combo {
        words,
        uci_words: &[],
        default,
        set,
    };
    OptionSpec {
        ucci: Some(ucci),
        uci: Some(uci),
        kind,
        effect: Effect::None,
    }
}

impl OptionSpec {
    const fn with(self, effect: Effect) -> Self {
        Self { effect, ..self }
    }

    /// A text option that names files or directories.
    const fn at(mut self, at: Place) -> Self {
        if let OptionKind::Text { place, .. } = &mut self.kind {
            *place = at;
        }
        self
    }

    /// A combo with other words in UCI.
    const fn in_uci(mut self, words: &'static [&'static str]) -> Self {
        if let OptionKind::Combo { uci_words, .. } = &mut self.kind {
            *uci_words = words;
        }
        self
    }
}

/// Assigns a value, if there is one. Returns whether there is one.
fn assign<T>(field: &mut T, value: Option<T>) -> bool {
    if let Some(value) = value {
        *field = value;
        true
    } else {
        false
    }
}

/// Assigns a number that fits the type of the field.
fn number<T: TryFrom<u64>>(field: &mut T, value: u64) {
    if let Ok(value) = T::try_from(value) {
        *field = value;
    }
}

/// The names of the rule sets in UCI, in the style of the names in Pikafish and in the order of [`RuleSet::ALL`].
const UCI_RULES: [&str; RuleSet::COUNT] = [
    "AsianRule",
    "ComputerRule",
    "ChineseRule",
    "ElephantEyeRule",
    "AllowChase",
    "AllowAll",
];

/// Every option, in the order in which it is listed.
const OPTIONS: &[OptionSpec] = &[
    check(Some("usemillisec"), None, true, |p, on| p.milliseconds = on),
    switch("batch", false, |p, on| p.batch = on),
    switch("debug", false, |p, on| p.debug = on),
    check(Some("ponder"), Some("Ponder"), false, |p, on| {
        p.search.ponder = on
    }),
    spin(Some("hashsize"), "Hash", [0, MAX_HASH as u64, 0], |p, n| {
        number(&mut p.hash_size, n)
    })
    .with(Effect::Resize),
    spin(
        Some("threads"),
        "Threads",
        [0, MAX_THREADS as u64, 1],
        |p, n| number(&mut p.threads, n),
    )
    .with(Effect::Threads),
    spin(
        Some("multipv"),
        "MultiPV",
        [1, MAX_MOVES as u64, 1],
        |p, n| {
            number(&mut p.search.multipv, n);
        },
    ),
    combo(
        "idle",
        "idle",
        &Degree::NAMES,
        Degree::None.index(),
        |p, i| assign(&mut p.search.idle, Degree::from_index(i)),
    ),
    combo(
        "repetition",
        "Repetition Rule",
        &RuleSet::NAMES,
        RuleSet::Asian.index(),
        |p, i| assign(&mut p.search.rules, RuleSet::from_index(i)),
    )
    .in_uci(&UCI_RULES),
    switch("promotion", false, |p, on| p.promotion = on).with(Effect::Position),
    combo(
        "pruning",
        "pruning",
        &Degree::NAMES,
        Degree::Large.index(),
        |p, i| assign(&mut p.search.pruning, Degree::from_index(i)),
    ),
    combo(
        "knowledge",
        "knowledge",
        &Knowledge::NAMES,
        Knowledge::Large.index(),
        |p, i| assign(&mut p.search.knowledge, Knowledge::from_index(i)),
    ),
    combo(
        "randomness",
        "randomness",
        &Randomness::NAMES,
        Randomness::None.index(),
        |p, i| assign(&mut p.randomness, Randomness::from_index(i)),
    ),
    combo(
        "style",
        "style",
        &Style::NAMES,
        Style::Normal.index(),
        |p, i| assign(&mut p.search.style, Style::from_index(i)),
    ),
    OptionSpec {
        ucci: Some("usebook"),
        uci: Some("OwnBook"),
        kind: OptionKind::Check {
            default: plays_from_books(Protocol::Uci),
            ucci_default: plays_from_books(Protocol::Ucci),
            set: |p, on| p.use_book = Some(on),
        },
        effect: Effect::None,
    },
    text(
        Some("bookfiles"),
        Some("BookFile"),
        default_books(Protocol::Uci),
        "the files of opening books",
        |p, files| assign(&mut p.books, Some(Some(files.to_owned()))),
    )
    .at(Place::File)
    .with(Effect::Books),
    check(
        Some("naturallimit"),
        Some("Sixty Move Rule"),
        true,
        |p, on| {
            p.search.no_capture_draws = on;
        },
    ),
    combo(
        "search",
        "search",
        &Driver::NAMES,
        Driver::NegaScout.index(),
        |p, i| assign(&mut p.search.techniques.driver, Driver::from_index(i)),
    ),
    switch("nullmove", true, |p, on| p.search.techniques.null_move = on),
    switch("verifynull", true, |p, on| {
        p.search.techniques.null_move_verification = on
    }),
    switch("usehash", true, |p, on| p.search.techniques.hash = on),
    switch("hashadjust", false, |p, on| {
        p.search.techniques.hash_window = on
    }),
    switch("iterative", true, |p, on| {
        p.search.techniques.iterative = on
    }),
    check(Some("draw"), None, false, |p, on| p.draw = on),
    check(Some("resign"), None, false, |p, on| p.resign = Some(on)),
    OptionSpec {
        ucci: Some("newgame"),
        uci: Some("Clear Hash"),
        kind: OptionKind::Button,
        effect: Effect::NewGame,
    },
    spin(None, "Move Overhead", [0, 5000, 0], |p, n| {
        p.move_overhead = Duration::from_millis(n);
    }),
    check(None, Some("UCI_ShowWDL"), false, |p, on| p.show_wdl = on),
    check(None, Some("UCI_ShowCurrLine"), false, |p, on| {
        p.search.reports.current_lines = on
    }),
    check(None, Some("UCI_ShowRefutations"), false, |p, on| {
        p.search.reports.refutations = on
    }),
    check(None, Some("UCI_LimitStrength"), false, |p, on| {
        p.limit_strength = on
    }),
    spin(
        None,
        "UCI_Elo",
        [
            strength::MIN_ELO as u64,
            strength::MAX_ELO as u64,
            strength::DEFAULT_ELO as u64,
        ],
        |p, n| number(&mut p.elo, n),
    ),
    spin(
        None,
        "Skill Level",
        [0, strength::MAX_SKILL as u64, strength::MAX_SKILL as u64],
        |p, n| number(&mut p.skill, n),
    ),
    check(None, Some("UCI_AnalyseMode"), false, |p, on| {
        p.analyse_mode = on
    }),
    text(
        None,
        Some("UCI_Opponent"),
        "",
        "TITLE ELO computer|human NAME",
        |p, text| assign(&mut p.opponent, Opponent::parse(text)),
    ),
    text(
        Some("evalapi"),
        Some("EvalFile"),
        "",
        "the file of a network",
        |p, file| assign(&mut p.network, Some(file.to_owned())),
    )
    .at(Place::File)
    .with(Effect::Network),
    check(Some("useegtb"), Some("UseEGTB"), true, |p, on| {
        p.use_tables = on
    })
    .with(Effect::ClearHash),
    text(
        Some("egtbpaths"),
        Some("EGTBPath"),
        "",
        "directories of tables, separated by ;",
        |p, paths| assign(&mut p.table_paths, Some(paths.to_owned())),
    )
    .at(Place::Directory)
    .with(Effect::Tables),
    #[cfg(feature = "cloud")]
    text(
        Some("cloud"),
        Some("Cloud"),
        "",
        "the address of a cloud library",
        |p, address| assign(&mut p.cloud, Some(address.to_owned())),
    )
    .with(Effect::Cloud),
    text(
        None,
        Some("UCI_EngineAbout"),
        concat!(
            "Chuhe ",
            env!("CARGO_PKG_VERSION"),
            " by the Chuhe authors, MIT license"
        ),
        "any text",
        |p, _| {
            p.has_set_about = true;
            true
        },
    ),
    OptionSpec {
        ucci: None,
        uci: Some("UCI_Variant"),
        kind: OptionKind::Combo {
            words: &["xiangqi"],
            uci_words: &[],
            default: 0,
            set: |p, i| {
                p.has_set_variant = true;
                i == 0
            },
        },
        effect: Effect::None,
    },
    check(None, Some("UCI_Chess960"), false, |p, _| {
        p.has_set_chess960 = true
    }),
];

/// Every option, including those of the feature `tune`.
pub fn all() -> impl Iterator<Item = OptionSpec> {
    OPTIONS.iter().copied().chain(parameters())
}

#[cfg(feature = "tune")]
fn parameters() -> impl Iterator<Item = OptionSpec> {
    crate::search::PARAMETERS
        .iter()
        .map(|parameter| OptionSpec {
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
