//! The protocol of XBoard, version 2, for its variant xiangqi, and CXBoard, the older dialect of tsito.
//!
//! In these protocols the engine keeps the game: it records which side it plays, takes moves back and
//! announces results. The codec does all of that, so that the session sees positions and searches only.
//! A command that interrupts a search stops it, and its move is dropped.

mod answers;
mod commands;
mod features;
mod play;
mod status;
#[cfg(test)]
mod tests;
mod time;

use std::time::Instant;

use super::codec::Codec;
use super::command::Command;
use super::options::Preferences;
use super::reply::Reply;
use crate::board::{Color, Move};
use crate::rules::{Game, RuleSet};
use status::AnalysisStatus;
use time::XboardClock;

/// Which of the two protocols is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// XBoard: sides are white and black, moves follow `usermove`.
    XBoard,
    /// CXBoard of tsito: sides are red and blue, moves stand alone.
    CxBoard,
}

impl Dialect {
    /// What the dialect calls a side.
    fn side(self, color: Color) -> &'static str {
        match (self, color) {
            (Self::XBoard, Color::Red) => "White",
            (Self::XBoard, Color::Black) => "Black",
            (Self::CxBoard, Color::Red) => "red",
            (Self::CxBoard, Color::Black) => "blue",
        }
    }
}

/// What the search under way is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// The engine's move.
    Play,
    /// The engine's move after the opponent's, which is expected to be this one.
    Ponder(Move),
    /// Lines for the user.
    Analyse,
}

/// The codec of both dialects.
#[derive(Debug)]
pub(super) struct XBoard {
    dialect: Dialect,
    /// The FEN where the game begins, `None` for the starting position.
    start: Option<String>,
    game: Game,
    /// The side that the engine plays; `None` in force mode.
    engine: Option<Color>,
    analysing: bool,
    time: XboardClock,
    /// Whether to think on the opponent's time.
    pondering: bool,
    /// Whether to show lines.
    posting: bool,
    /// Whether the opponent has offered a draw since the engine's last move.
    draw_offered: bool,
    /// Whether a person reads: the board is shown after each move.
    console: bool,
    purpose: Option<Purpose>,
    /// How far the analysis under way has come.
    status: AnalysisStatus,
    /// Searches that were stopped and whose moves are not wanted.
    dropped: u32,
    /// Numbers of `ping` to answer after the move.
    pings: Vec<String>,
    /// The reply that the engine expects, for `hint`.
    expected: Option<Move>,
    /// Whether the promotion variant is played.
    promotion: bool,
    /// The rules that decide games.
    rules: RuleSet,
    /// Whether too many plies without a capture are a draw.
    no_capture_draws: bool,
    /// Whether a result has been announced.
    over: bool,
    /// When the side to move got the move.
    turn_began: Instant,
    /// Commands that follow the last answer.
    follow_up: Vec<Command>,
}

impl XBoard {
    /// A new conversation.
    pub(super) fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            start: None,
            game: Game::startpos(),
            engine: Some(Color::Black),
            analysing: false,
            time: XboardClock::default(),
            pondering: false,
            posting: false,
            draw_offered: false,
            console: false,
            purpose: None,
            status: AnalysisStatus::new(),
            dropped: 0,
            pings: Vec::new(),
            expected: None,
            promotion: false,
            rules: RuleSet::default(),
            no_capture_draws: true,
            over: false,
            turn_began: Instant::now(),
            follow_up: Vec::new(),
        }
    }
}

impl XBoard {
    /// Takes over what options say of the rules. The game is read again where they change how pieces move.
    fn follow_preferences(&mut self, preferences: &Preferences) {
        if self.promotion != preferences.promotion {
            self.promotion = preferences.promotion;
            self.read_again();
        }
        self.rules = preferences.search.rules;
        self.no_capture_draws = preferences.search.no_capture_draws;
    }
}

impl Codec for XBoard {
    fn parse(&mut self, line: &str, preferences: &Preferences) -> Vec<Command> {
        self.follow_preferences(preferences);
        self.parse_line(line)
    }

    fn parse_overlong(&mut self, head: &str, _preferences: &Preferences) -> Command {
        // A line that is parsed plays on the game.
        Command::Unknown(head.to_owned())
    }

    fn handshake(&mut self) -> Vec<String> {
        match self.dialect {
            // XBoard asks for features by `protover`; a blank line is no answer to anything.
            Dialect::XBoard => vec![String::new()],
            Dialect::CxBoard => vec![concat!("Chuhe ", env!("CARGO_PKG_VERSION")).to_owned()],
        }
    }

    fn format(&mut self, reply: &Reply<'_>, preferences: &Preferences) -> Vec<String> {
        self.follow_preferences(preferences);
        self.format_reply(reply)
    }

    fn follow_up(&mut self) -> Vec<Command> {
        std::mem::take(&mut self.follow_up)
    }

    fn mate_ends_infinite(&self) -> bool {
        false
    }
}
