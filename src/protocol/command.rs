//! The commands of a client, in any protocol, and the lines that UCCI and UCI share.

use super::go::{self, GoError, GoRequest};
use super::input::Input;
use super::text::{Ranks, TimeUnit};
use crate::board::Move;

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

/// A parsed line.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Switches to a protocol and asks for its greeting.
    Handshake(Protocol),
    /// Asks for [`Reply::Ready`](super::codec::Reply::Ready).
    IsReady,
    SetOption {
        /// The UCCI or UCI name in any letter case; may be unknown. Without `value`, the value may follow.
        name: String,
        /// The value, if the line shows where it begins.
        value: Option<String>,
    },
    /// The client has shown that it counts ranks from 0.
    RanksFromZero,
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
    /// A line to parse when it runs, because a command before it changes the meaning of lines.
    Unparsed(Input),
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

/// Parses a command that UCCI and UCI share.
///
/// # Errors
/// Returns the first word of any other line, in lower case, and the rest.
pub fn parse_common(line: &str, unit: TimeUnit, ranks: Ranks) -> Result<Command, (String, &str)> {
    let (verb, rest) = split_word(line);
    let verb = verb.to_ascii_lowercase();
    if let Some(protocol) = protocol_of_handshake(&verb) {
        return Ok(Command::Handshake(protocol));
    }
    Ok(match verb.as_str() {
        "isready" => Command::IsReady,
        "setoption" => parse_option(rest),
        "position" => Command::Position(parse_position(rest, ranks)),
        "go" => Command::Go(go::parse(rest, unit, ranks)),
        "ponderhit" => Command::PonderHit {
            draw: rest.eq_ignore_ascii_case("draw"),
        },
        "stop" => Command::Stop,
        "quit" => Command::Quit,
        "d" => Command::ShowPosition,
        "hint" => Command::Hint(parse_hint(rest, ranks)),
        "ucinewgame" | "uccinewgame" | "uxinewgame" => Command::NewGame,
        _ => return Err((verb, rest)),
    })
}

/// The protocol of a handshake, given in lower case.
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

/// Parses `{fen F | startpos} [moves M…]`. A text without `fen` and `startpos` is a FEN; with both it is the
/// starting position.
pub fn parse_position(text: &str, ranks: Ranks) -> PositionText {
    let mut words = text.split_whitespace().peekable();
    let is = |word: &str, key: &str| word.eq_ignore_ascii_case(key);
    words.next_if(|word| is(word, "fen"));
    if words.next_if(|word| is(word, "startpos")).is_some() {
        words.next_if(|word| is(word, "moves"));
        return PositionText {
            fen: None,
            moves: words.map(str::to_owned).collect(),
            ranks,
        };
    }
    let fen: Vec<&str> = words
        .by_ref()
        .take_while(|word| !is(word, "moves"))
        .collect();
    PositionText {
        // Some clients write the FEN in quotes.
        fen: Some(fen.join(" ").trim_matches(['"', '\'']).to_owned()),
        moves: words.map(str::to_owned).collect(),
        ranks,
    }
}

/// Parses the moves of `score S depth D pv M…`. Score and depth are not used.
fn parse_hint(text: &str, ranks: Ranks) -> Vec<Move> {
    let words = text.split_whitespace();
    let after_pv = words.skip_while(|word| !word.eq_ignore_ascii_case("pv"));
    let moves = after_pv.skip(1).map_while(|word| ranks.parse(word));
    moves.take(MAX_HINT).collect()
}

/// The longest line of a hint, in plies.
const MAX_HINT: usize = 100;

/// Parses UCCI's `NAME [VALUE]`, or UCI's `name NAME [value VALUE]`, where names may be several words. Clients mix them.
fn parse_option(text: &str) -> Command {
    let (first, rest) = split_word(text);
    let is_uci = first.eq_ignore_ascii_case("name") && !rest.is_empty();
    let text = if is_uci { rest } else { text };
    let mut left = text;
    let mut words = Vec::new();
    while !left.is_empty() {
        let (word, rest) = split_word(left);
        if word.eq_ignore_ascii_case("value") && !words.is_empty() {
            return Command::SetOption {
                name: words.join(" "),
                value: Some(rest.to_owned()),
            };
        }
        words.push(word);
        left = rest;
    }
    Command::SetOption {
        name: text.to_owned(),
        value: None,
    }
}

/// Splits a text into its first word and the rest.
pub fn split_word(text: &str) -> (&str, &str) {
    let text = text.trim();
    match text.split_once(char::is_whitespace) {
        Some((word, rest)) => (word, rest.trim_start()),
        None => (text, ""),
    }
}
