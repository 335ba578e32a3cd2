//! `--notation`: how commands write moves.

use clap::ValueEnum;

use crate::board::{Move, Position};
use crate::notation::{chinese, coordinates, wxf};

/// How moves are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Notation {
    /// 炮二平五
    Chinese,
    /// C2=5
    Wxf,
    /// H2-E2
    Iccs,
    /// h2e2
    Coordinate,
}

impl Notation {
    /// Writes a legal move of `position`.
    pub(in crate::cli) fn write(self, position: &Position, played: Move) -> String {
        match self {
            Self::Chinese => chinese::write(position, played),
            Self::Wxf => wxf::write(position, played),
            Self::Iccs => coordinates::write_iccs(played),
            Self::Coordinate => played.to_string(),
        }
    }

    /// Writes moves played one after another.
    pub(in crate::cli) fn write_line(self, position: &Position, line: &[Move]) -> String {
        let mut position = position.clone();
        let words = line.iter().map(|played| {
            let word = self.write(&position, *played);
            position.make(*played);
            word
        });
        words.collect::<Vec<_>>().join(" ")
    }
}
