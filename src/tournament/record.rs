//! Game records, and their moves in PGN.
//!
//! The serialized field names below, and the variants of [`EndReason`] and [`EngineScore`], are keys of the
//! journal: changing them requires a new journal version.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::end_reason::{EndReason, Ending};
use super::engine::EngineScore;
use crate::board::{ByColor, Move, Position};
use crate::movegen::is_legal;
use crate::notation::MoveStyle;
use crate::notation::fen::{self, FenError};
use crate::notation::pgn::GameResult;
use crate::notation::tree::{AnnotatedMove, GameTree, ROOT};

/// A move of a game with the data that the engine reported.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MoveRecord {
    #[serde(rename = "move")]
    pub played: Move,
    /// Score for the side that played the move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<EngineScore>,
    /// Reported depth, in plies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Thinking time in microseconds; `None` for a move of the opening.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub micros: Option<u64>,
    /// Milliseconds left on the clock after the move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_ms: Option<u64>,
    /// Reported selective depth in plies. This field and the next ones are set only if details are recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selective_depth: Option<u32>,
    /// Use of the hash table in thousandths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hashfull: Option<u16>,
    /// Number of positions found in tablebases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tbhits: Option<u64>,
    /// The principal variation in coordinates from a0 to i9.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pv: Option<String>,
}

impl MoveRecord {
    pub fn opening(played: Move) -> Self {
        Self { played, ..Self::default() }
    }

    pub fn time(&self) -> Option<Duration> {
        self.micros.map(Duration::from_micros)
    }

    /// The PGN comment with all details, with the names that fastchess uses:
    /// `+0.31/12 0.502s, n=26007, sd=20, nps=51807, hashfull=5, tbhits=0, tl=9.498s, pv="炮二平五 马8进7"`.
    pub fn detailed_comment(&self, position: &Position, style: MoveStyle) -> String {
        let mut comment = self.comment();
        let mut add = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                comment += &format!(", {name}={value}");
            }
        };
        add("n", self.nodes.map(|nodes| nodes.to_string()));
        add("sd", self.selective_depth.map(|depth| depth.to_string()));
        let speed = || {
            let micros = self.micros.filter(|micros| *micros > 0)?;
            Some(u128::from(self.nodes?) * 1_000_000 / u128::from(micros))
        };
        add("nps", speed().map(|speed| speed.to_string()));
        add("hashfull", self.hashfull.map(|used| used.to_string()));
        add("tbhits", self.tbhits.map(|hits| hits.to_string()));
        let left = self.left_ms.map(Duration::from_millis);
        add("tl", left.map(|left| format!("{:.3}s", left.as_secs_f64())));
        add("pv", self.variation(position, style));
        comment
    }

    /// The principal variation in quotes, up to its first illegal move.
    fn variation(&self, position: &Position, style: MoveStyle) -> Option<String> {
        let mut after = position.clone();
        let legal = self.pv.as_deref()?.split(' ').map_while(|word| {
            let m: Move = word.parse().ok().filter(|m| is_legal(&after, *m))?;
            after.make(m);
            Some(m)
        });
        let moves: Vec<Move> = legal.collect();
        (!moves.is_empty()).then(|| format!("\"{}\"", style.write_line(position, &moves)))
    }

    /// The PGN comment: `+0.31/12 0.502s`, or `book` for a move of the opening.
    pub fn comment(&self) -> String {
        let Some(time) = self.time() else {
            return "book".to_owned();
        };
        let score = self.score.map_or("?".to_owned(), |score| score.to_string());
        let depth = self.depth.map_or("?".to_owned(), |depth| depth.to_string());
        format!("{score}/{depth} {:.3}s", time.as_secs_f64())
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// Index in the schedule, from 0.
    pub number: u64,
    /// Indexes of the engines that played red and black.
    pub players: ByColor<usize>,
    /// FEN of the first position.
    pub start: String,
    /// All moves, including the opening.
    pub moves: Vec<MoveRecord>,
    pub result: GameResult,
    pub reason: EndReason,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// The largest time overrun of each side without the time of stalls, in microseconds.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub overrun: ByColor<Option<u64>>,
    /// Starting time of the game, in seconds since 1970 (UTC).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<i64>,
    /// Duration of the game, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// The programs that played: name, protocol and options.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub engines: ByColor<Option<String>>,
}

/// A game without its moves, to save memory in long tournaments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameSummary {
    /// Index in the schedule, from 0.
    pub number: u64,
    /// Indexes of the engines that played red and black.
    pub players: ByColor<usize>,
    pub result: GameResult,
    pub reason: EndReason,
    pub detail: String,
    /// Length in plies, including the opening.
    pub plies: usize,
}

impl From<&GameRecord> for GameSummary {
    fn from(record: &GameRecord) -> Self {
        Self {
            number: record.number,
            players: record.players,
            result: record.result,
            reason: record.reason,
            detail: record.detail.clone(),
            plies: record.moves.len(),
        }
    }
}

impl GameSummary {
    pub fn half_points(&self, engine: usize) -> usize {
        half_points(self.result, self.players, engine)
    }
}

/// The score of an engine in half points: 0, 1 or 2.
fn half_points(result: GameResult, players: ByColor<usize>, engine: usize) -> usize {
    match result.winner() {
        None => 1,
        Some(winner) if players[winner] == engine => 2,
        Some(_) => 0,
    }
}

fn is_nothing<T>(values: &ByColor<Option<T>>) -> bool {
    values.iter().all(Option::is_none)
}

impl GameRecord {
    /// The record of a game, without its starting time, duration, time overruns and descriptions of the engines.
    pub fn new(
        number: u64,
        players: ByColor<usize>,
        start: &Position,
        moves: Vec<MoveRecord>,
        ending: Ending,
    ) -> Self {
        Self {
            number,
            players,
            start: fen::write_position(start),
            moves,
            result: ending.result,
            reason: ending.reason,
            detail: ending.detail,
            overrun: ByColor::default(),
            started: None,
            duration_ms: None,
            engines: ByColor::default(),
        }
    }

    pub fn half_points(&self, engine: usize) -> usize {
        half_points(self.result, self.players, engine)
    }

    /// Converts the record to a game tree with these tags. With `details` the comments contain everything that is
    /// recorded about the search, and the principal variation is in that notation.
    pub fn to_tree(
        &self,
        tags: Vec<(String, String)>,
        details: Option<MoveStyle>,
    ) -> Result<GameTree, FenError> {
        let mut position = fen::parse_position(&self.start)?;
        let mut game = GameTree::new(position.clone());
        game.tags = tags;
        game.result = self.result;
        let mut last = ROOT;
        for m in &self.moves {
            let comment = match details {
                Some(style) => m.detailed_comment(&position, style),
                None => m.comment(),
            };
            position.make(m.played);
            let annotated = AnnotatedMove { comment, ..AnnotatedMove::new(m.played) };
            last = game.moves.add(last, annotated);
        }
        Ok(game)
    }
}
