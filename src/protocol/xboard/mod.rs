//! The protocol of XBoard, version 2, for its variant xiangqi, and CXBoard, the older dialect of tsito.
//!
//! In these protocols the engine keeps the game: it knows which side it plays, takes moves back and announces results.
//! The codec does all of that; the session only sees positions and searches. If a command other than `?` interrupts a
//! search, the move of that search is discarded.

mod commands;
mod game;
#[cfg(test)]
mod tests;
mod time;

use std::time::Instant;

use super::codec::{Codec, Command, GameAction, Reply};
use super::options::Preferences;
use super::text::{Ranks, centipawns, one_line};
use crate::board::{Color, Move};
use crate::book::BookMove;
use crate::rules::Game;
use crate::search::{Bound, Info, Meaning, Report, Settings};
use time::XboardClock;

/// The score of a mate in N moves is this plus N, negated if the side to move is mated.
const MATE: i64 = 100_000;

/// The purpose of the search in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Play,
    Ponder,
    Analyze,
}

/// The progress of an analysis, for the answer to `.`.
#[derive(Clone, Copy, Debug)]
struct AnalysisStatus {
    began: Instant,
    depth: u32,
    nodes: u64,
    /// The root move being searched and its number, from 1.
    current: Option<(Move, usize)>,
}

impl AnalysisStatus {
    fn new() -> Self {
        Self { began: Instant::now(), depth: 0, nodes: 0, current: None }
    }

    fn update(&mut self, report: &Report) {
        match *report {
            Report::Line(ref info) => {
                if info.depth != self.depth {
                    self.current = None;
                }
                (self.depth, self.nodes) = (info.depth, info.nodes);
            }
            Report::CurrentMove { depth, played, number } => {
                (self.depth, self.current) = (depth, Some((played, number)))
            }
            Report::Progress { nodes, .. } => self.nodes = nodes,
            Report::Refutation(_) | Report::CurrentLines(_) => {}
        }
    }

    /// `stat01: TIME NODES DEPTH MOVES-LEFT MOVES MOVE` in a position with `moves` legal moves, the time in
    /// hundredths of a second. MOVE is missing until the search reports a root move at this depth.
    fn line(&self, moves: usize) -> String {
        let Self { began, depth, nodes, current } = self;
        let time = began.elapsed().as_millis() / 10;
        let (left, name) = match current {
            Some((played, number)) => (moves.saturating_sub(*number), format!(" {played}")),
            None => (moves, String::new()),
        };
        format!("stat01: {time} {nodes} {depth} {left} {moves}{name}")
    }
}

#[derive(Debug)]
pub struct XBoard {
    /// Whether the dialect is CXBoard: the sides are red and blue, and the commands of tsito are understood.
    is_cxboard: bool,
    /// The FEN of the first position, `None` for the starting position.
    start: Option<String>,
    game: Game,
    /// Whether the client's position or a move of the game is illegal. Then there is no search and no move until the
    /// client sets another position or takes back the illegal moves.
    is_invalid: bool,
    /// The side that the engine plays; `None` in force mode.
    engine: Option<Color>,
    analyzing: bool,
    time: XboardClock,
    pondering: bool,
    /// Whether to send thinking output (`post`). An analysis always sends it.
    posting: bool,
    /// Whether the opponent has offered a draw since the engine's last move.
    draw_offered: bool,
    /// Whether the rating of the opponent in this game is known.
    is_rated: bool,
    /// Whether to show the board after each move (`console`).
    console: bool,
    purpose: Option<Purpose>,
    status: AnalysisStatus,
    /// The number of stopped searches whose moves are to be discarded.
    discarded: u32,
    /// The arguments of `ping`s to answer after the move.
    pings: Vec<String>,
    /// The reply that the engine expects, for `hint` and for pondering.
    expected: Option<Move>,
    promotion: bool,
    /// The settings of the search, of which only the rule set and the no-capture limit are used here.
    settings: Settings,
    /// Whether the game is over: by the rules, by resignation, on time or by the command `result`.
    over: bool,
    /// When the turn of the side to move began.
    turn_began: Instant,
    /// Commands that the session must execute after the last reply, such as pondering.
    follow_up: Vec<Command>,
}

impl XBoard {
    pub fn new(is_cxboard: bool) -> Self {
        Self {
            is_cxboard,
            start: None,
            game: Game::startpos(),
            is_invalid: false,
            engine: Some(Color::Black),
            analyzing: false,
            time: XboardClock::default(),
            pondering: false,
            posting: false,
            draw_offered: false,
            is_rated: false,
            console: false,
            purpose: None,
            status: AnalysisStatus::new(),
            discarded: 0,
            pings: Vec::new(),
            expected: None,
            promotion: false,
            settings: Settings::default(),
            over: false,
            turn_began: Instant::now(),
            follow_up: Vec::new(),
        }
    }

    fn side(&self, color: Color) -> &'static str {
        match (color, self.is_cxboard) {
            (Color::Red, false) => "White",
            (Color::Black, false) => "Black",
            (Color::Red, true) => "red",
            (Color::Black, true) => "blue",
        }
    }

    /// Adopts the options about the rules, and parses the game again if the promotion variant has been switched on or
    /// off.
    fn follow_preferences(&mut self, preferences: &Preferences) {
        if self.promotion != preferences.promotion {
            self.promotion = preferences.promotion;
            self.parse_again();
        }
        self.settings = preferences.search;
    }

    fn shows_lines(&self) -> bool {
        self.posting || self.analyzing
    }

    /// Resigns, or plays the engine's move and then ponders. The move of an analysis or a ponder search is ignored.
    fn on_best_move(
        &mut self,
        best: Move,
        expected: Option<Move>,
        action: GameAction,
    ) -> Vec<String> {
        let mut lines = Vec::new();
        let is_played = self.purpose.take() == Some(Purpose::Play);
        if is_played && action == GameAction::Resign {
            self.over = true;
            lines.push("resign".to_owned());
        } else if is_played {
            if action == GameAction::Draw {
                lines.push("offer draw".to_owned());
            }
            match self.game.push(best) {
                Ok(()) => {
                    lines.push(format!("move {best}"));
                    self.expected = expected;
                    lines.extend(self.after_move());
                    self.follow_up = self.ponder();
                }
                Err(error) => lines.push(format!("Error ({error}): move {best}")),
            }
        }
        lines.extend(self.pongs());
        lines
    }

    /// The answers to the `ping`s that wait for the move.
    fn pongs(&mut self) -> Vec<String> {
        let pings = std::mem::take(&mut self.pings);
        pings.iter().map(|number| format!("pong {number}")).collect()
    }
}

impl Codec for XBoard {
    fn parse(&mut self, line: &str, preferences: &Preferences) -> Vec<Command> {
        self.follow_preferences(preferences);
        self.parse_line(line)
    }

    fn parse_overlong(&mut self, head: &str, _preferences: &Preferences) -> Command {
        // The line is not parsed, because parsing can change the game.
        Command::Unknown(head.to_owned())
    }

    fn handshake_answer(&mut self) -> Vec<String> {
        // XBoard asks for the features with `protover`; the blank line answers `xboard`.
        let name = concat!("Chuhe ", env!("CARGO_PKG_VERSION"));
        vec![if self.is_cxboard { name } else { "" }.to_owned()]
    }

    fn format(&mut self, reply: &Reply<'_>, preferences: &Preferences) -> Vec<String> {
        self.follow_preferences(preferences);
        let is_discarded = self.discarded > 0;
        if let (Reply::Search { report, .. }, false) = (reply, is_discarded) {
            self.status.update(report);
        }
        match reply {
            Reply::BestMove { .. } | Reply::NoBestMove if is_discarded => {
                self.discarded -= 1;
                Vec::new()
            }
            Reply::BestMove { best, ponder, action } => self.on_best_move(*best, *ponder, *action),
            Reply::NoBestMove => {
                self.purpose = None;
                self.pongs()
            }
            Reply::Search { report: Report::Line(info), .. }
                if self.shows_lines() && !is_discarded =>
            {
                format_thinking(info).into_iter().collect()
            }
            Reply::BookMove { played, weight, .. } if self.shows_lines() && !is_discarded => {
                // Larger scores are mates.
                let weight = i64::from(*weight).min(MATE - 1);
                vec![format!("0 {weight} 0 0 {played}")]
            }
            Reply::BookContents(moves) => format_book(moves),
            Reply::Message(text) => vec![format!("# {}", one_line(text))],
            _ => Vec::new(),
        }
    }

    fn follow_up(&mut self) -> Vec<Command> {
        std::mem::take(&mut self.follow_up)
    }
}

/// A line for each move, which begins with a tab, and an empty line at the end.
fn format_book(moves: &[BookMove]) -> Vec<String> {
    let mut lines: Vec<String> = (moves.iter())
        .map(|BookMove { played, weight, .. }| format!("\t{played} {weight}"))
        .collect();
    if lines.is_empty() {
        lines.push("\tno book moves".to_owned());
    }
    lines.push(String::new());
    lines
}

/// `DEPTH SCORE TIME NODES PV`, the time in hundredths of a second; `None` for a bound, which XBoard cannot express.
fn format_thinking(info: &Info) -> Option<String> {
    let score = match info.score.meaning() {
        Meaning::Evaluation(_) => i64::from(centipawns(info.score)),
        Meaning::Mates(plies) => MATE + i64::from(plies.div_ceil(2)),
        Meaning::Mated(plies) => -MATE - i64::from(plies.div_ceil(2)),
    };
    (info.bound == Bound::Exact).then(|| {
        let (depth, nodes) = (info.depth, info.nodes);
        let time = info.time.as_millis() / 10;
        format!("{depth} {score} {time} {nodes} {}", Ranks::FromZero.format_line(&info.pv))
    })
}
