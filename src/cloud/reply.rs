//! Replies, byte for byte as clients of the public library read them.

use std::fmt::{self, Write};

use super::classes::win_rate;
use super::value::MATE;
use crate::board::Move;

/// How the body of a reply is wrapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyFormat {
    /// Text that ends in a byte 0, for requests that name a board.
    Text,
    /// Text alone, for requests without a board.
    Bare,
    /// A JSON object.
    Json,
}

/// What a move of a list is known to be worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worth {
    /// Nothing is known.
    Unknown,
    /// A score of the library, with the numbers of known and of good replies.
    Known {
        /// For the side that plays the move.
        score: i32,
        /// 0 to 2.
        rank: u8,
        /// Known replies.
        replies: usize,
        /// How many of them may be played, close to the best of them (the class of `query`).
        good_replies: usize,
    },
    /// A score of the endgame tables.
    Table {
        /// For the side that plays the move: 30,000 minus the plies to mate, 0 for a draw.
        score: i32,
        /// 0 to 2.
        rank: u8,
    },
}

/// A move of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListedMove {
    /// The move, of the position that was asked about.
    pub played: Move,
    /// What it is worth.
    pub worth: Worth,
}

/// What a request is answered.
#[derive(Clone, Debug, PartialEq)]
pub enum ApiReply {
    /// Nothing.
    Empty,
    /// A word that says all, such as `unknown`.
    Status(&'static str),
    /// The moves of a position, and its distance from the start where it is known.
    Moves(Vec<ListedMove>, Option<u16>),
    /// A move to play.
    Move(Move),
    /// A move to play that the endgame tables prove.
    TableMove(Move),
    /// Moves to choose from.
    Search(Vec<Move>),
    /// The score of a position, and its distance from the start where it is known.
    Score(i32, Option<u16>),
    /// A line with the score of its first move; `depth` is its length, or the plies to mate.
    Line {
        /// For the side that plays the first move.
        score: i32,
        /// In plies.
        depth: usize,
        /// The moves, one after another.
        pv: Vec<Move>,
    },
    /// Whether moves break the rules on repetitions.
    Rules(Vec<(Move, &'static str)>),
    /// A digit alone, in every format.
    Digit(u8),
}

impl ReplyFormat {
    /// JSON where it is asked for, else text that ends in a byte 0.
    pub const fn framed(is_json: bool) -> Self {
        match is_json {
            true => Self::Json,
            false => Self::Text,
        }
    }
}

impl ApiReply {
    /// The reply as clients read it, in a format.
    pub fn to_bytes(&self, format: ReplyFormat) -> String {
        let mut text = String::new();
        // A string takes whatever is written.
        let _ = match (format, self) {
            (ReplyFormat::Json, Self::Digit(digit)) => write!(text, "{digit}\0"),
            (ReplyFormat::Json, _) => self.write_json(&mut text),
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

    fn write_json(&self, out: &mut String) -> fmt::Result {
        let ply = |ply: &Option<u16>| ply.map_or_else(String::new, |ply| format!(",\"ply\":{ply}"));
        if *self == Self::Empty {
            return out.write_str("{}");
        }
        if let Self::Status(word) = self {
            return write!(out, "{{\"status\":\"{word}\"}}");
        }
        out.write_str("{\"status\":\"ok\",")?;
        match self {
            Self::Empty | Self::Status(_) | Self::Digit(_) => Ok(()),
            Self::Moves(moves, distance) => {
                out.write_str("\"moves\":[")?;
                separated(out, ",", moves, write_json_entry)?;
                write!(out, "]{}", ply(distance))
            }
            Self::Move(m) => write!(out, "\"move\":\"{m}\""),
            Self::TableMove(m) => write!(out, "\"egtb\":\"{m}\""),
            Self::Search(moves) => {
                out.write_str("\"search_moves\":[")?;
                separated(out, ",", moves, |out, m| write!(out, "{{\"uci\":\"{m}\"}}"))?;
                out.write_str("]")
            }
            Self::Score(score, distance) => write!(out, "\"eval\":{score}{}", ply(distance)),
            Self::Line { score, depth, pv } => {
                write!(out, "\"score\":{score},\"depth\":{depth},\"pv\":[")?;
                separated(out, ",", pv, |out, m| write!(out, "\"{m}\""))?;
                out.write_str("]")
            }
            Self::Rules(moves) => {
                out.write_str("\"moves\":[")?;
                separated(out, ",", moves, |out, (m, rule)| {
                    write!(out, "{{\"uci\":\"{m}\",\"rule\":\"{rule}\"}}")
                })?;
                out.write_str("]")
            }
        }?;
        out.write_str("}")
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

/// The note on a move: its rank as a sign, and in brackets its replies or the plies to mate.
fn note(worth: &Worth) -> String {
    let sign = |rank: u8| match rank {
        2 => '!',
        1 => '*',
        _ => '?',
    };
    match *worth {
        Worth::Unknown => "? (??-??)".to_owned(),
        Worth::Known {
            rank,
            replies,
            good_replies,
            ..
        } => {
            format!("{} ({replies:02}-{good_replies:02})", sign(rank))
        }
        Worth::Table { score, rank } => {
            let (letter, plies) = match score {
                0 => ('D', 0),
                1.. => ('W', super::value::FINAL - score),
                _ => ('L', super::value::FINAL + score),
            };
            format!("{} ({letter}-M-{plies:04})", sign(rank))
        }
    }
}

/// The share of won games that is given with a score; none with mates and scores of the tables.
fn told_win_rate(worth: &Worth) -> Option<String> {
    match *worth {
        Worth::Known { score, .. } if score.abs() < MATE => Some(format!("{:.2}", win_rate(score))),
        _ => None,
    }
}

fn score_and_rank(worth: &Worth) -> (Option<i32>, u8) {
    match *worth {
        Worth::Unknown => (None, 0),
        Worth::Known { score, rank, .. } | Worth::Table { score, rank } => (Some(score), rank),
    }
}

fn write_entry(out: &mut String, entry: &ListedMove) -> fmt::Result {
    let (score, rank) = score_and_rank(&entry.worth);
    let score = score.map_or_else(|| "??".to_owned(), |score| score.to_string());
    let note = note(&entry.worth);
    write!(
        out,
        "move:{},score:{score},rank:{rank},note:{note}",
        entry.played
    )?;
    match told_win_rate(&entry.worth) {
        Some(rate) => write!(out, ",winrate:{rate}"),
        None => Ok(()),
    }
}

fn write_json_entry(out: &mut String, entry: &ListedMove) -> fmt::Result {
    let (score, rank) = score_and_rank(&entry.worth);
    let score = score.map_or_else(|| "\"??\"".to_owned(), |score| score.to_string());
    let note = note(&entry.worth);
    let played = entry.played;
    write!(
        out,
        "{{\"uci\":\"{played}\",\"score\":{score},\"rank\":{rank},\"note\":\"{note}\""
    )?;
    match told_win_rate(&entry.worth) {
        Some(rate) => write!(out, ",\"winrate\":\"{rate}\"}}"),
        None => out.write_str("}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn m(text: &str) -> Move {
        text.parse().unwrap()
    }

    /// A reply in the three formats.
    fn bytes(reply: &ApiReply) -> [String; 3] {
        [ReplyFormat::Text, ReplyFormat::Bare, ReplyFormat::Json]
            .map(|format| reply.to_bytes(format))
    }

    #[test]
    fn words_and_nothing() {
        assert_eq!(bytes(&ApiReply::Empty), ["\0", "", "{}"]);
        let unknown = ["unknown\0", "unknown", "{\"status\":\"unknown\"}"];
        assert_eq!(bytes(&ApiReply::Status("unknown")), unknown);
        assert_eq!(bytes(&ApiReply::Digit(2)), ["2\0", "2", "2\0"]);
    }

    #[test]
    fn lists_of_moves() {
        let known = |played, score, rank, replies, good_replies| ListedMove {
            played: m(played),
            worth: Worth::Known {
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
                worth: Worth::Unknown,
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
        assert_eq!(reply.to_bytes(ReplyFormat::Text), text);
        assert_eq!(reply.to_bytes(ReplyFormat::Json), format!("{json}}}"));
        let reply = ApiReply::Moves(moves, Some(7));
        assert_eq!(reply.to_bytes(ReplyFormat::Text), text);
        assert_eq!(
            reply.to_bytes(ReplyFormat::Json),
            format!("{json},\"ply\":7}}")
        );
    }

    #[test]
    fn moves_of_the_tables() {
        let table = |played, score, rank| ListedMove {
            played: m(played),
            worth: Worth::Table { score, rank },
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
        assert_eq!(reply.to_bytes(ReplyFormat::Bare), text);
        let json = reply.to_bytes(ReplyFormat::Json);
        let entry = "{\"uci\":\"h2e2\",\"score\":29991,\"rank\":2,\"note\":\"! (W-M-0009)\"}";
        assert!(json.contains(entry), "{json}");
    }

    #[test]
    fn moves_to_play() {
        let ok = |rest: &str| format!("{{\"status\":\"ok\",{rest}}}");
        let shown = |reply: &ApiReply| {
            (
                reply.to_bytes(ReplyFormat::Text),
                reply.to_bytes(ReplyFormat::Json),
            )
        };
        let (text, json) = shown(&ApiReply::Move(m("h2e2")));
        assert_eq!((&*text, json), ("move:h2e2\0", ok("\"move\":\"h2e2\"")));
        let (text, json) = shown(&ApiReply::TableMove(m("h2e2")));
        assert_eq!((&*text, json), ("egtb:h2e2\0", ok("\"egtb\":\"h2e2\"")));
        let (text, json) = shown(&ApiReply::Search(vec![m("h2e2"), m("c3c4")]));
        let list = "\"search_moves\":[{\"uci\":\"h2e2\"},{\"uci\":\"c3c4\"}]";
        assert_eq!((&*text, json), ("search:h2e2|search:c3c4\0", ok(list)));
    }

    #[test]
    fn scores_lines_and_rules() {
        let ok = |rest: &str| format!("{{\"status\":\"ok\",{rest}}}");
        let shown = |reply: &ApiReply| {
            (
                reply.to_bytes(ReplyFormat::Text),
                reply.to_bytes(ReplyFormat::Json),
            )
        };
        let (text, json) = shown(&ApiReply::Score(-12, Some(3)));
        assert_eq!((&*text, json), ("eval:-12\0", ok("\"eval\":-12,\"ply\":3")));
        let line = ApiReply::Line {
            score: 23,
            depth: 2,
            pv: vec![m("b2e2"), m("h9g7")],
        };
        let (text, json) = shown(&line);
        assert_eq!(text, "score:23,depth:2,pv:b2e2|h9g7\0");
        assert_eq!(
            json,
            ok("\"score\":23,\"depth\":2,\"pv\":[\"b2e2\",\"h9g7\"]")
        );
        let (text, json) = shown(&ApiReply::Rules(vec![
            (m("b2e2"), "none"),
            (m("c3c4"), "ban"),
        ]));
        assert_eq!(text, "move:b2e2,rule:none|move:c3c4,rule:ban\0");
        let list =
            "\"moves\":[{\"uci\":\"b2e2\",\"rule\":\"none\"},{\"uci\":\"c3c4\",\"rule\":\"ban\"}]";
        assert_eq!(json, ok(list));
    }
}
