//! The seam between the session and the protocols: commands come in, replies go out, and only a
//! codec knows how either is spelled.

use std::time::Duration;

use super::command::{Command, PositionText};
use super::text::TimeUnit;
use super::{go, ucci, uci};
use crate::board::Move;
use crate::search::{HashProbe, Info, Score};

/// The protocols that the engine speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protocol {
    /// Universal Chinese Chess Interface, 3.0.
    Ucci,
    /// Universal Chess Interface, with the squares of xiangqi.
    Uci,
}

impl Protocol {
    /// Who reads and writes it.
    pub(super) fn codec(self) -> &'static dyn Codec {
        match self {
            Self::Ucci => &ucci::Ucci,
            Self::Uci => &uci::Uci,
        }
    }
}

/// What the best move is said with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) enum Offer {
    /// Nothing but the move.
    #[default]
    None,
    /// A draw, offered or accepted.
    Draw,
    /// The game is given up.
    Resign,
}

/// What the engine has to say.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Reply<'a> {
    /// It listens.
    Ready,
    /// Something for the person at the other end.
    Message(&'a str),
    /// A line found.
    Line(&'a Info),
    /// The root move under examination.
    CurrentMove {
        /// The iteration.
        depth: u32,
        /// The move.
        played: Move,
        /// Its number among the root moves, from 1.
        number: usize,
    },
    /// How far the search has come.
    Progress {
        /// Nodes searched.
        nodes: u64,
        /// Time since the `go`.
        time: Duration,
    },
    /// The score of a position not searched.
    StaticScore(Score),
    /// The move to play.
    BestMove {
        /// The move.
        best: Move,
        /// The reply expected.
        ponder: Option<Move>,
        /// What goes with it.
        offer: Offer,
    },
    /// There is no move to play.
    NoBestMove,
    /// There is nothing to stop.
    NothingToStop,
    /// What the hash table knows.
    Hash(Option<HashProbe>),
    /// The end.
    Bye,
}

/// Reads and writes one protocol.
pub(super) trait Codec: Sync {
    /// Understands a line. Never fails: what cannot be read is [`Command::Unknown`], or a command
    /// that carries its faults.
    fn parse(&self, line: &str, unit: TimeUnit) -> Command;

    /// The answer to the handshake: who this is, what can be set, and that all is said.
    fn introduction(&self) -> Vec<String>;

    /// Spells a reply; `None` where the protocol stays silent. With `debug` it says more.
    fn spell(&self, reply: &Reply<'_>, debug: bool) -> Option<String>;

    /// Whether a proven mate ends a search without limits; anything else that it comes to the end of
    /// must wait for `stop`.
    fn mate_ends_infinite(&self) -> bool;
}

/// Understands the lines that UCCI and UCI have in common; gives back the verb, in lower case, and
/// the rest of any other line.
pub(super) fn parse_common(line: &str, unit: TimeUnit) -> Result<Command, (String, &str)> {
    let (verb, rest) = split_word(line);
    let verb = verb.to_ascii_lowercase();
    Ok(match verb.as_str() {
        "ucci" => Command::Handshake(Protocol::Ucci),
        "uci" => Command::Handshake(Protocol::Uci),
        "isready" => Command::IsReady,
        "setoption" => parse_option(rest),
        "position" => Command::Position(parse_position(rest)),
        "go" => Command::Go(go::parse(rest, unit)),
        "ponderhit" => Command::PonderHit {
            draw: rest.eq_ignore_ascii_case("draw"),
        },
        "stop" => Command::Stop,
        "quit" => Command::Quit,
        "ucinewgame" | "uccinewgame" | "uxinewgame" => Command::NewGame,
        _ => return Err((verb, rest)),
    })
}

/// `{fen F | startpos} [moves M…]`. Without either word the text is taken for a FEN; with both it
/// is the starting position.
pub(super) fn parse_position(text: &str) -> PositionText {
    let mut words = text.split_whitespace().peekable();
    let is = |word: &str, key: &str| word.eq_ignore_ascii_case(key);
    words.next_if(|word| is(word, "fen"));
    if words.next_if(|word| is(word, "startpos")).is_some() {
        words.next_if(|word| is(word, "moves"));
        return PositionText {
            fen: None,
            moves: words.map(str::to_owned).collect(),
        };
    }
    let fen: Vec<&str> = words
        .by_ref()
        .take_while(|word| !is(word, "moves"))
        .collect();
    PositionText {
        fen: Some(fen.join(" ")),
        moves: words.map(str::to_owned).collect(),
    }
}

/// `NAME [[value] VALUE]`, or UCI's `name NAME [value VALUE]`, where names may be several words.
fn parse_option(text: &str) -> Command {
    let (first, mut rest) = split_word(text);
    let mut name = first.to_owned();
    if let (word, value) = split_word(rest)
        && word.eq_ignore_ascii_case("value")
    {
        rest = value;
    }
    if first.eq_ignore_ascii_case("name") && !rest.is_empty() {
        let mut words = Vec::new();
        while !rest.is_empty() {
            let (word, after) = split_word(rest);
            rest = after;
            if word.eq_ignore_ascii_case("value") {
                break;
            }
            words.push(word);
        }
        name = words.join(" ");
    }
    Command::SetOption {
        name,
        value: Some(rest.to_owned()).filter(|value| !value.is_empty()),
    }
}

/// The first word of a text and what follows it.
pub(super) fn split_word(text: &str) -> (&str, &str) {
    let text = text.trim();
    match text.split_once(char::is_whitespace) {
        Some((word, rest)) => (word, rest.trim_start()),
        None => (text, ""),
    }
}

/// A line of moves.
pub(super) fn spell_line(moves: &[Move]) -> String {
    let moves: Vec<String> = moves.iter().map(Move::to_string).collect();
    moves.join(" ")
}
