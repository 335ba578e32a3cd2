//! Errors in engine settings.

use crate::tournament::limit::ParseTimeControlError;
use crate::tournament::protocol::ParseEngineProtocolError;

/// Error in the settings of an engine.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SpecError {
    /// The file is not valid TOML or has unknown keys or invalid values.
    #[error(transparent)]
    Toml(#[from] toml::de::Error),
    /// A command-line setting has no key.
    #[error("{0:?} is not of the form key=value")]
    NoKey(String),
    /// A command-line setting is invalid.
    #[error("{text:?}: {reason}")]
    Setting {
        /// The setting as it was given.
        text: String,
        /// The error.
        reason: SettingError,
    },
    /// The program is missing.
    #[error("an engine has no cmd=")]
    NoCommand,
    /// The name (made printable here) would garble tables and records.
    #[error("engine {0}: the name contains control characters or noncharacters")]
    ControlCharacters(String),
    /// The settings as a whole are invalid.
    #[error("engine {name}: {error}")]
    Engine {
        /// The name of the engine.
        name: String,
        /// The error.
        error: EngineSpecError,
    },
}

/// Error in one setting `key=value`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// `args=` has an unclosed quote.
    #[error("unclosed quote")]
    OpenQuote,
    /// The value is not a whole number, or is out of range.
    #[error("not a whole number in range")]
    Number,
    /// A switch is neither on nor off.
    #[error("must be on or off")]
    Switch,
    /// `cpus=` is not a list of ranges.
    #[error("not a list of processors such as 0-3,6")]
    Processors,
    /// The key is unknown.
    #[error("unknown key")]
    UnknownKey,
}

/// Error in the settings of an engine as a whole.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineSpecError {
    /// No limit is given.
    #[error("no limit: give tc=, movetime=, nodes= or depth=")]
    NoLimit,
    /// Several limits are given.
    #[error("more than one limit: give only one of tc=, movetime=, nodes= and depth=")]
    SeveralLimits,
    /// The limit is 0.
    #[error("the limit must be greater than 0")]
    ZeroLimit,
    /// `tc=` is invalid.
    #[error("tc={text}: {error}")]
    TimeControl {
        /// The value of `tc=`.
        text: String,
        /// The error.
        error: ParseTimeControlError,
    },
    /// `ranks=` is neither 0 nor 1.
    #[error("ranks= must be 0 or 1")]
    FirstRank,
    /// `nice=` is out of range; systems would silently clamp it.
    #[error("nice= must be between -20 and 19")]
    Nice,
    /// Pondering needs a time control.
    #[error("ponder= needs tc=")]
    PonderWithoutClock,
    /// XBoard engines have no limit of nodes and do not ponder here.
    #[error("proto=xboard cannot be combined with nodes= or ponder=on")]
    Xboard,
    /// `proto=` is not a protocol.
    #[error(transparent)]
    Protocol(#[from] ParseEngineProtocolError),
}
