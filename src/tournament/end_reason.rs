//! Reasons for the end of a game.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::board::{Color, indexed_enum};
use crate::notation::pgn::GameResult;

indexed_enum! {
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum EndReason {
        Checkmate,
        /// The side to move has no legal move, which loses.
        Stalemate,
        /// A repetition that the rules judge as a draw.
        Repetition,
        PerpetualCheck,
        PerpetualChase,
        /// The loser attacked perpetually, under rules that forbid more than checks and chases.
        PerpetualAttack,
        /// Neither side has enough material to win.
        InsufficientMaterial,
        NoCapture,
        /// The ply limit of the tournament is reached.
        Length,
        /// An engine resigned or reported that it had no move.
        Resignation,
        Agreement,
        ScoreWin,
        ScoreDraw,
        TablebaseWin,
        TablebaseDraw,
        /// An engine exceeded its time and margin, or did not answer `go`.
        TimeLoss,
        /// An unreadable or illegal move.
        IllegalMove,
        /// An engine exited, wrote too much output, refused the position, a legal move or the search, did not answer a
        /// command other than `go`, or could not be prepared for the game.
        Crash,
    }
}

impl EndReason {
    /// The name, the value of the PGN tag `Termination`, and whether the rules of xiangqi alone end the game in
    /// this way.
    const fn properties(self) -> (&'static str, &'static str, bool) {
        match self {
            Self::Checkmate => ("checkmate", "normal", true),
            Self::Stalemate => ("stalemate", "normal", true),
            Self::Repetition => ("repetition", "normal", true),
            Self::PerpetualCheck => ("perpetual check", "normal", true),
            Self::PerpetualChase => ("perpetual chase", "normal", true),
            Self::PerpetualAttack => ("perpetual attack", "normal", true),
            Self::InsufficientMaterial => ("insufficient material", "normal", true),
            Self::NoCapture => ("no-capture limit", "normal", true),
            Self::Length => ("ply limit", "adjudication", false),
            Self::Resignation => ("resignation", "normal", false),
            Self::Agreement => ("agreement", "normal", false),
            Self::ScoreWin => ("win adjudication", "adjudication", false),
            Self::ScoreDraw => ("draw adjudication", "adjudication", false),
            Self::TablebaseWin => ("tablebase win", "adjudication", false),
            Self::TablebaseDraw => ("tablebase draw", "adjudication", false),
            Self::TimeLoss => ("time loss", "time forfeit", false),
            Self::IllegalMove => ("illegal move", "rules infraction", false),
            Self::Crash => ("crash", "abandoned", false),
        }
    }

    /// The name in reports and in the PGN tag `Reason`.
    pub const fn name(self) -> &'static str {
        self.properties().0
    }

    /// The value of the PGN tag `Termination`.
    pub const fn termination(self) -> &'static str {
        self.properties().1
    }

    /// Whether the game was lost by misbehavior: on time, by an illegal move or a crash.
    pub const fn is_forfeit(self) -> bool {
        matches!(self, Self::TimeLoss | Self::IllegalMove | Self::Crash)
    }

    /// Whether the rules of xiangqi alone end the game in this way.
    pub const fn is_by_rule(self) -> bool {
        self.properties().2
    }
}

impl fmt::Display for EndReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    pub result: GameResult,
    pub reason: EndReason,
    /// Details for the user; may be empty.
    pub detail: String,
}

impl Ending {
    pub fn loss(loser: Color, reason: EndReason, detail: impl Into<String>) -> Self {
        Self { result: GameResult::win_of(!loser), reason, detail: detail.into() }
    }

    pub fn draw(reason: EndReason) -> Self {
        Self { result: GameResult::Draw, reason, detail: String::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Journals outlive program versions, so their keys must not change.
    #[test]
    fn journal_keys_are_stable() {
        let stored = "checkmate stalemate repetition perpetual-check perpetual-chase perpetual-attack \
                      insufficient-material no-capture length resignation agreement score-win score-draw \
                      tablebase-win tablebase-draw time-loss illegal-move crash";
        let written = EndReason::ALL.map(|reason| serde_json::to_value(reason).unwrap());
        assert!(written.iter().eq(stored.split(' ')), "{written:?}");
    }
}
