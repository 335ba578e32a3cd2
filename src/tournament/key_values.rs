//! Lists such as `elo0=0,elo1=5`, as options of the command line have them.

use std::str::FromStr;

/// What is wrong with a list `key=value,…`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyValuesError {
    /// A key that the list does not have.
    #[error("{key:?} is none of {}", known.join(", "))]
    UnknownKey {
        /// What is not known, as it was written.
        key: String,
        /// The keys that it has.
        known: &'static [&'static str],
    },
    /// A key that is there already.
    #[error("{0} is given twice")]
    Twice(String),
    /// A value that is none of its key.
    #[error("{key}={value} cannot be read")]
    Unreadable {
        /// What the value is for.
        key: &'static str,
        /// What cannot be read, as it was written.
        value: String,
    },
    /// A key that has to be there.
    #[error("{0}= is missing")]
    Missing(&'static str),
    /// A value out of its range.
    #[error("{0}")]
    OutOfRange(&'static str),
}

/// The values of a list `key=value,…`, each key once.
#[derive(Debug)]
pub(super) struct KeyValues<'a> {
    pairs: Vec<(&'a str, &'a str)>,
}

impl<'a> KeyValues<'a> {
    /// Reads a list whose keys are among `keys`.
    ///
    /// # Errors
    /// Names a key that is none of them or is given twice.
    pub(super) fn read(
        text: &'a str,
        keys: &'static [&'static str],
    ) -> Result<Self, KeyValuesError> {
        let mut pairs: Vec<(&str, &str)> = Vec::new();
        for part in text.split(',') {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            if !keys.contains(&key) {
                let key = key.to_owned();
                return Err(KeyValuesError::UnknownKey { key, known: keys });
            }
            if pairs.iter().any(|(known, _)| *known == key) {
                return Err(KeyValuesError::Twice(key.to_owned()));
            }
            pairs.push((key, value));
        }
        Ok(Self { pairs })
    }

    /// The value of a key.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn get<T: FromStr>(&self, key: &'static str) -> Result<Option<T>, KeyValuesError> {
        let mut pairs = self.pairs.iter();
        let Some((_, value)) = pairs.find(|(known, _)| *known == key) else {
            return Ok(None);
        };
        let value = value.parse().map_err(|_| KeyValuesError::Unreadable {
            key,
            value: (*value).to_owned(),
        })?;
        Ok(Some(value))
    }

    /// The value of a key that has to be there.
    ///
    /// # Errors
    /// It is missing or cannot be read.
    pub(super) fn require<T: FromStr>(&self, key: &'static str) -> Result<T, KeyValuesError> {
        self.get(key)?.ok_or(KeyValuesError::Missing(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read() {
        let list = KeyValues::read("a=1,b=x", &["a", "b", "c"]).unwrap();
        assert_eq!(list.get::<u32>("a"), Ok(Some(1)));
        assert_eq!(list.get::<u32>("c"), Ok(None));
        let told = |key| list.require::<u32>(key).unwrap_err().to_string();
        assert_eq!(told("b"), "b=x cannot be read");
        assert_eq!(told("c"), "c= is missing");
        for (text, reason) in [
            ("", "\"\" is none of a"),
            ("d=1", "\"d\" is none"),
            ("a=1,a=1", "a is given twice"),
        ] {
            let told = KeyValues::read(text, &["a"]).unwrap_err().to_string();
            assert!(told.contains(reason), "{told}");
        }
    }
}
