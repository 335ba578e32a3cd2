//! The notations that game records are written in.

use std::fmt;
use std::str::FromStr;

use super::{chinese, coordinates, wxf};
use crate::board::{Move, Position, indexed_enum};

indexed_enum! {
    /// How a game record writes its moves.
    pub enum MoveStyle {
        /// `H2-E2`
        Iccs,
        /// `C2=5`
        Wxf,
        /// 炮二平五
        Chinese,
    }
}

impl MoveStyle {
    /// The name, as the tag `Format` of a PGN has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Iccs => "ICCS",
            Self::Wxf => "WXF",
            Self::Chinese => "Chinese",
        }
    }

    /// Writes a legal move of `position`.
    pub fn write(self, position: &Position, m: Move) -> String {
        match self {
            Self::Iccs => coordinates::write_iccs(m),
            Self::Wxf => wxf::write(position, m),
            Self::Chinese => chinese::write(position, m),
        }
    }
}

impl fmt::Display for MoveStyle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The text names no notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a notation (iccs, wxf, chinese)")]
pub struct ParseMoveStyleError;

impl FromStr for MoveStyle {
    type Err = ParseMoveStyleError;

    /// Reads a name in letters of any case.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|style| text.eq_ignore_ascii_case(style.name()))
            .ok_or(ParseMoveStyleError)
    }
}
