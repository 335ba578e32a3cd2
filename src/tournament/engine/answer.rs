//! What an engine answers, and why it cannot.

use std::time::{Duration, Instant};

use super::info::EngineInfo;
use crate::board::Move;

/// Why an engine cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineFailure {
    /// The tournament is over; it is not the engine's fault.
    #[error("interrupted")]
    Interrupted,
    /// The program cannot be started.
    #[error("cannot be started: {0}")]
    Start(String),
    /// It refuses the network that it is to evaluate with, and would play with another one.
    #[error("it {0}")]
    Network(String),
    /// The process has ended or closed its output.
    #[error("{0}")]
    Ended(String),
    /// It does not answer.
    #[error("no {awaited}")]
    Silent {
        /// What was awaited.
        awaited: String,
        /// How long it was allowed to take.
        allowed: Duration,
    },
    /// It writes more output than the limit.
    #[error("it floods its output")]
    Flood,
    /// It plays another game than xiangqi, or counts its coordinates otherwise.
    #[error(
        "from the starting position it plays {0}, which is no move of xiangqi (if it is, tell how it \
         counts ranks by ranks=0 or ranks=1)"
    )]
    Foreign(String),
    /// It counts its coordinates otherwise than the user has told.
    #[error(
        "from the starting position it plays {played}, which is no legal move by ranks={first_rank}: it \
         counts ranks from {}, which is found out where ranks= is left out", 1 - (*.first_rank).min(1)
    )]
    OtherRanks {
        /// What the user has told.
        first_rank: u8,
        /// Its answer.
        played: String,
    },
    /// It plays the variant that the user has set, which is not xiangqi.
    #[error(
        "with option.UCI_Variant={variant} it answers {played} where xiangqi has no legal move: without \
         the option it is set to xiangqi"
    )]
    OtherVariant {
        /// What the user has set.
        variant: String,
        /// Its answer.
        played: String,
    },
}

impl EngineFailure {
    /// Whether it is not the engine that cannot go on, but the tournament.
    pub const fn is_ours(&self) -> bool {
        matches!(self, Self::Interrupted | Self::Start(_) | Self::Network(_))
    }
}

/// The decision of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveChoice {
    /// Play a move, legal or not.
    Move(Move),
    /// Something that is no move.
    Unreadable(String),
    /// The engine gives the game up.
    Resign,
    /// It has no move (`nobestmove`).
    NoMove,
}

/// An engine's answer.
#[derive(Clone, Debug)]
pub struct MoveAnswer {
    /// The decision.
    pub choice: MoveChoice,
    /// Whether it offers or takes a draw.
    pub draw: bool,
    /// The answer it expects.
    pub ponder: Option<Move>,
    /// When it was requested.
    pub asked: Instant,
    /// From the request to the answer.
    pub elapsed: Duration,
    /// What it said while it thought.
    pub info: EngineInfo,
}
