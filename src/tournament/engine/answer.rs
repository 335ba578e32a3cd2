//! Answers, `info` lines and failures of engines.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::board::Move;
use crate::text::{Language, fill, printable, texts};

/// The first word of the line that ends a search.
pub const BEST_MOVE: &str = "bestmove";
/// The first word of the line that ends a search without a move.
pub const NO_MOVE: &str = "nobestmove";

/// Why an engine cannot continue.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineFailure {
    /// The tournament or the check of the engine was stopped.
    #[error("interrupted")]
    Interrupted,
    #[error("cannot be started: {0}")]
    Start(String),
    /// The engine refused the configured network and would play with another one.
    #[error("it refused its network: {0}")]
    Network(String),
    /// The process exited or closed its output.
    #[error("{0}")]
    Ended(String),
    #[error("no {awaited} within {} s", .allowed.as_millis() as f64 / 1000.0)]
    Timeout { awaited: String, allowed: Duration },
    #[error("too much output")]
    Flood,
    /// The engine speaks XBoard, and cannot be used for the given reason.
    #[error("it speaks XBoard, {0}")]
    Xboard(&'static str),
    /// Any other failure. The text is the message.
    #[error("{0}")]
    Other(String),
}

/// The move or other decision of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveChoice {
    /// The word after `bestmove` as the engine wrote it, and its move, legal or not; `None` if the word is not a move.
    Move(String, Option<Move>),
    Resign,
    /// The engine has no move, as after `nobestmove` or `bestmove (none)`.
    NoMove,
}

/// The answer to `go`.
#[derive(Clone, Debug)]
pub struct MoveAnswer {
    pub choice: MoveChoice,
    /// Whether the engine offers or accepts a draw.
    pub draw: bool,
    pub ponder: Option<Move>,
    /// Time of the request.
    pub asked: Instant,
    /// Time from the request to the answer.
    pub elapsed: Duration,
    pub info: EngineInfo,
}

/// A score for the side to move, as reported by an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EngineScore {
    /// Hundredths of the engine's unit.
    Units(i32),
    /// A mate in N moves; 0 or negative if the engine is mated.
    Mate(i32),
}

impl EngineScore {
    /// The score on one scale, on which mates are close to ±30000.
    pub fn units(self) -> i32 {
        const MATE: i32 = 30_000;
        match self {
            Self::Units(units) => units,
            Self::Mate(moves) if moves > 0 => MATE - moves.min(1000),
            Self::Mate(moves) => -MATE - moves.max(-1000),
        }
    }

    /// Converts a UCCI score, in which a mate is a large number minus the plies to the mate: 30000 for engines such as
    /// Chuhe, 10000 for ElephantEye.
    #[must_use]
    pub fn of_ucci(self) -> Self {
        /// The score of a mate on the board, and the maximum number of plies to a mate.
        const MATES: [(i32, i32); 2] = [(30_000, 1000), (10_000, 200)];
        let Self::Units(units) = self else {
            return self;
        };
        let plies = |(mate, most): (i32, i32)| {
            let plies = mate - units.abs();
            (0..=most).contains(&plies).then_some(plies)
        };
        match MATES.into_iter().find_map(plies) {
            // The side to move mates with the last of an odd number of plies.
            Some(plies) if units > 0 => Self::Mate(((plies + 1) / 2).max(1)),
            Some(plies) => Self::Mate(-(plies / 2)),
            None => self,
        }
    }
}

impl fmt::Display for EngineScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Units(units) => write!(f, "{:+.2}", f64::from(*units) / 100.0),
            Self::Mate(moves) if *moves > 0 => write!(f, "+M{moves}"),
            Self::Mate(moves) => write!(f, "-M{}", moves.unsigned_abs()),
        }
    }
}

/// The kind of a score that is a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    Lower,
    Upper,
}

/// The last reported value of each kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EngineInfo {
    /// Score for the side to move; a bound only if no exact score was reported.
    pub score: Option<EngineScore>,
    /// The kind of bound that the score is; `None` for an exact score.
    bound: Option<Bound>,
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Selective depth in plies.
    pub selective_depth: Option<u32>,
    pub nodes: Option<u64>,
    /// Use of the hash table in thousandths.
    pub hashfull: Option<u16>,
    /// Number of positions found in tablebases.
    pub tbhits: Option<u64>,
    /// The principal variation: as read from the `info` line in the engine's coordinates, but in a
    /// [`MoveAnswer`](super::MoveAnswer) converted to coordinates from a0 to i9.
    pub pv: Option<String>,
}

/// A larger depth in an `info` line is ignored.
const MAX_DEPTH: u32 = 1000;
/// A larger number of nodes or tablebase positions in an `info` line is ignored.
const MAX_NODES: u64 = 1_000_000_000_000_000;
/// Maximum length of a principal variation in bytes; the rest is dropped.
const MAX_PV: usize = 400;

impl EngineInfo {
    /// The lowest and the highest score that the report allows, see [`EngineScore::units`]. They differ if it is a
    /// bound.
    pub fn score_range(&self) -> Option<(i32, i32)> {
        let units = self.score?.units();
        Some(match self.bound {
            None => (units, units),
            Some(Bound::Lower) => (units, i32::MAX),
            Some(Bound::Upper) => (-i32::MAX, units),
        })
    }

    /// Parses an `info` line. Invalid parts and lines with a `multipv` other than 1 are ignored. Of a line with depth 0
    /// and a `pv`, only the `pv` is used: it is a book move, and the score is its weight. After an exact score, the
    /// score and the `pv` of a line with a bound are ignored.
    pub fn read(&mut self, line: &str) {
        let mut words = line.split_ascii_whitespace().skip(1);
        let mut update = Self::default();
        while let Some(word) = words.next() {
            match word {
                "pv" => {
                    let mut pv = String::new();
                    for word in words.by_ref().map(printable) {
                        if pv.len() + word.len() >= MAX_PV {
                            break;
                        }
                        if !pv.is_empty() {
                            pv.push(' ');
                        }
                        pv += &word;
                    }
                    update.pv = Some(pv).filter(|pv| !pv.is_empty());
                    break;
                }
                "string" | "message" => break,
                // The number is consumed even if it is 1.
                "multipv" if words.next().is_some_and(|n| n != "1") => return,
                "depth" => update.depth = number(words.next(), MAX_DEPTH),
                "seldepth" => update.selective_depth = number(words.next(), MAX_DEPTH),
                "nodes" => update.nodes = number(words.next(), MAX_NODES),
                "hashfull" => update.hashfull = number(words.next(), 1000),
                "tbhits" => update.tbhits = number(words.next(), MAX_NODES),
                "score" => update.score = score(&mut words),
                "lowerbound" => update.bound = Some(Bound::Lower),
                "upperbound" => update.bound = Some(Bound::Upper),
                _ => {}
            }
        }
        if update.depth == Some(0) && update.pv.is_some() {
            update = Self { pv: update.pv, ..Self::default() };
        }
        self.depth = update.depth.or(self.depth);
        self.selective_depth = update.selective_depth.or(self.selective_depth);
        self.nodes = update.nodes.or(self.nodes);
        self.hashfull = update.hashfull.or(self.hashfull);
        self.tbhits = update.tbhits.or(self.tbhits);
        // A bound does not replace an exact score, because the comments of a game show the score as exact.
        if update.bound.is_some() && self.bound.is_none() && self.score.is_some() {
            return;
        }
        if update.score.is_some() {
            (self.score, self.bound) = (update.score, update.bound);
        }
        self.pv = update.pv.or(self.pv.take());
    }
}

/// The reason why Chuhe refused an option, from its message in English or Chinese; `None` for other messages.
pub fn refusal_reason(message: &str) -> Option<&str> {
    [Language::En, Language::Zh].into_iter().find_map(|language| {
        let start = fill(language.within(texts).refused, &["setoption"]);
        message.strip_prefix(&*start)
    })
}

pub fn message(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("info")?.trim_start();
    let (kind, message) = rest.split_once(char::is_whitespace)?;
    matches!(kind, "message" | "string").then_some(message.trim_start())
}

/// Parses a number of at most `max`.
fn number<T: FromStr + PartialOrd>(word: Option<&str>, max: T) -> Option<T> {
    word?.parse().ok().filter(|number| *number <= max)
}

/// Parses `cp N`, `mate N`, or `N` alone as in UCCI.
fn score<'a>(words: &mut impl Iterator<Item = &'a str>) -> Option<EngineScore> {
    let clamp = |n: i64| n.clamp(-1_000_000, 1_000_000) as i32;
    let number = |word: Option<&str>| word?.parse::<i64>().ok().map(clamp);
    match words.next()? {
        "cp" => number(words.next()).map(EngineScore::Units),
        "mate" => number(words.next()).map(EngineScore::Mate),
        word => number(Some(word)).map(EngineScore::Units),
    }
}

/// Whether a line begins with the first word of an expected response, ignoring case.
pub fn is_response(line: &str, expected: &str) -> bool {
    let [word, wanted] = [line, expected].map(|text| text.split_ascii_whitespace().next());
    word.zip(wanted).is_some_and(|(word, wanted)| word.eq_ignore_ascii_case(wanted))
}

pub fn is_outcome(line: &str) -> bool {
    is_response(line, BEST_MOVE) || is_response(line, NO_MOVE)
}

/// The words after `bestmove`, without punctuation at their ends.
pub fn answer_words(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split_ascii_whitespace().skip(1);
    words.map(|word| word.trim_end_matches([',', ';', '.']))
}

/// Whether the word after `bestmove` means "no move", ignoring case.
pub fn is_no_move(word: &str) -> bool {
    matches!(word.to_ascii_lowercase().as_str(), "(none)" | "0000" | "none" | "null")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn info_lines_are_parsed() {
        let mut info = EngineInfo::default();
        info.read("info depth 6 seldepth 8 score -12 time 3 nodes 5000 hashfull 12 tbhits 0 pv h2e2 depth 9");
        let expected = EngineInfo {
            score: Some(EngineScore::Units(-12)),
            bound: None,
            depth: Some(6),
            selective_depth: Some(8),
            nodes: Some(5000),
            hashfull: Some(12),
            tbhits: Some(0),
            pv: Some("h2e2 depth 9".to_owned()),
        };
        assert_eq!(info, expected);
        info.read("info depth 7 seldepth 9 multipv 2 score cp 99 nodes 9 pv a0a1");
        info.read("info seldepth 1001 hashfull 1001 tbhits -1");
        info.read("info string score cp 500");
        info.read("info message depth 77");
        info.read("info depth x score cp nodes 18446744073709551616");
        info.read("info depth 4294967295 nodes 18446744073709551615");
        info.read("info");
        assert_eq!(info, expected);
        info.read("info nodes 6000 multipv 1 score mate -3");
        assert_eq!(info.score, Some(EngineScore::Mate(-3)));
        assert_eq!((info.depth, info.nodes), (Some(6), Some(6000)));
        info.read(&format!("info pv h2e2 {}", "\u{1b}".repeat(100)));
        assert_eq!(info.pv.as_deref(), Some("h2e2"), "a longer line is cut");
        info.read("info score cp 99999999999999");
        assert_eq!(info.score, Some(EngineScore::Units(1_000_000)));
    }

    /// The weights of book moves in UCCI and, translated, in XBoard; and a score without a move.
    #[test]
    fn book_moves_have_no_score() {
        for (line, score, pv) in [
            ("info depth 0 score 29991 pv h2e2", None, Some("h2e2")),
            ("info depth 0 score cp 9 time 0 nodes 0 pv h2e2", None, Some("h2e2")),
            ("info depth 0 score mate 0", Some(EngineScore::Mate(0)), None),
        ] {
            let mut info = EngineInfo::default();
            info.read(line);
            assert_eq!((info.score, info.pv.as_deref()), (score, pv), "{line}");
            assert_eq!(info.depth, score.map(|_| 0), "{line}");
        }
    }

    #[test]
    fn exact_scores_are_preferred_to_bounds() {
        let mut info = EngineInfo::default();
        for (line, score, pv) in [
            ("score cp 10 lowerbound pv a0a1", 10, "a0a1"),
            ("score cp 20 upperbound pv a0a2", 20, "a0a2"),
            ("score cp 30 pv a0a1", 30, "a0a1"),
            ("score cp -900 upperbound pv a0a2", 30, "a0a1"),
            ("score -40 pv a0a2", -40, "a0a2"),
        ] {
            info.read(&format!("info depth 7 {line}"));
            assert_eq!(info.score, Some(EngineScore::Units(score)), "{line}");
            assert_eq!(info.pv.as_deref(), Some(pv), "{line}");
            let range = match line {
                _ if line.contains("lower") => (score, i32::MAX),
                _ if line.contains("20 upper") => (-i32::MAX, score),
                _ => (score, score),
            };
            assert_eq!(info.score_range(), Some(range), "{line}");
        }
        info.read("info depth 8 score cp 900 lowerbound nodes 99");
        assert_eq!((info.depth, info.nodes), (Some(8), Some(99)));
    }

    #[test]
    fn the_reasons_of_refusals_are_found() {
        for language in [Language::En, Language::Zh] {
            let text = language.within(|| fill(texts().refused, &["setoption", "x.nnue: bad"]));
            assert_eq!(refusal_reason(&text), Some("x.nnue: bad"));
        }
        assert_eq!(refusal_reason("go refused: x"), None);
    }

    #[test]
    fn messages_are_found() {
        for (line, text) in [
            ("info message setoption refused: x", Some("setoption refused: x")),
            ("info  string\tNNUE  evaluation", Some("NNUE  evaluation")),
            ("info depth 3 string x", None),
            ("info string", None),
            ("info messages x", None),
            ("info", None),
        ] {
            assert_eq!(message(line), text, "{line}");
        }
    }

    #[test]
    fn ucci_mate_scores_are_converted() {
        for (units, text) in [
            (29_993, "+M4"),
            (29_999, "+M1"),
            (30_000, "+M1"),
            (10_000, "+M1"),
            (-29_998, "-M1"),
            (-30_000, "-M0"),
            (9_995, "+M3"),
            (-9_996, "-M2"),
            (9_799, "+97.99"),
            (28_999, "+289.99"),
            (500, "+5.00"),
        ] {
            let score = EngineScore::Units(units).of_ucci();
            assert_eq!(score.to_string(), text, "{units}");
        }
    }

    #[test]
    fn scores_are_ordered_and_formatted() {
        let scores = [
            (EngineScore::Mate(-1), "-M1"),
            (EngineScore::Mate(-9), "-M9"),
            (EngineScore::Units(-250), "-2.50"),
            (EngineScore::Units(0), "+0.00"),
            (EngineScore::Units(7), "+0.07"),
            (EngineScore::Mate(9), "+M9"),
            (EngineScore::Mate(1), "+M1"),
        ];
        assert!(scores.is_sorted_by_key(|(score, _)| score.units()));
        for (score, text) in scores {
            assert_eq!(score.to_string(), text);
        }
    }
}
