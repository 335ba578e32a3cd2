//! The interface between the session and the protocols: commands, replies, and the codecs that parse lines into
//! commands and format replies as lines. Only the codec of a protocol knows its syntax.

use super::go::{GoError, GoRequest};
use super::options::Preferences;
use super::stdio::Input;
use super::text::Ranks;
use crate::board::{Move, Position};
use crate::book::BookMove;
use crate::eval::win_rate::WinRate;
use crate::search::{HashProbe, Info, Report, Score};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Universal Chinese Chess Interface, 3.0.
    Ucci,
    /// Universal Chess Interface, with the squares of xiangqi.
    Uci,
    /// The dialect of UCI of the program Cyclone, whose ranks are always 0 to 9.
    UciCyclone,
    /// The protocol of XBoard, version 2.
    XBoard,
    /// The older dialect of XBoard that tsito uses.
    CxBoard,
    /// The dialect of UCCI that the workers of the public cloud library use.
    Worker,
}

/// Expects `word` in lower case.
pub fn protocol_of_handshake(word: &str) -> Option<Protocol> {
    Some(match word {
        "ucci" => Protocol::Ucci,
        "uci" => Protocol::Uci,
        "ucicyclone" => Protocol::UciCyclone,
        "xboard" => Protocol::XBoard,
        "cxboard" => Protocol::CxBoard,
        "isok" => Protocol::Worker,
        _ => return None,
    })
}

#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Switches to a protocol and asks for the answer to its handshake.
    Handshake(Protocol),
    IsReady,
    SetOption {
        /// The UCCI or UCI name in any letter case; may be unknown. If `value` is `None`, the value may follow it.
        name: String,
        /// The value, if the line shows where it begins.
        value: Option<String>,
    },
    /// The client has shown how it counts ranks.
    CountRanks(Ranks),
    Debug(bool),
    Position(PositionText),
    /// Excludes moves of the current position from the search.
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
    ShowBook(PositionText),
    ShowPosition,
    /// Asks for the static evaluation of the position.
    ShowEvaluation,
    /// A line that the search in progress is to try first: `hint`.
    Hint(Vec<Move>),
    /// Prints one or more lines that the codec has formatted.
    Print(String),
    /// Prints lines to standard error.
    PrintError(String),
    NewGame,
    Quit,
    /// A line that the protocol does not define, or an empty one.
    Unknown(String),
    /// A line to parse only when the commands before it have been executed, because one of them changes the meaning of
    /// lines.
    Unparsed(Input),
    TooLong {
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
    pub moves: Vec<String>,
    /// How the moves number the ranks.
    pub ranks: Ranks,
}

impl PositionText {
    pub const START: Self = Self { fen: None, moves: Vec::new(), ranks: Ranks::FromZero };
}

/// Parses the lines and formats the replies of one conversation.
pub trait Codec {
    /// Parses a line into commands. Never fails: an invalid line is [`Command::Unknown`] or a command that
    /// contains an error.
    fn parse(&mut self, line: &str, preferences: &Preferences) -> Vec<Command>;

    /// Parses the beginning of a line that is too long. The session refuses the command, so this must not change the
    /// game.
    fn parse_overlong(&mut self, head: &str, preferences: &Preferences) -> Command {
        let command = self.parse(head, preferences).pop();
        command.unwrap_or_else(|| Command::Unknown(head.to_owned()))
    }

    /// Called before the session executes a `go` or answers it with [`Reply::NoBestMove`].
    fn on_go(&mut self, _request: &Result<GoRequest, GoError>) {}

    /// The answer to the handshake; in UCCI and UCI the name, the options and `ucciok` or `uciok`.
    fn handshake_answer(&mut self) -> Vec<String>;

    /// Formats a reply; no lines if the protocol has no form for it.
    fn format(&mut self, reply: &Reply<'_>, preferences: &Preferences) -> Vec<String>;

    /// Commands that the codec adds after a reply, to be executed when the engine is idle.
    fn follow_up(&mut self) -> Vec<Command> {
        Vec::new()
    }
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

#[derive(Clone, Debug, PartialEq)]
pub enum Reply<'a> {
    Ready,
    Message(&'a str),
    /// A book move that may be played.
    BookMove {
        played: Move,
        weight: u32,
        /// Whether the engine plays this move, which is then reported after the other book moves.
        is_best: bool,
    },
    /// All book moves of a position, the answer to [`Command::ShowBook`].
    BookContents(&'a [BookMove]),
    Search {
        report: &'a Report,
        /// The win, draw and loss probabilities for the side to move, if the report is a line and `UCI_ShowWDL` is on.
        chances: Option<WinRate>,
    },
    /// The last report of a line, with the nodes and the time of the whole search. Sent for each line before the best
    /// move, because many clients show the last report before the best move as the result.
    LastLine {
        info: &'a Info,
        chances: Option<WinRate>,
    },
    /// The processor load of the search threads, in thousandths.
    CpuLoad(u32),
    /// The static evaluation, the answer to `go depth 0`, or the score of a position without legal moves.
    StaticScore(Score),
    BestMove {
        best: Move,
        /// The expected reply.
        ponder: Option<Move>,
        action: GameAction,
    },
    NoBestMove,
    /// The answer to `stop` while no search runs.
    NothingToStop,
    Position(&'a Position),
    /// The static evaluation for red, the answer to `eval`.
    Evaluation(Score),
    /// The leaf nodes below each legal move, the answer to `go perft`.
    Perft(&'a [(Move, u64)]),
    /// The hash table entry of a position, if it has one: the answer to `probe`.
    Hash(Option<HashProbe>),
    Bye,
}
