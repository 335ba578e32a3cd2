//! `--notation`: how commands write moves.

use clap::ValueEnum;

use crate::board::{Move, Position};
use crate::notation::MoveStyle;

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
    /// The same as the notation of a game record; none for plain coordinates, which PGN does not have.
    pub(in crate::cli) fn style(self) -> Option<MoveStyle> {
        match self {
            Self::Chinese => Some(MoveStyle::Chinese),
            Self::Wxf => Some(MoveStyle::Wxf),
            Self::Iccs => Some(MoveStyle::Iccs),
            Self::Coordinate => None,
        }
    }

    /// Writes a legal move of `position`.
    pub(in crate::cli) fn write(self, position: &Position, played: Move) -> String {
        match self.style() {
            Some(style) => style.write(position, played),
            None => played.to_string(),
        }
    }

    /// Writes a legal move of `position` and, where that is not how it is written, its coordinates:
    /// `炮二平五 (h2e2)`.
    pub(in crate::cli) fn write_with_coordinates(
        self,
        position: &Position,
        played: Move,
    ) -> String {
        match self.style() {
            Some(style) => format!("{} ({played})", style.write(position, played)),
            None => played.to_string(),
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
