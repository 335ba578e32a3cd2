//! The protocols that the engines of a tournament may speak.

use std::str::FromStr;

use crate::board::named_enum;

named_enum! {
    #[derive(Default)]
    /// The protocol of an engine, by the name that is also its first line.
    pub enum EngineProtocol {
        /// UCCI 3.0.
        #[default]
        Ucci = "ucci",
        /// UCI.
        Uci = "uci",
    }
}

/// The text names no protocol of engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("proto= is {}", EngineProtocol::NAMES.join(" or "))]
pub struct ParseEngineProtocolError;

impl FromStr for EngineProtocol {
    type Err = ParseEngineProtocolError;

    /// Reads a name in letters of any case.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::from_name(text).ok_or(ParseEngineProtocolError)
    }
}

impl EngineProtocol {
    /// The line that opens a conversation.
    pub(super) const fn greeting(self) -> &'static str {
        self.name()
    }

    /// What ends the answer to the first line.
    pub(super) const fn welcome(self) -> &'static str {
        match self {
            Self::Ucci => "ucciok",
            Self::Uci => "uciok",
        }
    }

    /// The command that sets an option.
    pub(super) fn set_option(self, name: &str, value: &str) -> String {
        match self {
            Self::Ucci => format!("setoption {name} {value}"),
            Self::Uci => format!("setoption name {name} value {value}"),
        }
    }
}
