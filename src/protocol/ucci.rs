//! The spelling of UCCI.

use super::codec::{Codec, Offer, Reply, parse_common, parse_position, spell_line};
use super::command::Command;
use super::options::{Kind, Row, TABLE};
use super::text::{TimeUnit, one_line};
use crate::search::{Bound, HashProbe, Info, Meaning, Score, nodes_per_second};

/// UCCI 3.0, read liberally and written exactly.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ucci;

impl Codec for Ucci {
    fn parse(&self, line: &str, unit: TimeUnit) -> Command {
        match parse_common(line, unit) {
            Ok(command) => command,
            Err((verb, rest)) => match verb.as_str() {
                "banmoves" => {
                    Command::BanMoves(rest.split_whitespace().map(str::to_owned).collect())
                }
                "probe" => Command::Probe(parse_position(rest)),
                _ => Command::Unknown,
            },
        }
    }

    fn introduction(&self) -> Vec<String> {
        let ids = [
            "id name Chuhe",
            concat!("id version ", env!("CARGO_PKG_VERSION")),
            "id copyright 2026 the Chuhe authors, MIT license",
            "id author the Chuhe authors",
            "id user everyone",
        ];
        let mut lines: Vec<String> = ids.map(str::to_owned).into();
        lines.extend(TABLE.iter().map(spell_option));
        lines.push("ucciok".to_owned());
        lines
    }

    fn spell(&self, reply: &Reply<'_>, debug: bool) -> Option<String> {
        Some(match *reply {
            Reply::Ready => "readyok".to_owned(),
            Reply::Message(text) => format!("info message {}", one_line(text)),
            Reply::Line(info) => return spell_info(info, debug),
            Reply::CurrentMove { .. } if !debug => return None,
            Reply::CurrentMove { played, number, .. } => {
                format!("info currmove {played} currmovenumber {number}")
            }
            Reply::Progress { nodes, time } => {
                format!("info time {} nodes {nodes}", time.as_millis())
            }
            Reply::StaticScore(score) => format!("info depth 0 score {}", number(score)),
            Reply::BestMove {
                best,
                ponder,
                offer,
            } => {
                let ponder = ponder.map_or_else(String::new, |m| format!(" ponder {m}"));
                match offer {
                    Offer::None => format!("bestmove {best}{ponder}"),
                    Offer::Draw => format!("bestmove {best}{ponder} draw"),
                    Offer::Resign => format!("bestmove {best} resign"),
                }
            }
            Reply::NoBestMove | Reply::NothingToStop => "nobestmove".to_owned(),
            Reply::Hash(probe) => spell_hash(probe),
            Reply::Bye => "bye".to_owned(),
        })
    }

    fn mate_ends_infinite(&self) -> bool {
        true
    }
}

fn spell_option(row: &Row) -> String {
    let name = row.ucci;
    match row.kind {
        Kind::Check { default, .. } => format!("option {name} type check default {default}"),
        Kind::Spin {
            min, max, default, ..
        } => format!("option {name} type spin min {min} max {max} default {default}"),
        Kind::Combo { words, default, .. } => {
            let list: Vec<String> = words.iter().map(|word| format!("var {word}")).collect();
            let default = words.get(default).unwrap_or(&"");
            let list = list.join(" ");
            format!("option {name} type combo {list} default {default}")
        }
        Kind::Button(_) => format!("option {name} type button"),
    }
}

/// A score as one number that clients can compare: hundredths of a minor piece, and mates near
/// 30000, less one for each ply that they are away.
fn number(score: Score) -> i64 {
    const MATE: i64 = 30_000;
    match score.meaning() {
        Meaning::Evaluation(hundredths) => i64::from(hundredths),
        Meaning::Mates(plies) => MATE - i64::from(plies),
        Meaning::Mated(plies) => i64::from(plies) - MATE,
    }
}

/// Depth and score come first and the moves last: the oldest clients look for them there. Bounds
/// are left out, for UCCI has no word for them.
fn spell_info(info: &Info, debug: bool) -> Option<String> {
    let score = number(info.score);
    match info.bound {
        Bound::Exact => {}
        _ if !debug => return None,
        Bound::Lower => return Some(spell_bound(info, "at least", score)),
        Bound::Upper => return Some(spell_bound(info, "at most", score)),
    }
    let multipv = match info.multipv {
        0 | 1 => String::new(),
        number => format!(" multipv {number}"),
    };
    let selective = match debug {
        true => format!(" seldepth {}", info.selective_depth),
        false => String::new(),
    };
    Some(format!(
        "info depth {}{multipv} score {score}{selective} time {} nodes {} nps {} hashfull {} pv {}",
        info.depth,
        info.time.as_millis(),
        info.nodes,
        nodes_per_second(info.nodes, info.time),
        info.hashfull,
        spell_line(&info.pv),
    ))
}

fn spell_bound(info: &Info, bound: &str, score: i64) -> String {
    let line = spell_line(&info.pv);
    let depth = info.depth;
    format!("info message depth {depth}: {bound} {score} with {line}")
}

fn spell_hash(probe: Option<HashProbe>) -> String {
    let mut text = "pophash".to_owned();
    let Some(probe) = probe else {
        return text;
    };
    if let Some(best) = probe.best {
        text += &format!(" bestmove {best}");
    }
    if let Some((score, depth)) = probe.lower {
        text += &format!(" lowerbound {} depth {depth}", number(score));
    }
    if let Some((score, depth)) = probe.upper {
        text += &format!(" upperbound {} depth {depth}", number(score));
    }
    text
}
