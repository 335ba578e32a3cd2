//! Requests and replies of the cloud API: parameters with the semantics of PHP, and replies byte for byte as clients of
//! the public library expect them.

use std::fmt;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::json;

use super::score::{FINAL, MATE, win_rate};
use crate::board::Move;

/// Names and values of the parameters of a URL, followed by those of a form.
#[derive(Clone, Debug, Default)]
pub struct QueryParameters(pub Vec<(String, String)>);

impl QueryParameters {
    /// Parses the query of a URL or a form. Invalid UTF-8 becomes U+FFFD.
    pub fn parse(text: &[u8]) -> Self {
        Self(form_urlencoded::parse(text).into_owned().collect())
    }

    /// Adds parameters that take precedence over these.
    #[must_use]
    pub fn with(mut self, more: Self) -> Self {
        self.0.extend(more.0);
        self
    }

    /// The last value of a parameter, so that the form takes precedence over the URL.
    pub fn get(&self, name: &str) -> Option<&str> {
        let named = self.0.iter().rev().find(|(n, _)| n == name);
        named.map(|(_, value)| &**value)
    }

    /// The value of a parameter; `None` for `""` and `"0"` too, which PHP considers empty.
    pub fn get_nonempty(&self, name: &str) -> Option<&str> {
        self.get(name).filter(|value| !matches!(*value, "" | "0"))
    }

    /// The parameter `move`, without the prefix `move:` that moves have in replies; empty if it is absent.
    pub fn move_text(&self) -> &str {
        let text = self.get("move").unwrap_or("");
        text.strip_prefix("move:").unwrap_or(text)
    }

    /// A boolean parameter; `default` if it is absent.
    pub fn is_on(&self, name: &str, default: bool) -> bool {
        let is_on = |value: &str| {
            let values = ["1", "true", "on", "yes"];
            values.iter().any(|on| value.eq_ignore_ascii_case(on))
        };
        self.get(name).map_or(default, is_on)
    }

    /// Whether the reply is JSON.
    pub fn is_json(&self) -> bool {
        self.is_on("json", false)
    }

    /// The moves of `ban`, as in `move:c3c4|move:b2e2`. The first five bytes of each entry are skipped unchecked.
    pub fn banned(&self) -> Vec<&str> {
        let list = self.get("ban").unwrap_or("").split('|');
        list.filter_map(|entry| entry.get(5..)).collect()
    }
}

/// A move in the list of `queryall`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedMove {
    /// A move of the queried position.
    #[serde(rename = "uci")]
    pub played: Move,
    /// Score for the side that plays the move, if known.
    #[serde(serialize_with = "serialize_score")]
    score: Option<i32>,
    /// 2 for the best moves, 1 for other good moves, 0 for bad moves and moves without a score.
    rank: u8,
    /// The sign of the rank, then the numbers of known and of good replies, or the result and the plies to mate.
    note: String,
    /// Win rate in percent; `None` for mates, tablebase scores and moves without a score.
    #[serde(rename = "winrate", skip_serializing_if = "Option::is_none")]
    win_rate: Option<String>,
}

impl ListedMove {
    pub fn unknown(played: Move) -> Self {
        Self { played, score: None, rank: 0, note: "? (??-??)".to_owned(), win_rate: None }
    }

    /// A move with a score of the library, the rank of the score (see [`rank`](super::score::rank)), and the numbers of
    /// known replies and of those in the class [`Good`](super::score::Class::Good).
    pub fn known(played: Move, score: i32, rank: u8, replies: usize, good_replies: usize) -> Self {
        let rate = (score.abs() < MATE).then(|| win_rate(score));
        Self {
            played,
            score: Some(score),
            rank,
            note: format!("{} ({replies:02}-{good_replies:02})", sign(rank)),
            win_rate: rate.map(|rate| format!("{rate:.2}")),
        }
    }

    /// A move with a score of an endgame tablebase: 30,000 minus the plies to mate if it wins, the negative of this if
    /// it loses, 0 for a draw. The rank is 2 for the best moves, 1 for others with the same result, 0 for moves with a
    /// worse result.
    pub fn from_tablebase(played: Move, score: i32, rank: u8) -> Self {
        let (letter, plies) = match score {
            0 => ('D', 0),
            1.. => ('W', FINAL - score),
            _ => ('L', FINAL + score),
        };
        Self {
            played,
            score: Some(score),
            rank,
            note: format!("{} ({letter}-M-{plies:04})", sign(rank)),
            win_rate: None,
        }
    }
}

fn sign(rank: u8) -> char {
    match rank {
        2 => '!',
        1 => '*',
        _ => '?',
    }
}

/// Serializes a score as a number, or as `??` if it is unknown.
fn serialize_score<S: Serializer>(score: &Option<i32>, serializer: S) -> Result<S::Ok, S::Error> {
    match score {
        Some(score) => serializer.serialize_i32(*score),
        None => serializer.serialize_str("??"),
    }
}

/// The verdict of the repetition rules on a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RuleVerdict {
    pub uci: Move,
    /// `draw`, `ban` or `none`.
    pub rule: &'static str,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ApiReply {
    Empty,
    /// A status such as `unknown` or `invalid parameters`.
    Status(&'static str),
    /// The moves of a position, and its distance from the starting position if known.
    Moves(Vec<ListedMove>, Option<u16>),
    Move(Move),
    /// A move to play, proved by the tablebases.
    TableMove(Move),
    /// Moves to choose from.
    Search(Vec<Move>),
    /// The score of a position, and its distance from the starting position if known.
    Score(i32, Option<u16>),
    /// A principal variation.
    Line {
        /// For the side that plays the first move.
        score: i32,
        /// Length of `pv`; in a reply from the tablebases, the plies to mate, or 0 for a draw.
        depth: usize,
        pv: Vec<Move>,
    },
    Rules(Vec<RuleVerdict>),
    /// A digit; in JSON a plain number, not an object.
    Digit(u8),
}

impl ApiReply {
    /// JSON, or text with a trailing NUL.
    pub fn encode(&self, is_json: bool) -> String {
        match self {
            Self::Digit(digit) if is_json => digit.to_string(),
            // Numbers, moves and texts can always be serialized.
            _ if is_json => serde_json::to_string(self).unwrap_or_default(),
            _ => self.to_text() + "\0",
        }
    }

    fn to_text(&self) -> String {
        match self {
            Self::Empty => String::new(),
            Self::Status(word) => (*word).to_owned(),
            Self::Moves(moves, _) => joined(moves, ListedMove::to_string),
            Self::Move(m) => format!("move:{m}"),
            Self::TableMove(m) => format!("egtb:{m}"),
            Self::Search(moves) => joined(moves, |m| format!("search:{m}")),
            Self::Score(score, _) => format!("eval:{score}"),
            Self::Line { score, depth, pv } => {
                let pv = joined(pv, Move::to_string);
                format!("score:{score},depth:{depth},pv:{pv}")
            }
            Self::Rules(moves) => {
                joined(moves, |RuleVerdict { uci, rule }| format!("move:{uci},rule:{rule}"))
            }
            Self::Digit(digit) => digit.to_string(),
        }
    }
}

fn joined<T>(items: &[T], write: impl Fn(&T) -> String) -> String {
    items.iter().map(write).collect::<Vec<_>>().join("|")
}

impl Serialize for ApiReply {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self {
            // A digit is not an object, see `encode`.
            Self::Empty | Self::Digit(_) => {}
            Self::Status(word) => map.serialize_entry("status", word)?,
            _ => map.serialize_entry("status", "ok")?,
        }
        match self {
            Self::Empty | Self::Digit(_) | Self::Status(_) => {}
            Self::Moves(moves, _) => map.serialize_entry("moves", moves)?,
            Self::Move(m) => map.serialize_entry("move", m)?,
            Self::TableMove(m) => map.serialize_entry("egtb", m)?,
            Self::Search(moves) => {
                let moves: Vec<_> = moves.iter().map(|m| json!({ "uci": m })).collect();
                map.serialize_entry("search_moves", &moves)?;
            }
            Self::Score(score, _) => map.serialize_entry("eval", score)?,
            Self::Line { score, depth, pv } => {
                map.serialize_entry("score", score)?;
                map.serialize_entry("depth", depth)?;
                map.serialize_entry("pv", pv)?;
            }
            Self::Rules(moves) => map.serialize_entry("moves", moves)?,
        }
        if let Self::Moves(_, Some(ply)) | Self::Score(_, Some(ply)) = self {
            map.serialize_entry("ply", ply)?;
        }
        map.end()
    }
}

impl fmt::Display for ListedMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let score = self.score.map_or_else(|| "??".to_owned(), |score| score.to_string());
        let (played, rank, note) = (self.played, self.rank, &self.note);
        write!(f, "move:{played},score:{score},rank:{rank},note:{note}")?;
        match &self.win_rate {
            Some(rate) => write!(f, ",winrate:{rate}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(query: &str, form: &str, name: &str) -> Option<String> {
        let form = QueryParameters::parse(form.as_bytes());
        let parameters = QueryParameters::parse(query.as_bytes()).with(form);
        parameters.get(name).map(str::to_owned)
    }

    #[test]
    fn the_last_value_wins_and_the_form_overrides_the_url() {
        assert_eq!(get("a=1&a=2", "", "a").as_deref(), Some("2"));
        assert_eq!(get("a=1", "a=3&b=4", "a").as_deref(), Some("3"));
        assert_eq!(get("a=1", "b=4", "a").as_deref(), Some("1"));
        assert_eq!(get("a[]=1", "", "a"), None);
        assert_eq!(get("a", "", "a").as_deref(), Some(""));
    }

    #[test]
    fn spaces_and_bars_are_decoded() {
        for query in ["b=x+w|y", "b=x%20w%7Cy", "b=x w%7cy"] {
            assert_eq!(get(query, "", "b").as_deref(), Some("x w|y"));
            assert_eq!(get("", query, "b").as_deref(), Some("x w|y"));
        }
        assert_eq!(get("b=%ff%", "", "b").as_deref(), Some("\u{fffd}%"));
    }

    #[test]
    fn boolean_parameters() {
        let parameters = QueryParameters::parse(b"a=TRUE&b=on&c=Yes&d=1&e=2&f=&g=0&h=false");
        let on: Vec<bool> =
            "a b c d e f g h".split(' ').map(|name| parameters.is_on(name, true)).collect();
        assert_eq!(on, [true, true, true, true, false, false, false, false]);
        assert!(parameters.is_on("z", true) && !parameters.is_on("z", false));
        assert_eq!(parameters.get_nonempty("g"), None);
        assert_eq!(parameters.get_nonempty("f"), None);
        assert_eq!(parameters.get_nonempty("e"), Some("2"));
    }

    #[test]
    fn the_first_five_bytes_of_a_ban_are_skipped() {
        let banned = |ban: &str| {
            let parameters = QueryParameters::parse(format!("ban={ban}").as_bytes());
            let banned = parameters.banned();
            banned.into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(banned("move:c3c4|move:b2e2"), ["c3c4", "b2e2"]);
        assert_eq!(banned("move:move:c3c4|move:b2e2"), ["move:c3c4", "b2e2"]);
        assert_eq!(banned("c3c4||é|mové:x"), [":x"]);
        assert!(QueryParameters::default().banned().is_empty());
    }

    fn m(text: &str) -> Move {
        text.parse().unwrap()
    }

    #[test]
    fn lists_of_moves() {
        let moves = vec![
            ListedMove::known(m("h2e2"), 1, 2, 44, 4),
            ListedMove::known(m("b0a2"), 9_999, 1, 3, 0),
            ListedMove::known(m("a0a1"), -29_998, 0, 1, 1),
            ListedMove::unknown(m("c3c4")),
        ];
        let text = "move:h2e2,score:1,rank:2,note:! (44-04),winrate:50.08|\
                    move:b0a2,score:9999,rank:1,note:* (03-00),winrate:100.00|\
                    move:a0a1,score:-29998,rank:0,note:? (01-01)|\
                    move:c3c4,score:??,rank:0,note:? (??-??)\0";
        let json = "{\"status\":\"ok\",\"moves\":[\
                    {\"uci\":\"h2e2\",\"score\":1,\"rank\":2,\"note\":\"! (44-04)\",\"winrate\":\"50.08\"},\
                    {\"uci\":\"b0a2\",\"score\":9999,\"rank\":1,\"note\":\"* (03-00)\",\"winrate\":\"100.00\"},\
                    {\"uci\":\"a0a1\",\"score\":-29998,\"rank\":0,\"note\":\"? (01-01)\"},\
                    {\"uci\":\"c3c4\",\"score\":\"??\",\"rank\":0,\"note\":\"? (??-??)\"}]";
        let reply = ApiReply::Moves(moves.clone(), None);
        assert_eq!(reply.encode(false), text);
        assert_eq!(reply.encode(true), format!("{json}}}"));
        let reply = ApiReply::Moves(moves, Some(7));
        assert_eq!(reply.encode(false), text);
        assert_eq!(reply.encode(true), format!("{json},\"ply\":7}}"));
    }
}
