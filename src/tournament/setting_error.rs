//! The error about invalid settings of a tournament.

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
