//! Requests and replies of the cloud API: parameters with the semantics of PHP, and replies byte for byte as clients of
//! the public library expect them.

use std::fmt::{self, Write};

use serde::Serialize;
use serde_json::Value;

use super::score::{FINAL, MATE, win_rate};
use crate::board::Move;

/// The parameters of a URL and of a form.
#[derive(Clone, Debug, Default)]
pub struct QueryParameters {
    /// Names and values; those of the form come last.
    pairs: Vec<(String, String)>,
}

impl QueryParameters {
    /// Parses the query of a URL or a form. Invalid UTF-8 becomes U+FFFD.
    pub fn parse(text: &[u8]) -> Self {
        Self::from(
            form_urlencoded::parse(text)
                .into_owned()
                .collect::<Vec<_>>(),
        )
    }

    /// Adds parameters that take precedence.
    #[must_use]
    pub fn with(mut self, more: Self) -> Self {
        self.pairs.extend(more.pairs);
        self
    }

    /// The last value of a parameter; the form takes precedence over the URL.
    pub fn get(&self, name: &str) -> Option<&str> {
        let named = self.pairs.iter().rev().find(|(n, _)| n == name);
        named.map(|(_, value)| &**value)
    }

    /// The value of a parameter; `None` for `""` and `"0"` too, which PHP considers empty.
    pub fn get_filled(&self, name: &str) -> Option<&str> {
        self.get(name).filter(|value| !matches!(*value, "" | "0"))
    }

    /// A boolean parameter; `default` if it is absent.
    pub fn is_on(&self, name: &str, default: bool) -> bool {
        let is_on = |value: &str| {
            let values = ["1", "true", "on", "yes"];
            values.iter().any(|on| value.eq_ignore_ascii_case(on))
        };
        self.get(name).map_or(default, is_on)
    }

    /// The moves of `ban`, as in `move:c3c4|move:b2e2`. The first five bytes of each entry are skipped unchecked.
    pub fn banned(&self) -> Vec<&str> {
        let list = self.get("ban").unwrap_or("").split('|');
        list.filter_map(|entry| entry.get(5..)).collect()
    }
}

impl From<Vec<(String, String)>> for QueryParameters {
    fn from(pairs: Vec<(String, String)>) -> Self {
        Self { pairs }
    }
}

/// Encoding of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyFormat {
    /// Text with a trailing NUL, for requests with a board.
    Text,
    /// Text only, for requests without a board.
    Bare,
    /// JSON.
    Json,
}

/// Evaluation of a move in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveInfo {
    /// No score is known.
    Unknown,
    /// A score of the library.
    Known {
        /// For the side that plays the move.
        score: i32,
        /// 0 to 2, see [`rank`](super::score::rank).
        rank: u8,
        /// Number of known replies.
        replies: usize,
        /// Number of known replies in the class [`Good`](super::score::Class::Good).
        good_replies: usize,
    },
    /// A score of an endgame tablebase.
    Table {
        /// For the side that plays the move: 30,000 minus the plies to mate, 0 for a draw.
        score: i32,
        /// 0 to 2, see [`rank`](super::score::rank).
        rank: u8,
    },
}

/// A move in the list of `queryall`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListedMove {
    /// A move of the queried position.
    pub played: Move,
    /// Its evaluation.
    pub info: MoveInfo,
}

/// Reply to a request of the API.
#[derive(Clone, Debug, PartialEq)]
pub enum ApiReply {
    /// Nothing.
    Empty,
    /// A single word such as `unknown`.
    Status(&'static str),
    /// The moves of a position, and its distance from the starting position if known.
    Moves(Vec<ListedMove>, Option<u16>),
    /// A move to play.
    Move(Move),
    /// A move to play, proved by the tablebases.
    TableMove(Move),
    /// Moves to choose from.
    Search(Vec<Move>),
    /// The score of a position, and its distance from the starting position if known.
    Score(i32, Option<u16>),
    /// A principal variation; `depth` is its length, or the plies to mate.
    Line {
        /// For the side that plays the first move.
        score: i32,
        /// In plies.
        depth: usize,
        /// The moves.
        pv: Vec<Move>,
    },
    /// The verdict of the repetition rules on each move.
    Rules(Vec<(Move, &'static str)>),
    /// A digit, which has no JSON form: JSON is replaced by [`ReplyFormat::Text`].
    Digit(u8),
}

impl ReplyFormat {
    /// JSON if requested, otherwise text with a trailing NUL.
    pub const fn framed(is_json: bool) -> Self {
        if is_json { Self::Json } else { Self::Text }
    }
}

impl ApiReply {
    /// Encodes the reply.
    pub fn encode(&self, format: ReplyFormat) -> String {
        let mut text = String::new();
        let _ = match (format, self) {
            (ReplyFormat::Json, Self::Digit(digit)) => write!(text, "{digit}\0"),
            (ReplyFormat::Json, _) => {
                // The fields are numbers, moves and fixed words, which can always be serialized.
                return serde_json::to_string(&self.to_json()).unwrap_or_default();
            }
            (ReplyFormat::Bare, _) => self.write_text(&mut text),
            (ReplyFormat::Text, _) => self.write_text(&mut text).map(|()| text.push('\0')),
        };
        text
    }

    fn write_text(&self, out: &mut String) -> fmt::Result {
        match self {
            Self::Empty => Ok(()),
            Self::Status(word) => out.write_str(word),
            Self::Moves(moves, _) => separated(out, "|", moves, write_entry),
            Self::Move(m) => write!(out, "move:{m}"),
            Self::TableMove(m) => write!(out, "egtb:{m}"),
            Self::Search(moves) => separated(out, "|", moves, |out, m| write!(out, "search:{m}")),
            Self::Score(score, _) => write!(out, "eval:{score}"),
            Self::Line { score, depth, pv } => {
                write!(out, "score:{score},depth:{depth},pv:")?;
                separated(out, "|", pv, |out, m| write!(out, "{m}"))
            }
            Self::Rules(moves) => separated(out, "|", moves, |out, (m, rule)| {
                write!(out, "move:{m},rule:{rule}")
            }),
            Self::Digit(digit) => write!(out, "{digit}"),
        }
    }

    /// The fields of the JSON reply.
    pub fn to_json(&self) -> JsonReply {
        let uci = |uci: &Move| JsonMove {
            uci: *uci,
            ..JsonMove::default()
        };
        let mut json = JsonReply {
            status: Some("ok"),
            ..JsonReply::default()
        };
        match self {
            Self::Empty | Self::Digit(_) => json.status = None,
            Self::Status(word) => json.status = Some(word),
            Self::Moves(moves, ply) => {
                json.moves = Some(moves.iter().map(JsonMove::from).collect());
                json.ply = *ply;
            }
            Self::Move(m) => json.r#move = Some(*m),
            Self::TableMove(m) => json.egtb = Some(*m),
            Self::Search(moves) => json.search_moves = Some(moves.iter().map(uci).collect()),
            Self::Score(score, ply) => (json.eval, json.ply) = (Some(*score), *ply),
            Self::Line { score, depth, pv } => {
                (json.score, json.depth) = (Some(*score), Some(*depth));
                json.pv = Some(pv.clone());
            }
            Self::Rules(moves) => {
                let ruled = moves.iter().map(|(m, rule)| JsonMove {
                    rule: Some(rule),
                    ..uci(m)
                });
                json.moves = Some(ruled.collect());
            }
        }
        json
    }
}

/// A reply as JSON; absent fields are omitted.
#[derive(Default, Serialize)]
pub struct JsonReply {
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Vec<JsonMove>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#move: Option<Move>,
    #[serde(skip_serializing_if = "Option::is_none")]
    egtb: Option<Move>,
    #[serde(skip_serializing_if = "Option::is_none")]
    search_moves: Option<Vec<JsonMove>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    eval: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pv: Option<Vec<Move>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ply: Option<u16>,
}

/// A move in a list as JSON.
#[derive(Default, Serialize)]
struct JsonMove {
    uci: Move,
    /// A number, or `"??"` if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rank: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    winrate: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'static str>,
}

impl From<&ListedMove> for JsonMove {
    fn from(entry: &ListedMove) -> Self {
        let (score, rank) = score_and_rank(&entry.info);
        Self {
            uci: entry.played,
            score: Some(score.map_or_else(|| "??".into(), Value::from)),
            rank: Some(rank),
            note: Some(note(&entry.info)),
            winrate: shown_win_rate(&entry.info),
            rule: None,
        }
    }
}

fn separated<T>(
    out: &mut String,
    separator: &str,
    items: &[T],
    mut write_one: impl FnMut(&mut String, &T) -> fmt::Result,
) -> fmt::Result {
    for (n, item) in items.iter().enumerate() {
        if n > 0 {
            out.write_str(separator)?;
        }
        write_one(out, item)?;
    }
    Ok(())
}

/// The `note` of a move: its rank as a sign, then its replies or the plies to mate.
fn note(info: &MoveInfo) -> String {
    let sign = |rank: u8| match rank {
        2 => '!',
        1 => '*',
        _ => '?',
    };
    match *info {
        MoveInfo::Unknown => "? (??-??)".to_owned(),
        MoveInfo::Known {
            rank,
            replies,
            good_replies,
            ..
        } => {
            format!("{} ({replies:02}-{good_replies:02})", sign(rank))
        }
        MoveInfo::Table { score, rank } => {
            let (letter, plies) = match score {
                0 => ('D', 0),
                1.. => ('W', FINAL - score),
                _ => ('L', FINAL + score),
            };
            format!("{} ({letter}-M-{plies:04})", sign(rank))
        }
    }
}

/// Win rate in percent; `None` for mates, tablebase scores and moves without a score.
fn shown_win_rate(info: &MoveInfo) -> Option<String> {
    match *info {
        MoveInfo::Known { score, .. } if score.abs() < MATE => {
            Some(format!("{:.2}", win_rate(score)))
        }
        _ => None,
    }
}

fn score_and_rank(info: &MoveInfo) -> (Option<i32>, u8) {
    match *info {
        MoveInfo::Unknown => (None, 0),
        MoveInfo::Known { score, rank, .. } | MoveInfo::Table { score, rank } => {
            (Some(score), rank)
        }
    }
}

fn write_entry(out: &mut String, entry: &ListedMove) -> fmt::Result {
    let (score, rank) = score_and_rank(&entry.info);
    let score = score.map_or_else(|| "??".to_owned(), |score| score.to_string());
    let note = note(&entry.info);
    write!(
        out,
        "move:{},score:{score},rank:{rank},note:{note}",
        entry.played
    )?;
    match shown_win_rate(&entry.info) {
        Some(rate) => write!(out, ",winrate:{rate}"),
        None => Ok(()),
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
    fn the_last_value_wins_and_the_form_precedes_the_url() {
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
        let on: Vec<bool> = "a b c d e f g h"
            .split(' ')
            .map(|name| parameters.is_on(name, true))
            .collect();
        assert_eq!(on, [true, true, true, true, false, false, false, false]);
        assert!(parameters.is_on("z", true) && !parameters.is_on("z", false));
        assert_eq!(parameters.get_filled("g"), None);
        assert_eq!(parameters.get_filled("f"), None);
        assert_eq!(parameters.get_filled("e"), Some("2"));
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
        let known = |played, score, rank, replies, good_replies| ListedMove {
            played: m(played),
            info: MoveInfo::Known {
                score,
                rank,
                replies,
                good_replies,
            },
        };
        let moves = vec![
            known("h2e2", 1, 2, 44, 4),
            known("b0a2", 9_999, 1, 3, 0),
            known("a0a1", -29_998, 0, 1, 1),
            ListedMove {
                played: m("c3c4"),
                info: MoveInfo::Unknown,
            },
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
        assert_eq!(reply.encode(ReplyFormat::Text), text);
        assert_eq!(reply.encode(ReplyFormat::Json), format!("{json}}}"));
        let reply = ApiReply::Moves(moves, Some(7));
        assert_eq!(reply.encode(ReplyFormat::Text), text);
        assert_eq!(
            reply.encode(ReplyFormat::Json),
            format!("{json},\"ply\":7}}")
        );
    }

    #[test]
    fn tablebase_moves() {
        let table = |played, score, rank| ListedMove {
            played: m(played),
            info: MoveInfo::Table { score, rank },
        };
        let moves = [
            table("h2e2", 29_991, 2),
            table("a0a1", 0, 1),
            table("a0a2", -29_988, 0),
        ];
        let text = "move:h2e2,score:29991,rank:2,note:! (W-M-0009)|\
                    move:a0a1,score:0,rank:1,note:* (D-M-0000)|\
                    move:a0a2,score:-29988,rank:0,note:? (L-M-0012)";
        let reply = ApiReply::Moves(moves.to_vec(), None);
        assert_eq!(reply.encode(ReplyFormat::Bare), text);
        let json = reply.encode(ReplyFormat::Json);
        let entry = "{\"uci\":\"h2e2\",\"score\":29991,\"rank\":2,\"note\":\"! (W-M-0009)\"}";
        assert!(json.contains(entry), "{json}");
    }
}
