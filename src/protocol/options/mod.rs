//! The option table: one row per option, with its names, its kind of value, its setter and its effect. UCCI,
//! UCI and XBoard each list the options in their own form; names and values are parsed in the same way in all of them.

mod preferences;
mod table;

pub use preferences::Preferences;
pub use table::{all, default_books, is_named_pikafish, plays_from_books};

use std::fmt::Display;

use super::text::{number, split_word};
use crate::text::{excerpt, fill, quoted, texts};

/// The action of the session after an option has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing: the value is read when it is needed.
    None,
    /// Resize the transposition table.
    Resize,
    Threads,
    Network,
    Books,
    Tables,
    /// Clear what earlier searches have left: the transposition table, the histories, the measured move overhead and
    /// the mate announced last.
    ClearHash,
    /// Parse the position again, with or without promotion.
    Position,
    #[cfg(feature = "cloud")]
    Cloud,
    /// Set a parameter of the search.
    #[cfg(feature = "tune")]
    Parameter(&'static crate::search::Parameter, i32),
    /// As [`Self::ClearHash`], and reset the counts for draw offers and resignation. The position stays.
    NewGame,
}

/// The kind of value of an option, its default and its setter.
#[derive(Clone, Copy, Debug)]
pub enum OptionKind {
    Check {
        /// The default in UCI and XBoard.
        default: bool,
        ucci_default: bool,
        set: fn(&mut Preferences, bool),
    },
    Spin {
        min: u64,
        max: u64,
        default: u64,
        set: fn(&mut Preferences, u64),
    },
    Combo {
        words: &'static [&'static str],
        /// The words that UCI offers, in the same order; empty if it offers `words`.
        uci_words: &'static [&'static str],
        /// Words that are understood but not offered, with their index.
        aliases: &'static [(&'static str, usize)],
        /// The index of the default.
        default: usize,
        /// Sets the word with this index; `false` if there is no such word.
        set: fn(&mut Preferences, usize) -> bool,
    },
    Text {
        default: &'static str,
        /// Sets the text; `false` if it is invalid.
        set: fn(&mut Preferences, &str) -> bool,
        /// A description of valid texts, for the error message.
        form: &'static str,
        path_kind: PathKind,
    },
    Button,
    /// A parameter of the search. It is not part of the preferences, but applies to all searches of the process.
    #[cfg(feature = "tune")]
    Parameter(&'static crate::search::Parameter),
}

impl OptionKind {
    /// The parts of an option line that UCCI and UCI write alike: the type, ` default D`, and the range or the choices.
    pub fn describe(&self, in_uci: bool) -> (&'static str, String, String) {
        let range = |min: &dyn Display, max: &dyn Display| format!(" min {min} max {max}");
        let (kind, default, values) = match *self {
            Self::Check { default, ucci_default, .. } => {
                let default = if in_uci { default } else { ucci_default };
                ("check", default.to_string(), String::new())
            }
            Self::Spin { min, max, default, .. } => {
                ("spin", default.to_string(), range(&min, &max))
            }
            Self::Combo { words, uci_words, default, .. } => {
                let has_own_words = in_uci && !uci_words.is_empty();
                let words = if has_own_words { uci_words } else { words };
                let default = words.get(default).unwrap_or(&"");
                let values = words.iter().map(|word| format!(" var {word}")).collect();
                ("combo", (*default).to_owned(), values)
            }
            Self::Text { default, .. } => {
                let is_empty = in_uci && default.is_empty();
                let default = if is_empty { "<empty>" } else { default };
                ("string", default.to_owned(), String::new())
            }
            Self::Button => return ("button", String::new(), String::new()),
            #[cfg(feature = "tune")]
            Self::Parameter(p) => ("spin", p.default.to_string(), range(&p.min, &p.max)),
        };
        (kind, format!(" default {default}"), values)
    }
}

/// Whether a text option names files or directories, for programs that can browse for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathKind {
    None,
    File,
    Directory,
}

#[derive(Clone, Copy, Debug)]
pub struct OptionSpec {
    /// The name in UCCI, `None` if UCCI does not list it. Both names are understood in every protocol. A codec
    /// may leave further options out of its list.
    pub ucci: Option<&'static str>,
    /// The name in UCI, `None` if UCI does not list it.
    pub uci: Option<&'static str>,
    pub kind: OptionKind,
    pub effect: Effect,
}

impl OptionSpec {
    /// The name in UCCI, or that in UCI if UCCI does not list the option.
    pub fn name(&self) -> &'static str {
        self.ucci.or(self.uci).unwrap_or("")
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionChange {
    /// The name by which the client has set the option.
    pub name: &'static str,
    pub effect: Effect,
    /// A message for the user if the value was out of range or a fraction.
    pub note: Option<String>,
}

/// Sets an option in `preferences`; `None` if there is no such option. Neither `setoption NAME VALUE` nor
/// `setoption name NAME VALUE` shows where a name of several words ends. So without `value`, the name is the longest
/// beginning of `name` that is the name of an option, and the rest is the value.
///
/// # Errors
/// Returns a message if the value is invalid; the preferences are unchanged then.
pub fn set(
    name: &str,
    value: Option<&str>,
    preferences: &mut Preferences,
) -> Option<Result<OptionChange, String>> {
    let (row, name, rest) = find(name, value.is_some())?;
    Some(set_value(&row, name, value.unwrap_or(rest), preferences))
}

/// Finds the option with the longest name with which `text` begins; if `is_whole`, `text` must be the name. Returns the
/// option, that name, and the rest of the text. Of names that differ only in case, the one in the case of `text` is
/// returned.
fn find(text: &str, is_whole: bool) -> Option<(OptionSpec, &'static str, &str)> {
    let rows = all().flat_map(|row| [(row, row.uci), (row, row.ucci)]);
    let begins = rows.filter_map(|(row, name)| Some((row, name?, rest_after(name?, text)?)));
    begins
        .filter(|(.., rest)| rest.is_empty() || !is_whole)
        .max_by_key(|(_, name, _)| (name.len(), text.starts_with(name)))
}

/// The rest of a text that begins with the words of a name. The words may be joined with `_`, as Fairy-Stockfish
/// names its options in UCCI.
fn rest_after<'a>(name: &str, text: &'a str) -> Option<&'a str> {
    let (first, rest) = split_word(text);
    if first.replace('_', " ").eq_ignore_ascii_case(name) {
        return Some(rest);
    }
    name.split(' ').try_fold(text, |text, word| {
        let (first, rest) = split_word(text);
        first.eq_ignore_ascii_case(word).then_some(rest)
    })
}

fn set_value(
    row: &OptionSpec,
    name: &'static str,
    value: &str,
    preferences: &mut Preferences,
) -> Result<OptionChange, String> {
    // UCI writes an empty text as `<empty>`.
    let value = if value == "<empty>" { "" } else { value };
    let invalid = |wanted: &str| {
        let given = match excerpt(value) {
            text if text.is_empty() => texts().empty_value.to_owned(),
            text => quoted(&text),
        };
        fill(texts().wrong_value, &[name, wanted, &given])
    };
    let outside = |[min, max, used]: [String; 3]| {
        let given = excerpt(value);
        fill(texts().out_of_range, &[name, &given, &min, &max, &used])
    };
    let mut note = None;
    match row.kind {
        OptionKind::Button => {}
        OptionKind::Check { set, .. } => {
            let on = check(value).ok_or_else(|| invalid(texts().true_or_false))?;
            set(preferences, on);
        }
        OptionKind::Spin { min, max, set, .. } => {
            let given = number(value).ok_or_else(|| invalid(texts().a_number))?;
            let used = given.clamp(min, max);
            let is_not_0 = |digits: &str| digits.contains(|c| matches!(c, '1'..='9'));
            if used != given || value.starts_with('-') && is_not_0(value) {
                note = Some(outside([min, max, used].map(|number| number.to_string())));
            } else if value.split_once('.').is_some_and(|(_, fraction)| is_not_0(fraction)) {
                note = Some(fill(texts().rounded, &[name, &excerpt(value), &used.to_string()]));
            }
            set(preferences, used);
        }
        OptionKind::Combo { words, uci_words, aliases, set, .. } => {
            let alias = || aliases.iter().find(|(word, _)| word.eq_ignore_ascii_case(value));
            let index = find_word(words, value)
                .or_else(|| find_word(uci_words, value))
                .or_else(|| alias().map(|(_, index)| *index));
            if !index.is_some_and(|index| set(preferences, index)) {
                let is_uci = row.ucci != Some(name) && !uci_words.is_empty();
                let words = if is_uci { uci_words } else { words };
                return Err(invalid(&fill(texts().one_of, &[&words.join(texts().comma)])));
            }
        }
        OptionKind::Text { set, form, .. } => {
            if !set(preferences, value) {
                return Err(invalid(form));
            }
        }
        #[cfg(feature = "tune")]
        OptionKind::Parameter(parameter) => {
            let given: i64 = value.parse().map_err(|_| invalid(texts().a_number))?;
            let (min, max) = (parameter.min, parameter.max);
            let used = i32::try_from(given.clamp(min.into(), max.into())).unwrap_or(max);
            if i64::from(used) != given {
                note = Some(outside([min, max, used].map(|number| number.to_string())));
            }
            let effect = Effect::Parameter(parameter, used);
            return Ok(OptionChange { name, effect, note });
        }
    }
    let effect = row.effect;
    Ok(OptionChange { name, effect, note })
}

fn find_word(words: &[&str], value: &str) -> Option<usize> {
    let mut words = words.iter();
    words.position(|word| word.eq_ignore_ascii_case(value))
}

fn check(value: &str) -> Option<bool> {
    let is = |word: &&str| value.eq_ignore_ascii_case(word);
    if ["true", "on", "1"].iter().any(is) {
        Some(true)
    } else if ["false", "off", "0"].iter().any(is) {
        Some(false)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RuleSet;
    use crate::search::{MAX_HASH, Randomness, Style};

    /// The preferences after an option was set, which must cause no note.
    fn after(name: &str, value: &str) -> Preferences {
        let mut preferences = Preferences::default();
        let set = set(name, Some(value), &mut preferences).unwrap().unwrap();
        assert_eq!(set.note, None);
        preferences
    }

    fn set_default(kind: &OptionKind, preferences: &mut Preferences) {
        match *kind {
            OptionKind::Check { ucci_default, set, .. } => set(preferences, ucci_default),
            OptionKind::Spin { default, set, .. } => set(preferences, default),
            OptionKind::Combo { default, set, .. } => assert!(set(preferences, default)),
            OptionKind::Text { default, set, .. } => assert!(set(preferences, default)),
            OptionKind::Button => {}
            #[cfg(feature = "tune")]
            OptionKind::Parameter(_) => {}
        }
    }

    #[test]
    fn option_defaults_match_preferences() {
        for row in all() {
            let mut preferences = Preferences {
                use_book: Some(true),
                books: Some(crate::book::BUILTIN.to_owned()),
                resign: Some(false),
                // Setting one of these options, to whatever value, identifies the kind of client.
                has_set_variant: true,
                has_set_about: true,
                has_set_chess960: true,
                ..Preferences::default()
            };
            let before = preferences.clone();
            set_default(&row.kind, &mut preferences);
            assert_eq!(preferences, before, "{}", row.name());
        }
    }

    /// A session tries an option on a copy of its preferences before it sets the option.
    #[cfg(feature = "tune")]
    #[test]
    fn a_parameter_is_set_by_its_effect() {
        let parameter = &crate::search::PARAMETERS[0];
        let before = format!("{parameter:?}");
        let value = parameter.min.to_string();
        let set = set(parameter.name, Some(&value), &mut Preferences::default());
        let effect = Effect::Parameter(parameter, parameter.min);
        assert_eq!(set.unwrap().unwrap().effect, effect);
        assert_ne!(parameter.min, parameter.default);
        assert_eq!(format!("{parameter:?}"), before);
    }

    #[test]
    fn each_combo_word_sets_a_different_value() {
        for row in all() {
            let OptionKind::Combo { words, set, .. } = row.kind else {
                continue;
            };
            let values = (0..words.len()).map(|index| {
                let mut preferences = Preferences::default();
                assert!(set(&mut preferences, index));
                preferences
            });
            let values: Vec<Preferences> = values.collect();
            for (i, value) in values.iter().enumerate() {
                assert!(!values[..i].contains(value), "{}", row.name());
            }
            assert!(!set(&mut Preferences::default(), words.len()));
        }
    }

    #[test]
    fn names_and_values_ignore_case() {
        assert_eq!(after("HashSize", "64").hash_size, 64);
        assert_eq!(after("hash", "64").hash_size, 64);
        assert_eq!(after("THREADS", "+2").threads, 2);
        assert_eq!(after("MultiPV", "3").search.multipv, 3);
        assert_eq!(after("Style", "RISKY").search.style, Style::Risky);
        let huge = after("randomness", "Huge").randomness;
        assert_eq!(huge, Randomness::Huge);
        let mut preferences = Preferences::default();
        let button = set("clear hash", None, &mut preferences).unwrap().unwrap();
        assert_eq!(button.effect, Effect::NewGame);
        for text in ["multipv 3", "skill_level 5", "Repetition Rule ChineseRule"] {
            assert!(set(text, None, &mut preferences).unwrap().is_ok());
        }
        assert_eq!(preferences.search.multipv, 3);
        assert_eq!(preferences.skill, 5);
        assert_eq!(preferences.search.rules, RuleSet::Chinese);
        for (word, rules) in [
            ("checkban", RuleSet::CheckOnly),
            ("AlwaysDraw", RuleSet::None),
            ("asianrule", RuleSet::Asian),
        ] {
            let mut preferences = Preferences::default();
            preferences.search.rules = RuleSet::Chinese;
            assert!(set("repetition", Some(word), &mut preferences).unwrap().is_ok());
            assert_eq!(preferences.search.rules, rules, "{word}");
        }
        for name in ["Draw Rule", "Debug Log File", "BookFile Path", "Hash Table"] {
            assert_eq!(set(name, Some("x"), &mut preferences), None, "{name}");
        }
        assert_eq!(after("bookfiles", "my  book").books.unwrap(), "my  book");
        assert_eq!(set("unknown 3", None, &mut preferences), None);
        for text in ["true", "ON", "1"] {
            assert!(after("ponder", text).search.ponder);
        }
        for text in ["False", "off", "0"] {
            assert!(!after("UseMilliSec", text).milliseconds);
        }
        for unknown in ["selectivity", "", "名"] {
            assert_eq!(set(unknown, Some("x"), &mut preferences), None);
        }
    }

    #[test]
    fn numbers_out_of_range_are_clamped_with_a_note() {
        let huge = "9".repeat(50);
        for (value, used) in [(huge.as_str(), MAX_HASH as usize), ("-5", 0)] {
            let mut preferences = Preferences::default();
            let set = set("hashsize", Some(value), &mut preferences);
            assert_eq!(preferences.hash_size, used);
            assert!(set.unwrap().unwrap().note.unwrap().contains("is used"));
        }
        let mut preferences = Preferences::default();
        let set = set("multipv", Some("0"), &mut preferences);
        assert_eq!(preferences.search.multipv, 1);
        assert_eq!(
            set.unwrap().unwrap().note.unwrap(),
            "option multipv: 0 is outside the range 1 to 256; 1 is used"
        );
    }

    #[test]
    fn fractions_are_rounded_down_with_a_note() {
        for (value, note) in [
            ("0.5", Some("option threads: 0.5 is rounded down to 0")),
            ("2.75", Some("option threads: 2.75 is rounded down to 2")),
            ("-0.5", Some("option threads: -0.5 is outside the range 0 to 512; 0 is used")),
            ("2.0", None),
            ("-0.0", None),
        ] {
            let set = set("threads", Some(value), &mut Preferences::default());
            assert_eq!(set.unwrap().unwrap().note.as_deref(), note, "{value}");
        }
    }

    #[test]
    fn the_error_for_an_invalid_value_names_the_valid_ones() {
        for (name, value, message) in [
            ("ponder", None, "ponder takes true or false, not an empty value"),
            ("Hash", Some("big"), "Hash takes a number, not \"big\""),
            (
                "repetition rule",
                Some("chess"),
                "Repetition Rule takes one of AsianRule, ComputerRule, ChineseRule, ElephantEyeRule, AllowChase, \
                 AllowAll, not \"chess\"",
            ),
            ("style", Some("wild"), "style takes one of solid, normal, risky, not \"wild\""),
        ] {
            let mut preferences = Preferences::default();
            let error = set(name, value, &mut preferences).unwrap().unwrap_err();
            assert_eq!(error, format!("option {message}"));
            assert_eq!(preferences, Preferences::default());
        }
    }
}
