//! The commands of a client, in any protocol.

use super::go::{GoError, GoRequest};
use super::ranks::Ranks;
use crate::board::Move;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Universal Chinese Chess Interface, 3.0.
    Ucci,
    /// Universal Chess Interface, with the squares of xiangqi.
    Uci,
    /// The protocol of XBoard, version 2.
    XBoard,
    /// The older dialect of XBoard that tsito uses.
    CxBoard,
    /// The dialect of UCCI that the workers of the public cloud library use.
    Worker,
}

/// A parsed line.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Switches to a protocol and asks for its greeting.
    Handshake(Protocol),
    /// Asks for [`Reply::Ready`](super::reply::Reply::Ready).
    IsReady,
    SetOption {
        /// The UCCI or UCI name in any letter case; may be unknown.
        name: String,
        /// The value; `None` for buttons.
        value: Option<String>,
    },
    /// Turns debug mode on or off.
    Debug(bool),
    /// Sets the position.
    Position(PositionText),
    /// Excludes moves of the current position.
    BanMoves(Vec<String>),
    /// Starts a search, unless the line was invalid.
    Go(Result<GoRequest, GoError>),
    /// The opponent played the expected move.
    PonderHit {
        /// Whether the opponent offers a draw with the move.
        draw: bool,
    },
    /// Stops the search, which answers with its best move.
    Stop,
    /// Asks for the hash table entry of a position.
    Probe(PositionText),
    /// Asks for the book moves of a position.
    ShowBook(PositionText),
    /// Asks for the current position.
    ShowPosition,
    /// A line that the search in progress is to try first: `hint`.
    Hint(Vec<Move>),
    /// Prints one or more lines that the codec has formatted.
    Print(String),
    /// Prints lines to standard error.
    PrintError(String),
    /// Asks whether the engine is registered, which is not necessary.
    Register,
    /// Forgets the last game.
    NewGame,
    Quit,
    /// A line that the protocol does not define, or an empty one.
    Unknown(String),
    /// A line that is too long.
    TooLong {
        /// The beginning of the line.
        head: String,
        /// The command that the beginning is parsed as.
        command: Box<Command>,
    },
}

/// A position as a client describes it, not yet parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionText {
    /// The FEN of the first position, `None` for the starting position.
    pub fen: Option<String>,
    /// The moves played from there.
    pub moves: Vec<String>,
    /// The numbers of the ranks in the moves.
    pub ranks: Ranks,
}

impl PositionText {
    pub const START: Self = Self {
        fen: None,
        moves: Vec::new(),
        ranks: Ranks::FromZero,
    };
}
