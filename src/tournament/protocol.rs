//! The protocols of the engines in a tournament.

use std::str::FromStr;

use crate::board::named_enum;

named_enum! {
    #[derive(Default)]
    /// The protocol of an engine. Its name is also the greeting command.
    pub enum EngineProtocol {
        /// UCCI 3.0.
        #[default]
        Ucci = "ucci",
        /// UCI.
        Uci = "uci",
        /// XBoard (CECP, protocol version 2).
        Xboard = "xboard",
    }
}

/// The text is not the name of a supported protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("proto= must be one of {}", EngineProtocol::NAMES.join(", "))]
pub struct ParseEngineProtocolError;

impl FromStr for EngineProtocol {
    type Err = ParseEngineProtocolError;

    /// Parses a name, ignoring case.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::from_name(text).ok_or(ParseEngineProtocolError)
    }
}

impl EngineProtocol {
    /// The first command sent to an engine.
    pub const fn greeting(self) -> &'static str {
        self.name()
    }

    /// The last line of the response to the greeting.
    pub const fn greeting_end(self) -> &'static str {
        match self {
            Self::Ucci => "ucciok",
            Self::Uci => "uciok",
            // Sent by the translator, not by the engine.
            Self::Xboard => "xboardok",
        }
    }

    /// The command that sets an option.
    pub fn set_option(self, name: &str, value: &str) -> String {
        match self {
            Self::Ucci => format!("setoption {name} {value}"),
            Self::Uci | Self::Xboard => format!("setoption name {name} value {value}"),
        }
    }
}
