//! The interface between the session and the protocols: lines are parsed into commands, replies are formatted as
//! lines. Only the codec of a protocol knows its syntax.

use std::fmt;
use std::time::Duration;

use super::command::Command;
use super::go::{GoError, GoRequest};
use super::options::Preferences;
use crate::board::{Move, Position};
use crate::book::BookMove;
use crate::eval::win_rate::WinRate;
use crate::search::{HashProbe, Report, Score};

/// Parses the lines and formats the replies of one conversation.
pub trait Codec: fmt::Debug {
    /// Parses a line into commands. Never fails: an invalid line is [`Command::Unknown`] or a command that
    /// contains an error.
    fn parse(&mut self, line: &str, preferences: &Preferences) -> Vec<Command>;

    /// Parses the beginning of a line that is too long into the command to refuse, without changing the state.
    fn parse_overlong(&mut self, head: &str, preferences: &Preferences) -> Command {
        let command = self.parse(head, preferences).pop();
        command.unwrap_or_else(|| Command::Unknown(head.to_owned()))
    }

    /// Notes a `go`. Called before the session executes it or answers it with [`Reply::NoBestMove`].
    fn on_go(&mut self, _request: &Result<GoRequest, GoError>) {}

    /// The answer to the handshake: name, options and the end mark.
    fn greeting(&mut self) -> Vec<String>;

    /// Formats a reply; no lines if the protocol has no form for it.
    fn format(&mut self, reply: &Reply<'_>, preferences: &Preferences) -> Vec<String>;

    /// Commands that the codec adds after a reply, to be executed when the engine is idle.
    fn follow_up(&mut self) -> Vec<Command> {
        Vec::new()
    }

    /// Whether a search without limits ends and is answered when it has proven a mate. Otherwise it is answered only
    /// after `stop`.
    fn mate_ends_infinite(&self) -> bool;
}

/// A draw offer or a resignation that the engine sends with its move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum GameAction {
    #[default]
    None,
    /// Offers or accepts a draw.
    Draw,
    Resign,
}

/// A reply of the engine.
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
        /// Whether the engine plays this move. It is reported after the other book moves.
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
    /// A search has found the move to play. Sent before the best move, with the complete statistics.
    SearchEnd { nodes: u64, time: Duration },
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
    /// The leaf nodes below each legal move, the answer to `go perft`.
    Perft(&'a [(Move, u64)]),
    /// The hash table entry of a position, if it has one: the answer to `probe`.
    Hash(Option<HashProbe>),
    /// The answer to [`Command::Register`](super::command::Command::Register).
    Registered,
    /// The program ends.
    Bye,
}
