//! The notations that game records are written in.

use std::str::FromStr;

use super::{chinese, coordinates, wxf};
use crate::board::{Move, Position, named_enum};

named_enum! {
    /// How a game record writes its moves.
    pub enum MoveStyle {
        /// `H2-E2`
        Iccs = "ICCS",
        /// `C2=5`
        Wxf = "WXF",
        /// 炮二平五
        Chinese = "Chinese",
    }
}

impl MoveStyle {
    /// Writes a legal move of `position`.
    pub fn write(self, position: &Position, m: Move) -> String {
        match self {
            Self::Iccs => coordinates::write_iccs(m),
            Self::Wxf => wxf::write(position, m),
            Self::Chinese => chinese::write(position, m),
        }
    }
}

/// The text names no notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a notation ({})", MoveStyle::NAMES.join(", ").to_lowercase())]
pub struct ParseMoveStyleError;

impl FromStr for MoveStyle {
    type Err = ParseMoveStyleError;

    /// Reads a name in letters of any case.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::from_name(text).ok_or(ParseMoveStyleError)
    }
}
