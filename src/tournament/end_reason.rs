//! Why and how games end.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::board::{Color, indexed_enum};
use crate::notation::pgn::GameResult;

indexed_enum! {
    /// Why a game has ended.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum EndReason {
        /// The side to move is checkmated.
        Checkmate,
        /// The side to move has no legal move, which loses.
        Stalemate,
        /// A repetition for which neither side is to blame.
        Repetition,
        /// One side gave check for ever.
        PerpetualCheck,
        /// One side chased for ever.
        PerpetualChase,
        /// One side attacked for ever, by rules that forbid more than checks and chases.
        PerpetualAttack,
        /// Neither side can win any more.
        InsufficientMaterial,
        /// Too many plies without a capture.
        NoCapture,
        /// The ply limit of the tournament is reached.
        Length,
        /// One side gave up, or said that it had no move.
        Resignation,
        /// Both sides wanted a draw.
        Agreement,
        /// Both engines saw one side win.
        ScoreWin,
        /// Both engines saw a draw.
        ScoreDraw,
        /// Endgame tables hold the mate.
        TableWin,
        /// Endgame tables hold the draw.
        TableDraw,
        /// A side exceeded its time and margin.
        TimeLoss,
        /// A move that is none, or is not allowed.
        IllegalMove,
        /// The engine ended, did not answer, flooded its output or could not be started.
        Crash,
    }
}

impl EndReason {
    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Checkmate => "checkmate",
            Self::Stalemate => "stalemate",
            Self::Repetition => "repetition",
            Self::PerpetualCheck => "perpetual check",
            Self::PerpetualChase => "perpetual chase",
            Self::PerpetualAttack => "perpetual attack",
            Self::InsufficientMaterial => "insufficient material",
            Self::NoCapture => "no-capture limit",
            Self::Length => "length",
            Self::Resignation => "resignation",
            Self::Agreement => "agreement",
            Self::ScoreWin => "won by score",
            Self::ScoreDraw => "drawn by score",
            Self::TableWin => "won by tables",
            Self::TableDraw => "drawn by tables",
            Self::TimeLoss => "time loss",
            Self::IllegalMove => "illegal move",
            Self::Crash => "crash",
        }
    }

    /// The word that the tag `Termination` of a PGN has for it.
    pub const fn termination(self) -> &'static str {
        match self {
            Self::TimeLoss => "time forfeit",
            Self::IllegalMove => "rules infraction",
            Self::Crash => "abandoned",
            Self::Length | Self::ScoreWin | Self::ScoreDraw | Self::TableWin | Self::TableDraw => {
                "adjudication"
            }
            _ => "normal",
        }
    }

    /// Whether the loser has not lost at the board.
    pub const fn is_fault(self) -> bool {
        matches!(self, Self::TimeLoss | Self::IllegalMove | Self::Crash)
    }

    /// Whether the rules of the game alone end a game so.
    pub const fn is_by_rule(self) -> bool {
        matches!(
            self,
            Self::Checkmate
                | Self::Stalemate
                | Self::Repetition
                | Self::PerpetualCheck
                | Self::PerpetualChase
                | Self::PerpetualAttack
                | Self::InsufficientMaterial
                | Self::NoCapture
        )
    }
}

impl fmt::Display for EndReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How a game has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// Who has won.
    pub result: GameResult,
    /// Which rule or fault ended the game.
    pub reason: EndReason,
    /// More about it, maybe nothing.
    pub detail: String,
}

impl Ending {
    /// `loser` has lost.
    pub fn loss(loser: Color, reason: EndReason, detail: impl Into<String>) -> Self {
        Self {
            result: GameResult::win_of(!loser),
            reason,
            detail: detail.into(),
        }
    }

    /// A draw.
    pub fn draw(reason: EndReason) -> Self {
        Self {
            result: GameResult::Draw,
            reason,
            detail: String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Journals are kept: their keys do not change with the names of the program.
    #[test]
    fn the_names_in_journals_stay() {
        let stored = [
            "checkmate",
            "stalemate",
            "repetition",
            "perpetual-check",
            "perpetual-chase",
            "perpetual-attack",
            "insufficient-material",
            "no-capture",
            "length",
            "resignation",
            "agreement",
            "score-win",
            "score-draw",
            "table-win",
            "table-draw",
            "time-loss",
            "illegal-move",
            "crash",
        ];
        let written = EndReason::ALL.map(|reason| serde_json::to_value(reason).unwrap());
        assert_eq!(written, stored);
    }
}
