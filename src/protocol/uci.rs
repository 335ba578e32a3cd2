//! UCI. Ranks are numbered from 0, or from 1 for programs for many variants (`Preferences::ranks`).

use super::codec::{Codec, Command, Reply};
use super::options::{self, OptionSpec, Preferences};
use super::text::{
    Ranks, TimeUnit, centipawns, format_perft, format_position, one_line, split_word,
};
use super::ucci::{parse_common, parse_position};
use crate::board::Move;
use crate::eval::win_rate::WinRate;
use crate::search::{Bound, Info, Meaning, Report, Score, nodes_per_second};

/// Options that are accepted but not listed. A client that sets `UCI_Chess960` is a program for many variants, and one
/// that sets `Protocol` uses the engine as it uses Fairy-Stockfish. If they were listed, clients that send back every
/// listed option would set them too.
const UNLISTED: [&str; 2] = ["UCI_Chess960", "Protocol"];

/// Clients of the dialect UCI-Cyclone omit the word `position`: they send `startpos` or `fen F`, and moves. They count
/// ranks from 0, even if they have set `UCI_Variant`, and so does a client that sends a move with a rank 0. A client
/// that sends a move with a rank 10 counts from 1. The session also recognizes a client that has set `UCI_Variant` by
/// moves that are legal only in one of the numberings.
///
/// Some workers of the public cloud library also send `fen F`, and read the word after `score` as a number. Their FENs
/// have only two fields, unlike those of graphical programs. After such a line scores are written as in UCCI, until the
/// next position.
#[derive(Clone, Debug, Default)]
pub struct Uci {
    /// Whether scores are bare numbers, without `cp` and `mate`.
    bare_scores: bool,
    ranks: Ranks,
}

impl Codec for Uci {
    fn parse(&mut self, line: &str, preferences: &Preferences) -> Vec<Command> {
        let ranks = preferences.ranks();
        let shown = match ranks {
            Ranks::FromOne if counts_from_zero(line) => Ranks::FromZero,
            Ranks::FromZero if counts_from_one(line) => Ranks::FromOne,
            _ => return vec![self.parse_line(line, ranks)],
        };
        vec![Command::CountRanks(shown), self.parse_line(line, shown)]
    }

    fn handshake_answer(&mut self) -> Vec<String> {
        let ids =
            [concat!("id name Chuhe ", env!("CARGO_PKG_VERSION")), "id author the Chuhe authors"];
        let mut lines: Vec<String> = ids.map(str::to_owned).into();
        lines.extend(options::all().filter_map(|spec| format_option(&spec)));
        lines.push("uciok".to_owned());
        lines
    }

    fn format(&mut self, reply: &Reply<'_>, preferences: &Preferences) -> Vec<String> {
        self.ranks = preferences.ranks();
        let text = |played| self.ranks.format(played);
        let line = match *reply {
            Reply::Ready => "readyok".to_owned(),
            Reply::Message(text) => format!("info string {}", one_line(text)),
            Reply::Search { report, chances } => return self.format_report(report, chances),
            Reply::LastLine { info, chances } => self.format_info(info, chances),
            Reply::CpuLoad(permille) => format!("info cpuload {permille}"),
            Reply::BookMove { played, weight, is_best } => {
                let played = text(played);
                let message = format!("info string book move {played} weight {weight}");
                let line = is_best.then(|| format!("info depth 0 pv {played}"));
                return std::iter::once(message).chain(line).collect();
            }
            Reply::StaticScore(score) => {
                format!("info depth 0 score {}", self.format_score(score))
            }
            Reply::BestMove { best, ponder, .. } => match ponder {
                Some(ponder) => format!("bestmove {} ponder {}", text(best), text(ponder)),
                None => format!("bestmove {}", text(best)),
            },
            Reply::NoBestMove => "bestmove (none)".to_owned(),
            Reply::Position(position) => return format_position(position, self.ranks),
            // In the form of Stockfish, because programs read the number.
            Reply::Evaluation(score) => {
                let pawns = f64::from(centipawns(score)) / 100.0;
                format!("Final evaluation       {pawns:+.2} (white side)")
            }
            Reply::Perft(counts) => return format_perft(counts, self.ranks),
            Reply::BookContents(_) | Reply::NothingToStop | Reply::Hash(_) | Reply::Bye => {
                return Vec::new();
            }
        };
        vec![line]
    }
}

impl Uci {
    fn parse_line(&mut self, line: &str, ranks: Ranks) -> Command {
        let mut text = line;
        loop {
            let (verb, rest) = match parse_common(text, TimeUnit::Milliseconds, ranks) {
                Ok(command) => {
                    self.bare_scores &= !matches!(command, Command::Position(_));
                    return command;
                }
                Err(unknown) => unknown,
            };
            match verb.as_str() {
                "eval" => return Command::ShowEvaluation,
                "debug" => return Command::Debug(!rest.eq_ignore_ascii_case("off")),
                // No registration is needed.
                "register" => return Command::Print("registration ok".to_owned()),
                // Only at the start of the line: elsewhere it may follow a misspelled `position`.
                _ if is_bare_position(&verb) && text.len() == line.len() => {
                    self.bare_scores = verb == "fen" && rest.split_whitespace().count() == 2;
                    return Command::Position(parse_position(text, ranks));
                }
                _ if rest.is_empty() => return Command::Unknown(line.to_owned()),
                // UCI: an unknown word is ignored and the rest of the line is parsed.
                _ => text = rest,
            }
        }
    }

    fn format_report(&self, report: &Report, chances: Option<WinRate>) -> Vec<String> {
        vec![match report {
            Report::Line(info) => self.format_info(info, chances),
            Report::CurrentMove { depth, played, number } => {
                let played = self.ranks.format(*played);
                format!("info depth {depth} currmove {played} currmovenumber {number}")
            }
            Report::Progress { nodes, time } => format!(
                "info time {} nodes {nodes} nps {}",
                time.as_millis(),
                nodes_per_second(*nodes, *time)
            ),
            Report::Refutation(line) => {
                format!("info refutation {}", self.ranks.format_line(line))
            }
            Report::CurrentLines(lines) => {
                let numbered = (1..).zip(lines);
                let format = |(number, line): (u32, &Vec<Move>)| {
                    format!("info currline {number} {}", self.ranks.format_line(line))
                };
                return numbered.map(format).collect();
            }
        }]
    }

    /// `cp N` in hundredths of a pawn, or `mate N` in moves; a number as in UCCI if scores are bare.
    fn format_score(&self, score: Score) -> String {
        if self.bare_scores {
            return score.number().to_string();
        }
        match score.meaning() {
            Meaning::Evaluation(_) => format!("cp {}", centipawns(score)),
            Meaning::Mates(plies) => format!("mate {}", plies.div_ceil(2)),
            // Negated as an integer, so that a side that is already mated gets `mate 0`, not `mate -0`.
            Meaning::Mated(plies) => format!("mate {}", -i64::from(plies.div_ceil(2))),
        }
    }

    fn format_info(&self, info: &Info, chances: Option<WinRate>) -> String {
        let bound = match info.bound {
            Bound::Exact => "",
            Bound::Lower => " lowerbound",
            Bound::Upper => " upperbound",
        };
        let wdl = chances.map_or_else(String::new, |WinRate { win, draw, loss }| {
            format!(" wdl {win} {draw} {loss}")
        });
        format!(
            "info depth {} seldepth {} multipv {} score {}{bound}{wdl} nodes {} nps {} hashfull {} tbhits {} \
             time {} pv {}",
            info.depth,
            info.selective_depth,
            info.multipv,
            self.format_score(info.score),
            info.nodes,
            nodes_per_second(info.nodes, info.time),
            info.hashfull,
            info.tb_hits,
            info.time.as_millis(),
            self.ranks.format_line(&info.pv),
        )
    }
}

/// Whether a line with this first word, in lower case, sets the position without the word `position`.
fn is_bare_position(verb: &str) -> bool {
    matches!(verb, "fen" | "startpos")
}

/// Whether a line shows that the client counts ranks from 0 (see [`Uci`]).
fn counts_from_zero(line: &str) -> bool {
    let mut words = line.split_whitespace();
    is_bare_position(&split_word(line).0.to_ascii_lowercase())
        || words.any(|word| Ranks::FromOne.only_other_parses(word))
}

/// Whether a line contains a move with a rank 10.
fn counts_from_one(line: &str) -> bool {
    line.split_whitespace().any(|word| Ranks::FromZero.only_other_parses(word))
}

fn format_option(spec: &OptionSpec) -> Option<String> {
    let name = spec.uci.filter(|name| !UNLISTED.contains(name))?;
    let (kind, default, values) = spec.kind.describe(true);
    Some(format!("option name {name} type {kind}{default}{values}"))
}
