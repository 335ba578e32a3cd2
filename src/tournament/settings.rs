//! The error for invalid settings, and lists of settings such as `elo0=0,elo1=5`.

use std::str::FromStr;

use crate::text::toml_error;

/// The reason why a setting or a file of settings is invalid, as a message for the user.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SettingError(String);

impl SettingError {
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

/// Returns an error with this message unless `is_valid`.
pub fn require_valid(is_valid: bool, message: impl Into<String>) -> Result<(), SettingError> {
    if is_valid { Ok(()) } else { Err(SettingError::new(message)) }
}

/// The file is not valid TOML, or has unknown keys or values of the wrong type.
impl From<toml::de::Error> for SettingError {
    fn from(error: toml::de::Error) -> Self {
        Self(toml_error(error))
    }
}

/// A parsed list `key=value,…` in which each key occurs at most once.
#[derive(Debug)]
pub struct KeyValues<'a> {
    pairs: Vec<(&'a str, &'a str)>,
}

impl<'a> KeyValues<'a> {
    /// Parses a list whose keys must be among `keys`.
    pub fn read(text: &'a str, keys: &[&str]) -> Result<Self, SettingError> {
        let mut pairs: Vec<(&str, &str)> = Vec::new();
        for part in text.split(',') {
            let known = keys.join(", ");
            let (key, value) = part.split_once('=').ok_or_else(|| {
                let part = part.trim();
                SettingError::new(format!(
                    "{part:?} is not of the form key=value; the keys are {known}"
                ))
            })?;
            let (key, value) = (key.trim(), value.trim());
            let is_known = keys.contains(&key);
            require_valid(is_known, format!("unknown key {key:?}; the keys are {known}"))?;
            let is_new = pairs.iter().all(|(other, _)| *other != key);
            require_valid(is_new, format!("{key}= is given twice"))?;
            pairs.push((key, value));
        }
        Ok(Self { pairs })
    }

    pub fn get<T: FromStr>(&self, key: &str) -> Result<Option<T>, SettingError> {
        let mut pairs = self.pairs.iter();
        let Some((_, value)) = pairs.find(|(known, _)| *known == key) else {
            return Ok(None);
        };
        value.parse().map(Some).map_err(|_| {
            SettingError::new(if value.contains('=') {
                format!("invalid value: {key}={value}; the values are separated by commas")
            } else {
                format!("invalid value: {key}={value}")
            })
        })
    }

    pub fn require<T: FromStr>(&self, key: &str) -> Result<T, SettingError> {
        self.get(key)?.ok_or_else(|| {
            SettingError::new(format!("no {key}= in the list; its values are separated by commas"))
        })
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
            ("", "\"\" is not of the form key=value; the keys are a"),
            ("900", "\"900\" is not of the form key=value; the keys are a"),
            ("a=1, a", "\"a\" is not of the form"),
            ("d=1", "unknown key \"d\""),
            ("a=1,a=1", "a= is given twice"),
        ] {
            let error = KeyValues::read(text, &["a"]).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }
}
