//! What a client can ask for, whatever protocol it speaks.

use std::time::Duration;

use super::codec::Protocol;
use crate::board::{Color, Move};
use crate::search::{Limits, MAX_DEPTH, PlayerClock};

/// A line that has been understood.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Command {
    /// Speak this protocol from now on, and introduce yourself.
    Handshake(Protocol),
    /// Say that you listen.
    IsReady,
    /// Change an option.
    SetOption {
        /// Its name in any of its spellings and letter cases; possibly one never offered.
        name: String,
        /// What to set it to; buttons have nothing.
        value: Option<String>,
    },
    /// Report more, or less.
    Debug(bool),
    /// Set the board.
    Position(PositionText),
    /// Do not play these moves in the position on the board.
    BanMoves(Vec<String>),
    /// Think; or why the line makes no sense.
    Go(Result<GoRequest, String>),
    /// The opponent played the expected move.
    PonderHit {
        /// And offers a draw.
        draw: bool,
    },
    /// Play now.
    Stop,
    /// Tell what the hash table knows of a position.
    Probe(PositionText),
    /// Forget the last game.
    NewGame,
    /// End the program.
    Quit,
    /// A line that the protocol does not have; also an empty one.
    Unknown,
}

/// A position as a client describes it, not yet read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PositionText {
    /// The FEN where the line starts, `None` for the starting position.
    pub fen: Option<String>,
    /// The moves played from there.
    pub moves: Vec<String>,
}

impl PositionText {
    /// The starting position.
    pub(super) const START: Self = Self {
        fen: None,
        moves: Vec::new(),
    };
}

/// How to think.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct GoRequest {
    /// The clock waits for the ponder hit.
    pub ponder: bool,
    /// The opponent offers a draw.
    pub draw: bool,
    /// Iterations; zero asks for the static score.
    pub depth: Option<u32>,
    /// Nodes.
    pub nodes: Option<u64>,
    /// Exact time for this move.
    pub move_time: Option<Duration>,
    /// The game's clocks.
    pub clocks: Clocks,
    /// Only these moves may be played; `None` for all.
    pub search_moves: Option<Vec<Move>>,
    /// Words of the line that mean nothing.
    pub unknown_words: Vec<String>,
}

/// The clocks of a game, as protocols tell them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clocks {
    /// By who thinks: UCCI.
    Mover {
        /// The clock of the side to move.
        own: Option<PlayerClock>,
        /// The clock of the other side.
        opponent: Option<PlayerClock>,
    },
    /// By colour: UCI.
    Sides {
        /// Red's clock, which UCI calls white's.
        red: Option<PlayerClock>,
        /// Black's clock.
        black: Option<PlayerClock>,
    },
}

impl Default for Clocks {
    fn default() -> Self {
        Self::Mover {
            own: None,
            opponent: None,
        }
    }
}

impl GoRequest {
    /// The limits for a search with `mover` to move. Any depth from [`MAX_DEPTH`] on means the same:
    /// no iteration is deeper.
    pub(super) fn limits(&self, mover: Color) -> Limits {
        let (clock, opponent) = match (self.clocks, mover) {
            (Clocks::Mover { own, opponent }, _) => (own, opponent),
            (Clocks::Sides { red, black }, Color::Red) => (red, black),
            (Clocks::Sides { red, black }, Color::Black) => (black, red),
        };
        Limits {
            depth: self.depth.map(|depth| depth.min(MAX_DEPTH)),
            nodes: self.nodes,
            soft_nodes: None,
            move_time: self.move_time,
            clock,
            opponent,
        }
    }
}
