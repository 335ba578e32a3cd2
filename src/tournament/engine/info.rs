//! What engines say while they think.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::text::printable;

/// A score for the side to move, as the engine gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EngineScore {
    /// In hundredths of the engine's own unit.
    Units(i32),
    /// A mate in so many moves, negative when the engine is mated.
    Mate(i32),
}

impl EngineScore {
    /// As a number on one scale, where a mate is close to 30000.
    pub fn units(self) -> i32 {
        const MATE: i32 = 30_000;
        match self {
            Self::Units(units) => units,
            Self::Mate(moves) if moves > 0 => MATE - moves.min(1000),
            Self::Mate(moves) => -MATE - moves.max(-1000),
        }
    }
}

impl EngineScore {
    /// The score of an engine that speaks UCCI, where a mate is a number that is close to the largest
    /// one: 30000 for engines such as Chuhe, 10000 for ElephantEye, less the plies to the mate.
    #[must_use]
    pub fn of_ucci(self) -> Self {
        /// The score of a mate on the board, and the most plies to one.
        const MATES: [(i32, i32); 2] = [(30_000, 1000), (10_000, 200)];
        let Self::Units(units) = self else {
            return self;
        };
        let plies = |(mate, most): (i32, i32)| {
            let plies = mate - units.abs();
            (0..=most).contains(&plies).then_some(plies)
        };
        match MATES.into_iter().find_map(plies) {
            // The side to move mates with the last of an odd number of plies, one at least.
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

/// The text is no score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a score (+0.31, -M5)")]
pub struct ParseScoreError;

impl FromStr for EngineScore {
    type Err = ParseScoreError;

    /// Reads what [`Display`](fmt::Display) writes.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let score = match text.split_once('M') {
            Some(("+", moves)) => moves.parse().ok().map(|n: u16| Self::Mate(n.into())),
            Some(("-", moves)) => moves.parse().ok().map(|n: u16| Self::Mate(-i32::from(n))),
            Some(_) => None,
            None => text
                .parse()
                .ok()
                .filter(|units: &f64| units.abs() <= 10_000.0)
                .map(|units| Self::Units((units * 100.0).round() as i32)),
        };
        score.ok_or(ParseScoreError)
    }
}

/// The last that was said of each thing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EngineInfo {
    /// The score that the engine last gave, for its own side.
    pub score: Option<EngineScore>,
    /// The depth that it last gave, in plies.
    pub depth: Option<u32>,
    /// The nodes that it last gave.
    pub nodes: Option<u64>,
    /// The principal variation: as the engine writes moves while it is read, in coordinates from a0 to i9
    /// in an answer.
    pub pv: Option<String>,
}

/// Greatest depth that is accepted, in plies.
const DEEPEST: u32 = 1000;
/// No search has more nodes, months of work of the largest machines.
const MOST_NODES: u64 = 1_000_000_000_000_000;
/// Of a principal variation no more is kept, in bytes.
const LONGEST_PV: usize = 400;

impl EngineInfo {
    /// Takes in a line that begins with `info`. What cannot be read is passed over, lines of second
    /// best moves as well.
    pub fn read(&mut self, line: &str) {
        let mut words = line.split_ascii_whitespace().skip(1);
        let mut news = Self::default();
        while let Some(word) = words.next() {
            match word {
                "pv" => {
                    let mut pv = String::new();
                    for word in words.by_ref() {
                        if pv.len() + word.len() >= LONGEST_PV {
                            break;
                        }
                        if !pv.is_empty() {
                            pv.push(' ');
                        }
                        pv += &printable(word);
                    }
                    news.pv = Some(pv).filter(|pv| !pv.is_empty());
                    break;
                }
                "string" | "message" => break,
                "multipv" if words.next().is_some_and(|n| n != "1") => return,
                "depth" => news.depth = number(words.next()).filter(|depth| *depth <= DEEPEST),
                "nodes" => news.nodes = number(words.next()).filter(|nodes| *nodes <= MOST_NODES),
                "score" => news.score = score(&mut words),
                _ => {}
            }
        }
        self.score = news.score.or(self.score);
        self.depth = news.depth.or(self.depth);
        self.nodes = news.nodes.or(self.nodes);
        self.pv = news.pv.or(self.pv.take());
    }
}

/// The words to the user in a line that begins with `info`, if it has nothing else.
pub(super) fn message(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("info")?.trim_start();
    let (kind, message) = rest.split_once(char::is_whitespace)?;
    matches!(kind, "message" | "string").then_some(message.trim_start())
}

fn number<T: FromStr>(word: Option<&str>) -> Option<T> {
    word?.parse().ok()
}

/// `cp N`, `mate N`, or `N` alone as UCCI has it.
fn score<'a>(words: &mut impl Iterator<Item = &'a str>) -> Option<EngineScore> {
    let clamp = |n: i64| n.clamp(-1_000_000, 1_000_000) as i32;
    let number = |word: Option<&str>| word?.parse::<i64>().ok().map(clamp);
    match words.next()? {
        "cp" => number(words.next()).map(EngineScore::Units),
        "mate" => number(words.next()).map(EngineScore::Mate),
        word => number(Some(word)).map(EngineScore::Units),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_all_engines_are_read() {
        let mut info = EngineInfo::default();
        info.read("info depth 6 score -12 time 3 nodes 5000 pv h2e2 depth 9");
        let expected = EngineInfo {
            score: Some(EngineScore::Units(-12)),
            depth: Some(6),
            nodes: Some(5000),
            pv: Some("h2e2 depth 9".to_owned()),
        };
        assert_eq!(info, expected);
        info.read("info depth 7 seldepth 9 multipv 2 score cp 99 nodes 9 pv a0a1");
        info.read("info string score cp 500");
        info.read("info message depth 77");
        info.read("info depth x score cp nodes 18446744073709551616");
        info.read("info depth 4294967295 nodes 18446744073709551615");
        info.read("info");
        assert_eq!(info, expected);
        info.read("info nodes 6000 multipv 1 score mate -3");
        assert_eq!(info.score, Some(EngineScore::Mate(-3)));
        assert_eq!((info.depth, info.nodes), (Some(6), Some(6000)));
        info.read("info score cp 99999999999999");
        assert_eq!(info.score, Some(EngineScore::Units(1_000_000)));
    }

    #[test]
    fn words_to_the_user_are_found() {
        for (line, words) in [
            (
                "info message setoption refused: x",
                Some("setoption refused: x"),
            ),
            ("info  string\tNNUE  evaluation", Some("NNUE  evaluation")),
            ("info depth 3 string x", None),
            ("info string", None),
            ("info messages x", None),
            ("info", None),
        ] {
            assert_eq!(message(line), words, "{line}");
        }
    }

    #[test]
    fn mates_of_ucci_are_written_as_those_of_uci() {
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
    fn scores_are_ordered_and_written() {
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
