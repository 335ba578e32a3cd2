//! The table of options.

use super::super::command::Protocol;
use super::super::strength;
use super::{Opponent, OptionChange, OptionKind, OptionSpec};
use crate::board::MAX_MOVES;
use crate::book::BUILTIN;
use crate::eval::Knowledge;
use crate::rules::RuleSet;
use crate::search::{Degree, Driver, MAX_HASH, MAX_THREADS, Randomness, Style};

/// The opening books of a protocol whose client has named none.
pub(in crate::protocol) const fn default_books(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Ucci | Protocol::Uci | Protocol::XBoard | Protocol::CxBoard => BUILTIN,
        Protocol::Worker => "",
    }
}

/// Whether the engine plays from its books where its client has not said: in UCCI the engine itself sees to the
/// opening; in the others the graphical interface does.
pub(in crate::protocol) const fn plays_from_books(protocol: Protocol) -> bool {
    matches!(protocol, Protocol::Ucci)
}

const fn check(
    ucci: Option<&'static str>,
    uci: Option<&'static str>,
    default: bool,
    change: fn(bool) -> OptionChange,
) -> OptionSpec {
    let kind = OptionKind::Check {
        default,
        ucci_default: default,
        change,
    };
    OptionSpec { ucci, uci, kind }
}

const fn text(
    ucci: Option<&'static str>,
    uci: Option<&'static str>,
    default: &'static str,
    change: fn(&str) -> Option<OptionChange>,
    form: &'static str,
) -> OptionSpec {
    let kind = OptionKind::Text {
        default,
        change,
        form,
    };
    OptionSpec { ucci, uci, kind }
}

/// A part of the search that can be turned off, by the name that tsito gives it.
const fn switch(name: &'static str, default: bool, change: fn(bool) -> OptionChange) -> OptionSpec {
    check(Some(name), Some(name), default, change)
}

const fn spin(
    ucci: Option<&'static str>,
    uci: &'static str,
    [min, max, default]: [u64; 3],
    change: fn(usize) -> OptionChange,
) -> OptionSpec {
    let kind = OptionKind::Spin {
        min,
        max,
        default,
        change,
    };
    OptionSpec {
        ucci,
        uci: Some(uci),
        kind,
    }
}

const fn combo(
    name: &'static str,
    words: &'static [&'static str],
    default: usize,
    change: fn(usize) -> Option<OptionChange>,
) -> OptionSpec {
    let kind = OptionKind::Combo {
        words,
        uci_words: &[],
        default,
        change,
    };
    OptionSpec {
        ucci: Some(name),
        uci: Some(name),
        kind,
    }
}

/// The rule sets by the names that Pikafish gives to its own, in the order of [`RuleSet::ALL`].
const UCI_RULES: [&str; RuleSet::COUNT] = [
    "AsianRule",
    "ComputerRule",
    "ChineseRule",
    "ElephantEyeRule",
    "AllowChase",
    "AllowAll",
];

/// Every option, in the order in which it is offered.
pub(super) const OPTIONS: &[OptionSpec] = &[
    check(Some("usemillisec"), None, true, OptionChange::Milliseconds),
    check(Some("batch"), Some("batch"), false, OptionChange::Batch),
    check(Some("debug"), Some("debug"), false, OptionChange::Debug),
    check(Some("ponder"), Some("Ponder"), false, OptionChange::Ponder),
    spin(
        Some("hashsize"),
        "Hash",
        [0, MAX_HASH as u64, 0],
        OptionChange::HashSize,
    ),
    spin(
        Some("threads"),
        "Threads",
        [0, MAX_THREADS as u64, 1],
        OptionChange::Threads,
    ),
    spin(
        Some("multipv"),
        "MultiPV",
        [1, MAX_MOVES as u64, 1],
        OptionChange::MultiPv,
    ),
    combo("idle", &Degree::NAMES, Degree::None.index(), |i| {
        Degree::from_index(i).map(OptionChange::Idle)
    }),
    OptionSpec {
        ucci: Some("repetition"),
        uci: Some("Repetition Rule"),
        kind: OptionKind::Combo {
            words: &RuleSet::NAMES,
            uci_words: &UCI_RULES,
            default: RuleSet::Asian.index(),
            change: |i| RuleSet::from_index(i).map(OptionChange::Rules),
        },
    },
    check(
        Some("promotion"),
        Some("promotion"),
        false,
        OptionChange::Promotion,
    ),
    combo("pruning", &Degree::NAMES, Degree::Large.index(), |i| {
        Degree::from_index(i).map(OptionChange::Pruning)
    }),
    combo(
        "knowledge",
        &Knowledge::NAMES,
        Knowledge::Large.index(),
        |i| Knowledge::from_index(i).map(OptionChange::Knowledge),
    ),
    combo(
        "randomness",
        &Randomness::NAMES,
        Randomness::None.index(),
        |i| Randomness::from_index(i).map(OptionChange::Randomness),
    ),
    combo("style", &Style::NAMES, Style::Normal.index(), |i| {
        Style::from_index(i).map(OptionChange::Style)
    }),
    OptionSpec {
        ucci: Some("usebook"),
        uci: Some("OwnBook"),
        kind: OptionKind::Check {
            default: plays_from_books(Protocol::Uci),
            ucci_default: plays_from_books(Protocol::Ucci),
            change: OptionChange::UseBook,
        },
    },
    OptionSpec {
        ucci: Some("bookfiles"),
        uci: Some("BookFile"),
        kind: OptionKind::Text {
            default: default_books(Protocol::Uci),
            change: |text| Some(OptionChange::BookFiles(text.to_owned())),
            form: "the files of opening books",
        },
    },
    check(
        Some("naturallimit"),
        Some("Sixty Move Rule"),
        true,
        OptionChange::NoCaptureDraws,
    ),
    combo("search", &Driver::NAMES, Driver::NegaScout.index(), |i| {
        Driver::from_index(i).map(OptionChange::Driver)
    }),
    switch("nullmove", true, OptionChange::NullMove),
    switch("verifynull", true, OptionChange::NullMoveVerification),
    switch("usehash", true, OptionChange::Hash),
    switch("hashadjust", false, OptionChange::HashWindow),
    switch("iterative", true, OptionChange::Iterative),
    check(Some("draw"), None, false, OptionChange::Draw),
    check(Some("resign"), None, false, OptionChange::Resign),
    OptionSpec {
        ucci: Some("newgame"),
        uci: Some("Clear Hash"),
        kind: OptionKind::Button(|| OptionChange::NewGame),
    },
    spin(
        None,
        "Move Overhead",
        [0, 5000, 0],
        OptionChange::MoveOverhead,
    ),
    check(None, Some("UCI_ShowWDL"), false, OptionChange::ShowWdl),
    check(
        None,
        Some("UCI_ShowCurrLine"),
        false,
        OptionChange::CurrentLines,
    ),
    check(
        None,
        Some("UCI_ShowRefutations"),
        false,
        OptionChange::Refutations,
    ),
    check(
        None,
        Some("UCI_LimitStrength"),
        false,
        OptionChange::LimitStrength,
    ),
    spin(
        None,
        "UCI_Elo",
        [
            strength::MIN_ELO as u64,
            strength::MAX_ELO as u64,
            strength::DEFAULT_ELO as u64,
        ],
        OptionChange::Elo,
    ),
    check(
        None,
        Some("UCI_AnalyseMode"),
        false,
        OptionChange::AnalyseMode,
    ),
    text(
        None,
        Some("UCI_Opponent"),
        "",
        |text| Opponent::parse(text).map(OptionChange::Opponent),
        "TITLE ELO computer|human NAME",
    ),
    text(
        Some("evalapi"),
        Some("EvalFile"),
        "",
        |text| Some(OptionChange::Network(text.to_owned())),
        "the file of a network",
    ),
    check(
        Some("useegtb"),
        Some("UseEGTB"),
        true,
        OptionChange::UseTables,
    ),
    text(
        Some("egtbpaths"),
        Some("EGTBPath"),
        "",
        |text| Some(OptionChange::TablePaths(text.to_owned())),
        "directories of tables, separated by ;",
    ),
    #[cfg(feature = "cloud")]
    text(
        Some("cloud"),
        Some("Cloud"),
        "",
        |text| Some(OptionChange::Cloud(text.to_owned())),
        "the address of a cloud library",
    ),
    text(
        None,
        Some("UCI_EngineAbout"),
        concat!(
            "Chuhe ",
            env!("CARGO_PKG_VERSION"),
            " by the Chuhe authors, MIT license"
        ),
        |_| Some(OptionChange::Nothing),
        "anything",
    ),
    OptionSpec {
        ucci: None,
        uci: Some("UCI_Variant"),
        kind: OptionKind::Combo {
            words: &["xiangqi"],
            uci_words: &[],
            default: 0,
            change: |i| (i == 0).then_some(OptionChange::Nothing),
        },
    },
];

/// Every option, those of the feature `tune` included.
pub(in crate::protocol) fn all() -> impl Iterator<Item = OptionSpec> {
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
        })
}

#[cfg(not(feature = "tune"))]
fn parameters() -> impl Iterator<Item = OptionSpec> {
    std::iter::empty()
}
