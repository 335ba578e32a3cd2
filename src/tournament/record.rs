//! What is kept of a game.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::engine::EngineScore;
use crate::board::{Color, Move, indexed_enum};
use crate::notation::pgn::{GameResult, PgnGame};
use crate::notation::{Line, fen};

indexed_enum! {
    /// Why a game has ended.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Reason {
        /// Mate.
        Checkmate,
        /// No move, which loses.
        Stalemate,
        /// A repetition for which nobody is to blame.
        Repetition,
        /// One side gave check for ever.
        PerpetualCheck,
        /// One side chased for ever.
        PerpetualChase,
        /// One side attacked for ever, by rules that forbid more than checks and chases.
        PerpetualAttack,
        /// Nobody can win any more.
        InsufficientMaterial,
        /// Too many plies without a capture.
        NoCapture,
        /// Too many plies.
        Length,
        /// One side gave up, or said that it had no move.
        Resignation,
        /// Both sides wanted a draw.
        Agreement,
        /// Both engines saw one side win.
        ScoreWin,
        /// Both engines saw a draw.
        ScoreDraw,
        /// Out of time.
        TimeLoss,
        /// A move that is none, or is not allowed.
        IllegalMove,
        /// The engine ended, did not answer, flooded its output or could not be started.
        Crash,
    }
}

impl Reason {
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
            Self::Length | Self::ScoreWin | Self::ScoreDraw => "adjudication",
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

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How a game has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// Who has won.
    pub result: GameResult,
    /// Why.
    pub reason: Reason,
    /// More about it, maybe nothing.
    pub detail: String,
}

impl Ending {
    /// `loser` has lost.
    pub fn loss(loser: Color, reason: Reason, detail: impl Into<String>) -> Self {
        Self {
            result: GameResult::win_of(!loser),
            reason,
            detail: detail.into(),
        }
    }

    /// Nobody has lost.
    pub fn draw(reason: Reason) -> Self {
        Self {
            result: GameResult::Draw,
            reason,
            detail: String::new(),
        }
    }
}

/// A move as it was played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MoveRecord {
    /// The move.
    #[serde(rename = "move", with = "coordinates")]
    pub played: Move,
    /// Score for the mover.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<EngineScore>,
    /// Depth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Microseconds thought; `None` for a move of the opening.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub micros: Option<u64>,
}

impl MoveRecord {
    /// A move of the opening.
    pub fn opening(played: Move) -> Self {
        Self {
            played,
            score: None,
            depth: None,
            nodes: None,
            micros: None,
        }
    }

    /// The time thought.
    pub fn time(&self) -> Option<Duration> {
        self.micros.map(Duration::from_micros)
    }

    /// The comment in a PGN: `+0.31/12 0.502s`, `book` for a move of the opening.
    pub fn comment(&self) -> String {
        let Some(time) = self.time() else {
            return "book".to_owned();
        };
        let score = self.score.map_or("?".to_owned(), |score| score.to_string());
        let depth = self.depth.map_or("?".to_owned(), |depth| depth.to_string());
        format!("{score}/{depth} {:.3}s", time.as_secs_f64())
    }
}

/// A game as it was played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// Its number in the schedule, from 0.
    pub number: u64,
    /// The engines, by colour index.
    pub players: [usize; Color::COUNT],
    /// Where it began.
    pub start: String,
    /// The moves, those of the opening included.
    pub moves: Vec<MoveRecord>,
    /// Who has won.
    #[serde(with = "result")]
    pub result: GameResult,
    /// Why.
    pub reason: Reason,
    /// More about it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// The longest that each side went beyond its clock, in microseconds, by colour index.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub overrun: [Option<u64>; Color::COUNT],
}

/// A game without its moves, of which a long tournament has many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameSummary {
    /// Its number in the schedule, from 0.
    pub number: u64,
    /// The engines, by colour index.
    pub players: [usize; Color::COUNT],
    /// Who has won.
    pub result: GameResult,
    /// Why.
    pub reason: Reason,
    /// More about it.
    pub detail: String,
    /// Its length in plies, those of the opening included.
    pub plies: usize,
}

impl From<&GameRecord> for GameSummary {
    fn from(record: &GameRecord) -> Self {
        Self {
            number: record.number,
            players: record.players,
            result: record.result,
            reason: record.reason,
            detail: record.detail.clone(),
            plies: record.moves.len(),
        }
    }
}

fn is_nothing(overrun: &[Option<u64>; Color::COUNT]) -> bool {
    overrun.iter().all(Option::is_none)
}

impl GameRecord {
    /// What an engine has scored in halves of a point: 0, 1 or 2.
    pub fn half_points(&self, engine: usize) -> usize {
        match self.result.winner() {
            None => 1,
            Some(winner) if self.players[winner.index()] == engine => 2,
            Some(_) => 0,
        }
    }

    /// The loser, if there is one.
    pub fn loser(&self) -> Option<usize> {
        let winner = self.result.winner()?;
        Some(self.players[(!winner).index()])
    }

    /// The game for a PGN, with the tags given.
    ///
    /// # Errors
    /// The record has been tampered with: where it begins is no position.
    pub fn pgn(&self, tags: Vec<(String, String)>) -> Result<PgnGame, fen::FenError> {
        Ok(PgnGame {
            tags,
            line: Line {
                start: fen::parse_position(&self.start)?,
                moves: self.moves.iter().map(|m| m.played).collect(),
            },
            comments: self.moves.iter().map(MoveRecord::comment).collect(),
            result: self.result,
        })
    }
}

/// Moves as coordinates.
mod coordinates {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::board::Move;

    pub(super) fn serialize<S: Serializer>(m: &Move, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(m)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(source: D) -> Result<Move, D::Error> {
        String::deserialize(source)?
            .parse()
            .map_err(D::Error::custom)
    }
}

/// Results as `1-0`.
mod result {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::notation::pgn::GameResult;

    pub(super) fn serialize<S: Serializer>(r: &GameResult, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(r.text())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<GameResult, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}
