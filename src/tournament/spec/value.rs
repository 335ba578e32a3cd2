//! Parses the values of engine settings.

use std::str::FromStr;

use serde::Deserialize;

use super::error::SettingError;

/// The value of a protocol option in TOML.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub(super) enum OptionValue {
    Switch(bool),
    Whole(i64),
    Fraction(f64),
    Text(String),
}

impl std::fmt::Display for OptionValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Switch(value) => value.fmt(f),
            Self::Whole(value) => value.fmt(f),
            Self::Fraction(value) => value.fmt(f),
            Self::Text(value) => value.fmt(f),
        }
    }
}

pub(super) fn number<T: FromStr>(text: &str) -> Result<T, SettingError> {
    text.parse().map_err(|_| SettingError::Number)
}

/// Parses `on` or `off` and their usual synonyms.
pub(super) fn switch(text: &str) -> Result<bool, SettingError> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "on" | "1" | "yes" => Ok(true),
        "false" | "off" | "0" | "no" => Ok(false),
        _ => Err(SettingError::Switch),
    }
}

/// Parses a list of processors such as `0-3,8`.
pub(super) fn processors(text: &str) -> Result<Vec<usize>, SettingError> {
    let mut all = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (number(first)?, number(last)?);
        if first > last || last > 4096 {
            return Err(SettingError::Processors);
        }
        all.extend(first..=last);
    }
    Ok(all)
}
