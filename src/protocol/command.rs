//! The requests of a client, whatever protocol it speaks.

use std::time::Duration;

use crate::board::{Color, Move};
use crate::search::{Limits, MAX_DEPTH, PlayerClock};

/// The protocols that the engine speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protocol {
    /// Universal Chinese Chess Interface, 3.0.
    Ucci,
    /// Universal Chess Interface, with the squares of xiangqi.
    Uci,
    /// The protocol of XBoard, version 2.
    XBoard,
    /// The older dialect of it that tsito speaks.
    CxBoard,
    /// The dialect of UCCI that the workers of the public cloud library speak.
    Worker,
}

/// A line that has been understood.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Command {
    /// Switches to a protocol and asks for its greeting.
    Handshake(Protocol),
    /// Asks for [`Reply::Ready`](super::reply::Reply::Ready).
    IsReady,
    SetOption {
        /// The name in any of its spellings and letter cases; may be unknown.
        name: String,
        /// The value; `None` for buttons.
        value: Option<String>,
    },
    /// Turns the additional reports on or off.
    Debug(bool),
    /// Sets the position.
    Position(PositionText),
    /// Excludes moves of the current position.
    BanMoves(Vec<String>),
    /// Starts a search, unless the line was wrong.
    Go(Result<GoRequest, GoError>),
    /// The opponent played the expected move.
    PonderHit {
        /// Whether the opponent offers a draw with it.
        draw: bool,
    },
    /// Ends the search and asks for its move.
    Stop,
    /// Asks for the hash table entry of a position.
    Probe(PositionText),
    /// Asks for what the opening books hold of a position.
    ShowBook(PositionText),
    /// A line that the client holds to be good, while a search is under way: `hint`.
    Hint(Vec<Move>),
    /// Prints a line that the codec has made, or several.
    Print(String),
    /// Prints lines to standard error.
    PrintError(String),
    /// Asks whether the engine is registered, which it need not be.
    Register,
    /// Forgets the last game.
    NewGame,
    /// Ends the program.
    Quit,
    /// A line that the protocol does not define, or an empty one.
    Unknown(String),
    /// A line too long to be read, by its beginning, and the command that it begins.
    TooLong {
        /// The beginning of the line.
        head: String,
        /// The command, as far as it can be told.
        command: Box<Command>,
    },
}

/// A position as a client describes it, not yet parsed.
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

/// The parameters of a `go`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct GoRequest {
    /// The clock waits for the ponder hit.
    pub ponder: bool,
    /// The opponent offers a draw.
    pub draw: bool,
    /// Iterations; zero asks for the static evaluation.
    pub depth: Option<u32>,
    pub nodes: Option<u64>,
    /// Exact time for this move.
    pub move_time: Option<Duration>,
    /// The game's clocks.
    pub clocks: Clocks,
    /// Looks for a mate in so many moves.
    pub mate: Option<u32>,
    /// A move of an opening book, to be played unless the search disagrees.
    pub book_move: Option<Move>,
    /// A move of an endgame table, to be played unless the search refutes it.
    pub table_move: Option<Move>,
    /// Only these moves may be played; `None` for all.
    pub search_moves: Option<Vec<Move>>,
    /// The number of lines that are searched; `None` for that of the option.
    pub lines: Option<usize>,
    /// Asks for every move that is worse than the best one by no more than this, in hundredths of a minor
    /// piece, in place of the best one.
    pub window: Option<i64>,
    /// Whether an endless search is asked for in so many words.
    pub infinite: bool,
    /// Words of the line that are no parameters.
    pub unknown_words: Vec<String>,
}

/// What is wrong with the parameters of a `go`: every fault, in the order of the line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))]
pub(super) struct GoError(pub Vec<GoFault>);

/// A parameter of a `go` without a usable value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum GoFault {
    /// The line ends where the value should be.
    #[error("{0} needs a number")]
    Missing(&'static str),
    /// The value is no number.
    #[error("{key} needs a number, not {given:?}")]
    NotANumber {
        /// The parameter.
        key: &'static str,
        /// The beginning of what stands for its value.
        given: String,
    },
}

impl GoFault {
    /// The parameter.
    pub(super) fn key(&self) -> &'static str {
        match self {
            Self::Missing(key) | Self::NotANumber { key, .. } => key,
        }
    }
}

/// The clocks of a game, as protocols tell them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clocks {
    /// By the side to move: UCCI.
    Mover {
        /// The clock of the side to move.
        own: Option<PlayerClock>,
        /// The clock of the other side.
        opponent: Option<PlayerClock>,
    },
    /// By color: UCI.
    Sides {
        /// Red's clock, which UCI calls white's.
        red: Option<PlayerClock>,
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
    /// Iterations: a mate in N moves takes 2N - 1 plies to see.
    fn depth(&self) -> Option<u32> {
        let for_mate = self.mate.map(|moves| moves.saturating_mul(2).max(2) - 1);
        match (self.depth, for_mate) {
            (Some(depth), Some(mate)) => Some(depth.min(mate)),
            (depth, mate) => depth.or(mate),
        }
    }

    /// The limits for a search with `mover` to move. Any depth from [`MAX_DEPTH`] on means the same:
    /// no iteration is deeper.
    pub(super) fn limits(&self, mover: Color) -> Limits {
        let (clock, opponent) = match (self.clocks, mover) {
            (Clocks::Mover { own, opponent }, _) => (own, opponent),
            (Clocks::Sides { red, black }, Color::Red) => (red, black),
            (Clocks::Sides { red, black }, Color::Black) => (black, red),
        };
        Limits {
            depth: self.depth().map(|depth| depth.min(MAX_DEPTH)),
            mate: self.mate,
            nodes: self.nodes,
            soft_nodes: None,
            move_time: self.move_time,
            clock,
            opponent,
        }
    }
}
