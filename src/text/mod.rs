//! Text input and output: size limits, encodings, safe display, parsing of times and lists, atomic replacement of
//! files, and the language of messages.

mod bounded;
mod encoding;
mod language;
mod printable;
#[cfg(any(feature = "cli", feature = "sqlite"))]
mod replacement;
mod translation;

use std::fmt::Display;
use std::io;
use std::path::Path;
use std::time::Duration;

#[cfg(all(windows, feature = "cli"))]
pub use bounded::not_removable;
pub use bounded::{
    Blocking, BoundedLine, first_bytes, open_or_create, open_regular, read_all, read_bounded_line,
    read_bounded_until, read_line, require_regular, retry,
};
#[cfg(feature = "cli")]
pub use bounded::{IS_WRITTEN, open_to_append};
pub use encoding::{
    decode, decode_line, decode_part, encode_gbk, encoding_of, is_invisible, is_text, is_utf_8,
    path_in_gbk, path_of_name, unquoted, utf_16, without_byte_order_mark, without_control,
    without_invisible,
};
pub use language::{Language, Texts, fill, quoted, texts};
#[cfg(feature = "match")]
pub use printable::is_allowed_character;
#[cfg(feature = "cli")]
pub use printable::{escape_html, without_credentials, without_secrets};
pub use printable::{excerpt, printable};
#[cfg(feature = "cli")]
pub use replacement::UnfinishedFile;
#[cfg(any(feature = "cli", feature = "sqlite"))]
pub use replacement::{Replacement, short_name};
pub use translation::{translated, translated_texts};

/// Maximum time that is accepted, about 32 years. Sums of such times do not overflow.
pub const LONGEST_TIME: Duration = Duration::from_secs(1_000_000_000);

/// The reason why a text is not a time in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SecondsError {
    /// The text is not a number.
    #[error("not a number")]
    NotANumber,
    /// The number is NaN, negative or greater than [`LONGEST_TIME`], or zero where it must be positive.
    #[error("out of range")]
    OutOfRange,
}

/// Whether a write failed because the reader of the pipe or the other end of the socket is gone.
pub fn is_reader_gone(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset};
    matches!(error.kind(), BrokenPipe | ConnectionAborted | ConnectionReset)
}

/// The number with these digits in the base `radix`. `None` for an empty text, another character, or a number that does
/// not fit. Unlike [`u64::from_str_radix`], it refuses a sign.
pub fn number_of_digits<T: TryFrom<u64>>(digits: &str, radix: u32) -> Option<T> {
    let has_digits_only = digits.chars().all(|digit| digit.is_digit(radix));
    if has_digits_only { u64::from_str_radix(digits, radix).ok()?.try_into().ok() } else { None }
}

/// Parses a number of seconds with decimals and without a sign, 0 to [`LONGEST_TIME`].
///
/// # Errors
/// See [`SecondsError`].
pub fn read_seconds(text: &str) -> Result<Duration, SecondsError> {
    if text.starts_with('+') {
        return Err(SecondsError::NotANumber);
    }
    let seconds: f64 = text.parse().map_err(|_| SecondsError::NotANumber)?;
    if seconds.is_sign_positive() && (0.0..=LONGEST_TIME.as_secs_f64()).contains(&seconds) {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err(SecondsError::OutOfRange)
    }
}

/// A number with a noun in English, to be translated with the text around it.
pub fn counted(number: impl Display, noun: &str) -> String {
    let number = number.to_string();
    let plural = if number == "1" { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// A number of plies in English, to be translated with the text around it.
pub fn plies_text(plies: impl Display) -> String {
    match plies.to_string().as_str() {
        "1" => "1 ply".to_owned(),
        plies => format!("{plies} plies"),
    }
}

/// Whether a path has this extension, in upper or lower case.
pub fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

/// The byte indices at which the words of a text begin.
pub fn word_starts(text: &str) -> impl Iterator<Item = usize> {
    let mut is_after_space = true;
    text.char_indices().filter_map(move |(index, c)| {
        let is_start = is_after_space && !c.is_whitespace();
        is_after_space = c.is_whitespace();
        is_start.then_some(index)
    })
}

/// The text of an error in a TOML file, without the names of Rust's types and without a line break at its end. Advice
/// follows if an escape is invalid, such as `\c` in `"C:\chess"`.
#[cfg(any(feature = "training", feature = "match"))]
pub fn toml_error(error: impl Display) -> String {
    let mut text = error.to_string();
    for (rust_type, name) in [
        ("u8", "an integer from 0 to 255"),
        ("u16", "an integer from 0 to 65535"),
        ("u32", "an integer from 0 to 4294967295"),
        ("u64", "an integer of at least 0"),
        ("usize", "an integer of at least 0"),
        ("i16", "an integer from -32768 to 32767"),
        ("i32", "an integer from -2147483648 to 2147483647"),
        ("i64", "an integer"),
        ("f32", "a number"),
        ("f64", "a number"),
        ("any valid TOML value", "a value of TOML"),
    ] {
        text = text.replace(&format!(", expected {rust_type}\n"), &format!(", expected {name}\n"));
    }
    text.truncate(text.trim_end().len());
    let reason = text.lines().last().unwrap_or_default();
    if reason.starts_with("missing escaped value") || reason.contains("unicode hexadecimal") {
        text += "\nwrite Windows paths in single quotes, as in cmd = 'C:\\chess\\engine.exe'";
    }
    text
}

/// Splits a list of names at semicolons, trims them, and omits empty names.
pub fn names_of_list(list: &str) -> impl Iterator<Item = &str> {
    let names = list.split(';').map(str::trim);
    names.filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_must_be_in_range() {
        assert_eq!(read_seconds("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(read_seconds("0"), Ok(Duration::ZERO));
        assert_eq!(read_seconds("1e9"), Ok(LONGEST_TIME));
        for text in ["", "x", "1:30", "+5"] {
            assert_eq!(read_seconds(text), Err(SecondsError::NotANumber), "{text}");
        }
        for text in ["-1", "-0", "NaN", "inf", "1e99"] {
            assert_eq!(read_seconds(text), Err(SecondsError::OutOfRange), "{text}");
        }
    }

    #[test]
    fn words_begin_after_space() {
        for text in ["a bc\u{3000}\u{3000}d", " a\tb ", "", " "] {
            let words = word_starts(text).map(|start| text[start..].split_whitespace().next());
            assert!(words.eq(text.split_whitespace().map(Some)), "{text:?}");
        }
    }

    #[cfg(any(feature = "training", feature = "match"))]
    #[test]
    fn errors_in_toml_are_in_plain_words() {
        for path in ["C:\\chess\\eleeye.exe", "C:\\Users\\eleeye.exe"] {
            let error = format!("cmd = \"{path}\"").parse::<toml::Table>().unwrap_err();
            assert!(
                toml_error(&error).contains("\nwrite Windows paths in single quotes"),
                "{error}"
            );
        }
        let error = "invalid type: string, expected usize\n";
        assert_eq!(toml_error(error), "invalid type: string, expected an integer of at least 0");
    }

    #[test]
    fn names_are_trimmed() {
        let names: Vec<&str> = names_of_list(" a b.dat;; c.xqb ; ").collect();
        assert_eq!(names, ["a b.dat", "c.xqb"]);
        assert_eq!(names_of_list("").count(), 0);
    }
}
