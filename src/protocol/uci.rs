//! The spelling of UCI, with the squares a0 to i9.

use super::codec::{Codec, Reply, parse_common, spell_line};
use super::command::Command;
use super::options::{Kind, Row, TABLE};
use super::text::{TimeUnit, one_line};
use crate::search::{Bound, Info, Meaning, Score, nodes_per_second};

/// The part of UCI that plays and analyses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Uci;

impl Codec for Uci {
    fn parse(&self, line: &str, _: TimeUnit) -> Command {
        match parse_common(line, TimeUnit::Milliseconds) {
            Ok(command) => command,
            Err((verb, rest)) if verb == "debug" => {
                Command::Debug(!rest.eq_ignore_ascii_case("off"))
            }
            Err(_) => Command::Unknown,
        }
    }

    fn introduction(&self) -> Vec<String> {
        let ids = [
            concat!("id name Chuhe ", env!("CARGO_PKG_VERSION")),
            "id author the Chuhe authors",
        ];
        let mut lines: Vec<String> = ids.map(str::to_owned).into();
        lines.extend(TABLE.iter().filter_map(spell_option));
        lines.push("uciok".to_owned());
        lines
    }

    fn spell(&self, reply: &Reply<'_>, _debug: bool) -> Option<String> {
        Some(match *reply {
            Reply::Ready => "readyok".to_owned(),
            Reply::Message(text) => format!("info string {}", one_line(text)),
            Reply::Line(info) => spell_info(info),
            Reply::CurrentMove {
                depth,
                played,
                number,
            } => format!("info depth {depth} currmove {played} currmovenumber {number}"),
            Reply::Progress { nodes, time } => format!(
                "info time {} nodes {nodes} nps {}",
                time.as_millis(),
                nodes_per_second(nodes, time)
            ),
            Reply::StaticScore(score) => format!("info depth 0 score {}", spell_score(score)),
            Reply::BestMove { best, ponder, .. } => match ponder {
                Some(ponder) => format!("bestmove {best} ponder {ponder}"),
                None => format!("bestmove {best}"),
            },
            Reply::NoBestMove => "bestmove (none)".to_owned(),
            Reply::NothingToStop | Reply::Hash(_) | Reply::Bye => return None,
        })
    }

    fn mate_ends_infinite(&self) -> bool {
        false
    }
}

fn spell_option(row: &Row) -> Option<String> {
    let name = row.uci?;
    Some(match row.kind {
        Kind::Check { default, .. } => format!("option name {name} type check default {default}"),
        Kind::Spin {
            min, max, default, ..
        } => format!("option name {name} type spin default {default} min {min} max {max}"),
        Kind::Combo { words, default, .. } => {
            let list: Vec<String> = words.iter().map(|word| format!("var {word}")).collect();
            let default = words.get(default).unwrap_or(&"");
            let list = list.join(" ");
            format!("option name {name} type combo default {default} {list}")
        }
        Kind::Button(_) => format!("option name {name} type button"),
    })
}

/// A minor piece in centipawns: by the usual count it is worth four pawns.
const MINOR_PIECE: i32 = 400;

/// `cp N` in hundredths of a pawn, or `mate N` in moves.
fn spell_score(score: Score) -> String {
    match score.meaning() {
        Meaning::Evaluation(_) => {
            format!("cp {}", score.units() * MINOR_PIECE / Score::MINOR_PIECE)
        }
        Meaning::Mates(plies) => format!("mate {}", plies.div_ceil(2)),
        Meaning::Mated(plies) => format!("mate -{}", plies.div_ceil(2)),
    }
}

fn spell_info(info: &Info) -> String {
    let bound = match info.bound {
        Bound::Exact => "",
        Bound::Lower => " lowerbound",
        Bound::Upper => " upperbound",
    };
    format!(
        "info depth {} seldepth {} multipv {} score {}{bound} nodes {} nps {} hashfull {} time {} pv {}",
        info.depth,
        info.selective_depth,
        info.multipv,
        spell_score(info.score),
        info.nodes,
        nodes_per_second(info.nodes, info.time),
        info.hashfull,
        info.time.as_millis(),
        spell_line(&info.pv),
    )
}
