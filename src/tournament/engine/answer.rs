//! Answers and failures of engines.

use std::time::{Duration, Instant};

use super::info::EngineInfo;
use crate::board::Move;

/// Why an engine cannot continue.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineFailure {
    /// The tournament was stopped.
    #[error("interrupted")]
    Interrupted,
    /// The program cannot be started.
    #[error("cannot be started: {0}")]
    Start(String),
    /// It refused the configured network and would play with another one.
    #[error("it refused its network: {0}")]
    Network(String),
    /// The process exited or closed its output.
    #[error("{0}")]
    Ended(String),
    /// It did not respond in time.
    #[error("no {awaited}")]
    Timeout {
        /// The expected response.
        awaited: String,
        /// How long it was allowed to take.
        allowed: Duration,
    },
    /// It wrote too much output.
    #[error("too much output")]
    Flood,
    /// It plays a game other than xiangqi, or uses other coordinates.
    #[error(
        "from the starting position it plays {0}, which is not a legal move of xiangqi with ranks from 0 or \
         from 1"
    )]
    NotXiangqi(String),
    /// Its first rank is not the one that the user set.
    #[error(
        "from the starting position it plays {played}, which is not legal with ranks={first_rank}: it counts \
         ranks from {}; leave out ranks= to detect this", 1 - (*.first_rank).min(1)
    )]
    WrongRanks {
        /// The value of `ranks=`.
        first_rank: u8,
        /// Its answer.
        played: String,
    },
    /// The user set a variant other than xiangqi.
    #[error(
        "with option.UCI_Variant={variant} it answers {played} in a position without legal moves in xiangqi; \
         leave out the option to set it to xiangqi"
    )]
    WrongVariant {
        /// The value of `option.UCI_Variant=`.
        variant: String,
        /// Its answer.
        played: String,
    },
}

impl EngineFailure {
    /// Whether the tournament cannot continue, rather than the engine losing its game.
    pub const fn is_setup_error(&self) -> bool {
        matches!(self, Self::Interrupted | Self::Start(_) | Self::Network(_))
    }
}

/// The move or other decision of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveChoice {
    /// A move, legal or not.
    Move(Move),
    /// Text that is not a move.
    Unreadable(String),
    /// The engine resigns.
    Resign,
    /// The engine has no move (`nobestmove`).
    NoMove,
}

/// The answer to `go`.
#[derive(Clone, Debug)]
pub struct MoveAnswer {
    /// The decision.
    pub choice: MoveChoice,
    /// Whether it offers or accepts a draw.
    pub draw: bool,
    /// The ponder move.
    pub ponder: Option<Move>,
    /// Time of the request.
    pub asked: Instant,
    /// Time from the request to the answer.
    pub elapsed: Duration,
    /// The information from `info` lines.
    pub info: EngineInfo,
}
