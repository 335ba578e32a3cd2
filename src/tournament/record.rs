//! What is kept of a game.
//!
//! The names of the serialized fields below, and of the variants of [`EndReason`] and [`EngineScore`],
//! are keys of journals. They stay as they are whatever the rest of the program calls these things; a
//! change of form raises the version of journals.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::end_reason::EndReason;
use super::engine::EngineScore;
use crate::board::{ByColor, Move, Position};
use crate::movegen::is_legal;
use crate::notation::pgn::{GameResult, PgnGame};
use crate::notation::{Line, MoveStyle, fen};

/// A move as it was played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MoveRecord {
    /// A legal move of the position before it.
    #[serde(rename = "move", with = "coordinates")]
    pub played: Move,
    /// Score for the mover.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<EngineScore>,
    /// The depth that the engine gave, in plies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// The nodes that the engine gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Microseconds thought; `None` for a move of the opening.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub micros: Option<u64>,
    /// Milliseconds left on the clock after the move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_ms: Option<u64>,
    /// The principal variation in coordinates from a0 to i9; kept where it is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pv: Option<String>,
}

impl MoveRecord {
    /// A move that the opening gives and no engine has thought about.
    pub fn opening(played: Move) -> Self {
        Self {
            played,
            score: None,
            depth: None,
            nodes: None,
            micros: None,
            left_ms: None,
            pv: None,
        }
    }

    /// The time thought.
    pub fn time(&self) -> Option<Duration> {
        self.micros.map(Duration::from_micros)
    }

    /// The comment in a PGN with all that is known: `+0.31/12 0.502s, n=26007, nps=51807, tl=9.498s,
    /// pv="炮二平五 马8进7"`, the variation in the notation of the record and as far as it is legal.
    pub fn detailed_comment(&self, position: &Position, style: MoveStyle) -> String {
        let mut comment = self.comment();
        let mut add = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                comment += &format!(", {name}={value}");
            }
        };
        add("n", self.nodes.map(|nodes| nodes.to_string()));
        let speed = || {
            let micros = self.micros.filter(|micros| *micros > 0)?;
            Some(u128::from(self.nodes?) * 1_000_000 / u128::from(micros))
        };
        add("nps", speed().map(|speed| speed.to_string()));
        let left = self.left_ms.map(Duration::from_millis);
        add("tl", left.map(|left| format!("{:.3}s", left.as_secs_f64())));
        add("pv", self.variation(position, style));
        comment
    }

    /// The principal variation, in quotes.
    fn variation(&self, position: &Position, style: MoveStyle) -> Option<String> {
        let mut position = position.clone();
        let mut words = Vec::new();
        for word in self.pv.as_deref()?.split(' ') {
            let read: Option<Move> = word.parse().ok();
            let Some(m) = read.filter(|m| is_legal(&position, *m)) else {
                break;
            };
            words.push(style.write(&position, m));
            position.make(m);
        }
        (!words.is_empty()).then(|| format!("\"{}\"", words.join(" ")))
    }

    /// The comment in a PGN: `+0.31/12 0.502s`, `book` for a move of the opening.
    pub fn comment(&self) -> String {
        let Some(time) = self.time() else {
            return "book".to_owned();
        };
        let score = self.score.map_or("?".to_owned(), |score| score.to_string());
        let depth = self.depth.map_or("?".to_owned(), |depth| depth.to_string());
        format!("{score}/{depth} {:.3}s", time.as_secs_f64())
    }
}

impl MoveRecord {
    /// A move with what its comment in a PGN tells; one that cannot be read is that of an opening.
    pub fn of_comment(played: Move, comment: &str) -> Self {
        let read = || {
            let comment = comment.split(',').next()?;
            let (values, time) = comment.split_once(' ')?;
            let (score, depth) = values.split_once('/')?;
            let seconds: f64 = time.strip_suffix('s')?.parse().ok()?;
            let time = Duration::try_from_secs_f64(seconds).ok()?;
            let known = |text: &str| text != "?";
            let score = match known(score) {
                true => Some(score.parse().ok()?),
                false => None,
            };
            let depth = match known(depth) {
                true => Some(depth.parse().ok()?),
                false => None,
            };
            Some(Self {
                score,
                depth,
                micros: u64::try_from(time.as_micros()).ok(),
                ..Self::opening(played)
            })
        };
        read().unwrap_or_else(|| Self::opening(played))
    }
}

/// A game as it was played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// Its number in the schedule, from 0.
    pub number: u64,
    /// The engines of red and of black, as numbers in the list of all.
    pub players: ByColor<usize>,
    /// Where it began.
    pub start: String,
    /// The moves, those of the opening included.
    pub moves: Vec<MoveRecord>,
    /// Who has won.
    #[serde(with = "result")]
    pub result: GameResult,
    /// Which rule or fault ended the game.
    pub reason: EndReason,
    /// More about it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// The longest that each side went beyond its clock, in microseconds.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub overrun: ByColor<Option<u64>>,
}

/// A game without its moves, of which a long tournament has many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameSummary {
    /// Its number in the schedule, from 0.
    pub number: u64,
    /// The engines of red and of black, as numbers in the list of all.
    pub players: ByColor<usize>,
    /// Who has won.
    pub result: GameResult,
    /// Which rule or fault ended the game.
    pub reason: EndReason,
    /// More about it.
    pub detail: String,
    /// Its length in plies, those of the opening included.
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
    /// What an engine has scored in halves of a point: 0, 1 or 2.
    pub fn half_points(&self, engine: usize) -> usize {
        half_points(self.result, self.players, engine)
    }
}

/// What an engine has scored in halves of a point: 0, 1 or 2.
fn half_points(result: GameResult, players: ByColor<usize>, engine: usize) -> usize {
    match result.winner() {
        None => 1,
        Some(winner) if players[winner] == engine => 2,
        Some(_) => 0,
    }
}

fn is_nothing(overrun: &ByColor<Option<u64>>) -> bool {
    overrun.iter().all(Option::is_none)
}

impl GameRecord {
    /// What an engine has scored in halves of a point: 0, 1 or 2.
    pub fn half_points(&self, engine: usize) -> usize {
        half_points(self.result, self.players, engine)
    }

    /// The loser, if there is one.
    pub fn loser(&self) -> Option<usize> {
        let winner = self.result.winner()?;
        Some(self.players[!winner])
    }

    /// The game for a PGN, with the tags given; with `details`, its comments tell nodes, speed, time left
    /// and variations in that notation.
    ///
    /// # Errors
    /// The record has been tampered with: where it begins is no position.
    pub fn pgn(
        &self,
        tags: Vec<(String, String)>,
        details: Option<MoveStyle>,
    ) -> Result<PgnGame, fen::FenError> {
        let start = fen::parse_position(&self.start)?;
        let mut position = start.clone();
        let comments = self.moves.iter().map(|m| {
            let comment = match details {
                Some(style) => m.detailed_comment(&position, style),
                None => m.comment(),
            };
            position.make(m.played);
            comment
        });
        let comments = comments.collect();
        let moves = self.moves.iter().map(|m| m.played).collect();
        Ok(PgnGame {
            tags,
            line: Line { start, moves },
            comments,
            result: self.result,
        })
    }
}

/// Moves as coordinates.
mod coordinates {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::board::Move;

    pub(super) fn serialize<S: Serializer>(m: &Move, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(m)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(source: D) -> Result<Move, D::Error> {
        String::deserialize(source)?
            .parse()
            .map_err(D::Error::custom)
    }
}

/// Results as `1-0`.
mod result {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::notation::pgn::GameResult;

    pub(super) fn serialize<S: Serializer>(r: &GameResult, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(r.text())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<GameResult, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}
