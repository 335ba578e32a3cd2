//! Parsing an option line.

use std::fmt::Display;

use super::{OptionChange, OptionKind, OptionSpec, all};
use crate::protocol::text::{excerpt, number};

/// Why a value is none of an option.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("option {name} takes {wanted}, not {}", given.as_deref().map_or("nothing".to_owned(), |text| format!("{text:?}")))]
pub(in crate::protocol) struct OptionError {
    /// The name of the option.
    name: &'static str,
    /// The values that it has.
    wanted: String,
    /// The beginning of the value; `None` for an empty one.
    given: Option<String>,
}

/// An option line that has been parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::protocol) struct ParsedOption {
    /// The change that the line asks for.
    pub change: OptionChange,
    /// A notice for the user who set it.
    pub note: Option<String>,
}

/// Reads an option line. `None` for an option never offered. The name may have the value behind it, for
/// `setoption name NAME VALUE` leaves open where it ends.
///
/// # Errors
/// Says why the value is none.
pub(in crate::protocol) fn read(
    name: &str,
    value: Option<&str>,
) -> Option<Result<ParsedOption, OptionError>> {
    if let Some(row) = find(name) {
        return Some(read_value(&row, value.unwrap_or("")));
    }
    let (name, end) = name.rsplit_once(char::is_whitespace)?;
    Some(read_value(&find(name)?, value.unwrap_or(end)))
}

fn find(name: &str) -> Option<OptionSpec> {
    let is = |known: &str| known.eq_ignore_ascii_case(name);
    all().find(|row| row.ucci.is_some_and(is) || row.uci.is_some_and(is))
}

fn read_value(row: &OptionSpec, value: &str) -> Result<ParsedOption, OptionError> {
    let name = row.name();
    // What UCI has for an empty text.
    let value = if value == "<empty>" { "" } else { value };
    let refuse = |wanted: &str| OptionError {
        name,
        wanted: wanted.to_owned(),
        given: Some(excerpt(value)).filter(|text| !text.is_empty()),
    };
    let outside = |min: &dyn Display, max: &dyn Display, taken: &dyn Display| {
        let given = excerpt(value);
        Some(format!(
            "option {name}: {given} is outside {min} to {max}, {taken} taken"
        ))
    };
    let mut note = None;
    let change = match row.kind {
        OptionKind::Button(change) => change(),
        OptionKind::Check { change, .. } => {
            let value = read_check(value).ok_or_else(|| refuse("true or false"))?;
            change(value)
        }
        OptionKind::Spin {
            min, max, change, ..
        } => {
            let given = number(value).ok_or_else(|| refuse("a number"))?;
            let taken = given.clamp(min, max);
            if taken != given || value.starts_with('-') && given == 0 && value != "-0" {
                note = outside(&min, &max, &taken);
            }
            change(usize::try_from(taken).unwrap_or(usize::MAX))
        }
        OptionKind::Combo {
            words,
            uci_words,
            change,
            ..
        } => {
            let place = |words: &[&str]| {
                let mut words = words.iter();
                words.position(|word| word.eq_ignore_ascii_case(value))
            };
            place(words)
                .or_else(|| place(uci_words))
                .and_then(change)
                .ok_or_else(|| refuse(&format!("one of {}", words.join(", "))))?
        }
        #[cfg(feature = "tune")]
        OptionKind::Parameter(parameter) => {
            let given: i64 = value.parse().map_err(|_| refuse("a number"))?;
            let (min, max) = (parameter.min, parameter.max);
            let taken = i32::try_from(given.clamp(min.into(), max.into())).unwrap_or(max);
            if i64::from(taken) != given {
                note = outside(&min, &max, &taken);
            }
            OptionChange::Parameter(parameter, taken)
        }
        OptionKind::Text { change, form, .. } => change(value).ok_or_else(|| refuse(form))?,
    };
    Ok(ParsedOption { change, note })
}

fn read_check(value: &str) -> Option<bool> {
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
    use crate::search::{MAX_HASH, Randomness, Style};

    fn change(name: &str, value: &str) -> OptionChange {
        let setting = read(name, Some(value)).unwrap().unwrap();
        assert_eq!(setting.note, None);
        setting.change
    }

    #[test]
    fn names_and_values_are_read_in_any_case_and_spelling() {
        assert_eq!(change("HashSize", "64"), OptionChange::HashSize(64));
        assert_eq!(change("hash", "64"), OptionChange::HashSize(64));
        assert_eq!(change("THREADS", "+2"), OptionChange::Threads(2));
        assert_eq!(change("MultiPV", "3"), OptionChange::MultiPv(3));
        assert_eq!(change("Style", "RISKY"), OptionChange::Style(Style::Risky));
        assert_eq!(
            change("randomness", "Huge"),
            OptionChange::Randomness(Randomness::Huge)
        );
        assert_eq!(change("clear hash", ""), OptionChange::NewGame);
        let unmarked = read("multipv 3", None).unwrap().unwrap();
        assert_eq!(unmarked.change, OptionChange::MultiPv(3));
        assert_eq!(read("unknown 3", None), None);
        for (text, value) in [("true", true), ("ON", true), ("1", true)] {
            assert_eq!(change("ponder", text), OptionChange::Ponder(value));
        }
        for (text, value) in [("False", false), ("off", false), ("0", false)] {
            assert_eq!(
                change("UseMilliSec", text),
                OptionChange::Milliseconds(value)
            );
        }
        for unknown in ["selectivity", "", "名"] {
            assert_eq!(read(unknown, Some("x")), None);
        }
    }

    #[test]
    fn numbers_are_clamped_and_it_is_said() {
        let huge = "9".repeat(50);
        for (value, taken) in [(huge.as_str(), MAX_HASH as usize), ("-5", 0)] {
            let setting = read("hashsize", Some(value)).unwrap().unwrap();
            assert_eq!(setting.change, OptionChange::HashSize(taken));
            assert!(setting.note.unwrap().contains("taken"));
        }
        let setting = read("multipv", Some("0")).unwrap().unwrap();
        assert_eq!(setting.change, OptionChange::MultiPv(1));
        assert_eq!(
            setting.note.unwrap(),
            "option multipv: 0 is outside 1 to 128, 1 taken"
        );
    }

    #[test]
    fn values_that_are_none_are_refused_with_the_reason() {
        for (name, value, message) in [
            (
                "ponder",
                None,
                "option ponder takes true or false, not nothing",
            ),
            (
                "Hash",
                Some("big"),
                "option hashsize takes a number, not \"big\"",
            ),
            (
                "style",
                Some("wild"),
                "option style takes one of solid, normal, risky, not \"wild\"",
            ),
        ] {
            assert_eq!(read(name, value).unwrap().unwrap_err().to_string(), message);
        }
    }
}
