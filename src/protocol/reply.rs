//! What the engine reports, whatever protocol it speaks.

use crate::board::Move;
use crate::book::BookMove;
use crate::eval::win_rate::WinRate;
use crate::search::{HashProbe, Report, Score};

/// What a player may do together with a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) enum GameAction {
    /// Nothing but the move.
    #[default]
    None,
    /// Offers or accepts a draw.
    Draw,
    /// Resigns the game.
    Resign,
}

/// A report of the engine.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Reply<'a> {
    /// The answer to `isready`.
    Ready,
    /// A text for the user.
    Message(&'a str),
    /// A move of the opening book, of those that may be played.
    BookMove {
        played: Move,
        /// Its weight beside the others.
        weight: u32,
        /// Whether it is the one that the engine plays, which comes last.
        is_best: bool,
    },
    /// Every move that the opening books hold of a position, the answer to
    /// [`Command::ShowBook`](super::command::Command::ShowBook).
    BookContents(&'a [BookMove]),
    /// What the search reports.
    Search {
        report: &'a Report,
        /// The chances of the side to move if the report is a line, where they are asked for.
        chances: Option<WinRate>,
    },
    /// The share of the processors that the search threads used, in thousandths.
    CpuLoad(u32),
    /// The static evaluation, the answer to `go depth 0`.
    StaticScore(Score),
    /// The move to play.
    BestMove {
        best: Move,
        /// The reply expected.
        ponder: Option<Move>,
        /// A draw or a resignation that goes with the move.
        action: GameAction,
    },
    /// There is no move to play.
    NoBestMove,
    /// A `stop` while no search runs.
    NothingToStop,
    /// The entry of one position in the hash table, the answer to `probe`; `None` where there is none.
    Hash(Option<HashProbe>),
    /// The answer to [`Command::Register`](super::command::Command::Register).
    Registered,
    /// The program ends.
    Bye,
}
