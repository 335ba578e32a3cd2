//! The one table of options: name, kind, default, range and what each one changes. Each protocol
//! renders it in its own words; both read it the same way.

mod reading;

use crate::board::MAX_MOVES;
use crate::eval::Knowledge;
use crate::rules::RuleSet;
use crate::search::{Degree, MAX_HASH, MAX_THREADS, Randomness, Settings, Style};

pub(super) use reading::{Setting, read};

/// How the engine is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Preferences {
    /// The times of a `go` line are in milliseconds, not seconds.
    pub milliseconds: bool,
    /// Lines that arrive while thinking wait their turn.
    pub batch: bool,
    /// Report more.
    pub debug: bool,
    /// Play the promotion variant.
    pub promotion: bool,
    /// Give up hopeless games.
    pub resign: bool,
    /// Offer draws in level games.
    pub draw: bool,
    /// Size of the hash table in MB, 0 for automatic.
    pub hash_size: usize,
    /// Search threads, 0 for automatic.
    pub threads: usize,
    /// What the search wants to know.
    pub search: Settings,
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
pub(super) enum Change {
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
    /// The last game is forgotten.
    NewGame,
}

/// What an option takes, and what its values change.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// True or false.
    Check {
        /// The value at the start.
        default: bool,
        /// What a value changes.
        change: fn(bool) -> Change,
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
        change: fn(usize) -> Change,
    },
    /// One of several words.
    Combo {
        /// The words.
        words: &'static [&'static str],
        /// Which of them at the start.
        default: usize,
        /// What the word with this index changes.
        change: fn(usize) -> Option<Change>,
    },
    /// No value: it acts.
    Button(Change),
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// What UCCI calls it.
    pub ucci: &'static str,
    /// What UCI calls it, `None` if it has no meaning there. Either name is read in either protocol.
    pub uci: Option<&'static str>,
    /// What it takes.
    pub kind: Kind,
}

const fn check(
    ucci: &'static str,
    uci: Option<&'static str>,
    default: bool,
    change: fn(bool) -> Change,
) -> Row {
    let kind = Kind::Check { default, change };
    Row { ucci, uci, kind }
}

const fn spin(
    ucci: &'static str,
    uci: &'static str,
    [min, max, default]: [u64; 3],
    change: fn(usize) -> Change,
) -> Row {
    let kind = Kind::Spin {
        min,
        max,
        default,
        change,
    };
    let uci = Some(uci);
    Row { ucci, uci, kind }
}

const fn combo(
    name: &'static str,
    words: &'static [&'static str],
    default: usize,
    change: fn(usize) -> Option<Change>,
) -> Row {
    let kind = Kind::Combo {
        words,
        default,
        change,
    };
    Row {
        ucci: name,
        uci: Some(name),
        kind,
    }
}

/// Every option, in the order in which it is offered.
pub(super) const TABLE: &[Row] = &[
    check("usemillisec", None, true, Change::Milliseconds),
    check("batch", Some("batch"), false, Change::Batch),
    check("debug", Some("debug"), false, Change::Debug),
    check("ponder", Some("Ponder"), false, Change::Ponder),
    spin(
        "hashsize",
        "Hash",
        [0, MAX_HASH as u64, 0],
        Change::HashSize,
    ),
    spin(
        "threads",
        "Threads",
        [0, MAX_THREADS as u64, 1],
        Change::Threads,
    ),
    spin(
        "multipv",
        "MultiPV",
        [1, MAX_MOVES as u64, 1],
        Change::MultiPv,
    ),
    combo("idle", &Degree::NAMES, Degree::None.index(), |i| {
        Degree::from_index(i).map(Change::Idle)
    }),
    combo("repetition", &RuleSet::NAMES, RuleSet::Asian.index(), |i| {
        RuleSet::from_index(i).map(Change::Rules)
    }),
    check("promotion", Some("promotion"), false, Change::Promotion),
    combo("pruning", &Degree::NAMES, Degree::Large.index(), |i| {
        Degree::from_index(i).map(Change::Pruning)
    }),
    combo(
        "knowledge",
        &Knowledge::NAMES,
        Knowledge::Large.index(),
        |i| Knowledge::from_index(i).map(Change::Knowledge),
    ),
    combo(
        "randomness",
        &Randomness::NAMES,
        Randomness::None.index(),
        |i| Randomness::from_index(i).map(Change::Randomness),
    ),
    combo("style", &Style::NAMES, Style::Normal.index(), |i| {
        Style::from_index(i).map(Change::Style)
    }),
    check("draw", None, false, Change::Draw),
    check("resign", None, false, Change::Resign),
    Row {
        ucci: "newgame",
        uci: Some("Clear Hash"),
        kind: Kind::Button(Change::NewGame),
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_the_defaults_of_the_preferences() {
        let d = Preferences::default();
        let mut changes = TABLE.iter().map(|row| match row.kind {
            Kind::Check { default, change } => change(default),
            Kind::Spin {
                default, change, ..
            } => change(default as usize),
            Kind::Combo {
                default, change, ..
            } => change(default).unwrap(),
            Kind::Button(change) => change,
        });
        for expected in [
            Change::Milliseconds(d.milliseconds),
            Change::Batch(d.batch),
            Change::Debug(d.debug),
            Change::Ponder(d.search.ponder),
            Change::HashSize(d.hash_size),
            Change::Threads(d.threads),
            Change::MultiPv(d.search.multipv),
            Change::Idle(d.search.idle),
            Change::Rules(d.search.rules),
            Change::Promotion(d.promotion),
            Change::Pruning(d.search.pruning),
            Change::Knowledge(d.search.knowledge),
            Change::Randomness(d.search.randomness),
            Change::Style(d.search.style),
            Change::Draw(d.draw),
            Change::Resign(d.resign),
            Change::NewGame,
        ] {
            assert_eq!(changes.next(), Some(expected));
        }
        assert_eq!(changes.next(), None);
    }

    #[test]
    fn every_word_of_every_combo_changes_something_else() {
        for row in TABLE {
            let Kind::Combo { words, change, .. } = row.kind else {
                continue;
            };
            let mut changes: Vec<Change> = (0..words.len()).map(|i| change(i).unwrap()).collect();
            changes.dedup();
            assert_eq!(changes.len(), words.len(), "{}", row.ucci);
            assert_eq!(change(words.len()), None);
        }
    }
}
