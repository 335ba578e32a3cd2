//! The notations in which moves are written.

use super::{chinese, coordinates, san, wxf};
use crate::board::{Move, Position, named_enum};

named_enum! {
    /// A notation in which moves are written.
    pub enum MoveStyle {
        /// `H2-E2`
        Iccs = "ICCS",
        /// `C2=5`
        Wxf = "WXF",
        /// 炮二平五
        Chinese = "Chinese",
        /// `Che2`
        San = "SAN",
        /// `h2e2`; in game records ICCS is used instead.
        Coordinate = "Coordinate",
    }
}

impl MoveStyle {
    /// The style used in game records.
    pub fn in_record(self) -> Self {
        match self {
            Self::Coordinate => Self::Iccs,
            _ => self,
        }
    }

    /// Writes a legal move of `position`.
    pub fn write(self, position: &Position, m: Move) -> String {
        match self {
            Self::Iccs => coordinates::write_iccs(m),
            Self::Wxf => wxf::write(position, m),
            Self::Chinese => chinese::write(position, m),
            Self::San => san::write(position, m),
            Self::Coordinate => m.to_string(),
        }
    }

    /// Writes a legal move of `position` with its coordinates, such as `炮二平五 (h2e2)`.
    pub fn write_with_coordinates(self, position: &Position, m: Move) -> String {
        match self {
            Self::Coordinate => m.to_string(),
            _ => format!("{} ({m})", self.write(position, m)),
        }
    }

    /// Writes moves played one after another from `position`.
    pub fn write_line(self, position: &Position, line: &[Move]) -> String {
        let mut position = position.clone();
        let words = line.iter().map(|m| {
            let word = self.write(&position, *m);
            position.make(*m);
            word
        });
        words.collect::<Vec<_>>().join(" ")
    }
}
