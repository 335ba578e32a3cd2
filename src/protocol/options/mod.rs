//! The one table of options: name, kind, default, range and what each one changes. Each protocol
//! formats it in its own way; all parse it the same way.

mod parse;
mod preferences;
mod table;

pub(super) use parse::{ParsedOption, read};
pub(super) use preferences::{Opponent, Preferences};
pub(super) use table::{all, default_books, plays_from_books};

use crate::eval::Knowledge;
use crate::rules::RuleSet;
use crate::search::{Degree, Driver, Randomness, Style};

/// The change that an option line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum OptionChange {
    /// [`Preferences::milliseconds`].
    Milliseconds(bool),
    /// [`Preferences::batch`].
    Batch(bool),
    /// [`Preferences::debug`].
    Debug(bool),
    /// [`Settings::ponder`](crate::search::Settings::ponder).
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
    /// [`Settings::multipv`](crate::search::Settings::multipv).
    MultiPv(usize),
    /// [`Settings::idle`](crate::search::Settings::idle).
    Idle(Degree),
    /// [`Settings::rules`](crate::search::Settings::rules).
    Rules(RuleSet),
    /// [`Settings::pruning`](crate::search::Settings::pruning).
    Pruning(Degree),
    /// [`Settings::knowledge`](crate::search::Settings::knowledge).
    Knowledge(Knowledge),
    /// [`Settings::randomness`](crate::search::Settings::randomness).
    Randomness(Randomness),
    /// [`Settings::style`](crate::search::Settings::style).
    Style(Style),
    /// [`Settings::no_capture_draws`](crate::search::Settings::no_capture_draws).
    NoCaptureDraws(bool),
    /// [`Techniques::driver`](crate::search::Techniques::driver).
    Driver(Driver),
    /// [`Techniques::null_move`](crate::search::Techniques::null_move).
    NullMove(bool),
    /// [`Techniques::null_move_verification`](crate::search::Techniques::null_move_verification).
    NullMoveVerification(bool),
    /// [`Techniques::hash`](crate::search::Techniques::hash).
    Hash(bool),
    /// [`Techniques::hash_window`](crate::search::Techniques::hash_window).
    HashWindow(bool),
    /// [`Techniques::iterative`](crate::search::Techniques::iterative).
    Iterative(bool),
    /// [`ExtraReports::current_lines`](crate::search::ExtraReports::current_lines).
    CurrentLines(bool),
    /// [`ExtraReports::refutations`](crate::search::ExtraReports::refutations).
    Refutations(bool),
    /// [`Preferences::move_overhead`], in milliseconds.
    MoveOverhead(usize),
    /// [`Preferences::show_wdl`].
    ShowWdl(bool),
    /// [`Preferences::limit_strength`].
    LimitStrength(bool),
    /// [`Preferences::elo`].
    Elo(usize),
    /// [`Preferences::analyse_mode`].
    AnalyseMode(bool),
    /// [`Preferences::opponent`].
    Opponent(Opponent),
    /// The file of the network that evaluates; empty for the embedded one.
    Network(String),
    /// [`Preferences::use_book`].
    UseBook(bool),
    /// The files of the opening books, separated by `;`; empty for none. [`BUILTIN`](crate::book::BUILTIN)
    /// names the book within the program.
    BookFiles(String),
    /// [`Preferences::use_tables`].
    UseTables(bool),
    /// The directories of endgame tables, separated by `;`, beside those that are embedded.
    TablePaths(String),
    /// The address of the cloud library to ask.
    #[cfg(feature = "cloud")]
    Cloud(String),
    /// Forgets the last game.
    NewGame,
    /// Nothing: the option tells the client something.
    Nothing,
    /// A number of the search, for tuners.
    #[cfg(feature = "tune")]
    Parameter(&'static crate::search::Parameter, i32),
}

/// The values of an option, and what they change.
#[derive(Clone, Copy, Debug)]
pub(super) enum OptionKind {
    /// True or false.
    Check {
        /// The value at the start.
        default: bool,
        /// The value at the start in UCCI.
        ucci_default: bool,
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
        words: &'static [&'static str],
        /// Other words for them, in the same order, which UCI offers; empty where it offers `words`.
        uci_words: &'static [&'static str],
        /// Which of them at the start.
        default: usize,
        /// What the word with this index changes.
        change: fn(usize) -> Option<OptionChange>,
    },
    /// Any text.
    Text {
        /// The value at the start.
        default: &'static str,
        /// What a value changes; `None` where the text is not one of the form that is wanted.
        change: fn(&str) -> Option<OptionChange>,
        /// The form that is wanted, for the refusal.
        form: &'static str,
    },
    /// No value: it acts.
    Button(fn() -> OptionChange),
    /// A number of the search, for tuners.
    #[cfg(feature = "tune")]
    Parameter(&'static crate::search::Parameter),
}

/// One row of the option table.
#[derive(Clone, Copy, Debug)]
pub(super) struct OptionSpec {
    /// Its name in UCCI, `None` if it has no meaning there. Either name is read in either protocol.
    pub ucci: Option<&'static str>,
    /// Its name in UCI, `None` if it has no meaning there.
    pub uci: Option<&'static str>,
    /// Its kind of value, with range and default.
    pub kind: OptionKind,
}

impl OptionSpec {
    /// The name for messages.
    pub(super) fn name(&self) -> &'static str {
        self.ucci.or(self.uci).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::BUILTIN;

    /// The change that sets an option to its default.
    fn to_default(kind: &OptionKind) -> OptionChange {
        match *kind {
            OptionKind::Check {
                ucci_default,
                change,
                ..
            } => change(ucci_default),
            OptionKind::Spin {
                default, change, ..
            } => change(default as usize),
            OptionKind::Combo {
                default, change, ..
            } => change(default).unwrap(),
            OptionKind::Button(change) => change(),
            #[cfg(feature = "tune")]
            OptionKind::Parameter(_) => unreachable!("the table has none"),
            OptionKind::Text {
                default, change, ..
            } => change(default).unwrap(),
        }
    }

    #[test]
    fn the_table_has_the_defaults_of_the_preferences() {
        let d = Preferences::default();
        let techniques = d.search.techniques;
        let mut changes = table::OPTIONS.iter().map(|row| to_default(&row.kind));
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
            OptionChange::UseBook(d.use_book),
            OptionChange::BookFiles(BUILTIN.to_owned()),
            OptionChange::NoCaptureDraws(d.search.no_capture_draws),
            OptionChange::Driver(techniques.driver),
            OptionChange::NullMove(techniques.null_move),
            OptionChange::NullMoveVerification(techniques.null_move_verification),
            OptionChange::Hash(techniques.hash),
            OptionChange::HashWindow(techniques.hash_window),
            OptionChange::Iterative(techniques.iterative),
            OptionChange::Draw(d.draw),
            OptionChange::Resign(d.resign),
            OptionChange::NewGame,
            OptionChange::MoveOverhead(d.move_overhead.as_millis() as usize),
            OptionChange::ShowWdl(d.show_wdl),
            OptionChange::CurrentLines(d.search.reports.current_lines),
            OptionChange::Refutations(d.search.reports.refutations),
            OptionChange::LimitStrength(d.limit_strength),
            OptionChange::Elo(d.elo as usize),
            OptionChange::AnalyseMode(d.analyse_mode),
            OptionChange::Opponent(d.opponent.clone()),
            OptionChange::Network(String::new()),
            OptionChange::UseTables(d.use_tables),
            OptionChange::TablePaths(String::new()),
            #[cfg(feature = "cloud")]
            OptionChange::Cloud(String::new()),
            OptionChange::Nothing,
            OptionChange::Nothing,
        ] {
            assert_eq!(changes.next(), Some(expected));
        }
        assert_eq!(changes.next(), None);
    }

    #[test]
    fn every_word_of_every_combo_changes_something_else() {
        for row in table::OPTIONS {
            let OptionKind::Combo { words, change, .. } = row.kind else {
                continue;
            };
            let changes: Vec<OptionChange> = (0..words.len()).map(|i| change(i).unwrap()).collect();
            for (i, change) in changes.iter().enumerate() {
                assert!(!changes[..i].contains(change), "{}", row.name());
            }
            assert_eq!(change(words.len()), None);
        }
    }
}
