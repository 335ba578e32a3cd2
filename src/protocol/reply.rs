//! The replies of the engine, in any protocol.

use crate::board::{Move, Position};
use crate::book::BookMove;
use crate::eval::win_rate::WinRate;
use crate::search::{HashProbe, Report, Score};

/// A draw offer or a resignation that the engine sends with its move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum GameAction {
    #[default]
    None,
    /// Offers or accepts a draw.
    Draw,
    Resign,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Reply<'a> {
    /// The answer to `isready`.
    Ready,
    /// A message for the user.
    Message(&'a str),
    /// A book move that may be played.
    BookMove {
        played: Move,
        weight: u32,
        /// Whether the engine plays this move, which is reported after the others.
        is_best: bool,
    },
    /// All book moves of a position, the answer to
    /// [`Command::ShowBook`](super::command::Command::ShowBook).
    BookContents(&'a [BookMove]),
    /// A report of the search.
    Search {
        report: &'a Report,
        /// The win, draw and loss probabilities for the side to move, if the report is a line and `UCI_ShowWDL` is on.
        chances: Option<WinRate>,
    },
    /// The processor load of the search threads, in thousandths.
    CpuLoad(u32),
    /// The static evaluation, the answer to `go depth 0`.
    StaticScore(Score),
    /// The move to play.
    BestMove {
        best: Move,
        /// The expected reply.
        ponder: Option<Move>,
        action: GameAction,
    },
    /// There is no move to play.
    NoBestMove,
    /// The answer to `stop` while no search runs.
    NothingToStop,
    /// The current position, the answer to
    /// [`Command::ShowPosition`](super::command::Command::ShowPosition).
    Position(&'a Position),
    /// The number of lines after each legal move, the answer to `go perft`.
    Perft(&'a [(Move, u64)]),
    /// The hash table entry of a position, if it has one: the answer to `probe`.
    Hash(Option<HashProbe>),
    /// The answer to [`Command::Register`](super::command::Command::Register).
    Registered,
    /// The program ends.
    Bye,
}
