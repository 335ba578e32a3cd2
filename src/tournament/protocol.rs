//! The protocols that the engines of a tournament may speak.

use std::fmt;
use std::str::FromStr;

/// What an engine speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineProtocol {
    /// UCCI 3.0.
    #[default]
    Ucci,
    /// UCI.
    Uci,
}

impl FromStr for EngineProtocol {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.to_ascii_lowercase().as_str() {
            "ucci" => Ok(Self::Ucci),
            "uci" => Ok(Self::Uci),
            _ => Err("proto= is ucci or uci"),
        }
    }
}

impl fmt::Display for EngineProtocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.greeting())
    }
}

impl EngineProtocol {
    /// The first line.
    pub(super) const fn greeting(self) -> &'static str {
        match self {
            Self::Ucci => "ucci",
            Self::Uci => "uci",
        }
    }

    /// What ends the answer to the first line.
    pub(super) const fn welcome(self) -> &'static str {
        match self {
            Self::Ucci => "ucciok",
            Self::Uci => "uciok",
        }
    }

    /// Sets an option.
    pub(super) fn set_option(self, name: &str, value: &str) -> String {
        match self {
            Self::Ucci => format!("setoption {name} {value}"),
            Self::Uci => format!("setoption name {name} value {value}"),
        }
    }
}
