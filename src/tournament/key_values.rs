//! Parses option values such as `elo0=0,elo1=5`.

use std::str::FromStr;

/// Error in a list `key=value,…`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyValuesError {
    #[error("unknown key {0:?}; the keys are {known}", known = .1.join(", "))]
    UnknownKey(String, &'static [&'static str]),
    #[error("{0}= is given twice")]
    Twice(String),
    /// The value does not have the type of its key.
    #[error("invalid value: {0}={1}")]
    Unreadable(&'static str, String),
    #[error("invalid value: {0}={1}; the values are separated by commas")]
    NoComma(&'static str, String),
    #[error("no {0}= in the list; its values are separated by commas")]
    Missing(&'static str),
    #[error("{0}")]
    OutOfRange(&'static str),
}

/// A parsed list `key=value,…` in which each key occurs at most once.
#[derive(Debug)]
pub struct KeyValues<'a> {
    pairs: Vec<(&'a str, &'a str)>,
}

impl<'a> KeyValues<'a> {
    /// Parses a list whose keys must be among `keys`.
    pub fn read(text: &'a str, keys: &'static [&'static str]) -> Result<Self, KeyValuesError> {
        let mut pairs: Vec<(&str, &str)> = Vec::new();
        for part in text.split(',') {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let (key, value) = (key.trim(), value.trim());
            if !keys.contains(&key) {
                return Err(KeyValuesError::UnknownKey(key.to_owned(), keys));
            }
            if pairs.iter().any(|(known, _)| *known == key) {
                return Err(KeyValuesError::Twice(key.to_owned()));
            }
            pairs.push((key, value));
        }
        Ok(Self { pairs })
    }

    pub fn get<T: FromStr>(&self, key: &'static str) -> Result<Option<T>, KeyValuesError> {
        let mut pairs = self.pairs.iter();
        let Some((_, value)) = pairs.find(|(known, _)| *known == key) else {
            return Ok(None);
        };
        let parsed = value.parse().map(Some);
        let error =
            if value.contains('=') { KeyValuesError::NoComma } else { KeyValuesError::Unreadable };
        parsed.map_err(|_| error(key, (*value).to_owned()))
    }

    pub fn require<T: FromStr>(&self, key: &'static str) -> Result<T, KeyValuesError> {
        self.get(key)?.ok_or(KeyValuesError::Missing(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_parsed() {
        let list = KeyValues::read(" a = 1, b=x", &["a", "b", "c"]).unwrap();
        assert_eq!(list.get::<u32>("a"), Ok(Some(1)));
        assert_eq!(list.get::<u32>("c"), Ok(None));
        let error = |key| list.require::<u32>(key).unwrap_err().to_string();
        assert_eq!(error("b"), "invalid value: b=x");
        assert_eq!(error("c"), "no c= in the list; its values are separated by commas");
        let list = KeyValues::read("a=1 b=2", &["a", "b"]).unwrap();
        let error = list.require::<u32>("a").unwrap_err().to_string();
        assert_eq!(error, "invalid value: a=1 b=2; the values are separated by commas");
        for (text, reason) in [
            ("", "unknown key \"\"; the keys are a"),
            ("d=1", "unknown key \"d\""),
            ("a=1,a=1", "a= is given twice"),
        ] {
            let error = KeyValues::read(text, &["a"]).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }
}
