//! The one table of options: name, kind, default, range and what each one changes. Each protocol
//! formats it in its own way; all parse it the same way.

mod parse;

use crate::board::MAX_MOVES;
use crate::eval::Knowledge;
use crate::rules::RuleSet;
use crate::search::{Degree, MAX_HASH, MAX_THREADS, Randomness, Settings, Style};

use super::text::TimeUnit;
pub(super) use parse::{ParsedOption, read};

/// The values of all options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Preferences {
    /// The times of a `go` line are in milliseconds, not seconds.
    pub milliseconds: bool,
    /// Lines that arrive while thinking wait their turn.
    pub batch: bool,
    /// Send additional reports.
    pub debug: bool,
    /// Play the promotion variant.
    pub promotion: bool,
    /// Resign hopeless games.
    pub resign: bool,
    /// GameAction draws in level games.
    pub draw: bool,
    /// Size of the hash table in MB, 0 for automatic.
    pub hash_size: usize,
    /// Search threads, 0 for automatic.
    pub threads: usize,
    /// The settings of the search.
    pub search: Settings,
}

impl Preferences {
    /// The unit of the times in a `go` line.
    pub(super) fn time_unit(&self) -> TimeUnit {
        match self.milliseconds {
            true => TimeUnit::Milliseconds,
            false => TimeUnit::Seconds,
        }
    }
}

impl Default for Preferences {
    fn default() -> Self {
        Self {
            milliseconds: true,
            batch: false,
            debug: false,
            promotion: false,
            resign: false,
            draw: false,
            hash_size: 0,
            threads: 1,
            search: Settings::default(),
        }
    }
}

/// What an option line asks to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OptionChange {
    /// [`Preferences::milliseconds`].
    Milliseconds(bool),
    /// [`Preferences::batch`].
    Batch(bool),
    /// [`Preferences::debug`].
    Debug(bool),
    /// [`Settings::ponder`].
    Ponder(bool),
    /// [`Preferences::promotion`]; the position is read again.
    Promotion(bool),
    /// [`Preferences::resign`].
    Resign(bool),
    /// [`Preferences::draw`].
    Draw(bool),
    /// [`Preferences::hash_size`].
    HashSize(usize),
    /// [`Preferences::threads`].
    Threads(usize),
    /// [`Settings::multipv`].
    MultiPv(usize),
    /// [`Settings::idle`].
    Idle(Degree),
    /// [`Settings::rules`].
    Rules(RuleSet),
    /// [`Settings::pruning`].
    Pruning(Degree),
    /// [`Settings::knowledge`].
    Knowledge(Knowledge),
    /// [`Settings::randomness`].
    Randomness(Randomness),
    /// [`Settings::style`].
    Style(Style),
    /// Forgets the last game.
    NewGame,
}

/// The values of an option, and what they change.
#[derive(Clone, Copy, Debug)]
pub(super) enum OptionKind {
    /// True or false.
    Check {
        /// The value at the start.
        default: bool,
        /// What a value changes.
        change: fn(bool) -> OptionChange,
    },
    /// A whole number.
    Spin {
        /// The smallest.
        min: u64,
        /// The largest.
        max: u64,
        /// The value at the start.
        default: u64,
        /// What a value changes.
        change: fn(usize) -> OptionChange,
    },
    /// One of several words.
    Combo {
        /// The words.
        words: &'static [&'static str],
        /// Which of them at the start.
        default: usize,
        /// What the word with this index changes.
        change: fn(usize) -> Option<OptionChange>,
    },
    /// No value: it acts.
    Button(OptionChange),
}

/// An option.
#[derive(Clone, Copy, Debug)]
pub(super) struct OptionSpec {
    /// What UCCI calls it.
    pub ucci: &'static str,
    /// What UCI calls it, `None` if it has no meaning there. Either name is read in either protocol.
    pub uci: Option<&'static str>,
    /// What it takes.
    pub kind: OptionKind,
}

const fn check(
    ucci: &'static str,
    uci: Option<&'static str>,
    default: bool,
    change: fn(bool) -> OptionChange,
) -> OptionSpec {
    let kind = OptionKind::Check { default, change };
    OptionSpec { ucci, uci, kind }
}

const fn spin(
    ucci: &'static str,
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
    let uci = Some(uci);
    OptionSpec { ucci, uci, kind }
}

const fn combo(
    name: &'static str,
    words: &'static [&'static str],
    default: usize,
    change: fn(usize) -> Option<OptionChange>,
) -> OptionSpec {
    let kind = OptionKind::Combo {
        words,
        default,
        change,
    };
    OptionSpec {
        ucci: name,
        uci: Some(name),
        kind,
    }
}

/// Every option, in the order in which it is offered.
pub(super) const OPTIONS: &[OptionSpec] = &[
    check("usemillisec", None, true, OptionChange::Milliseconds),
    check("batch", Some("batch"), false, OptionChange::Batch),
    check("debug", Some("debug"), false, OptionChange::Debug),
    check("ponder", Some("Ponder"), false, OptionChange::Ponder),
    spin(
        "hashsize",
        "Hash",
        [0, MAX_HASH as u64, 0],
        OptionChange::HashSize,
    ),
    spin(
        "threads",
        "Threads",
        [0, MAX_THREADS as u64, 1],
        OptionChange::Threads,
    ),
    spin(
        "multipv",
        "MultiPV",
        [1, MAX_MOVES as u64, 1],
        OptionChange::MultiPv,
    ),
    combo("idle", &Degree::NAMES, Degree::None.index(), |i| {
        Degree::from_index(i).map(OptionChange::Idle)
    }),
    combo("repetition", &RuleSet::NAMES, RuleSet::Asian.index(), |i| {
        RuleSet::from_index(i).map(OptionChange::Rules)
    }),
    check(
        "promotion",
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
    check("draw", None, false, OptionChange::Draw),
    check("resign", None, false, OptionChange::Resign),
    OptionSpec {
        ucci: "newgame",
        uci: Some("Clear Hash"),
        kind: OptionKind::Button(OptionChange::NewGame),
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_the_defaults_of_the_preferences() {
        let d = Preferences::default();
        let mut changes = OPTIONS.iter().map(|row| match row.kind {
            OptionKind::Check { default, change } => change(default),
            OptionKind::Spin {
                default, change, ..
            } => change(default as usize),
            OptionKind::Combo {
                default, change, ..
            } => change(default).unwrap(),
            OptionKind::Button(change) => change,
        });
        for expected in [
            OptionChange::Milliseconds(d.milliseconds),
            OptionChange::Batch(d.batch),
            OptionChange::Debug(d.debug),
            OptionChange::Ponder(d.search.ponder),
            OptionChange::HashSize(d.hash_size),
            OptionChange::Threads(d.threads),
            OptionChange::MultiPv(d.search.multipv),
            OptionChange::Idle(d.search.idle),
            OptionChange::Rules(d.search.rules),
            OptionChange::Promotion(d.promotion),
            OptionChange::Pruning(d.search.pruning),
            OptionChange::Knowledge(d.search.knowledge),
            OptionChange::Randomness(d.search.randomness),
            OptionChange::Style(d.search.style),
            OptionChange::Draw(d.draw),
            OptionChange::Resign(d.resign),
            OptionChange::NewGame,
        ] {
            assert_eq!(changes.next(), Some(expected));
        }
        assert_eq!(changes.next(), None);
    }

    #[test]
    fn every_word_of_every_combo_changes_something_else() {
        for row in OPTIONS {
            let OptionKind::Combo { words, change, .. } = row.kind else {
                continue;
            };
            let mut changes: Vec<OptionChange> =
                (0..words.len()).map(|i| change(i).unwrap()).collect();
            changes.dedup();
            assert_eq!(changes.len(), words.len(), "{}", row.ucci);
            assert_eq!(change(words.len()), None);
        }
    }
}
